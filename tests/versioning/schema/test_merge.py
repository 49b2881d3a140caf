"""Columns merged and compared by field id."""

from __future__ import annotations

import pytest

from forge.model.errors import ForgeError
from forge.versioning.changes import TableSchemaChange
from forge.versioning.conflict import Answers, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import AlignedColumn, Fields, TableField
from forge.versioning.schema.merge import align_for_diff, diff_schemas, merge_schemas
from forge.versioning.schema.order import find_moved

ID = TableField(1, "id", "bigint")
AMOUNT = TableField(2, "amount", "decimal(10,2)")
NOTE = TableField(3, "note", "string")
BASE = (ID, AMOUNT, NOTE)


def names(fields: Fields) -> tuple[str, ...]:
    return tuple(field.name for field in fields)


def amount(name: str = "amount", type: str = "decimal(10,2)", *, required: bool = False) -> TableField:
    return TableField(2, name, type, required)


def merged(ours: Fields, theirs: Fields, base: Fields | None = BASE, answers: Answers | None = None) -> Fields:
    layout, conflicts = merge_schemas(base, ours, theirs, ("id",), answers=answers or Answers())
    assert conflicts == ()
    return layout.fields


def conflict(ours: Fields, theirs: Fields) -> tuple[object, ...]:
    _, (found,) = merge_schemas(BASE, ours, theirs, ("id",))
    assert found.kind is ConflictKind.SCHEMA_CHANGE
    assert found.key is None
    return found.column, found.base, found.ours, found.theirs


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ((ID, amount("total"), NOTE), amount("total")),
        ((ID, amount(type="decimal(12,2)"), NOTE), amount(type="decimal(12,2)")),
        ((ID, amount(required=True), NOTE), amount(required=True)),
    ],
    ids=["renamed", "widened", "required"],
)
def test_the_side_that_changed_a_column_wins(change: Fields, wanted: TableField) -> None:
    assert merged(change, BASE)[1] == merged(BASE, change)[1] == merged(change, change)[1] == wanted


def test_a_rename_and_a_widening_of_one_column_go_together() -> None:
    layout, _ = merge_schemas(BASE, (ID, amount("total"), NOTE), (ID, amount(type="decimal(20,2)"), NOTE), ("id",))
    assert layout.columns[1] == AlignedColumn(amount("total", "decimal(20,2)"), "amount", "total", "amount")


def test_of_two_widenings_the_wider_is_taken() -> None:
    left, right = ((ID, amount(type=f"decimal({digits},2)"), NOTE) for digits in (12, 20))
    assert merged(left, right)[1].type == merged(right, left)[1].type == "decimal(20,2)"


def test_columns_added_by_both_are_one_when_name_and_type_are_the_same() -> None:
    fields = merged((*BASE, TableField(4, "day", "date")), (*BASE, TableField(7, "day", "date")))
    assert fields[3:] == (TableField(4, "day", "date"),)


def test_different_columns_that_got_one_number_are_two() -> None:
    fields = merged((*BASE, TableField(4, "day", "date")), (*BASE, TableField(4, "hour", "int")))
    assert [(field.name, field.id) for field in fields[3:]] == [("day", 4), ("hour", 5)]


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [
        (
            (ID, amount("total"), NOTE),
            (ID, amount("sum"), NOTE),
            ("amount", "amount decimal(10,2)", "total decimal(10,2)", "sum decimal(10,2)"),
        ),
        (
            (ID, amount(type="double"), NOTE),
            (ID, amount(type="string"), NOTE),
            ("amount", "amount decimal(10,2)", "amount double", "amount string"),
        ),
        ((ID, NOTE), (ID, amount("sum"), NOTE), ("amount", "amount decimal(10,2)", None, "sum decimal(10,2)")),
        (
            (ID, amount(type="decimal(12,2)"), NOTE),
            (ID, NOTE),
            ("amount", "amount decimal(10,2)", "amount decimal(12,2)", None),
        ),
        (
            (*BASE, TableField(4, "day", "date")),
            (*BASE, TableField(5, "day", "string")),
            ("day", None, "day date", "day string"),
        ),
        (
            (ID, amount("day"), NOTE),
            (*BASE, TableField(5, "day", "date")),
            ("day", "amount decimal(10,2)", "day decimal(10,2)", "day date"),
        ),
        (
            (*BASE, TableField(4, "Day", "date")),
            (*BASE, TableField(5, "day", "date")),
            ("Day", None, "Day date", "day date"),
        ),
    ],
    ids=["renamed", "retyped", "dropped-renamed", "widened-dropped", "added", "one-name", "one-name-but-for-case"],
)
def test_changes_that_do_not_go_together_conflict(ours: Fields, theirs: Fields, wanted: tuple[object, ...]) -> None:
    assert conflict(ours, theirs) == wanted


def test_answers_say_whose_column_wins() -> None:
    ours, theirs = (ID, NOTE), (ID, amount("sum"), NOTE)
    assert names(merged(ours, theirs, answers=Answers((ResolutionRule(ResolutionChoice.OURS),)))) == ("id", "note")
    assert names(merged(ours, theirs, answers=Answers((ResolutionRule(ResolutionChoice.THEIRS),)))) == (
        "id",
        "sum",
        "note",
    )


def test_of_two_columns_with_one_name_the_loser_goes_back_to_its_own() -> None:
    ours, theirs = (ID, amount("x"), NOTE), (ID, AMOUNT, TableField(3, "x", "string"))
    assert names(merged(ours, theirs, answers=Answers((ResolutionRule(ResolutionChoice.OURS),)))) == ("id", "x", "note")
    assert names(merged(ours, theirs, answers=Answers((ResolutionRule(ResolutionChoice.THEIRS),)))) == (
        "id",
        "amount",
        "x",
    )


def test_a_schema_conflict_is_not_answered_by_a_value() -> None:
    ours, theirs = (ID, amount("total"), NOTE), (ID, amount("sum"), NOTE)
    _, (found,) = merge_schemas(BASE, ours, theirs, ("id",))
    with pytest.raises(ForgeError, match="cannot be resolved") as error:
        merge_schemas(
            BASE,
            ours,
            theirs,
            ("id",),
            answers=Answers(by_conflict={found.id: ResolutionRule(ResolutionChoice.MANUAL, value="x")}),
        )
    assert error.value.code == "E619"
    _, still_open = merge_schemas(
        BASE, ours, theirs, ("id",), answers=Answers((ResolutionRule(ResolutionChoice.BASE),))
    )
    assert still_open == (found,)


def test_a_column_that_one_side_dropped_is_remembered() -> None:
    layout, _ = merge_schemas(BASE, (ID, NOTE), BASE, ("id",))
    assert names(layout.fields) == ("id", "note")
    assert layout.dropped == (AlignedColumn(AMOUNT, "amount", None, "amount"),)
    layout, _ = merge_schemas(BASE, (ID, NOTE), (ID, NOTE), ("id",))
    assert layout.dropped == ()


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [
        (BASE, (NOTE, ID, AMOUNT), "note id amount"),
        ((NOTE, ID, AMOUNT), BASE, "note id amount"),
        ((NOTE, ID, AMOUNT), (AMOUNT, NOTE, ID), "note id amount"),
        ((*BASE, TableField(4, "a", "int")), (*BASE, TableField(5, "b", "int")), "id amount note a b"),
        (BASE, (ID, TableField(5, "b", "int"), AMOUNT, NOTE), "id b amount note"),
        (BASE, (TableField(5, "b", "int"), *BASE), "b id amount note"),
    ],
    ids=["theirs-moved", "ours-moved", "both-moved", "both-added", "added-between", "added-first"],
)
def test_columns_lie_in_the_order_of_the_side_that_moved_them(ours: Fields, theirs: Fields, wanted: str) -> None:
    assert " ".join(names(merged(ours, theirs))) == wanted


def test_without_a_base_columns_belong_together_by_name() -> None:
    fields = merged(
        (TableField(1, "id", "bigint"), TableField(2, "a", "int")),
        (TableField(1, "b", "int"), TableField(2, "id", "bigint")),
        None,
    )
    assert {field.name for field in fields} == {"id", "a", "b"}
    assert len({field.id for field in fields}) == 3


def test_a_key_follows_its_column_through_a_rename() -> None:
    renamed = (TableField(1, "order_id", "bigint"), AMOUNT, NOTE)
    for key in ("id", "order_id"):
        layout, _ = merge_schemas(BASE, BASE, renamed, (key,))
        assert layout.key == ("order_id",)


def test_a_key_may_be_widened() -> None:
    base = (TableField(1, "id", "int"),)
    layout, _ = merge_schemas(base, base, (TableField(1, "id", "bigint"),), ("id",))
    assert layout.fields[0].type == "bigint"


@pytest.mark.parametrize(
    ("theirs", "key", "says"),
    [
        (BASE, "idd", "no column idd"),
        ((TableField(1, "id", "string"), AMOUNT, NOTE), "id", "different types"),
    ],
    ids=["unknown", "retyped"],
)
def test_a_key_that_is_not_the_same_on_all_sides_is_refused(theirs: Fields, key: str, says: str) -> None:
    with pytest.raises(ForgeError, match=says) as error:
        merge_schemas(BASE, BASE, theirs, (key,))
    assert error.value.code == "E613"
    assert error.value.fix


def test_a_diff_of_schemas_names_every_change() -> None:
    after = (NOTE, TableField(1, "order_id", "bigint", required=True), TableField(9, "day", "date"))
    assert diff_schemas(BASE, after) == (
        TableSchemaChange("dropped", "amount", "amount decimal(10,2)", None, 2),
        TableSchemaChange("renamed", "order_id", "id", "order_id", 1),
        TableSchemaChange("required", "order_id", "optional", "required", 1),
        TableSchemaChange("moved", "order_id", "first", "after note", 1),
        TableSchemaChange("added", "day", None, "day date", 9),
    )
    assert diff_schemas(BASE, BASE) == ()


def test_as_few_columns_as_possible_are_said_to_have_moved() -> None:
    assert find_moved("abcde", "eabcd") == {"e"}
    assert find_moved("abc", "abc") == frozenset()
    assert find_moved("abcx", "ybac") in ({"a"}, {"b"})


def test_a_diff_lays_the_left_over_the_right() -> None:
    layout = align_for_diff(BASE, (TableField(1, "order_id", "bigint"), NOTE), ("order_id",))
    assert layout.columns[0] == AlignedColumn(TableField(1, "order_id", "bigint"), "id", None, "order_id")
    assert layout.key == ("order_id",)
    assert [column.field for column in layout.dropped] == [AMOUNT]
