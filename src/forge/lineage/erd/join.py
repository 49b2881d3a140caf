"""Joins that code does between tables without a declared key: inferred, and marked so, with their evidence.

Lineage knows which columns a statement joins by, but not which of them are compared. The text of the statement tells
it: `o.customer_id = c.id`, `USING (day)`. Without a text, two columns of two tables belong together, or those whose
names say so: equal ones, and `customer_id` with the `id` of customers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

from forge.model.record_json import record_json

MOST_EVIDENCE = 5
_MOST_COLUMNS = 60  # of one statement; one that joins by more is a program
_COMMON = frozenset({"id", "key", "code", "name", "type", "value", "uuid", "pk"})
_BY_TEXT, _ONLY_PAIR, _BY_NAME = 1.0, 0.9, 0.6

JoinColumn = tuple[str, str]
"""Table and column."""
PrimaryKeyOf = Callable[[str], frozenset[str]]


class JoinCardinality(StrEnum):
    ONE_TO_ONE = "one_to_one"
    MANY_TO_ONE = "many_to_one"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, order=True)
class JoinEvidence:
    """Where a join was seen, or a key is declared. `expression` is empty of a declaration, and where no code is known,
    only what a run did."""

    file: str = ""
    line: int = 0
    run_id: str = ""
    expression: str = ""

    @property
    def text(self) -> str:
        """In one line."""
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file or f"run {self.run_id}"
        return f"{place}  {self.expression}".rstrip()

    def to_dict(self) -> dict[str, object]:
        return {**record_json(self), "line": self.line or None}


@dataclass(frozen=True, slots=True)
class JoinSighting:
    """The columns by which one statement or run joins its tables. `filters`: those of its conditions, which join as
    well where the text compares them. `code`: its text, as far as it is known."""

    columns: frozenset[JoinColumn]
    evidence: JoinEvidence
    code: str = ""
    confidence: float = 1.0
    filters: frozenset[JoinColumn] = frozenset()


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class ErdJoin:
    """An inferred relation. Of unknown cardinality, source and target are in the order of their names."""

    table: str
    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]
    cardinality: JoinCardinality = JoinCardinality.UNKNOWN
    confidence: float = 1.0
    evidence: tuple[JoinEvidence, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "type": "join",
            "inferred": True,
            "source": self.table,
            "source_columns": list(self.columns),
            "target": self.to_table,
            "target_columns": list(self.to_columns),
            "cardinality": str(self.cardinality),
            "confidence": self.confidence,
            "evidence": [one.to_dict() for one in self.evidence],
        }


def infer_joins(sightings: Iterable[JoinSighting], primary: PrimaryKeyOf) -> tuple[ErdJoin, ...]:
    """Each join once, with the places where it was seen."""
    found: dict[tuple[object, ...], ErdJoin] = {}
    for sighting in sightings:
        for pairs, expression, sure in _paired(sighting):
            join = _directed(pairs, primary)
            seen = replace(sighting.evidence, expression=expression)
            key = (join.table, join.columns, join.to_table, join.to_columns)
            known = found.get(key, join)
            evidence = tuple(sorted({*known.evidence, seen}))[:MOST_EVIDENCE]
            before = known.confidence if key in found else 0.0
            confidence = max(before, round(sighting.confidence * sure, 4))
            found[key] = replace(known, evidence=evidence, confidence=confidence)
    return tuple(sorted(found.values()))


_Pair = tuple[JoinColumn, JoinColumn]


def _paired(sighting: JoinSighting) -> Iterator[tuple[tuple[_Pair, ...], str, float]]:
    """Pairs of columns by the two tables that they join, the expression, and how sure that is."""
    if len(sighting.columns) + len(sighting.filters) > _MOST_COLUMNS:
        return
    by_tables: dict[tuple[str, str], dict[_Pair, str]] = defaultdict(dict)
    for pair, expression in _compared(sighting):
        by_tables[pair[0][0], pair[1][0]].setdefault(pair, expression)
    sure = _BY_TEXT
    if not by_tables:
        pairs = _only_pair(sighting.columns)
        sure = _ONLY_PAIR if pairs else _BY_NAME
        for pair in pairs or _named(sighting.columns):
            by_tables[pair[0][0], pair[1][0]][pair] = ""
    for found in by_tables.values():
        ordered = tuple(sorted(found))
        yield ordered, " AND ".join(dict.fromkeys(found[pair] for pair in ordered if found[pair])), sure


_NAME = r'[\w$]+|`[^`]+`|"[^"]+"'
_EQUAL = re.compile(rf"((?:{_NAME})(?:\.(?:{_NAME}))+)\s*(?:<=>|==?)\s*((?:{_NAME})(?:\.(?:{_NAME}))+)")
_USING = re.compile(r"\busing\s*\(([^()]*)\)", re.IGNORECASE)
_FROM = re.compile(
    rf"\b(?:from|join|into|update|using|,)\s*((?:{_NAME})(?:\.(?:{_NAME}))*)(?:\s+(?:as\s+)?((?:{_NAME})))?",
    re.IGNORECASE,
)
_NOISE = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
_LONGEST = 200_000


def _compared(sighting: JoinSighting) -> Iterator[tuple[_Pair, str]]:
    """Pairs that the text compares, each with its expression."""
    code = _NOISE.sub(" ", sighting.code[:_LONGEST])
    aliases, known = _aliases(code), sighting.columns | sighting.filters
    for match in _EQUAL.finditer(code):
        ends = [_resolved(one, known, aliases) for one in match.groups()]
        pair = _pair(ends[0], ends[1]) if ends[0] and ends[1] else None
        if pair is not None:
            yield pair, " ".join(match[0].split())
    for match in _USING.finditer(code):
        for name in (_plain(word) for word in match[1].split(",")):
            same = sorted(column for column in sighting.columns if column[1].lower() == name)
            if len(same) == 2 and same[0][0] != same[1][0]:
                yield (same[0], same[1]), f"USING ({name})"


def _pair(one: JoinColumn, other: JoinColumn) -> _Pair | None:
    if one == other:
        return None
    return (one, other) if one < other else (other, one)


def _aliases(code: str) -> Mapping[str, frozenset[str]]:
    """What tables a short name stands for, by the last part of their names."""
    found: dict[str, set[str]] = defaultdict(set)
    for match in _FROM.finditer(code):
        table = _plain(match[1].rpartition(".")[2])
        found[_plain(match[2]) if match[2] else table].add(table)
        found[table].add(table)
    return {name: frozenset(tables) for name, tables in found.items()}


def _resolved(name: str, columns: Iterable[JoinColumn], aliases: Mapping[str, frozenset[str]]) -> JoinColumn | None:
    """The column of the lineage that a text names; None where it may be of several tables."""
    parts = [_plain(part) for part in re.findall(_NAME, name)]
    fitting = [column for column in columns if column[1].lower() == parts[-1]]
    tables = aliases.get(parts[-2], frozenset({parts[-2]}))
    own = [column for column in fitting if column[0].rpartition(".")[2].lower() in tables]
    found = own or fitting  # a name of a subquery: whichever table it comes from
    return found[0] if len(found) == 1 else None


def _plain(name: str) -> str:
    return name.strip().strip('`"').lower()


def _only_pair(columns: Iterable[JoinColumn]) -> tuple[_Pair, ...]:
    ordered = sorted(columns)
    alone = len(ordered) == 2 and ordered[0][0] != ordered[1][0]
    return ((ordered[0], ordered[1]),) if alone else ()


def _named(columns: Iterable[JoinColumn]) -> Iterator[_Pair]:
    """Columns whose names belong together, if only two of all columns do."""
    ordered = sorted(columns)
    pairs = [
        (one, other)
        for one, other in combinations(ordered, 2)
        if one[0] != other[0] and (_same_name(one, other) or _refers(one, other) or _refers(other, one))
    ]
    for one, other in pairs:
        if sum(one in pair for pair in pairs) == 1 and sum(other in pair for pair in pairs) == 1:
            yield one, other


def _same_name(one: JoinColumn, other: JoinColumn) -> bool:
    """A name that every table has says nothing."""
    return one[1].lower() == other[1].lower() and one[1].lower() not in _COMMON


def _refers(one: JoinColumn, other: JoinColumn) -> bool:
    """`orders.customer_id` to `customers.id` or `customers.customer_id`."""
    column, target = one[1].lower(), other[1].lower()
    table = other[0].rpartition(".")[2].lower()
    stems = {table, table.removesuffix("s"), f"{table.removesuffix('ies')}y" if table.endswith("ies") else table}
    stems |= {stem.rpartition("_")[2] for stem in stems}
    return any(column in (f"{stem}_{target}", f"{stem}{target}") for stem in stems) or (
        column == target and any(column in (f"{stem}_id", f"{stem}_key", f"{stem}_code", f"{stem}id") for stem in stems)
    )


def _directed(pairs: Sequence[_Pair], primary: PrimaryKeyOf) -> ErdJoin:
    """From the many to the one: a primary key, or what the names say, is the one."""
    left = (pairs[0][0][0], tuple(one[1] for one, _ in pairs))
    right = (pairs[0][1][0], tuple(other[1] for _, other in pairs))
    keys = [_is_key(side, primary) for side in (left, right)]
    by_name = [all(_refers(one, other) for one, other in pairs), all(_refers(other, one) for one, other in pairs)]
    cardinality = JoinCardinality.MANY_TO_ONE
    if keys[0] and keys[1]:
        cardinality = JoinCardinality.ONE_TO_ONE
    elif keys[0] or (not keys[1] and by_name[1] and not by_name[0]):
        left, right = right, left
    elif not keys[1] and not by_name[0]:
        cardinality = JoinCardinality.UNKNOWN
    return ErdJoin(table=left[0], columns=left[1], to_table=right[0], to_columns=right[1], cardinality=cardinality)


def _is_key(side: tuple[str, tuple[str, ...]], primary: PrimaryKeyOf) -> bool:
    key = {column.lower() for column in primary(side[0])}
    return bool(key) and {column.lower() for column in side[1]} == key
