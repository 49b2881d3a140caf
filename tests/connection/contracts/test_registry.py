"""`forge.connect().contracts`, on real stores. No JVM."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from migrated import lay_database
from pyiceberg.catalog.sql import SqlCatalog
from store_records import run_record

import forge
from forge.connection import Connection
from forge.flows.runs.events import RunSettled
from forge.flows.runs.records import OutputRecord, OutputStatus, RunStatus
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName

TEXT = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:shop:orders
name: orders
version: 1.0.0
status: active
schema:
  - name: core.orders
    properties:
      - {name: order_id, logicalType: integer}
      - {name: amount, logicalType: string}
"""


@pytest.fixture
def f(tmp_path: Path) -> Iterator[Connection]:
    (tmp_path / "forge.yaml").write_text("project: house\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    (tmp_path / "orders.csv").write_text("order_id,amount\n1,2.5\n")
    with forge.connect(tmp_path) as connection:
        connection.commit("core.orders", file=tmp_path / "orders.csv")
        yield connection


def test_a_contract_is_registered_listed_and_read_back(f: Connection) -> None:
    first = f.contracts.register(TEXT)
    assert (first.created, f.contracts.register(TEXT).created) == (True, False)
    assert f.contracts.text("orders") == TEXT
    (item,) = f.contracts.list()
    assert (item.id, item.version, item.state) == ("urn:shop:orders", "1.0.0", "active")
    assert list(f.contracts.list().to_pandas()["name"]) == ["orders"]
    assert "urn:shop:orders" in f.contracts.list()._repr_html_()
    assert [one.version for one in f.contracts.versions("orders")] == ["1.0.0"]
    with pytest.raises(ForgeError) as unknown:
        f.contracts.get("oders")
    assert unknown.value.code == "E504"


def test_a_file_of_the_project_is_registered_by_its_path(f: Connection) -> None:
    folder = f.wiring.root / "contracts"
    folder.mkdir()
    (folder / "core.orders.odcs.yaml").write_text(TEXT.replace("core.orders", "orders"))
    kept = f.contracts.register("contracts/core.orders.odcs.yaml")
    assert kept.admitted.contract.tables[0].table == "core.orders"
    assert f.contracts.get("orders").known.registered is not None
    (folder / "core.orders.odcs.yaml").write_text(TEXT.replace("core.orders", "orders").replace("1.0.0", "1.0.1"))
    found = f.contracts.diff("orders")
    assert (found.old_version, found.new_version, found.required_bump) == ("1.0.0", "1.0.1", "none")


def test_a_check_finds_what_is_wrong_with_form_version_and_tables(f: Connection) -> None:
    f.contracts.register(TEXT)
    found = f.contracts.check("orders", keep=True)
    assert not found.is_valid
    assert {one.code for one in found.errors()} == {"E530"}
    assert f.contracts.get("orders").to_dict()["errors"] == 1
    (drift,) = f.contracts.drift("orders")
    assert (drift.table, drift.exists) == ("core.orders", True)
    assert drift.alter or drift.patch
    assert f.contracts.drift("core.orders") == (drift,)
    assert "amount" in found._repr_html_()


def test_of_a_table_that_was_brought_in_a_check_says_what_may_be_null(f: Connection) -> None:
    f.contracts.register(TEXT.replace("{name: order_id, ", "{name: order_id, required: true, "))
    (warned,) = (one for one in f.contracts.check("orders").violations() if not one.code)
    assert "order_id" in warned.message


def test_what_binds_and_what_changed_are_told(f: Connection) -> None:
    f.contracts.register(TEXT)
    f.contracts.register(TEXT.replace("1.0.0", "2.0.0").replace("string", "number"))
    assert f.contracts.diff("orders").required_bump == "major"
    assert f.contracts.diff("orders", "2.0.0", "1.0.0").actual_bump == "downgrade"
    assert [one.id for one in f.contracts.effective("orders").chain] == ["urn:shop:orders"]
    assert f.contracts.consumers("orders") == ()


def test_a_run_lists_in_an_external_catalog_what_an_earlier_one_missed(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text(
        'project: house\nuser: {name: Ada, email: ada@example.com}\ncatalog: {type: sql, uri: "sqlite:///theirs.db"}\n'
    )
    lay_database(tmp_path / ".forge" / "forge.db")
    with forge.connect(tmp_path) as connection:
        connection.contracts.register(TEXT)  # the namespace is not there yet
        wiring = connection.wiring
        catalog = SqlCatalog("forge", uri=f"sqlite:///{tmp_path}/theirs.db")
        catalog.create_namespace("core")
        output = OutputRecord(table=TableName.parse("core.orders"), status=OutputStatus.UP_TO_DATE)
        wiring.metadata.start_run(run_record("r2", outputs=(output,)))
        wiring.metadata.finish_run(run_record("r2", outputs=(output,), status=RunStatus.SUCCEEDED), (), ())
        wiring.runs.ports().events(RunSettled(wiring.default_branch, RunId("r2"), {}))
        listed = json.loads(catalog.load_namespace_properties("core")["forge.contracts"])
        catalog.engine.dispose()
    assert [(one["name"], one["version"]) for one in listed] == [("orders", "1.0.0")]


@pytest.mark.slow
def test_a_life_and_the_results_of_tests(f: Connection) -> None:
    f.contracts.register(TEXT)
    item = f.contracts.set_state("orders", "deprecated", reason="old", ends_at=datetime(2099, 1, 1, tzinfo=UTC))
    assert item.state == "deprecated"
    assert [step.state for step in f.contracts.history("orders")] == ["deprecated", "active"]
    with pytest.raises(ForgeError) as refused:
        f.contracts.set_state("orders", "gone")
    assert refused.value.code == "E105"
    assert f.contracts.take_results({"dataContractId": "urn:shop:orders", "runId": "r1", "result": "passed"})
    assert not f.contracts.take_results({"dataContractId": "urn:shop:orders", "runId": "r1"})
    assert [run.result for run in f.contracts.results("orders")] == ["passed"]
