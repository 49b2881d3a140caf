"""`forge contract export`: the contract itself, and what datacontract-cli makes of it without a network."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge.contracts.document.file import read_document

Forge = Callable[..., Any]

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: orders
    physicalName: core.orders
    properties:
      - {name: id, logicalType: integer, physicalType: bigint, required: true, primaryKey: true}
      - name: amount
        logicalType: number
        physicalType: decimal(12,2)
        authoritativeDefinitions: [{type: definition, url: 'https://unreachable.example/amount'}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "orders.odcs.yaml").write_text(CONTRACT, "utf-8")
    return tmp_path


def test_yaml_and_json_are_the_contract_itself(forge: Forge, folder: Path) -> None:
    data = read_document(CONTRACT, "a").data
    as_json = forge("contract", "export", "orders.odcs.yaml", "--format", "json", at=folder)
    as_yaml = forge("contract", "export", "orders.odcs.yaml", "--format", "yaml", at=folder)
    assert json.loads(as_json.out) == data
    assert read_document(as_yaml.out, "a").data == data


def test_the_options_of_all_commands_say_the_format_too(forge: Forge, folder: Path) -> None:
    assert json.loads(forge("contract", "export", "orders.odcs.yaml", "--json", at=folder).out)["id"] == "orders"


def test_a_file_that_is_not_there_is_told(forge: Forge, folder: Path) -> None:
    done = forge("contract", "export", "missing.odcs.yaml", "--format", "json", at=folder)
    assert (done.status, done.out, "FORGE-E103" in done.err) == (3, "", True)
    os.mkfifo(folder / "pipe.odcs.yaml")
    assert "no regular file" in forge("contract", "export", "pipe.odcs.yaml", "--format", "json", at=folder).err


def test_schemas_are_made_of_forge_s_own_types(forge: Forge, folder: Path) -> None:
    made = {
        format: forge("contract", "export", "orders.odcs.yaml", "--format", format, at=folder).out
        for format in ("sql", "spark", "iceberg")
    }
    assert (
        made["sql"]
        == "CREATE TABLE `core`.`orders` (\n  `id` BIGINT NOT NULL,\n  `amount` DECIMAL(12,2)\n) USING iceberg;\n"
    )
    assert "StructField('amount', DecimalType(12, 2), True)" in made["spark"]
    (folder / "schema.json").write_text(made["iceberg"], "utf-8")
    drift = forge("contract", "drift", "orders.odcs.yaml", "--schema", "schema.json", at=folder)
    assert (drift.status, drift.out) == (0, "no findings\n")


def test_a_format_of_one_table_asks_which(forge: Forge, folder: Path) -> None:
    (folder / "orders.odcs.yaml").write_text(CONTRACT + "  - name: other\n", "utf-8")
    words = ("contract", "export", "orders.odcs.yaml", "--format", "iceberg")
    done = forge(*words, at=folder)
    assert (done.status, done.out, "--table" in done.err) == (2, "", True)
    assert forge(*words, "--table", "core.orders", at=folder).status == 0


def test_it_is_written_to_a_file_but_never_over_one(forge: Forge, folder: Path) -> None:
    words = ("contract", "export", "orders.odcs.yaml", "--format", "json", "--out", "a.json")
    assert forge(*words, at=folder).err == "a.json written.\n"
    assert json.loads((folder / "a.json").read_text("utf-8"))["id"] == "orders"
    assert "FORGE-E109" in forge(*words, at=folder).err
    assert forge(*words, "--force", at=folder).status == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["orders.odcs.yaml", "--format", "jsonshema"], "Did you mean jsonschema"),
        (["orders.odcs.yaml", "--format", "sql", "--dialect", "postgre"], "Did you mean postgres?"),
        (["orders.odcs.yaml", "--format", "sql", "--dialect", "klingon"], "There are spark, bigquery"),
        (["orders.odcs.yaml", "--format", "sql", "--table", "core.order"], "Did you mean core.orders?"),
        (["orders.odcs.yaml"], "--format is missing"),
    ],
)
def test_what_cannot_be_exported_is_refused_with_words(forge: Forge, folder: Path, words: list[str], told: str) -> None:
    done = forge("contract", "export", *words, at=folder)
    assert done.status == 2
    assert done.out == ""
    assert told in done.err


def test_a_contract_of_the_project_is_exported_by_its_name(house: Any) -> None:
    (house.root / "contracts").mkdir(exist_ok=True)
    (house.root / "contracts" / "orders.odcs.yaml").write_text(CONTRACT, "utf-8")
    assert json.loads(house("contract", "export", "orders", "--format", "json").out)["id"] == "orders"
    assert "FORGE-E504" in house("contract", "export", "ordres", "--format", "json").err


@pytest.mark.services  # datacontract-cli takes a second to load
@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("sql", "--dialect", "databricks"), "CREATE TABLE core.orders ("),
        (("sql", "--dialect", "postgres", "--table", "core.orders"), "CREATE TABLE core.orders ("),
        (("sql", "--dialect", "postgres"), "amount numeric(12,2)"),
        (("sql-query",), "from core.orders"),
        (("jsonschema",), '"amount"'),
        (("avro",), '"precision": 12'),
        (("avro",), '"namespace": "core"'),
        (("dbt-models",), "models:"),
        (("great-expectations",), "expect_"),
        (("mermaid",), "erDiagram"),
        (("markdown",), "orders"),
        (("html",), "<html"),
        (("odcs",), "apiVersion: v3.1.0"),
    ],
)
def test_other_formats_are_made_without_a_network(
    forge: Forge, folder: Path, words: tuple[str, ...], wanted: str
) -> None:
    done = forge("contract", "export", "orders.odcs.yaml", "--format", *words, at=folder)
    assert done.status == 0, done.err
    assert wanted in done.out


@pytest.mark.services
def test_a_format_that_needs_more_says_what(forge: Forge, folder: Path) -> None:
    done = forge("contract", "export", "orders.odcs.yaml", "--format", "bigquery", at=folder)
    assert (done.status, done.out) == (3, "")
    assert "FORGE-E508" in done.err
    assert "bigquery server" in done.err


@pytest.mark.services
def test_what_a_format_drops_is_a_note(forge: Forge, folder: Path) -> None:
    done = forge("contract", "export", "orders.odcs.yaml", "--format", "protobuf", at=folder)
    assert "note: core.orders.amount (line 11): the size of DECIMAL(12,2) is lost in protobuf" in done.err
