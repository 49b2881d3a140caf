from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.model.names import TableName
from forge.transforms.fingerprint import Fingerprint, fingerprint, hash_of
from forge.transforms.transform import FileSource, PythonFunction, SqlQuery, Transform

ORDERS, ITEMS = TableName("core", "orders"), TableName("core", "items")
SQL = Transform(output=ORDERS, body=SqlQuery("SELECT 1", ("day",)), file="a.sql", line=1, code_hash="hash")
PYTHON = replace(SQL, body=PythonFunction(lambda: None, {}, False))
SOURCE = replace(SQL, body=FileSource("parquet", "data/*"))
INPUTS: Mapping[TableName, object] = {ORDERS: 1, ITEMS: 2}
PARAMS: Mapping[str, object] = {"day": date(2026, 11, 15), "n": 1}


@dataclass(frozen=True)
class File:
    path: str
    size: int


def test_it_is_the_same_for_the_same_whatever_the_order() -> None:
    first = fingerprint(PYTHON, INPUTS, PARAMS, (File("a", 1), File("b", 2)))
    again = fingerprint(
        PYTHON, {ITEMS: 2, ORDERS: 1}, {"n": 1, "day": date(2026, 11, 15)}, [File("b", 2), File("a", 1)]
    )
    assert first == again
    assert len(first.fingerprint) == 64


def test_its_parts_tell_what_changed() -> None:
    before = fingerprint(PYTHON, INPUTS, PARAMS, (File("a", 1),), "rules").parts
    other = fingerprint(replace(PYTHON, code_hash="other"), INPUTS, PARAMS, (File("a", 2),), "rules").parts
    assert {name for name in before if before[name] != other[name]} == {"code", "files"}
    checked = fingerprint(PYTHON, INPUTS, {**PARAMS, "n": 2}, (File("a", 1),), "others").parts
    assert {name for name in before if before[name] != checked[name]} == {"parameters", "checks"}


@pytest.mark.parametrize(
    "changed",
    [
        lambda: fingerprint(replace(PYTHON, code_hash="other"), INPUTS, PARAMS),
        lambda: fingerprint(replace(PYTHON, output=ITEMS), INPUTS, PARAMS),
        lambda: fingerprint(PYTHON, {**INPUTS, ITEMS: 3}, PARAMS),
        lambda: fingerprint(PYTHON, {**INPUTS, ITEMS: "2"}, PARAMS),
        lambda: fingerprint(PYTHON, {**INPUTS, ITEMS: None}, PARAMS),
        lambda: fingerprint(PYTHON, {ORDERS: 1}, PARAMS),
        lambda: fingerprint(PYTHON, INPUTS, {**PARAMS, "n": 2}),
        lambda: fingerprint(PYTHON, INPUTS, {**PARAMS, "day": "2026-11-15"}),
        lambda: fingerprint(PYTHON, INPUTS, PARAMS, [File("a", 1)]),
    ],
)
def test_it_changes_with_code_inputs_parameters_and_files(changed: Callable[[], Fingerprint]) -> None:
    assert changed() != fingerprint(PYTHON, INPUTS, PARAMS)


def test_what_people_read_does_not_count() -> None:
    described = replace(PYTHON, description="new", owner="eve", tags=("gold",), checks=({"type": "unique"},))
    assert fingerprint(described, INPUTS, PARAMS) == fingerprint(PYTHON, INPUTS, PARAMS)


def test_sql_counts_only_the_parameters_it_uses_python_all_and_a_source_none() -> None:
    other_n: Mapping[str, object] = {**PARAMS, "n": 2}
    other_day: Mapping[str, object] = {**PARAMS, "day": date(2026, 11, 16)}
    assert fingerprint(SQL, INPUTS, other_n) == fingerprint(SQL, INPUTS, PARAMS)
    assert fingerprint(SQL, INPUTS, other_day) != fingerprint(SQL, INPUTS, PARAMS)
    assert fingerprint(PYTHON, INPUTS, other_n) != fingerprint(PYTHON, INPUTS, PARAMS)
    assert fingerprint(SOURCE, {}, other_day) == fingerprint(SOURCE, {}, PARAMS)


def test_a_parameter_without_a_value_is_no_part_of_it() -> None:
    assert fingerprint(SQL, INPUTS, {}) == fingerprint(SQL, INPUTS, {"n": 1}) != fingerprint(SQL, INPUTS, PARAMS)


def test_one_moment_in_two_time_zones_is_one_value_and_so_is_one_number_in_two_spellings() -> None:
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    assert hash_of(noon) == hash_of(noon.astimezone(timezone(timedelta(hours=2))))
    assert hash_of(Decimal("1.50")) == hash_of(Decimal("1.5"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.dates() | st.decimals(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def typed(value: object) -> object:
    """Python calls True and 1 equal; a fingerprint does not."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    return [typed(item) for item in value] if isinstance(value, list) else (type(value), value)


@given(VALUES, VALUES)
def test_texts_are_equal_exactly_where_the_values_are(one: object, other: object) -> None:
    assert (hash_of(one) == hash_of(other)) == (typed(one) == typed(other))


def test_a_value_of_no_fixed_form_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        hash_of(object())
