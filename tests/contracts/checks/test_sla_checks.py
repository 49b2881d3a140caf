"""Service levels that Forge can see in the data become checks; the others are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.contracts.checks.rules import CompiledChecks
from forge.contracts.checks.sla_checks import SlaChecks, sla_checks_of
from forge.contracts.contract import Contract
from forge.contracts.load import load_contract
from forge.flows.runs.project import load_project
from forge.model.names import TableName
from forge.quality.spec import load_check

ORDERS = TableName("core", "orders")


def contract_of(*sla: dict[str, Any], **more: Any) -> Contract:
    orders = [
        {"name": "id", "logicalType": "integer"},
        {"name": "at", "physicalName": "ordered_at", "logicalType": "timestamp"},
        {"name": "mail", "logicalType": "string"},
    ]
    schema = [
        {"name": "orders", "physicalName": "core.orders", "properties": orders},
        {"name": "lines", "physicalName": "core.lines", "properties": [{"name": "day", "logicalType": "date"}]},
    ]
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "version": "1.0.0", "id": "orders", "status": "active"}
    text = yaml.safe_dump({**head, "schema": schema, "slaProperties": list(sla), **more}, sort_keys=False)
    return load_contract(text, "contracts/orders.odcs.yaml")


def compiled(*sla: dict[str, Any], **more: Any) -> SlaChecks:
    contract = contract_of(*sla, **more)
    found = sla_checks_of(contract.tables[0], contract)
    for part in (found.always, found.timed):
        for check, place in part.checks:
            load_check(check, table=ORDERS, where=place)
    return found


def checks(part: CompiledChecks) -> list[dict[str, object]]:
    return [dict(check) for check, _ in part.checks]


@pytest.mark.parametrize(
    ("sla", "hours"),
    [
        ({"property": "latency", "value": 1, "unit": "d"}, 24.0),
        ({"property": "ly", "value": 24, "unit": "h"}, 24.0),
        ({"property": "freshness", "value": "PT90M"}, 1.5),
        ({"property": "Latency", "value": 1, "unit": "y"}, 366 * 24.0),
    ],
)
def test_latency_and_freshness_of_a_column_are_its_age(sla: dict[str, Any], hours: float) -> None:
    found = compiled({**sla, "element": "orders.at"})
    [check] = checks(found.timed)
    assert check.pop("name")
    assert check == {
        "type": "freshness",
        "timestamp_column": "ordered_at",
        "max_age_hours": hours,
        "severity": "warning",
    }
    assert found.always == CompiledChecks()


@pytest.mark.parametrize(
    "element", ["orders.at", "core.orders.at", "orders.ordered_at", "ORDERS.AT", "lines.day, orders.at"]
)
def test_an_element_is_a_column_by_any_of_its_names(element: str) -> None:
    assert len(checks(compiled({"property": "latency", "value": 1, "unit": "h", "element": element}).timed)) == 1


def test_the_default_element_is_that_of_entries_without_one() -> None:
    found = compiled({"property": "latency", "value": 1, "unit": "h"}, slaDefaultElement="orders.at")
    assert [check["timestamp_column"] for check in checks(found.timed)] == ["ordered_at"]


def test_shares_are_checks_that_need_no_clock() -> None:
    found = compiled(
        {"property": "completeness", "value": 99.5, "unit": "percent", "element": "orders.mail"},
        {"property": "uniqueness", "value": "98%", "element": "orders.mail"},
    )
    assert checks(found.always) == [
        {
            "type": "not_null",
            "column": "mail",
            "max_null_percentage": 0.5,
            "name": "completeness of mail: 99.5 percent",
        },
        {"type": "unique", "columns": ["mail"], "max_violation_percentage": 2.0, "name": "uniqueness of mail: 98%"},
    ]
    assert found.timed == CompiledChecks()


@pytest.mark.parametrize(
    ("sla", "words"),
    [
        ({"property": "latency", "value": 1, "unit": "d"}, "write element: orders.at"),
        ({"property": "latency", "value": 1, "unit": "d", "element": "orders"}, "write element: orders.at"),
        ({"property": "latency", "value": 1, "unit": "d", "element": "orders.mail"}, "not a date or a timestamp"),
        ({"property": "retention", "value": 10, "unit": "y"}, "how tables are expired"),
        ({"property": "availability", "value": 99.9, "unit": "percent"}, "on the service"),
        ({"property": "accuracy", "value": 99, "element": "orders.mail"}, "true values"),
        ({"property": "frequency", "value": 1, "unit": "d"}, "does not measure"),
    ],
)
def test_what_no_check_covers_is_named_with_its_place(sla: dict[str, Any], words: str) -> None:
    found = compiled(sla)
    assert checks(found.timed) == checks(found.always) == []
    [note] = found.timed.notes
    assert words in note.reason
    assert note.place.file == "contracts/orders.odcs.yaml"
    assert note.place.line > 1


def test_the_promise_of_another_table_is_not_this_ones() -> None:
    found = compiled({"property": "latency", "value": 1, "unit": "d", "element": "lines.day"})
    assert found.timed == found.always == CompiledChecks()


def test_a_project_keeps_what_depends_on_the_clock_out_of_its_runs(tmp_path: Path) -> None:
    sla = [
        {"property": "latency", "value": 1, "unit": "d", "element": "orders.at"},
        {"property": "completeness", "value": 99, "element": "orders.mail"},
    ]
    document = contract_of(*sla).document
    assert document is not None
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.odcs.yaml").write_text(yaml.safe_dump(dict(document.data), sort_keys=False))
    project = load_project(tmp_path, lambda table: None)
    assert [check.type for check in project.checks[ORDERS]] == ["not_null"]
    assert [check.type for check in project.promises[ORDERS]] == ["freshness"]
