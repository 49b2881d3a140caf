"""Rows merged from parts of tables, answers to their conflicts, and the result applied to ours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from forge.model.errors import ForgeError
from forge.versioning.arrow_types import fields_of
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import Layout
from forge.versioning.rows.apply import RowMerge, apply_rows
from forge.versioning.rows.merge import merge_rows
from forge.versioning.schema.merge import merge_schemas

SCHEMA = pa.schema([("id", pa.int64()), ("amount", pa.decimal128(10, 2)), ("note", pa.string())])
Cells = tuple[int, Any, str | None]


def rows(*cells: Cells, schema: pa.Schema = SCHEMA) -> pa.Table:
    columns = zip(*cells, strict=True) if cells else [[] for _ in schema]
    typed = [
        pa.array([_typed(value, field.type) for value in column], field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(typed, schema=schema)


def _typed(value: Any, kind: pa.DataType) -> Any:
    return Decimal(str(value)) if pa.types.is_decimal(kind) and value is not None else value


def layout_of(base: pa.Table, ours: pa.Table, theirs: pa.Table, *key: str) -> Layout:
    before, mine, yours = fields_of(base, ours, theirs)
    layout, conflicts = merge_schemas(before, mine, yours, key)
    assert conflicts == ()
    return layout


def merge(
    base: pa.Table,
    ours: pa.Table,
    theirs: pa.Table,
    *rules: ResolutionRule,
    by: Mapping[str, ResolutionRule] | None = None,
    **options: Any,
) -> RowMerge:
    layout = layout_of(base, ours, theirs, "id")
    return merge_rows(
        layout,
        base_ours=base,
        ours=ours,
        base_theirs=base,
        theirs=theirs,
        answers=Answers(rules, by or {}),
        **options,
    )


def cells_of(table: pa.Table) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


BASE = rows((1, "1.00", "a"), (2, "2.00", "b"), (3, "3.00", "c"))
OURS = rows((1, "1.10", "a"), (3, "3.10", "c"), (4, "4.00", "ours"))  # changed 1 and 3, deleted 2, added 4
THEIRS = rows((1, "1.20", "A"), (2, "2.20", "b"), (4, "4.00", "theirs"))  # changed 1 and 2, deleted 3, added 4


def test_conflicts_come_by_key_and_column_with_plain_values_of_all_sides() -> None:
    found = merge(BASE, OURS, THEIRS, table="shop.orders").conflicts
    assert [(each.kind, dict(each.key or {}), each.column) for each in found] == [
        (ConflictKind.MODIFY_MODIFY, {"id": 1}, "amount"),
        (ConflictKind.DELETE_MODIFY, {"id": 2}, None),
        (ConflictKind.MODIFY_DELETE, {"id": 3}, None),
        (ConflictKind.ADD_ADD, {"id": 4}, "note"),
    ]
    assert (found[0].base, found[0].ours, found[0].theirs) == (Decimal("1.00"), Decimal("1.10"), Decimal("1.20"))
    assert (found[1].base, found[1].ours) == ({"id": 2, "amount": Decimal("2.00"), "note": "b"}, None)
    assert found[1].theirs == {"id": 2, "amount": Decimal("2.20"), "note": "b"}
    assert (found[3].base, found[3].ours, found[3].theirs) == (None, "ours", "theirs")
    assert {each.table for each in found} == {"shop.orders"}


def test_the_limit_bounds_what_is_given_back_and_not_the_count() -> None:
    everything = merge(BASE, OURS, THEIRS)
    first = merge(BASE, OURS, THEIRS, limit=2)
    assert first.conflicts == everything.conflicts[:2]
    assert first.conflict_count == everything.conflict_count == 4
    assert merge(BASE, OURS, THEIRS, limit=0).conflict_count == 4


def test_while_conflicts_are_open_the_rest_is_worked_out() -> None:
    found = merge(BASE, OURS, THEIRS)
    assert cells_of(found.upserts) == [(1, Decimal("1.10"), "A")]
    assert found.deletes.num_rows == 0


@pytest.mark.parametrize(
    ("take", "wanted"),
    [
        ("ours", [(1, "1.10", "A"), (3, "3.10", "c"), (4, "4.00", "ours")]),
        ("theirs", [(1, "1.20", "A"), (4, "4.00", "theirs"), (2, "2.20", "b")]),
        ("base", [(1, "1.00", "A"), (3, "3.00", "c"), (4, "4.00", None), (2, "2.00", "b")]),
    ],
)
def test_a_rule_for_all_takes_one_side(take: str, wanted: list[Cells]) -> None:
    found = merge(BASE, OURS, THEIRS, ResolutionRule(ResolutionChoice(take)))
    assert (found.conflict_count, found.resolved_count) == (0, 4)
    merged = apply_rows(OURS, found, layout_of(BASE, OURS, THEIRS, "id"))
    assert cells_of(merged) == cells_of(rows(*wanted))


def test_resolutions_of_single_conflicts_win_over_rules() -> None:
    amount, gone, kept, note = merge(BASE, OURS, THEIRS).conflicts
    by = {
        amount.id: ResolutionRule(ResolutionChoice.EXPRESSION, value="ours + theirs - base"),
        gone.id: ResolutionRule(ResolutionChoice.MANUAL, value={"id": 2, "amount": "2.50", "note": "new"}),
        kept.id: ResolutionRule(ResolutionChoice.MANUAL, value=None),
        note.id: ResolutionRule(ResolutionChoice.MANUAL, value="both"),
    }
    found = merge(BASE, OURS, THEIRS, ResolutionRule(ResolutionChoice.BASE), by=by)
    assert (found.inserted, found.updated, found.deleted) == (1, 2, 1)
    merged = apply_rows(OURS, found, layout_of(BASE, OURS, THEIRS, "id"))
    assert cells_of(merged) == cells_of(rows((1, "1.30", "A"), (4, "4.00", "both"), (2, "2.50", "new")))


def test_a_rule_of_a_column_answers_its_cells_only() -> None:
    found = merge(
        BASE, OURS, THEIRS, ResolutionRule(ResolutionChoice.EXPRESSION, column="amount", value="greatest(ours, theirs)")
    )
    assert [each.column for each in found.conflicts] == [None, None, "note"]
    assert found.resolved_count == 1
    assert cells_of(found.upserts) == [(1, Decimal("1.20"), "A")]


@pytest.mark.parametrize(
    ("place", "rule", "code"),
    [
        (0, ResolutionRule(ResolutionChoice.MANUAL, value="much"), "E619"),
        (0, ResolutionRule(ResolutionChoice.MANUAL, value="1.234"), "E619"),
        (0, ResolutionRule(ResolutionChoice.EXPRESSION, value="oops("), "E625"),
        (1, ResolutionRule(ResolutionChoice.EXPRESSION, value="ours"), "E619"),
        (1, ResolutionRule(ResolutionChoice.MANUAL, value="a row"), "E619"),
        (1, ResolutionRule(ResolutionChoice.MANUAL, value={"amount": "1.00"}), "E619"),
        (1, ResolutionRule(ResolutionChoice.MANUAL, value={"id": 9, "amount": "1.00", "note": "x"}), "E619"),
        (1, ResolutionRule(ResolutionChoice.MANUAL, value={"amount": "1.00", "note": "x", "price": 1}), "E619"),
    ],
)
def test_a_resolution_that_does_not_fit_its_conflict_is_refused(place: int, rule: ResolutionRule, code: str) -> None:
    conflict = merge(BASE, OURS, THEIRS).conflicts[place]
    with pytest.raises(ForgeError) as error:
        merge(BASE, OURS, THEIRS, by={conflict.id: rule})
    assert error.value.code == code


def test_a_rule_that_does_not_fit_leaves_a_row_open() -> None:
    found = merge(BASE, OURS, THEIRS, ResolutionRule(ResolutionChoice.EXPRESSION, value="coalesce(ours, theirs)"))
    assert [each.kind for each in found.conflicts] == [ConflictKind.DELETE_MODIFY, ConflictKind.MODIFY_DELETE]


def test_values_in_a_column_the_other_side_dropped_are_a_conflict() -> None:
    narrow = BASE.drop_columns(["amount"])
    (found,) = merge(
        BASE, narrow, rows((1, "1.20", "a"), (2, "2.00", "b"), (3, "3.00", "c"), (9, "9.00", "new"))
    ).conflicts
    assert (found.kind, found.column) == (ConflictKind.COLUMN_DROPPED_MODIFIED, "amount")
    assert (found.base, found.ours, found.theirs) == (Decimal("1.00"), None, Decimal("1.20"))


def test_a_dropped_column_stays_dropped_or_the_conflict_stays_open() -> None:
    narrow, theirs = BASE.drop_columns(["amount"]), rows((1, "1.20", "a"), (2, "2.00", "b"), (3, "3.00", "c"))
    (conflict,) = merge(BASE, narrow, theirs).conflicts
    assert merge(BASE, narrow, theirs, ResolutionRule(ResolutionChoice.OURS)).conflict_count == 0
    assert merge(BASE, narrow, theirs, ResolutionRule(ResolutionChoice.THEIRS)).conflicts == (conflict,)
    with pytest.raises(ForgeError, match="dropped") as error:
        merge(BASE, narrow, theirs, by={conflict.id: ResolutionRule(ResolutionChoice.THEIRS)})
    assert error.value.code == "E619"


def test_a_column_that_an_answer_keeps_gets_its_values_back() -> None:
    narrow = rows((1, "1.00", "new"), (2, "2.00", "b"), (3, "3.00", "c")).drop_columns(["amount"])
    renamed = BASE.rename_columns(["id", "total", "note"])
    answers = Answers((ResolutionRule(ResolutionChoice.THEIRS),))
    base, ours, theirs = (
        _numbered(table, *ids) for table, *ids in ((BASE, 1, 2, 3), (narrow, 1, 3), (renamed, 1, 2, 3))
    )
    before, mine, yours = fields_of(base, ours, theirs)
    layout, _ = merge_schemas(before, mine, yours, ("id",), answers=answers)
    found = merge_rows(layout, base_ours=base, ours=ours, base_theirs=base, theirs=theirs, answers=answers)
    merged = apply_rows(ours, found, layout)
    assert merged.to_pylist()[0] == {"id": 1, "total": Decimal("1.00"), "note": "new"}
    assert merged["total"].null_count == 0


def _numbered(table: pa.Table, *ids: int) -> pa.Table:
    fields = [
        field.with_metadata({b"PARQUET:field_id": str(number).encode()})
        for field, number in zip(table.schema, ids, strict=True)
    ]
    return table.cast(pa.schema(fields))


REQUIRED = SCHEMA.set(2, pa.field("note", pa.string(), nullable=False))


def test_null_in_a_column_that_became_required_is_a_conflict_whoever_brings_it() -> None:
    strict = rows((1, "1.00", "a"), (2, "2.00", "b"), (3, "3.00", "c"), schema=REQUIRED)
    loose = rows((1, "1.00", None), (2, "2.00", "b"), (3, "3.00", "c"), (9, "9.00", None))
    for found in (merge(BASE, strict, loose), merge(BASE, loose, strict)):
        assert [(each.kind, each.key, each.column) for each in found.conflicts] == [
            (ConflictKind.CONSTRAINT, {"id": 1}, "note"),
            (ConflictKind.CONSTRAINT, {"id": 9}, "note"),
        ]
    filled = merge(
        BASE,
        loose,
        strict,
        ResolutionRule(ResolutionChoice.EXPRESSION, column="note", value="coalesce(ours, theirs, '?')"),
    )
    merged = apply_rows(loose, filled, layout_of(BASE, loose, strict, "id"))
    assert merged["note"].to_pylist() == ["a", "b", "c", "?"]
    half = merge(BASE, strict, loose, ResolutionRule(ResolutionChoice.OURS))
    assert [each.key for each in half.conflicts] == [{"id": 9}]


def test_a_key_twice_on_a_side_is_an_error_that_names_it() -> None:
    with pytest.raises(ForgeError, match=r"theirs has several rows with the key id = 2") as error:
        merge(BASE, BASE, pa.concat_tables([BASE, BASE.slice(1, 1)]))
    assert error.value.code == "E611"


def test_a_key_twice_in_two_files_of_a_side_is_found() -> None:
    layout = layout_of(BASE, BASE, BASE, "id")
    with pytest.raises(ForgeError, match="ours has several rows with the key id = 2") as error:
        merge_rows(
            layout,
            base_ours=rows(),
            ours=rows((2, "9.00", "again")),
            base_theirs=BASE,
            theirs=rows((2, "2.00", "b")),
        )
    assert error.value.code == "E611"


def test_null_in_a_key_is_an_error_that_names_the_side() -> None:
    broken = pa.table({"id": pa.array([None], pa.int64()), "amount": [Decimal(1)], "note": ["x"]}).cast(SCHEMA)
    with pytest.raises(ForgeError, match="theirs has NULL in the key column id") as error:
        merge(BASE, BASE, broken)
    assert error.value.code == "E612"


def test_rows_carried_over_by_a_rewrite_are_no_changes() -> None:
    turned = BASE.take([2, 0, 1])
    found = merge(BASE, turned, turned.slice(0))
    assert (found.upserts.num_rows, found.deletes.num_rows, found.shared_count) == (0, 0, 0)
    assert found.is_separate


def test_sides_that_changed_different_rows_are_separate() -> None:
    ours, theirs = rows((1, "9.00", "a"), *_rest(2, 3)), rows((1, "1.00", "a"), (2, "9.00", "b"), *_rest(3))
    assert merge(BASE, ours, theirs).is_separate
    assert not merge(BASE, ours, ours).is_separate


def _rest(*ids: int) -> list[Cells]:
    return [(number, f"{number}.00", "abc"[number - 1]) for number in ids]


def test_updated_rows_stay_in_their_place_and_new_ones_follow() -> None:
    theirs = rows((9, "9.00", "new"), (3, "3.00", "c"), (2, "2.50", "b"))
    found = merge(BASE, BASE, theirs)
    assert (found.inserted, found.updated, found.deleted) == (1, 1, 1)
    merged = apply_rows(BASE, found, layout_of(BASE, BASE, theirs, "id"))
    assert merged["id"].to_pylist() == [2, 3, 9]


def bag(*values: object) -> pa.Table:
    return pa.table({"v": pa.array(values, pa.int64())})


def merge_bag(base: pa.Table, ours: pa.Table, theirs: pa.Table, *rules: ResolutionRule, by: Any = None) -> RowMerge:
    layout = layout_of(base, ours, theirs)
    answers = Answers(rules, by or {})
    return merge_rows(layout, base_ours=base, ours=ours, base_theirs=base, theirs=theirs, answers=answers)


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        (ResolutionRule(ResolutionChoice.OURS), [1, 1]),
        (ResolutionRule(ResolutionChoice.THEIRS), [1, 1, 1]),
        (ResolutionRule(ResolutionChoice.BASE), [1]),
        (ResolutionRule(ResolutionChoice.MANUAL, value=4), [1, 1, 1, 1]),
        (ResolutionRule(ResolutionChoice.EXPRESSION, value="ours + theirs - base"), [1, 1, 1, 1]),
    ],
    ids=["ours", "theirs", "base", "manual", "expression"],
)
def test_counts_of_a_row_that_both_changed_differently_are_answered_by_a_count(
    rule: ResolutionRule, wanted: list[int]
) -> None:
    base, ours, theirs = bag(1, None), bag(1, 1, None), bag(1, 1, 1, None)
    (conflict,) = merge_bag(base, ours, theirs).conflicts
    assert conflict == Conflict(kind=ConflictKind.CARDINALITY, key={"v": 1}, column=None, base=1, ours=2, theirs=3)
    found = merge_bag(base, ours, theirs, by={conflict.id: rule})
    merged = apply_rows(ours, found, layout_of(base, ours, theirs))
    assert sorted(merged["v"].drop_null().to_pylist()) == wanted
    assert merged["v"].null_count == 1


@pytest.mark.parametrize("value", [-1, 1.5, "two", None, True])
def test_a_count_is_a_whole_number_from_zero(value: object) -> None:
    base, ours, theirs = bag(1), bag(1, 1), bag(1, 1, 1)
    (conflict,) = merge_bag(base, ours, theirs).conflicts
    with pytest.raises(ForgeError) as error:
        merge_bag(base, ours, theirs, by={conflict.id: ResolutionRule(ResolutionChoice.MANUAL, value=value)})
    assert error.value.code == "E619"


def test_rows_of_a_bag_go_as_often_as_they_went() -> None:
    base, theirs = bag(1, 1, 1, 2), bag(1, 2, 2)
    found = merge_bag(base, base, theirs)
    assert found.deletes.to_pylist() == [{"v": 1, "_count": 2}]
    assert (found.inserted, found.deleted) == (1, 2)
    merged = apply_rows(base, found, layout_of(base, base, theirs))
    assert sorted(merged["v"].to_pylist()) == [1, 2, 2]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.bool_(), [False, True]),
        (pa.date32(), [0, 1]),
        (pa.timestamp("ns"), [1, 2]),
        (pa.decimal128(38, 10), [Decimal("1.5"), Decimal("-2")]),
        (pa.binary(), [b"\x00", b"\xff"]),
        (pa.float64(), [0.5, float("nan")]),
        (pa.large_string(), ["a", "é"]),
        (pa.dictionary(pa.int32(), pa.string()), ["a", "b"]),
        (pa.uint64(), [0, 2**64 - 1]),
        (pa.int64(), [-(2**63), 2**63 - 1]),
        (pa.time64("us"), [1, 2]),
    ],
    ids=str,
)
def test_a_key_may_be_of_any_flat_type(kind: pa.DataType, values: list[object]) -> None:
    def table(*cells: tuple[int, str]) -> pa.Table:
        return pa.table({"id": pa.array([values[place] for place, _ in cells], kind), "v": [text for _, text in cells]})

    base, ours, theirs = table((0, "a"), (1, "b")), table((1, "b"), (0, "x")), table((1, "y"), (0, "a"))
    found = merge(base, ours, theirs)
    assert found.conflicts == ()
    merged = apply_rows(ours, found, layout_of(base, ours, theirs, "id"))
    assert merged["v"].to_pylist() == ["y", "x"]


def test_times_with_other_units_and_zones_are_the_same_times() -> None:
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def at(kind: pa.DataType, note: str) -> pa.Table:
        return pa.table({"id": pa.array([when], kind), "seen": pa.array([when], kind), "note": [note]})

    base, ours = at(pa.timestamp("us", "UTC"), "a"), at(pa.timestamp("ms", "Europe/Berlin"), "a")
    theirs = at(pa.timestamp("s", "Asia/Tokyo"), "b")
    found = merge(base, ours, theirs)
    assert found.conflicts == ()
    assert (found.updated, found.inserted, found.deleted) == (1, 0, 0)
    assert found.upserts["seen"].to_pylist() == [when]


def test_nested_cells_are_compared_as_one() -> None:
    kind = pa.map_(pa.string(), pa.list_(pa.float64()))

    def table(*cells: object) -> pa.Table:
        return pa.table({"id": list(range(len(cells))), "tags": pa.array(cells, kind)})

    nan = float("nan")
    base = table([("a", [nan]), ("b", [0.0])], [("a", [1.0])])
    same = table([("b", [-0.0]), ("a", [nan])], [("a", [1.0])])
    other = table([("a", [nan]), ("b", [0.0])], [("a", [2.0])])
    assert merge(base, same, other).updated == 1
    (conflict,) = merge(base, other, table(base["tags"][0].as_py(), [("a", [3.0])])).conflicts
    assert (conflict.column, conflict.ours) == ("tags", [("a", [2.0])])


def test_a_value_that_does_not_fit_the_type_of_the_other_side_is_an_error() -> None:
    base = pa.table({"id": [1], "v": ["1"]})
    ours, theirs = pa.table({"id": [1], "v": [1]}), pa.table({"id": [1, 2], "v": ["1", "much"]})
    with pytest.raises(ForgeError, match="does not fit bigint") as error:
        merge(base, ours, theirs)
    assert error.value.code == "E630"
