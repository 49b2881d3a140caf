"""Columns of a frame that libraries other than Spark look up by name: those that are known, and those that may be
there although nobody has listed them (a pivot makes them of the data)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.reading import World
from forge.lineage.extract.python.values import Frame, Thing, Unknown
from forge.lineage.extract.relation import Relation, copy_of
from forge.lineage.extract.value import NOTHING, Value, opaque

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
class Rest:
    """Columns whose names are not known. `value`: what one of them would hold. `reason`: a gap for when they are
    written without having been named; empty if there was a gap before."""

    value: Callable[[str], Value | None]
    reason: str = ""


def rest_of(frame: Frame) -> Rest | None:
    found = frame.extra.get(REST)
    return found if isinstance(found, Rest) else None


def column(frame: Frame, name: str, call: Call | int, world: World) -> Value:
    """What a column holds; where there is none of that name, a gap says so."""
    found = held(frame, name)
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


def held(frame: Frame, name: str) -> Value | None:
    found = frame.relation.value(name)
    if found is None and (rest := rest_of(frame)) is not None and name.lower() not in frame.relation.without:
        found = rest.value(name)
    return found


def from_one_table(relation: Relation, name: str, world: World) -> Value | None:
    """A column that is not listed, of rows that come by several ways (both branches of an `if`) from one table."""
    tables = {one for table in relation.open for one in world.behind(table)}
    if len(tables) != 1 or name.lower() in relation.without:
        return None
    return Value({source: trace for table in relation.open for source, trace in copy_of(table, name).sources.items()})


def changed_name(how: Thing | None, name: str) -> str | None:
    """`str.lower` and the like, handed over as functions."""
    change = _CASES.get(how.what) if isinstance(how, Unknown) else None
    return None if change is None else change(name)


def unexplained(thing: Thing | None, name: str, call: Call, world: World) -> None:
    """A column filled by a call that is not known may come from anywhere; a gap says so. Clocks, settings and random
    numbers come from no table."""
    if isinstance(thing, Unknown) and "(" in thing.what and not _FROM_NOWHERE.search(thing.what):
        world.gap(call, f"where {name} comes from is not known: it is {thing.what}")


def has_all(frame: Frame) -> bool:
    """Whether all its columns are known."""
    return not frame.relation.open and rest_of(frame) is None


def values(relation: Relation) -> tuple[Value, ...]:
    return tuple(one.value for one in relation.columns)


def blurred(frame: Frame, call: Call, world: World, reason: str) -> Frame:
    """What comes out of a step that cannot be followed: rows that come from here, each column perhaps from all."""
    world.gap(call, reason)
    return hidden(frame, call.written)


def respelled(frame: Frame, call: Call, world: World, reason: str) -> Frame:
    """Columns get names that are not known. Where it is not known either what they were called before, a rule made
    the new names of the old: what is read afterwards is taken for the column of that name, and it is said."""
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
    return Frame(frame.kind, relation, extra={REST: Rest(lambda name: mixed, reason)})


def to_write(frame: Frame, call: Call, world: World) -> Relation:
    """The relation of a frame that is written; a gap tells of the columns that have no names, or told it before."""
    rest = rest_of(frame)
    if rest is not None and rest.reason:
        world.gap(call, rest.reason)
    relation = frame.relation
    return relation.with_columns(one for one in relation.columns if one.name)


def with_rest(frame: Frame, rest: Rest | None) -> Frame:
    others = {key: value for key, value in frame.extra.items() if key != REST}
    return replace(frame, extra=others if rest is None else {**others, REST: rest})
