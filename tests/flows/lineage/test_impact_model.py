"""Impact of a drop on random graphs, worked out again from the written formulas: scores, hours, severities, risk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest
from committed_lineage import CommittedLineage, edge, filtered

from forge.flows.lineage.impact import report_impact
from forge.flows.lineage.reader import open_graph
from forge.flows.lineage.write import record_edges
from forge.lineage.edge import Edge, IndirectEdge, IndirectType, Transformation
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.graph.request import MAKERS
from forge.lineage.impact.change import ProposedChange
from forge.lineage.kind import EdgeKind, EdgeType
from forge.lineage.node import Entity, NodeType, column_of

TABLES = tuple(f"s.t{number}" for number in range(7))
SURE = (1.0, 1.0, 0.8, 0.75, 0.5)
AGGREGATED, COPIED = Transformation.AGGREGATION, Transformation.IDENTITY
BASE = {"drop": 5.0, "type": 4.0, "rename": 5.0, "semantics": 3.0}
EFFORT = {"drop": 8.0, "type": 6.0, "rename": 8.0, "semantics": 4.0}
ENTITY = {"column": 0.8, "table": 1.0, "dashboard": 2.0}
EFFORT_ENTITY = {"column": 0.5, "table": 1.0, "dashboard": 1.5}
USE = {"passed_through": 1.0, "aggregated": 1.2, "filter": 1.3, "join_key": 1.5}
USES = {
    AGGREGATED: "aggregated",
    COPIED: "passed_through",
    IndirectType.FILTER: "filter",
    IndirectType.JOIN: "join_key",
}


@dataclass(frozen=True)
class Way:
    """An edge of the model; a table stands for all its columns."""

    source: str
    target: str
    sure: float
    use: str


class World:
    def __init__(self, seed: int) -> None:
        pick = Random(seed)
        self.columns = [f"{table}.{name}" for table in TABLES for name in "xyz"]
        self.ways: dict[tuple[str, str, str], Way] = {}
        said: dict[str, list[Edge | IndirectEdge]] = {}
        for number, table in enumerate(TABLES[1:], 1):
            earlier = [f"{other}.{name}" for other in TABLES[:number] for name in "xyz"]
            said[table] = [*self._values(pick, earlier, table), *self._shaped(pick, earlier, table)]
        types = {table: dict.fromkeys("xyz", "bigint") for table in TABLES}
        self.world = CommittedLineage()
        self.world.commit({TABLES[0]: (), **said}, columns=types)
        self._boards(pick)
        self.start = pick.choice(self.columns[:6])

    def _take(self, way: Way) -> bool:
        return self.ways.setdefault((way.source, way.target, way.use), way) is way

    def _values(self, pick: Random, earlier: list[str], table: str) -> list[Edge]:
        found = []
        for name in "xyz":
            for source in pick.sample(earlier, pick.randint(0, 2)):
                how, sure = pick.choice((COPIED, AGGREGATED)), pick.choice(SURE)
                if self._take(Way(source, f"{table}.{name}", sure, USES[how])):
                    found.append(edge(source, f"{table}.{name}", how, confidence=sure))
        return found

    def _shaped(self, pick: Random, earlier: list[str], table: str) -> list[IndirectEdge]:
        if pick.random() < 0.5:
            return []
        source, way = pick.choice(earlier), pick.choice((IndirectType.FILTER, IndirectType.JOIN))
        self._take(Way(source, table, 1.0, USES[way]))
        return [filtered(source, table, way)]

    def _boards(self, pick: Random) -> None:
        """Dashboards that read a column."""
        for number in range(3):
            source, board = pick.choice(self.columns), Entity(NodeType.DASHBOARD, f"b{number}")
            self._take(Way(source, board.id, 1.0, "passed_through"))
            table, _, name = source.rpartition(".")
            claim = EdgeClaim(source=column_of(table, name), target=board, kind=EdgeKind(EdgeType.CONSUMES, None))
            record_edges(self.world.ports, [claim], [NodeClaim(board)], reason="seen")

    def reached(self) -> dict[str, tuple[int, float]]:
        """Fewest hops and the surest way, hop by hop from the start."""
        best: dict[str, float] = {}
        fewest: dict[str, int] = {}
        here = {self.start: 1.0}
        for hops in range(1, len(self.columns)):
            there: dict[str, float] = {}
            for way in self.ways.values():
                if way.source in here:
                    inside = [f"{way.target}.{name}" for name in "xyz"] if way.target in TABLES else []
                    for far in (way.target, *inside):
                        there[far] = max(there.get(far, 0.0), here[way.source] * way.sure)
            for name, sure in there.items():
                fewest.setdefault(name, hops)
                best[name] = max(best.get(name, 0.0), sure)
            here = there
        return {name: (fewest[name], best[name]) for name in fewest if name != self.start}

    def use_of(self, name: str, reached: dict[str, tuple[int, float]]) -> str:
        """The heaviest of the edges by which it is first reached; a column has those of its table where none leads to
        it."""
        near = {self.start: 0} | {other: hops for other, (hops, _) in reached.items()}
        for target in (name, name.rpartition(".")[0]):
            ways = [way for way in self.ways.values() if way.target == target and way.source in near]
            if ways:
                first = [way for way in ways if near[way.source] < near[name]] or ways
                return max((way.use for way in first), key=lambda use: USE[use])
        raise AssertionError(name)


def _type_of(name: str) -> str:
    return "dashboard" if name.startswith("dashboard:") else "table" if name in TABLES else "column"


@pytest.mark.slow
@pytest.mark.parametrize("change", ["drop", "rename", "type", "semantics"])
@pytest.mark.parametrize("seed", range(8))
def test_scores_and_hours_are_those_of_the_formulas(seed: int, change: str) -> None:
    world = World(seed)
    to = {"rename": "new_name", "type": "string"}.get(change)
    report = report_impact(open_graph(world.world.ports), ProposedChange.of(change, world.start, to))
    reached = world.reached()
    doers = [one for one in report.affected if one.node.type in MAKERS]
    assert {one.node.id for one in report.affected if one not in doers} == reached.keys()
    for one in doers:
        assert one.score == pytest.approx(BASE[change] * 1.5 * one.confidence * max(0.1, 1 - 0.1 * one.depth)), one
    for one in report.affected:
        if one in doers:
            continue
        hops, sure = reached[one.node.id]
        kind, use = _type_of(one.node.id), world.use_of(one.node.id, reached)
        depth = max(0.1, 1 - 0.1 * hops)
        score = BASE[change] * ENTITY[kind] * sure * depth * USE[use]
        hours = EFFORT[change] * EFFORT_ENTITY[kind] * min(3, score / 2)
        assert (one.depth, str(one.use)) == (hops, use), one.node.id
        assert [one.confidence, one.score, one.effort_hours] == pytest.approx([sure, score, hours]), one.node.id
        factors = dict(one.factors)
        assert one.score == pytest.approx(
            factors["base"] * factors["entity"] * factors["confidence"] * factors["depth"] * factors["use"]
        )
        assert one.severity == ("high" if score >= 4 - 1e-9 else "medium" if score >= 2 - 1e-9 else "low")
    counts = Counter(one.severity for one in report.affected)
    worst = next((level for level in ("high", "medium", "low") if counts[level]), "none")
    assert report.risk == ("critical" if counts["high"] > 10 else worst)
    assert [path.hops[-1].node.id for path in report.critical_paths] == [
        one.node.id for one in report.affected if one.severity == "high"
    ]
    assert [one.score for one in report.affected] == sorted((one.score for one in report.affected), reverse=True)
    for one in report.affected:
        if one not in doers:
            assert one.path.confidence == pytest.approx(reached[one.node.id][1])
