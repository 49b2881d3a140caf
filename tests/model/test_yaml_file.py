from __future__ import annotations

from datetime import date

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from forge.model.errors import ForgeError
from forge.model.yaml_file import load_yaml

TEXT = """\
# shop
project: shop
sources:
  - output: raw.orders
    columns: {order_id: long,
              day: date}
  - output: raw.customers
"""


def test_values_are_what_the_safe_loader_reads() -> None:
    assert load_yaml(TEXT, "a.yaml").data == yaml.safe_load(TEXT)


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 2, 1),
        (("project",), 2, 1),
        (("sources",), 3, 1),
        (("sources", 0), 4, 5),
        (("sources", 0, "output"), 4, 5),
        (("sources", 0, "columns"), 5, 5),
        (("sources", 0, "columns", "day"), 6, 15),
        (("sources", 1), 7, 5),
        (("sources", 0, "nothing"), 4, 5),
        (("sources", 9, "output"), 3, 1),
        (("nothing", "at", "all"), 2, 1),
    ],
)
def test_a_path_has_the_place_of_its_key_or_of_the_nearest_ancestor(
    path: tuple[str | int, ...], line: int, column: int
) -> None:
    found = load_yaml(TEXT, "a.yaml")
    assert (found.line_of(*path), found.column_of(*path)) == (line, column)


def test_an_empty_file_has_no_data_and_begins_in_line_1() -> None:
    found = load_yaml("", "a.yaml")
    assert (found.data, found.line_of("x"), found.where("x")) == (None, 1, "a.yaml:1")


def test_dates_are_dates() -> None:
    assert load_yaml("day: 2026-11-15", "a.yaml").data == {"day": date(2026, 11, 15)}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a: [1, 2", "a.yaml:1:9"),
        ("a: 1\n\tb: 2", "a.yaml:2:1"),
        ("a: 1\nb: 2\na: 3", "a.yaml:3:1"),
        ("x:\n  - {k: 1, k: 2}", "a.yaml:2:12"),
        ("day: 2026-02-30", "a.yaml:1:6"),
        ("a: ok\nb: \x00", "a.yaml:2:4"),
        ("--- 1\n--- 2\n", "a.yaml:2:1"),
        ("a: *unknown", "a.yaml:1:4"),
        ("a: !!python/object/apply:os.getcwd []", "a.yaml:1:4"),
        ("[" * 3000, "a.yaml:1:101"),
        ("a: [&a b, &b [*a, *b]]", "a.yaml:1:19"),
        ("a: &a {b: &b [*b]}", "a.yaml:1:15"),
        ("a: \ud800", "a.yaml:1:4"),
        ("a: !!set {b}", "a.yaml:1:4"),
        ("a: !!timestamp noon", "a.yaml:1:4"),
    ],
)
def test_malformed_yaml_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(ForgeError) as raised:
        load_yaml(text, "a.yaml")
    assert (raised.value.code, raised.value.where) == ("E103", where)


def test_the_second_of_two_equal_keys_names_the_line_of_the_first() -> None:
    with pytest.raises(ForgeError) as raised:
        load_yaml("kind: full\n\nkind: view", "a.yaml")
    assert raised.value.what == "the key 'kind' is given twice, before in line 1"


def test_aliases_count_as_often_as_they_are_used() -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(ForgeError, match="more than 500,000 values"):
        load_yaml("\n".join(lines), "a.yaml")


@pytest.mark.parametrize("number", [":".join(["59"] * 100_000), "9" * 5_000, ":".join(["1"] * 3_000) + ".5"])
def test_a_number_of_an_intruder_takes_no_time(number: str) -> None:
    with pytest.raises(ForgeError) as caught:
        load_yaml(f"a: 1\nb: {number}\n", "a.yaml")
    assert (caught.value.code, caught.value.where) == ("E103", "a.yaml:2:4")


def test_a_file_that_is_too_large_is_not_read() -> None:
    with pytest.raises(ForgeError, match="larger than 10 MB"):
        load_yaml("a" * 10_000_001, "a.yaml")


def test_merged_keys_stand_before_those_of_the_mapping() -> None:
    text = "one: &one {a: 1, b: 2}\ntwo: {c: 3, <<: [*one, {d: 4, a: 5}], b: 6}\n"
    two = {"a": 1, "b": 6, "d": 4, "c": 3}
    assert list(load_yaml(text, "a.yaml").data["two"].items()) == list(two.items())  # type: ignore[index]
    assert yaml.safe_load(text)["two"] == two


def test_a_merged_key_has_the_place_where_it_is_overridden() -> None:
    text = "one: &one {a: 1}\ntwo:\n  <<: *one\n  a: 2\n"
    found = load_yaml(text, "a.yaml")
    assert found.data == {"one": {"a": 1}, "two": {"a": 2}}
    assert found.line_of("two", "a") == 4


def outcome_of(text: str) -> tuple[str, str]:
    try:
        return "read", repr(load_yaml(text, "a.yaml").data)
    except ForgeError as error:
        return error.code, (error.where or "")[:7]


@given(st.text(max_size=60))
def test_any_text_is_read_like_the_safe_loader_or_refused_with_a_place(text: str) -> None:
    outcome = outcome_of(text)
    assert outcome == ("E103", "a.yaml:") or outcome == ("read", repr(yaml.load(text, Loader=yaml.CSafeLoader)))
