"""Column lookup by name in pandas and polars frames: known columns, and open ones that may exist without being
listed (a pivot creates them from data)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import AbstractValue, Frame, UnknownValue
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, copy_of
from forge.lineage.extract.value import NOTHING, ColumnValue, opaque

REST = "rest"
_CASES: dict[str, Callable[[str], str]] = {
    "str.lower": str.lower,
    "str.upper": str.upper,
    "str.strip": str.strip,
    "str.title": str.title,
}
_FROM_NOWHERE = re.compile(
    r"\b(now|utcnow|today|time|uuid[14]?|getenv|environ|argv|getuser|gethostname|random|nan|NaT|Timestamp|timedelta|"
    r"strftime|isoformat|monotonic|perf_counter|getpid|linspace|arange|zeros|ones|date_range|default_rng|randint|"
    r"datetime|date|choice|normal|get|getitem|parse_args)\b"
)


@dataclass(frozen=True, slots=True, eq=False)
class OpenColumns:
    """Columns with unknown names. `value`: of any of them. `reason`: the gap to report when they are written
    unnamed; empty if already reported."""

    value: Callable[[str], ColumnValue | None]
    reason: str = ""


def rest_of(frame: Frame) -> OpenColumns | None:
    found = frame.extra.get(REST)
    return found if isinstance(found, OpenColumns) else None


def column(frame: Frame, name: str, call: Call | int, world: World) -> ColumnValue:
    """What a column holds; where there is none of that name, a gap says so."""
    found = column_value(frame, name)
    if found is not None:
        return found
    relation = frame.relation
    same = from_one_table(relation, name, world)
    if same is not None:
        return same
    if len(relation.open) > 1 and name.lower() not in relation.without:
        tables = " or ".join(relation.open)
        world.gap(call, f"column {name} may be from {tables}; give their columns with --schema")
    else:
        world.gap(call, f"there is no column {name} here")
    return NOTHING


def column_value(frame: Frame, name: str) -> ColumnValue | None:
    found = frame.relation.value(name)
    if found is None and (rest := rest_of(frame)) is not None and name.lower() not in frame.relation.without:
        found = rest.value(name)
    return found


def from_one_table(relation: Relation, name: str, world: World) -> ColumnValue | None:
    """An unlisted column of rows that come from one table by more than one path (both branches of an `if`)."""
    tables = {one for table in relation.open for one in world.behind(table)}
    if len(tables) != 1 or name.lower() in relation.without:
        return None
    return ColumnValue(
        {source: trace for table in relation.open for source, trace in copy_of(table, name).sources.items()}
    )


def changed_name(how: AbstractValue | None, name: str) -> str | None:
    """`str.lower` and the like, handed over as functions."""
    change = _CASES.get(how.what) if isinstance(how, UnknownValue) else None
    return None if change is None else change(name)


def unexplained(thing: AbstractValue | None, name: str, call: Call, world: World) -> None:
    """A column filled by a call that is not known may come from anywhere; a gap says so. Clocks, settings and random
    numbers come from no table."""
    if isinstance(thing, UnknownValue) and "(" in thing.what and not _FROM_NOWHERE.search(thing.what):
        world.gap(call, f"where {name} comes from is not known: it is {thing.what}")


def has_all(frame: Frame) -> bool:
    """Whether all its columns are known."""
    return not frame.relation.open and rest_of(frame) is None


def values(relation: Relation) -> tuple[ColumnValue, ...]:
    return tuple(one.value for one in relation.columns)


def blurred(frame: Frame, call: Call, world: World, reason: str) -> Frame:
    """What comes out of a step that cannot be followed: rows that come from here, each column perhaps from all."""
    world.gap(call, reason)
    return hidden(frame, call.written)


def respelled(frame: Frame, call: Call, world: World, reason: str) -> Frame:
    """Columns get unknown names. If the old names are unknown too, new names are derived from them: a later read
    resolves to the column of that name, with a gap."""
    if not frame.relation.open:
        return blurred(frame, call, world, reason)
    tables = " and ".join(dict.fromkeys(one for table in frame.relation.open for one in world.behind(table)))
    world.gap(call, f"the columns of {tables} are not known, so their new names are taken as they are written after it")
    return replace(frame, settled=False)


def hidden(frame: Frame, text: str, others: Iterable[Relation] = (), reason: str = "") -> Frame:
    """The same; `reason` is for a gap when it is written."""
    relations = (frame.relation, *others)
    mixed = opaque((value for one in relations for value in values(one)), text)
    relation = Relation(
        shaped=frozenset().union(*(one.shaped for one in relations)),
        reads=frozenset().union(*(one.reads for one in relations)),
    )
    return Frame(frame.kind, relation, extra={REST: OpenColumns(lambda name: mixed, reason)})


def to_write(frame: Frame, call: Call, world: World) -> Relation:
    """The relation of a written frame; unnamed columns are reported as a gap, once."""
    rest = rest_of(frame)
    if rest is not None and rest.reason:
        world.gap(call, rest.reason)
    relation = frame.relation
    return relation.with_columns(one for one in relation.columns if one.name)


def with_rest(frame: Frame, rest: OpenColumns | None) -> Frame:
    others = {key: value for key, value in frame.extra.items() if key != REST}
    return replace(frame, extra=others if rest is None else {**others, REST: rest})
