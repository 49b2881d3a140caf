"""What has changed in a source."""

from __future__ import annotations

from forge.federation.drift import columns_seen, find_changes
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.model.types import parse_type


def test_tables_and_columns_that_came_went_or_changed_are_found() -> None:
    before = {"a": (("id", "int"), ("x", "text"), ("y", "date")), "b": (("id", "int"),), "same": (("id", "int"),)}
    after = {"same": (("id", "int"),), "c": (("id", "int"),), "a": (("y", "text"), ("id", "int"), ("z", "int"))}
    assert [(one.change, one.table, one.column, one.before, one.after) for one in find_changes(before, after)] == [
        ("removed", "a", "x", "text", None),
        ("retyped", "a", "y", "date", "text"),
        ("added", "a", "z", None, "int"),
        ("removed", "b", None, None, None),
        ("added", "c", None, None, None),
    ]


def test_the_order_of_columns_is_no_change() -> None:
    assert list(find_changes({"a": (("x", "int"), ("y", "int"))}, {"a": (("y", "int"), ("x", "int"))})) == []


def test_a_type_is_that_of_the_source_where_it_says_one() -> None:
    columns = (SourceColumn("a", parse_type("bigint"), native="int8"), SourceColumn("b", parse_type("date")))
    assert columns_seen(SourceRelation(RelationName("crm", ("t",)), columns)) == (("a", "int8"), ("b", "date"))
