"""Lineage from code compared with lineage from runs: edges that only one of the two has, for tables that both know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from forge.flows.lineage.code.records import PRODUCER
from forge.lineage.facts.evidence import Basis
from forge.lineage.facts.fact import EdgeFact
from forge.lineage.graph.request import MIN_CONFIDENCE
from forge.lineage.graph.store import LineageStore
from forge.lineage.kind import EdgeType

CODE, RUNS = "code", "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeDisagreement:
    """An edge known only from code or only from runs (`side`). `id` is that of the edge, `place` its location."""

    id: str
    source: str
    target: str
    table: str
    side: str
    producer: str
    place: str
    expression: str

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "source": self.source,
            "target": self.target,
            "table": self.table,
            "said_by": self.side,
            "producer": self.producer,
            "place": self.place,
            "expression": self.expression,
        }


@dataclass(frozen=True, slots=True)
class GraphAgreement:
    """`tables`: known from both; `agreed`: number of common edges."""

    tables: int
    agreed: int
    disagreements: tuple[EdgeDisagreement, ...]


@dataclass
class _TableEdges:
    code: dict[tuple[str, str], EdgeFact] = field(default_factory=dict)
    runs: dict[tuple[str, str], EdgeFact] = field(default_factory=dict)


def find_disagreements(store: LineageStore) -> GraphAgreement:
    """By the edges that hold now, from column to column. A field counts as its column where only one side knows it."""
    by_table: dict[str, _TableEdges] = defaultdict(_TableEdges)
    producers = store.producers()
    from_code = [one for one in producers if one.startswith(PRODUCER)]
    for fact in _facts(store, from_code):
        if fact.confidence >= MIN_CONFIDENCE:
            by_table[_table(fact)].code.setdefault(_ends(fact), fact)
    others = [one for one in producers if not one.startswith(PRODUCER)] if by_table else []
    for fact in _facts(store, others):
        if _table(fact) in by_table and any(one.basis is Basis.OBSERVED for one in fact.evidence):
            by_table[_table(fact)].runs.setdefault(_ends(fact), fact)
    both = {table: one for table, one in by_table.items() if one.runs}
    found = [
        _disagreement(table, fact, who)
        for table, one in sorted(both.items())
        for who, mine, theirs in ((CODE, one.code, one.runs), (RUNS, one.runs, one.code))
        for ends, fact in sorted(mine.items())
        if ends not in theirs
    ]
    agreed = sum(len(one.code.keys() & one.runs.keys()) for one in both.values())
    return GraphAgreement(len(both), agreed, tuple(found))


def _facts(store: LineageStore, producers: Iterable[str]) -> Iterable[EdgeFact]:
    for producer in producers:
        for fact in store.edge_facts(producer=producer):
            direct = fact.kind.type is EdgeType.DERIVES_FROM and fact.kind.indirect is None
            if fact.valid_to is None and direct and fact.source.owner and fact.target.owner:
                yield fact


def _ends(fact: EdgeFact) -> tuple[str, str]:
    ends = []
    for end in (fact.source, fact.target):
        column = end.parent if end.type.value == "field" else end
        ends.append((column or end).id)
    return ends[0], ends[1]


def _table(fact: EdgeFact) -> str:
    """Of the column that is made."""
    return fact.target.owner.rpartition(".")[0] if fact.target.type.value == "field" else fact.target.owner


def _disagreement(table: str, fact: EdgeFact, who: str) -> EdgeDisagreement:
    place = next((one.place for one in fact.evidence if one.place), "")
    return EdgeDisagreement(
        id=fact.key.id,
        source=fact.source.id,
        target=fact.target.id,
        table=table,
        side=who,
        producer=fact.producer,
        place=place,
        expression=fact.expression,
    )
