"""Conflicts as objects, and resolutions of single ones: found on the driver by conflict id, and returned to Spark as
a small frame of cells by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, ByteType, StructType

from forge.engines.spark.merge.align import data_type, key_columns, key_names
from forge.engines.spark.merge.answers import as_utc
from forge.engines.spark.merge.decide import BASE, OURS, ROW, THEIRS, keeps_dropped, row_value
from forge.versioning.arrow_types import arrow_type
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import Layout
from forge.versioning.rows.conflicts import bad_answer, evaluate
from forge.versioning.rows.values import row_problem

Row = Mapping[str, Any]
CHUNK = 100_000  # rows with conflicts held by the driver at a time
_SIDES = {"base": BASE, "ours": OURS, "theirs": THEIRS}
TAKEN_SIDES = {ResolutionChoice.OURS: "ours", ResolutionChoice.THEIRS: "theirs", ResolutionChoice.BASE: "base"}


def read_conflicts(
    frame: DataFrame, layout: Layout, table: str | None, which: str
) -> Iterator[tuple[Row, list[tuple[int, Conflict]]]]:
    """The rows of a frame, each with its conflicts and their places. `which` is `open` or `clashes`."""
    for values in read_versions(frame, layout, (BASE, OURS, THEIRS), (which,)):
        found = [(one["place"], make_conflict(values, one, layout, table)) for one in values[which]]
        yield values, sorted(found, key=lambda each: (each[1].column or "", str(each[1].kind)))


def read_versions(
    frame: DataFrame, layout: Layout, sides: Sequence[str], others: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Rows with a mapping of cells for each side, or None. Cells travel as separate columns: in Arrow a struct with
    required fields cannot be NULL."""
    cells = [f"v{place}" for place in range(len(layout.values))] + [f"d{place}" for place in range(len(layout.dropped))]
    columns = [F.col(name) for name in (*key_names(layout), *others)]
    for side in sides:
        columns.append(F.col(side).isNotNull().alias(f"{side}_here"))
        columns += [F.col(f"{side}.{name}").alias(f"{side}_{name}") for name in cells]
    for row in frame.select(*columns).toArrow().to_pylist():
        values = as_utc({name: row[name] for name in (*key_names(layout), *others)})
        for side in sides:
            there = as_utc({name: row[f"{side}_{name}"] for name in cells})
            values[side] = there if row[f"{side}_here"] else None
        yield values


def make_conflict(row: Row, clash: Row, layout: Layout, table: str | None) -> Conflict:
    kind, place = ConflictKind(clash["kind"]), clash["place"]
    count = len(layout.values)
    if place == ROW:
        column, sides = None, [whole_row(row, name, layout) for name in _SIDES.values()]
    elif place < count:
        column = layout.values[place].field.name
        sides = [(row[name] or {}).get(f"v{place}") for name in _SIDES.values()]
    else:
        lost = layout.dropped[place - count]
        column = lost.field.name
        sides = [
            (row[name] or {}).get(f"d{place - count}") if getattr(lost, side) is not None else None
            for side, name in _SIDES.items()
        ]
    base, ours, theirs = sides
    return Conflict(kind=kind, key=key_of(row, layout), column=column, base=base, ours=ours, theirs=theirs, table=table)


def key_of(row: Row, layout: Layout) -> dict[str, object]:
    return {name: row[f"k{place}"] for place, name in enumerate(layout.key)}


def whole_row(row: Row, side: str, layout: Layout) -> dict[str, object] | None:
    cells = row[side]
    if cells is None:
        return None
    known = key_of(row, layout) | {column.field.name: cells[f"v{place}"] for place, column in enumerate(layout.values)}
    return {field.name: known[field.name] for field in layout.fields}


def find_overrides(
    spark: SparkSession, changed: DataFrame, layout: Layout, answers: Answers, table: str | None
) -> DataFrame | None:
    """One row for each key with resolutions of its own."""
    clashing = changed.where(F.size("clashes") > 0)
    chunks = max(1, -(-clashing.count() // CHUNK))
    keys = key_names(layout)
    rows = []
    for chunk in range(chunks):
        part = clashing if chunks == 1 else clashing.where(F.pmod(F.hash(*keys), F.lit(chunks)) == chunk)
        for row, conflicts in read_conflicts(part, layout, table, "clashes"):
            made = _override(row, conflicts, layout, answers, table)
            if made is not None:
                rows.append(made)
    return _overrides_frame(spark, rows, layout) if rows else None


def _override(
    row: Row, conflicts: list[tuple[int, Conflict]], layout: Layout, answers: Answers, table: str | None
) -> dict[str, Any] | None:
    cells: dict[int, Any] = {}
    made: dict[str, Any] = {name: row[name] for name in key_names(layout)}
    made["s_row"] = 0
    for place, conflict in conflicts:
        rule = answers.by_conflict.get(conflict.id)
        if rule is None:
            continue
        if place == ROW:
            whole = _answered_row(rule, conflict, layout)
            made["s_row"] = 1 if whole is None else 2
            cells |= {} if whole is None else {at: whole[c.field.name] for at, c in enumerate(layout.values)}
        else:
            cells[place] = _answered_cell(rule, conflict, place, layout)
    _fill_required(cells, row, layout, answers, table)
    for place in range(len(layout.values) + len(layout.dropped)):
        made[f"s{place}"] = place in cells
        if place < len(layout.values):
            made[f"w{place}"] = cells.get(place)
    return made if cells or made["s_row"] else None


def _fill_required(cells: dict[int, Any], row: Row, layout: Layout, answers: Answers, table: str | None) -> None:
    """A resolution may have put NULL into a required column, and that conflict may have been resolved too."""
    for place, value in list(cells.items()):
        if place < len(layout.values) and value is None and layout.values[place].field.required:
            conflict = make_conflict(row, {"place": place, "kind": ConflictKind.CONSTRAINT}, layout, table)
            rule = answers.by_conflict.get(conflict.id)
            if rule is not None:
                cells[place] = _answered_cell(rule, conflict, place, layout)


def _answered_row(rule: ResolutionRule, conflict: Conflict, layout: Layout) -> Mapping[str, object] | None:
    problem = row_problem(rule, conflict.key or {}, layout)
    if problem is not None:
        raise bad_answer(conflict, problem)
    if rule.take in TAKEN_SIDES:
        found: Mapping[str, object] | None = getattr(conflict, TAKEN_SIDES[rule.take])
        return found
    return None if rule.value is None else row_value(rule.value, layout)


def _answered_cell(rule: ResolutionRule, conflict: Conflict, place: int, layout: Layout) -> object:
    if place >= len(layout.values):
        if not keeps_dropped(rule, layout.dropped[place - len(layout.values)]):
            why = "the column is gone after the merge, so only the side that dropped it can be taken"
            raise bad_answer(conflict, why)
        return None
    field = layout.values[place].field
    if rule.take in TAKEN_SIDES:
        value: object = getattr(conflict, TAKEN_SIDES[rule.take])
    else:
        value = evaluate(rule, conflict, arrow_type(field.type))
    if value is None and conflict.kind is ConflictKind.CONSTRAINT:
        raise bad_answer(conflict, f"{field.name} is required and this would be NULL")
    return value


def _overrides_frame(spark: SparkSession, rows: list[dict[str, Any]], layout: Layout) -> DataFrame:
    import pyarrow as pa

    schema = StructType()
    for place, column in enumerate(key_columns(layout)):
        schema.add(f"k{place}", data_type(column.field.type))
    schema.add("s_row", ByteType())
    for place in range(len(layout.values) + len(layout.dropped)):
        schema.add(f"s{place}", BooleanType())
        if place < len(layout.values):
            schema.add(f"w{place}", data_type(layout.values[place].field.type))
    arrays = [
        pa.array([row[field.name] for row in rows], arrow_type(field.dataType.simpleString()))
        for field in schema.fields
    ]
    return spark.createDataFrame(pa.Table.from_arrays(arrays, names=schema.names), schema)
