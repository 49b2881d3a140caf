"""Columns and fields by their names, and types by what they mean."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.model.schema import Column, Schema
from forge.quality.paths import ColumnField, UnknownField, find_field, is_within, split_path, type_of

SCHEMA = Schema(
    (
        Column("address", "struct<city:string,geo:struct<lat:double,`x.y`:int>,a.b:int>"),
        Column("a.b", "struct<c:int>"),
        Column("a", "struct<b:struct<c:string>>"),
        Column("tags", "array<struct<k:string>>"),
        Column("props", "map<string,int>"),
        Column("odd`name", "int"),
        Column("n", "int"),
    )
)


@pytest.mark.parametrize(
    ("name", "parts", "type_"),
    [
        ("N", ("n",), "int"),
        ("Address.City", ("address", "city"), "string"),
        ("address.geo.lat", ("address", "geo", "lat"), "double"),
        ("address.geo.x.y", ("address", "geo", "x.y"), "int"),
        ("address.geo.`x.y`", ("address", "geo", "x.y"), "int"),
        ("address.a.b", ("address", "a.b"), "int"),
        ("a.b", ("a.b",), "struct<c:int>"),
        ("a.b.c", ("a.b", "c"), "int"),
        ("`a.b`.c", ("a.b", "c"), "int"),
        ("`a`.`b`.`c`", ("a", "b", "c"), "string"),
        ("`odd``name`", ("odd`name",), "int"),
        ("odd`name", ("odd`name",), "int"),
    ],
)
def test_a_name_leads_to_a_column_or_a_field_and_dots_in_names_go_first(
    name: str, parts: tuple[str, ...], type_: str
) -> None:
    assert find_field(SCHEMA, name) == ColumnField(parts, type_)
    assert type_of(SCHEMA, name) == type_


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("adress", "there is no column 'adress'. Did you mean address?"),
        ("address.citi", "address has no field 'citi'. Did you mean city?"),
        ("address.geo.zzz", "address.geo has no field 'zzz'. The columns are lat, x.y."),
        ("address.city.x", "address.city is string, which has no fields"),
        ("tags.k", "tags is an array"),
        ("props.a", "props is a map"),
        ("n.x", "n is int, which has no fields"),
        ("", "there is no column ''"),
        ("address.", "address has no field ''"),
        ("`", "there is no column '`'"),
    ],
)
def test_a_name_that_leads_nowhere_says_why(name: str, said: str) -> None:
    with pytest.raises(UnknownField) as caught:
        find_field(SCHEMA, name)
    assert said in str(caught.value)
    assert type_of(SCHEMA, name) == ""


NAMES = st.text("ab.`:é", min_size=1, max_size=4)


@given(st.lists(NAMES, min_size=1, max_size=3))
def test_every_path_in_backticks_is_split_as_it_was_joined(parts: list[str]) -> None:
    joined = ".".join("`" + part.replace("`", "``") + "`" for part in parts)
    assert split_path(joined) == tuple(parts)


@given(st.text(max_size=12), st.text("struct<array>:,` a", max_size=25))
def test_no_name_and_no_type_breaks_the_search(name: str, type_: str) -> None:
    schema = Schema((Column("s", f"struct<{type_}>"), Column("t", type_)))
    for asked in (name, f"s.{name}", f"t.{name}"):
        with suppress(UnknownField):
            assert find_field(schema, asked).parts[0] in ("s", "t")


def test_a_masked_struct_hides_its_fields() -> None:
    assert is_within("address.city", "Address")
    assert is_within("address", "address")
    assert not is_within("address", "address.city")
    assert not is_within("addresses", "address")
