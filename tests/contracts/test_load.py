"""ODCS files are read whole: a good one becomes data, a bad one all its findings with their places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from forge.contracts.contract import pii_columns
from forge.contracts.document.file import ContractError
from forge.contracts.load import by_table, load_all, load_contract
from forge.model.errors import ForgeError, ForgeErrors

HEAD = """\
apiVersion: v3.1.0
kind: DataContract
version: 1.0.0
id: 5d9c
status: active
"""
FILE = "contracts/orders.odcs.yaml"
Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, text: str) -> None:
        path = tmp_path / "contracts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return write


def findings(text: str) -> list[tuple[str, int, int, str]]:
    with pytest.raises(ContractError) as caught:
        load_contract(text, FILE)
    return [(v.code, v.line, v.column, v.path) for v in caught.value.violations]


def test_a_contract_becomes_data() -> None:
    text = """\
apiVersion: v3.1.0
kind: DataContract
version: 2.1.0-rc.1
id: 5d9c
status: active
name: Orders
domain: sales
team:
  name: Sales
  members:
    - {username: bob@example.com, role: steward}
    - {username: ada@example.com, role: Owner}
schema:
  - name: orders
    physicalName: Core.Orders
    description: One row per order.
    properties:
      - name: order_id
        primaryKey: true
        primaryKeyPosition: 1
        logicalType: integer
        physicalType: bigint
        required: true
        unique: true
        description: null
      - name: email
        physicalName: mail
        logicalType: string
        logicalTypeOptions: {format: email, maxLength: 80}
        classification: PII
        description: Where we write to.
        tags: [contact]
    quality:
      - {metric: rowCount, mustBeGreaterThan: 0}
"""
    contract = load_contract(text, FILE)
    assert (contract.id, contract.name, contract.version) == ("5d9c", "Orders", "2.1.0-rc.1")
    assert (contract.api_version, contract.status, contract.domain) == ("v3.1.0", "active", "sales")
    assert contract.owner == "ada@example.com"
    [table] = contract.tables
    assert (table.table, table.description, table.line) == ("core.orders", "One row per order.", 14)
    order_id, email = table.properties
    assert (order_id.logical_type, order_id.physical_type) == ("integer", "bigint")
    assert order_id.required
    assert order_id.unique
    assert order_id.primary_key
    assert order_id.primary_key_position == 1
    assert (order_id.description, order_id.line, order_id.column_number) == ("", 18, 9)
    assert (email.column, email.classification, email.tags) == ("mail", "PII", ("contact",))
    assert email.options == {"format": "email", "maxLength": 80}
    assert email.path == "schema[0].properties[1]"
    [rule] = table.quality
    assert rule.rule == {"metric": "rowCount", "mustBeGreaterThan": 0}
    assert str(rule.place) == f"{FILE}:34"


@pytest.mark.parametrize(
    ("team", "owner"),
    [
        ("team: {name: Sales}", "Sales"),
        ("team: [{username: ada, role: owner}]", "ada"),
        ("team: [{username: ada, role: steward}]", None),
        ("", None),
    ],
)
def test_the_owner_is_a_member_with_that_role_else_the_team(team: str, owner: str | None) -> None:
    assert load_contract(HEAD + team, FILE).owner == owner


@pytest.mark.parametrize("missing", ["apiVersion", "kind", "version", "id", "status"])
@pytest.mark.parametrize("version", ["v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0"])
def test_what_the_standard_requires_must_be_there(version: str, missing: str) -> None:
    lines = HEAD.replace("v3.1.0", version).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(missing))
    assert [(code, path) for code, _, _, path in findings(text)] == [("E501", missing)]


def test_status_is_optional_since_3_2() -> None:
    text = HEAD.replace("v3.1.0", "v3.2.0").replace("status: active\n", "")
    assert load_contract(text, FILE).status is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD.replace("v3.1.0", "v2.2.2"), ("E502", 1, 1, "apiVersion")),
        (HEAD.replace("v3.1.0", "v3.9.0"), ("E502", 1, 1, "apiVersion")),
        (HEAD.replace("DataContract", "Contract"), ("E502", 2, 1, "kind")),
        (HEAD.replace("1.0.0", "'1.0'"), ("E502", 3, 1, "version")),
        (HEAD.replace("1.0.0", "1.0"), ("E502", 3, 1, "version")),
        (HEAD + "name: ''", ("E502", 6, 1, "name")),
        (HEAD + f"name: {'n' * 256}", ("E502", 6, 1, "name")),
        (HEAD + "team: sales", ("E502", 6, 1, "team")),
        (HEAD + "schema: {name: a}", ("E502", 6, 1, "schema")),
        (HEAD + "schema:\n  - orders", ("E502", 7, 5, "schema[0]")),
        (HEAD + "schema:\n  - properties: []", ("E501", 7, 5, "schema[0].name")),
        (HEAD + "schema: [{name: a, properties: [{}]}]", ("E501", 6, 33, "schema[0].properties[0].name")),
        ("- a", ("E502", 1, 1, "")),
        ("", ("E502", 1, 1, "")),
    ],
)
def test_a_field_of_the_wrong_form_is_found(text: str, expected: tuple[str, int, int, str]) -> None:
    assert findings(text) == [expected]


PROPERTY = HEAD + "schema:\n  - name: core.orders\n    properties:\n      - name: x\n        "


@pytest.mark.parametrize(
    ("line", "code", "key"),
    [
        ("logicalType: strin", "E503", "logicalType"),
        ("logicalType: map", "E503", "logicalType"),
        ("required: 'yes'", "E502", "required"),
        ("primaryKeyPosition: first", "E502", "primaryKeyPosition"),
        ("primaryKeyPosition: true", "E502", "primaryKeyPosition"),
        ("logicalTypeOptions: [a]", "E502", "logicalTypeOptions"),
        ("tags: [1]", "E502", "tags"),
        ("description: 2024", "E502", "description"),
        ("quality: {metric: rowCount}", "E502", "quality"),
        ("enum: [{label: A}]", "E501", "enum[0].value"),
        ("quality: [{type: custom, engine: forge, implementation: '- a'}]", "E502", "quality[0].implementation"),
        ("quality: [{type: custom, engine: forge, implementation: '{'}]", "E502", "quality[0].implementation"),
        ("quality: [{type: custom, engine: forge}]", "E502", "quality[0].implementation"),
    ],
)
def test_a_property_of_the_wrong_form_is_found(line: str, code: str, key: str) -> None:
    [(found, number, _, path)] = findings(PROPERTY + line)
    assert (found, number, path) == (code, 10, f"schema[0].properties[0].{key}")


@pytest.mark.parametrize(
    ("version", "known", "unknown"),
    [
        ("v3.0.2", ["string", "date", "number", "integer", "object", "array", "boolean"], ["timestamp", "time", "map"]),
        ("v3.1.0", ["timestamp", "time"], ["map", "vector"]),
        ("v3.2.0", ["timestamp", "time", "map", "vector"], ["text", "int"]),
    ],
)
def test_types_are_those_of_the_contracts_version(version: str, known: list[str], unknown: list[str]) -> None:
    text = PROPERTY.replace("v3.1.0", version)
    for name in known:
        assert load_contract(f"{text}logicalType: {name}", FILE).tables[0].properties[0].logical_type == name
    for name in unknown:
        assert [code for code, *_ in findings(f"{text}logicalType: {name}")] == ["E503"]


def test_a_type_of_a_later_version_says_which() -> None:
    with pytest.raises(ContractError) as caught:
        load_contract(PROPERTY.replace("v3.1.0", "v3.0.2") + "logicalType: timestamp", FILE)
    assert caught.value.fix is not None
    assert "apiVersion: v3.1.0" in caught.value.fix


def test_a_column_stands_once() -> None:
    assert findings(PROPERTY + "required: true\n      - name: X") == [
        ("E502", 11, 9, "schema[0].properties[1].name"),
    ]


def test_all_findings_come_at_once() -> None:
    text = PROPERTY.replace("1.0.0", "one").replace("id: 5d9c\n", "") + "logicalType: txt\n        required: 1"
    assert [(code, line) for code, line, _, _ in findings(text)] == [
        ("E502", 3),
        ("E501", 1),
        ("E503", 9),
        ("E502", 10),
    ]
    with pytest.raises(ForgeErrors) as caught:
        load_contract(text, FILE)
    assert len(caught.value.errors) == 4
    assert caught.value.errors[0].where == f"{FILE}:3:1"


def test_malformed_yaml_has_its_place() -> None:
    with pytest.raises(ForgeError) as caught:
        load_contract(HEAD + "schema: [", FILE)
    assert caught.value.code == "E502"
    assert caught.value.where is not None
    assert caught.value.where.startswith(FILE)


# --- names of tables ---

OBJECT = HEAD + "schema:\n  - "
CUSTOM = "customProperties: [{property: forge.schema, value: Core}]"


@pytest.mark.parametrize(
    ("file", "text", "table"),
    [
        ("a.odcs.yaml", OBJECT + "name: core.orders", "core.orders"),
        ("a.odcs.yaml", OBJECT + "{name: Orders, physicalName: core.orders}", "core.orders"),
        ("a.odcs.yaml", OBJECT + "{name: crm.orders, physicalName: core.orders}", "core.orders"),
        ("a.odcs.yaml", OBJECT + f"name: orders\n{CUSTOM}", "core.orders"),
        ("a.odcs.yaml", OBJECT + f"{{name: Sales orders, physicalName: orders}}\n{CUSTOM}", "core.orders"),
        ("a.odcs.yaml", OBJECT + f"name: orders\n    {CUSTOM.replace('Core', 'mart')}\n{CUSTOM}", "mart.orders"),
        ("core.orders.odcs.yaml", OBJECT + "name: Sales orders", "core.orders"),
        ("core.orders.odcs.yml", OBJECT + "name: orders", "core.orders"),
    ],
)
def test_a_contract_is_found_by_the_name_of_its_table(
    tmp_path: Path, write: Write, file: str, text: str, table: str
) -> None:
    write(file, text)
    assert list(by_table(load_all(tmp_path))) == [table]


def test_a_file_name_completes_only_the_table_it_names(tmp_path: Path, write: Write) -> None:
    write("core.orders.odcs.yaml", OBJECT + "name: orders\n  - name: core.items")
    assert sorted(by_table(load_all(tmp_path))) == ["core.items", "core.orders"]


@pytest.mark.parametrize("name", ["orders", "lake.core.orders", "core.", "core.my orders"])
def test_a_name_that_is_no_table_of_the_lake_is_refused(tmp_path: Path, write: Write, name: str) -> None:
    write("orders.odcs.yaml", OBJECT + f"name: {name}")
    with pytest.raises(ContractError) as caught:
        by_table(load_all(tmp_path))
    [violation] = caught.value.violations
    assert (violation.code, violation.where) == ("E502", "contracts/orders.odcs.yaml:7")
    assert "forge.schema" in violation.fix


def test_two_contracts_of_one_table_are_refused_with_both_named(tmp_path: Path, write: Write) -> None:
    write("a.odcs.yaml", OBJECT + "name: core.orders")
    write("b/b.odcs.yaml", OBJECT + "name: Core.Orders")
    with pytest.raises(ContractError) as caught:
        by_table(load_all(tmp_path))
    [violation] = caught.value.violations
    assert (violation.code, violation.where) == ("E502", "contracts/b/b.odcs.yaml:7")
    assert "contracts/a.odcs.yaml:7" in violation.message


def test_the_findings_of_all_files_come_at_once(tmp_path: Path, write: Write) -> None:
    write("a.odcs.yaml", HEAD.replace("1.0.0", "one"))
    write("b.odcs.yaml", HEAD.replace("active", "[]"))
    with pytest.raises(ContractError) as caught:
        by_table(load_all(tmp_path))
    assert [v.where for v in caught.value.violations] == ["contracts/a.odcs.yaml:3", "contracts/b.odcs.yaml:5"]


def test_a_project_without_contracts_has_none(tmp_path: Path, write: Write) -> None:
    assert by_table(load_all(tmp_path)) == {}
    write("README.md", "no contract")
    assert by_table(load_all(tmp_path)) == {}


@pytest.mark.parametrize(
    ("written", "is_personal"),
    [
        ("classification: pii", True),
        ("classification: PHI", True),
        ("classification: confidential-pii", True),
        ("classification: confidential", False),
        ("classification: non-pii", False),
        ("tags: [gold, pii]", True),
        ("tags: ['pii:email']", True),
        ("tags: ['pii:none']", False),
        ("tags: [happiness]", False),
        ("required: true", False),
    ],
)
def test_personal_columns_are_those_the_contract_calls_so(written: str, is_personal: bool) -> None:
    [table] = load_contract(PROPERTY + written, FILE).tables
    assert pii_columns(table) == (frozenset({"x"}) if is_personal else frozenset())
