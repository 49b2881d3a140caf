"""`forge contract drift`: outside a project on two files, inside one on the tables of the lake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forge.wiring import Wiring

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
      - name: id
        logicalType: integer
        physicalType: bigint
        required: true
      - name: amount
        physicalType: decimal(12,2)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "orders.odcs.yaml").write_text(CONTRACT)
    return tmp_path


def drift(forge: Any, folder: Path, schema: str, *words: str, name: str = "schema.yaml") -> Any:
    (folder / name).write_text(schema)
    return forge(
        "contract", "drift", str(folder / "orders.odcs.yaml"), "--schema", str(folder / name), *words, at=folder
    )


def test_findings_are_json_with_code_place_and_fix(forge: Any, folder: Path) -> None:
    ended = drift(forge, folder, "core.orders: {id: int, amount: 'decimal(10,2)', more: date}", "--json")
    assert ended.status == 1
    document = ended.json
    assert document["schema_version"] == 1
    assert [(v["code"], v["severity"], v["line"], v["column"]) for v in document["violations"]] == [
        ("FORGE-E530", "error", 12, 23),
        ("", "warning", 13, 19),
        ("FORGE-E530", "error", 15, 23),
        ("FORGE-E532", "info", 9, 5),
    ]
    assert all(v["fix"] and v["message"] and v["file"].endswith("orders.odcs.yaml") for v in document["violations"])
    assert document["tables"] == [{"table": "core.orders", "exists": True}]
    assert document["alter"] == [
        "ALTER TABLE `core`.`orders` ALTER COLUMN `id` TYPE BIGINT",
        "ALTER TABLE `core`.`orders` ALTER COLUMN `amount` TYPE DECIMAL(12,2)",
    ]
    assert "name: more" in document["patch"]
    assert {"op": "add", "path": "/schema/0/properties/0/physicalType", "value": "int"} in document["operations"]


@pytest.mark.parametrize(
    "schema",
    [
        "core.orders: {id: bigint not null, amount: 'decimal(12,2)'}",
        "core.orders: {id: bigint, amount: 'decimal(12,2)'}",  # a warning
        "core.orders: {id: bigint not null, amount: 'decimal(12,2)', more: date}",  # for information
        "core.others: {id: string}",
    ],
)
def test_without_an_error_it_ends_well(forge: Any, folder: Path, schema: str) -> None:
    assert drift(forge, folder, schema, "--json").status == 0


def test_a_table_that_is_not_there_is_said(forge: Any, folder: Path) -> None:
    ended = drift(forge, folder, "core.others: {id: string}")
    assert (ended.status, ended.out.strip()) == (0, "no findings")
    assert "core.orders does not exist there yet" in ended.err


def test_people_see_one_line_a_finding_and_what_would_end_it(forge: Any, folder: Path) -> None:
    ended = drift(forge, folder, "core.orders: {id: int not null, amount: 'decimal(12,2)'}")
    assert "orders.odcs.yaml:12:23  id is int, the contract says bigint" in ended.out
    assert "FORGE-E530" in ended.out
    assert "  fix: Cast it to bigint" in ended.out
    assert "ALTER TABLE `core`.`orders` ALTER COLUMN `id` TYPE BIGINT;" in ended.out
    assert ended.out.rstrip().endswith("1 error")


def test_columns_that_may_be_null_are_one_line_and_never_a_reason_to_loosen_the_contract(
    forge: Any, folder: Path
) -> None:
    (folder / "orders.odcs.yaml").write_text(CONTRACT + "        required: true\n")
    schema = "core.orders: {id: bigint, amount: 'decimal(12,2)'}"
    ended = drift(forge, folder, schema)
    assert ended.out.count("warning ") == 1
    assert "2 required columns may be NULL in core.orders: id, amount" in ended.out
    assert ended.out.rstrip().endswith("1 warning")
    document = drift(forge, folder, schema, "--json").json
    assert [v["severity"] for v in document["violations"]] == ["warning", "warning"]
    assert (document["patch"], document["operations"]) == (None, [])


def test_the_json_of_iceberg_is_a_schema(forge: Any, folder: Path) -> None:
    fields = [{"id": 1, "name": "id", "required": True, "type": "long"}]
    ended = drift(forge, folder, json.dumps({"type": "struct", "fields": fields}), "--json", name="schema.json")
    assert [v["code"] for v in ended.json["violations"]] == ["FORGE-E531"]


def test_what_cannot_be_read_is_an_error_of_its_own(forge: Any, folder: Path) -> None:
    assert drift(forge, folder, "core.orders: [1, 2]").status == 3
    missing = forge("contract", "drift", str(folder / "orders.odcs.yaml"), "--schema", "nothing.yaml", at=folder)
    assert missing.status == 3
    assert "FORGE-E103" in missing.err
    none = forge(
        "contract", "drift", str(folder / "none.yaml"), "--schema", str(folder / "orders.odcs.yaml"), at=folder
    )
    assert none.status == 3


def test_a_contract_that_is_no_yaml_is_a_finding(forge: Any, folder: Path) -> None:
    (folder / "orders.odcs.yaml").write_text("a: b: c\n")
    ended = drift(forge, folder, "core.orders: {id: int}", "--json")
    assert (ended.status, [v["code"] for v in ended.json["violations"]]) == (1, ["FORGE-E502"])


def test_the_shorthand_is_not_read_as_a_contract_without_tables(forge: Any, folder: Path) -> None:
    (folder / "orders.odcs.yaml").write_text("models: {orders: {elements: {id: {type: integer}}}}\nowner: ada\n")
    ended = drift(forge, folder, "orders: {id: int}", "--json")
    assert ended.status == 1
    assert any("forge contract import" in v["fix"] for v in ended.json["violations"])


def test_a_contract_without_an_owner_or_an_id_can_still_be_compared(forge: Any, folder: Path) -> None:
    (folder / "orders.odcs.yaml").write_text(CONTRACT.replace("id: orders\n", ""))
    ended = drift(forge, folder, "core.orders: {id: bigint not null, amount: 'decimal(12,2)'}", "--json")
    assert (ended.status, ended.json["violations"]) == (0, [])


def test_options_that_do_not_go_together_are_refused(forge: Any, folder: Path) -> None:
    assert drift(forge, folder, "{}", "--at", "main").status == 2
    assert forge("contract", "drift", "--schema", "x.yaml", at=folder).status == 2


LIVE = """\
apiVersion: v3.1.0
kind: DataContract
id: house-orders
name: Orders
version: 1.0.0
status: active
schema:
  - name: orders
    physicalName: core.orders
    properties:
      - {name: order_id, logicalType: integer, required: true}
      - {name: customer, logicalType: string}
      - {name: amount, physicalType: 'decimal(12,2)'}
      - {name: status, logicalType: string}
  - name: later
    physicalName: core.later
    properties: [{name: a, logicalType: string}]
"""


@pytest.fixture
def lived(house: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A contract of core.orders, of which amount is a double, and of a table that does not exist. No JVM may start."""
    (house.root / "contracts").mkdir()
    (house.root / "contracts" / "orders.odcs.yaml").write_text(LIVE)
    monkeypatch.setattr(Wiring, "engine", property(lambda self: pytest.fail("an engine was asked for")))
    return house


def found(ended: Any) -> list[tuple[str, str]]:
    return [(v["code"], v["message"].split(" is ")[0]) for v in ended.json["violations"]]


def test_the_tables_of_the_lake_are_compared_from_metadata_alone(lived: Any) -> None:
    for words in ((), ("core.orders",), ("house-orders",), ("orders",), ("contracts/orders.odcs.yaml",)):
        ended = lived("contract", "drift", *words, "--json")
        assert (ended.status, found(ended)) == (1, [("FORGE-E530", "amount")]), words
        assert ended.json["violations"][0]["file"].endswith("contracts/orders.odcs.yaml")
        assert ended.json["violations"][0]["line"] == 13
    assert {"table": "core.later", "exists": False} in ended.json["tables"]


def test_a_branch_and_a_commit_have_their_own_tables(lived: Any) -> None:
    contract = (lived.root / "contracts" / "orders.odcs.yaml").rename(lived.root / "kept")
    assert lived("branch", "create", "wide").status == 0
    lived.commit("a,b\n1,x\n", "--branch", "wide", "-m", "More", table="core.later")
    contract.rename(lived.root / "contracts" / "orders.odcs.yaml")
    assert found(lived("contract", "drift", "core.later", "--json")) == []
    told = [("FORGE-E530", "a"), ("FORGE-E532", "the contract does not know the column b (string)")]
    assert found(lived("contract", "drift", "core.later", "--at", "wide", "--json")) == told
    assert found(lived("contract", "drift", "core.later", "--at", "main", "--json")) == []
    nothing = lived("contract", "drift", "core.orders", "--at", "nowhere", "--json")
    assert nothing.status == 2


def test_a_column_that_is_not_written_yet_counts(lived: Any) -> None:
    wiring = Wiring.of(lived.root)
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("forge", uri=wiring.settings.database_url(), warehouse=str(wiring.settings.warehouse_path()))
    with catalog.load_table("core.orders").update_schema() as update:
        update.delete_column("status")
    wiring.close()
    told = found(lived("contract", "drift", "core.orders", "--json"))
    assert ("FORGE-E531", "the column status of the contract") in told
    assert found(lived("contract", "drift", "core.orders", "--at", "HEAD", "--json")) == [("FORGE-E530", "amount")]


def test_a_name_that_no_contract_has_is_told_with_the_nearest(lived: Any) -> None:
    ended = lived("contract", "drift", "core.order")
    assert ended.status == 2
    assert "core.orders" in ended.err


def test_a_source_that_the_project_does_not_have_is_told(lived: Any) -> None:
    ended = lived("contract", "drift", "--source", "core.orders")
    assert (ended.status, "core.orders is no source" in ended.err) == (2, True)
    assert lived("contract", "drift", "--source", "core.orders", "--at", "main").status == 2


SOURCE = """\
sources:
  - {output: raw.people, connector: files, format: csv, path: data/people.csv, columns: {id: int}}
"""


def test_a_contract_of_another_table_is_not_called_clean(lived: Any) -> None:
    (lived.root / "sources").mkdir()
    (lived.root / "sources" / "people.yaml").write_text(SOURCE)
    for name in ("contracts/orders.odcs.yaml", "core.orders", "house-orders"):
        ended = lived("contract", "drift", name, "--source", "raw.people")
        assert ended.status == 2
        assert "is about core.orders and core.later, not raw.people: nothing was compared" in ended.err
    unknown = lived("contract", "drift", "--source", "raw.peple")
    assert (unknown.status, "raw.peple is no source of the project" in unknown.err) == (2, True)
    assert "Did you mean raw.people?" in unknown.err


def test_a_table_may_be_named_with_its_revision(lived: Any) -> None:
    contract = (lived.root / "contracts" / "orders.odcs.yaml").rename(lived.root / "kept")
    assert lived("branch", "create", "wide").status == 0
    lived.commit("a,b\n1,x\n", "--branch", "wide", "-m", "More", table="core.later")
    contract.rename(lived.root / "contracts" / "orders.odcs.yaml")
    there = lived("contract", "drift", "core.later@wide", "--json")
    assert found(there) == found(lived("contract", "drift", "core.later", "--at", "wide", "--json")) != []
    assert found(lived("contract", "drift", "core.later@main", "--json")) == []
    assert lived("contract", "drift", "core.later@wide", "--at", "main").status == 2
    assert lived("contract", "drift", "core.later@nowhere").status == 2


def test_one_file_outside_a_project_needs_another(forge: Any, folder: Path) -> None:
    file = str(folder / "orders.odcs.yaml")
    for command, option in (("drift", "--schema"), ("diff", "NEW")):
        ended = forge("contract", command, file, at=folder)
        assert ended.status == 2
        assert f"forge contract {command} {file} {option}" in ended.err
        assert "forge init" not in ended.err
