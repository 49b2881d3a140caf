"""A project is read whole before anything runs, and all that is wrong is told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.flows.runs.project import Project, load_project
from forge.model.errors import errors_of
from forge.model.names import TableName

ORDERS = TableName("core", "orders")
SQL = "/* forge\nchecks: [{type: not_null, column: id}]\n*/\nSELECT 1 AS id, 2 AS amount"
CONTRACT = """
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: core.orders
    properties:
      - {name: id, logicalType: integer, required: true}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "transforms/core/orders.sql", SQL)
    return tmp_path


def write(root: Path, name: str, text: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def load(root: Path) -> Project:
    return load_project(root, lambda table: None)


def problems(root: Path) -> list[tuple[str, str | None]]:
    return [(error.code, error.where) for fault in load(root).faults for error in errors_of(fault.error)]


def test_checks_come_from_the_transform_the_files_and_the_contract_each_once(root: Path) -> None:
    write(root, "checks/core.yaml", "core.orders:\n  - {type: range, column: amount, min: 0}\n")
    write(root, "contracts/core.orders.odcs.yaml", CONTRACT)
    types = [check.type for check in load(root).checks[ORDERS]]
    assert sorted(types) == ["not_null", "range"], "the contract's `required` is the same as the not_null of the header"


def test_all_that_is_wrong_is_told_with_its_place(root: Path) -> None:
    write(root, "checks/a.yaml", "core.ordres:\n  - {type: unique, columns: [id]}\ncore.orders: 5\n")
    write(root, "checks/b.yaml", "core.orders:\n  - {type: unique, columns: [id]}\n  - {type: uniqe, columns: [id]}\n")
    write(root, "checks/c.yaml", b"core.orders: \xff\n")
    write(root, "contracts/core.orders.odcs.yaml", CONTRACT.replace("version: 1.0.0", "version: one"))
    found = problems(root)
    assert ("E202", "checks/a.yaml:1") in found
    assert ("E103", "checks/a.yaml:3") in found
    assert ("E103", "checks/c.yaml") in found
    assert any(code == "E502" and str(where).startswith("contracts/core.orders.odcs.yaml") for code, where in found)


def test_a_bad_check_is_told_at_its_line(root: Path) -> None:
    write(root, "checks/b.yaml", "core.orders:\n  - {type: unique, columns: [id]}\n  - {type: uniqe, columns: [id]}\n")
    assert problems(root) == [("E701", "checks/b.yaml:3")]


def test_a_new_rule_changes_the_hash_and_a_moved_line_does_not(root: Path) -> None:
    write(root, "contracts/core.orders.odcs.yaml", CONTRACT)
    before = load(root).rules_hash[ORDERS]
    write(root, "contracts/core.orders.odcs.yaml", "\n# moved\n" + CONTRACT)
    assert load(root).rules_hash[ORDERS] == before
    write(root, "contracts/core.orders.odcs.yaml", CONTRACT.replace("integer", "number"))
    assert load(root).rules_hash[ORDERS] != before


def test_a_table_that_only_the_lake_has_may_have_checks_and_each_knows_its_place(root: Path) -> None:
    write(root, "quality/lake.yaml", "checks:\n  raw.events:\n    - {type: row_count, min: 1}\n")
    assert problems(root) == [("E202", "quality/lake.yaml:2")]
    events = TableName.parse("raw.events")
    project = load_project(root, lambda table: None, [events])
    assert [check.type for check in project.checks[events]] == ["row_count"]
    assert project.places[events] == ("quality/lake.yaml:3",)
