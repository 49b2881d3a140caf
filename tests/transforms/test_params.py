from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.model.errors import ForgeError, errors_of
from forge.model.names import TableName
from forge.transforms.params import Param, bind_params, declare_params, find_unknown_params
from forge.transforms.sql_file import load_sql

GOOD = [
    ("string", " as it is ", " as it is "),
    ("int", "-42", -42),
    ("long", "9223372036854775807", 2**63 - 1),
    ("float", "0.5", 0.5),
    ("double", "1e3", 1000.0),
    ("decimal", "12.50", Decimal("12.50")),
    ("bool", "true", True),
    ("boolean", "FALSE", False),
    ("date", "2026-11-15", date(2026, 11, 15)),
    ("timestamp", "2026-11-15T08:30:00", datetime(2026, 11, 15, 8, 30, tzinfo=UTC)),
    ("timestamp", "2026-11-15", datetime(2026, 11, 15, tzinfo=UTC)),
    ("timestamp", "2026-11-15T08:30:00+02:00", datetime(2026, 11, 15, 6, 30, tzinfo=UTC)),
]


@pytest.mark.parametrize(("type_", "text", "value"), GOOD)
def test_text_becomes_a_value_of_the_declared_type(type_: str, text: str, value: object) -> None:
    bound = bind_params(declare_params({"p": {"type": type_}}), {"p": text})["p"]
    assert (bound, type(bound)) == (value, type(value))


BAD = [
    ("int", "4.2"),
    ("int", "1_000"),
    ("int", "2147483648"),
    ("int", ""),
    ("long", "9223372036854775808"),
    ("float", "nan"),
    ("double", "much"),
    ("decimal", "1" * 39),
    ("decimal", "Infinity"),
    ("decimal", "x"),
    ("bool", "yes"),
    ("date", "15.11.2026"),
    ("date", "2026-02-30"),
    ("timestamp", "today"),
]


@pytest.mark.parametrize(("type_", "text"), BAD)
def test_text_that_is_no_value_of_the_type_is_refused_with_an_example(type_: str, text: str) -> None:
    with pytest.raises(ForgeError) as raised:
        bind_params(declare_params({"p": {"type": type_}}), {"p": text})
    assert raised.value.code == "E105"
    assert "Write it like" in (raised.value.fix or "")


def test_defaults_are_taken_as_yaml_reads_them() -> None:
    declared = declare_params(
        {
            "day": {"type": "date", "default": date(2026, 11, 15), "description": "The day to load"},
            "at": {"type": "timestamp", "default": datetime(2026, 11, 15, 8)},
            "n": {"type": "int", "default": 3},
            "share": {"type": "decimal", "default": 0.25},
            "on": {"type": "bool", "default": True},
            "text": {"default": "a"},
        }
    )
    assert bind_params(declared, {}) == {
        "day": date(2026, 11, 15),
        "at": datetime(2026, 11, 15, 8, tzinfo=UTC),
        "n": 3,
        "share": Decimal("0.25"),
        "on": True,
        "text": "a",
    }
    assert declared["day"].description == "The day to load"


def test_a_given_value_wins_over_the_default() -> None:
    declared = declare_params({"n": {"type": "int", "default": 3}})
    assert bind_params(declared, {"n": "0"}) == {"n": 0}


@pytest.mark.parametrize(
    ("name", "declaration", "code", "word"),
    [
        ("p", {"type": "intt"}, "E105", "int"),
        ("p", {"typ": "int"}, "E104", "type"),
        ("p", {"type": "int", "default": "x"}, "E105", "params.p"),
        ("p", {"type": "int", "default": True}, "E105", "int"),
        ("p", {"type": "string", "default": 5}, "E105", "quotes"),
        ("p", "int", "E105", "mapping"),
        ("start", {"type": "date"}, "E105", "--start"),
        ("a-b", {"type": "date"}, "E105", "letters"),
    ],
)
def test_a_wrong_declaration_is_refused(name: str, declaration: object, code: str, word: str) -> None:
    with pytest.raises(ForgeError) as raised:
        declare_params({name: declaration})
    assert (raised.value.code, raised.value.where) == (code, "forge.yaml")
    assert word in f"{raised.value.what} {raised.value.fix}"


def test_all_wrong_parameters_of_a_command_are_told_at_once() -> None:
    declared = declare_params({"day": {"type": "date"}, "n": {"type": "int"}})
    with pytest.raises(ForgeError) as raised:
        bind_params(declared, {"dya": "2026-11-15", "n": "x"})
    assert [error.code for error in errors_of(raised.value)] == ["E108", "E105", "E105"]
    assert "day" in (errors_of(raised.value)[0].fix or "")


def test_a_parameter_that_the_run_does_not_need_may_be_missing() -> None:
    declared = declare_params({"day": {"type": "date"}})
    assert bind_params(declared, {}, needed=()) == {}
    with pytest.raises(ForgeError) as raised:
        bind_params(declared, {}, needed={"day"})
    assert raised.value.code == "E105"
    assert "--param day" in (raised.value.fix or "")


def test_start_and_end_are_timestamps_that_need_no_declaration() -> None:
    bound = bind_params({}, {"start": "2026-11-15", "end": "2026-11-16"})
    assert bound == {"start": datetime(2026, 11, 15, tzinfo=UTC), "end": datetime(2026, 11, 16, tzinfo=UTC)}
    assert bind_params({}, {}) == {}


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ForgeError) as raised:
        bind_params({}, {"start": "2026-11-16", "end": "2026-11-16"})
    assert raised.value.code == "E105"


def test_an_undeclared_parameter_of_a_query_is_found_with_its_line() -> None:
    transform = load_sql("SELECT *\nFROM core.a\nWHERE d = :dya AND e < :end", "transforms/core/b.sql")
    (error,) = find_unknown_params({TableName("core", "b"): transform}, {"day": Param("day", "date")})
    assert (error.code, error.where) == ("E108", "transforms/core/b.sql:3:11")
    assert "day" in (error.fix or "")


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_timestamps_own_text_reads_back(moment: datetime) -> None:
    declared = {"at": Param("at", "timestamp")}
    assert bind_params(declared, {"at": moment.isoformat()}) == {"at": moment}
