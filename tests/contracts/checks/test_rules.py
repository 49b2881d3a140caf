"""What a contract promises about the data becomes checks; what does not is reported. The cases are in rules.yaml."""

from __future__ import annotations

import ipaddress
import operator
import re
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from forge.contracts.checks.rules import CompiledChecks, checks_of
from forge.contracts.contract import TableContract
from forge.contracts.formats import TEXT_PATTERNS
from forge.contracts.load import load_contract
from forge.model.names import TableName
from forge.quality.check import exceeds
from forge.quality.spec import load_check

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("rules.yaml").read_text(encoding="utf-8"))


def contract_of(table: Mapping[str, object], properties: list[dict[str, object]]) -> TableContract:
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "version": "1.0.0",
        "id": "orders",
        "status": "active",
        "schema": [{"name": "core.orders", "properties": properties, **table}],
    }
    return load_contract(
        yaml.safe_dump(document, allow_unicode=True, sort_keys=False), "contracts/orders.odcs.yaml"
    ).tables[0]


def compiled(case: Mapping[str, Any]) -> CompiledChecks:
    if "column" in case:
        return checks_of(contract_of({}, [{"name": "x", **case["column"]}]))
    return checks_of(contract_of(case["table"], case.get("properties", [{"name": "a"}, {"name": "b"}])))


def rule(column: Mapping[str, object]) -> CompiledChecks:
    return compiled({"column": {"quality": [column]}})


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_a_contract_stands_for_these_checks(case: dict[str, Any]) -> None:
    result = compiled(case)
    assert [dict(check) for check, _ in result.checks] == case["checks"]
    reasons = [note.reason for note in result.notes]
    expected = case.get("notes", [])
    assert len(reasons) == len(expected), reasons
    for reason, words in zip(reasons, expected, strict=True):
        assert words in reason


@pytest.mark.parametrize("case", [c for c in CASES if c["checks"]], ids=lambda c: str(c["case"]))
def test_the_checks_are_such_as_a_checks_file_may_hold(case: dict[str, Any]) -> None:
    for check, place in compiled(case).checks:
        load_check(check, table=TableName("core", "orders"), where=place)


def test_a_check_names_its_line_in_the_contract() -> None:
    text = """\
apiVersion: v3.1.0
kind: DataContract
version: 1.0.0
id: orders
status: active
schema:
  - name: core.orders
    properties:
      - name: amount
        required: true
        quality:
          - metric: nullValues
            mustBe: 0
    quality:
      - type: sql
        query: SELECT 1
"""
    result = checks_of(load_contract(text, "contracts/orders.odcs.yaml").tables[0])
    assert [place for _, place in result.checks] == ["contracts/orders.odcs.yaml:9", "contracts/orders.odcs.yaml:12"]
    assert [str(note.place) for note in result.notes] == ["contracts/orders.odcs.yaml:15"]


# --- operators, against what the standard's symbols mean ---

SYMBOLS: dict[str, Callable[[Any, Any], bool]] = {
    "mustBe": operator.eq,
    "mustNotBe": operator.ne,
    "mustBeGreaterThan": operator.gt,
    "mustBeGreaterOrEqualTo": operator.ge,
    "mustBeLessThan": operator.lt,
    "mustBeLessOrEqualTo": operator.le,
    "mustBeBetween": lambda count, pair: pair[0] <= count <= pair[1],
    "mustNotBeBetween": lambda count, pair: not pair[0] <= count <= pair[1],
}
numbers = st.integers(-3, 12) | st.floats(-3, 12, allow_nan=False)
operators = st.one_of(
    st.tuples(st.sampled_from([s for s in SYMBOLS if not s.endswith("Between")]), numbers),
    st.tuples(
        st.sampled_from(["mustBeBetween", "mustNotBeBetween"]),
        st.tuples(numbers, numbers).map(lambda pair: sorted(pair)),
    ),
)


@given(operators, st.integers(0, 14))
def test_a_count_of_rows_is_judged_as_the_operator_says(given: tuple[str, Any], count: int) -> None:
    symbol, value = given
    result = compiled({"table": {"quality": [{"metric": "rowCount", symbol: value}]}})
    expected = SYMBOLS[symbol](count, value)
    if result.checks:
        [(check, _)] = result.checks
        if "not_between" in check:
            first, last = cast("list[int]", check["not_between"])
            assert (not first <= count <= last) == expected
            return
        low, high = check.get("min", 0), check.get("max", count)
        assert isinstance(low, int)
        assert isinstance(high, int)
        assert (low <= count <= high) == expected
        return
    [note] = result.notes
    if "always" in note.reason:
        assert expected
    else:
        assert "never" in note.reason
        assert not expected


@given(operators, st.integers(0, 200), st.integers(1, 200))
def test_a_percentage_is_judged_as_the_operator_says(given: tuple[str, Any], bad: int, rows: int) -> None:
    symbol, value = given
    result = rule({"metric": "nullValues", symbol: value, "unit": "percent"})
    percentage = min(bad, rows) * 100 / rows
    if result.checks:
        [(check, _)] = result.checks
        if "not_between" in check:
            first, last = cast("list[int]", check["not_between"])
            assert (not first <= percentage <= last) == SYMBOLS[symbol](percentage, value)
            return
        allowed = check.get("max_null_percentage", 0.0)
        assert isinstance(allowed, float)
        assert exceeds(min(bad, rows), rows, allowed) is not SYMBOLS[symbol](percentage, value)
    else:
        assert len(result.notes) == 1


# --- formats, against Python's own parsers ---


def is_valid(format_: str, text: str) -> bool:
    return re.search(TEXT_PATTERNS[format_], text) is not None


@given(st.ip_addresses(v=6).map(str) | st.text("0123456789abcdefF:.", max_size=20))
def test_the_pattern_of_ipv6_accepts_what_an_address_is(text: str) -> None:
    try:
        ipaddress.IPv6Address(text)
        expected = True
    except ValueError:
        expected = False
    assert is_valid("ipv6", text) == expected


@given(st.ip_addresses(v=4).map(str) | st.text("0123456789.", max_size=15))
def test_the_pattern_of_ipv4_accepts_what_an_address_is(text: str) -> None:
    try:
        ipaddress.IPv4Address(text)
        expected = True
    except ValueError:
        expected = False
    assert is_valid("ipv4", text) == expected


@given(st.uuids())
def test_the_pattern_of_uuid_accepts_every_uuid(value: uuid.UUID) -> None:
    assert is_valid("uuid", str(value))
    assert is_valid("uuid", str(value).upper())
    assert not is_valid("uuid", value.hex)


@pytest.mark.parametrize(
    ("format_", "good", "bad"),
    [
        ("email", ["a@b.de", "a+b@example.co.uk"], ["a", "@b", "a@", "a b@c.de", "a@b@c"]),
        ("uri", ["https://example.com/a?b", "mailto:a@b.de", "urn:isbn:1"], ["example.com", "http:", "a b:c", "://x"]),
        ("hostname", ["db", "db-1.example.com", "a" * 63], ["", "-a", "a-", "a..b", "a_b", "a" * 64, "a." * 130 + "a"]),
        ("byte", ["", "YQ==", "YWI=", "YWJj"], ["Y", "YQ=", "YQ", "Y!=="]),
    ],
)
def test_a_format_accepts_and_refuses(format_: str, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if not is_valid(format_, text)] == []
    assert [text for text in bad if is_valid(format_, text)] == []


def test_a_relationship_leads_to_a_table_of_another_contract_the_nearest_first() -> None:
    orders = contract_of({}, [{"name": "customer", "relationships": [{"to": "customers.id"}]}])
    peers = [
        TableContract(
            table=f"{schema}.customers", name="customers", properties=orders.properties[:0], file=f"{schema}.yaml"
        )
        for schema in ("raw", "core")
    ]
    [note] = checks_of(orders, peers).notes
    assert "core.customers has no column id" in note.reason, "that of the same schema is meant"
