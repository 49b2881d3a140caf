"""The effective contract: what it inherits, from whom, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from forge.contracts.contract import Contract, FilePlace
from forge.contracts.document.file import Document, read_document
from forge.contracts.inherit.contract import effective_of
from forge.contracts.linter.standard_schema import raw_errors
from forge.contracts.load import contract_of


def contract(name: str, text: str, version: str = "v3.1.0") -> Contract:
    head = f"apiVersion: {version}\nkind: DataContract\nid: {name}\nversion: 1.0.0\nstatus: active\n"
    return contract_of(read_document(head + text, f"{name}.odcs.yaml"))


ENTERPRISE = contract(
    "enterprise",
    """
name: The firm
domain: firm
tags: [governed]
team:
  - {username: cdo@firm.example, role: Owner}
support:
  - {channel: help, url: "https://help.example"}
customProperties:
  - {property: cost-centre, value: 7}
  - {property: forge.schema, value: firm}
slaProperties:
  - {property: latency, value: 24, unit: h}
  - {property: retention, value: P7Y}
""",
    "v3.0.2",
)
DOMAIN = contract(
    "sales",
    """
tags: [sales]
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integer, required: true}
      - {name: placed_at, logicalType: timestamp}
    quality:
      - {metric: rowCount, mustBeGreaterThan: 0}
slaProperties:
  - {property: latency, value: 12, unit: h}
""",
)
PRODUCT = contract(
    "orders",
    """
name: Orders
tags: [gold]
customProperties:
  - {property: forge.extends, value: sales}
schema:
  - name: Orders
    properties:
      - {name: ID, description: the number on the bill}
      - {name: amount, logicalType: number}
slaProperties:
  - {property: availability, value: 99.9}
""",
)


def test_what_a_child_leaves_out_it_inherits_and_the_strongest_of_the_chain_binds() -> None:
    effective = effective_of([ENTERPRISE, DOMAIN, PRODUCT])
    assert effective.violations == ()
    data: Any = effective.document.data
    (orders,) = data["schema"]
    assert [column["name"] for column in orders["properties"]] == ["ID", "amount", "placed_at"]
    assert orders["properties"][0]["required"] is True
    assert orders["quality"] == [{"metric": "rowCount", "mustBeGreaterThan": 0}]
    promises = {entry["property"]: str(entry["value"]) for entry in data["slaProperties"]}
    assert promises == {"availability": "99.9", "latency": "12", "retention": "P7Y"}
    assert data["tags"] == ["gold", "sales", "governed"]
    assert not list(raw_errors("v3.1.0", data))


def test_nobody_inherits_who_a_contract_is() -> None:
    data: Any = effective_of([ENTERPRISE, DOMAIN]).document.data
    assert (data["id"], data["apiVersion"], data.get("name")) == ("sales", "v3.1.0", None)
    assert [each["property"] for each in data["customProperties"]] == ["cost-centre"]


def test_origins_name_the_contract_of_each_part() -> None:
    origins = effective_of([ENTERPRISE, DOMAIN, PRODUCT]).origins
    assert origins["name"] == "orders"
    assert origins["schema[0].properties[0].description"] == "orders"
    assert origins["schema[0].properties[0].required"] == "sales"
    assert origins["schema[0].properties[2]"] == "sales"
    assert {origins[f"slaProperties[{i}].value"] for i in range(3)} == {"orders", "sales", "enterprise"}
    assert "schema[9]" not in origins
    assert len(origins) == len(list(origins))


def test_origins_are_files_where_two_contracts_have_one_id() -> None:
    twin = contract("sales", "tags: [twin]")
    assert set(effective_of([twin, DOMAIN]).origins.values()) == {"sales.odcs.yaml"}


def test_a_part_of_the_effective_contract_stands_where_it_was_written() -> None:
    document = effective_of([ENTERPRISE, DOMAIN, PRODUCT]).document
    assert str(document.place_of(("schema", 0, "properties", 0, "required"))) == "sales.odcs.yaml:11"
    assert document.place_of(("schema", 0, "properties", 1)).file == "orders.odcs.yaml"
    assert document.value_place_of(("schema", 0, "properties", 0, "required")).column > 1


def test_a_contract_alone_is_its_own_effective_contract() -> None:
    effective = effective_of([PRODUCT])
    assert effective.document is PRODUCT.document
    assert set(effective.origins.values()) == {"orders"}


def test_texts_are_read() -> None:
    text = yaml.safe_dump(dict(PRODUCT.document.data)) if PRODUCT.document else ""
    assert effective_of([text, text]).violations == ()


def test_a_parent_that_weakens_its_own_parent_is_found_and_does_not_pass_it_on() -> None:
    weak = contract("weak", "slaProperties:\n  - {property: ly, value: 2, unit: d}\n")
    effective = effective_of([ENTERPRISE, weak, PRODUCT])
    (found,) = effective.violations
    assert found.file == "weak.odcs.yaml"
    latency = next(e for e in _slas(effective.document.data) if e["property"] in ("latency", "ly"))
    assert latency["value"] == 24
    assert effective_of([ENTERPRISE, weak, PRODUCT], judge_all=False).violations == ()


def test_a_child_is_held_against_the_strongest_above_not_the_nearest() -> None:
    silent = contract("silent", "")
    child = contract("child", "slaProperties:\n  - {property: latency, value: 25, unit: h}\n")
    (found,) = effective_of([ENTERPRISE, silent, child]).violations
    assert "enterprise.odcs.yaml:" in found.message


def test_the_tables_of_a_level_count_only_where_the_child_has_them() -> None:
    level = contract(
        "level",
        """
schema:
  - name: core.orders
    properties: [{name: id, required: true}]
  - name: others
    properties: [{name: id}]
slaProperties:
  - {property: latency, value: 1, unit: h}
""",
    )
    child = contract("child", "schema:\n  - {name: orders, properties: [{name: id, required: false}]}\n")
    named = effective_of([level, child])
    as_level = effective_of([level, child], sets={"level.odcs.yaml"})
    assert [t["name"] for t in _tables(named.document.data)] == ["orders", "others"]
    assert [t["name"] for t in _tables(as_level.document.data)] == ["orders"]
    assert len(_slas(as_level.document.data)) == 1
    assert [v.code for v in as_level.violations] == ["E510"]


def test_contracts_of_a_level_are_not_judged_among_themselves() -> None:
    one = contract("one", "slaProperties:\n  - {property: latency, value: 1, unit: h}\n")
    two = contract("two", "slaProperties:\n  - {property: latency, value: 2, unit: h}\n")
    effective = effective_of([one, two, PRODUCT], sets={one.file, two.file})
    assert effective.violations == ()
    assert [e["value"] for e in _slas(effective.document.data) if e["property"] == "latency"] == [1]


def test_the_default_element_goes_with_the_entries_it_is_meant_for() -> None:
    parent = contract("parent", "slaDefaultElement: a.ts\nslaProperties:\n  - {property: latency, value: 1, unit: h}\n")
    child = contract("child", "slaProperties:\n  - {property: latency, value: 2, unit: h, element: b.ts}\n")
    effective = effective_of([parent, child])
    assert effective.violations == ()
    assert {e["element"] for e in _slas(effective.document.data)} == {"a.ts", "b.ts"}
    assert "slaDefaultElement" not in effective.document.data
    same = contract("same", "slaProperties:\n  - {property: latency, value: 2, unit: h, element: A.TS}\n")
    assert [v.code for v in effective_of([parent, same]).violations] == ["E510"]


def test_two_names_of_one_table_are_one_table_and_two_full_names_are_two() -> None:
    parent = contract("parent", "schema:\n  - {name: core.orders, properties: [{name: id}]}\n")
    for name, tables in (("orders", 1), ("CORE.ORDERS", 1), ("raw.orders", 2), ("items", 2)):
        child = contract("child", f"schema:\n  - {{name: {name}, properties: [{{name: x}}]}}\n")
        assert len(_tables(effective_of([parent, child]).document.data)) == tables


def test_two_patterns_that_nobody_can_compare_both_hold() -> None:
    column = "{{name: a, logicalType: string, logicalTypeOptions: {{pattern: '{}'}}}}"
    text = f"schema:\n  - name: t\n    properties:\n      - {column}\n"
    for version in ("v3.0.2", "v3.1.0"):
        parent, child = (contract("x", text.format(p), version) for p in ("^(?=[A-Z])", "[a-z]$"))
        effective = effective_of([parent, child])
        assert [v.code for v in effective.violations] == [""]
        (merged,) = _tables(effective.document.data)[0]["properties"]
        assert merged["logicalTypeOptions"] == {"pattern": "[a-z]$"}
        assert merged["quality"][0]["arguments"] == {"pattern": "^(?=[A-Z])"}
        assert not list(raw_errors(version, effective.document.data))


COLUMNS = """
team: {name: sales team, members: [{username: ann}]}
schema:
  - name: t
    properties:
      - {name: at, logicalType: timestamp, logicalTypeOptions: {exclusiveMinimum: "2020-01-01", timezone: true}}
      - {name: state, logicalType: string, enum: [{value: new}, {value: paid}]}
      - {name: tags, logicalType: map, map: {key: {logicalType: string}, value: {logicalType: string}}}
      - {name: vector, logicalType: vector, logicalTypeOptions: {dimensions: 3}}
      - {name: amount, logicalType: number, logicalTypeOptions: {exclusiveMinimum: 0, minimum: -5}}
      - {name: mail, id: m1, deprecated: true, quality: [{metric: nullValues, mustBe: 0}]}
"""


@pytest.mark.parametrize("version", ["v3.0.2", "v3.1.0"])
def test_a_newer_parent_is_said_in_the_words_of_the_child_s_version(version: str) -> None:
    parent, child = contract("parent", COLUMNS, "v3.2.0"), contract("child", "schema: [{name: t}]", version)
    effective = effective_of([parent, child])
    data: Any = effective.document.data
    assert effective.violations == ()
    assert not list(raw_errors(version, data))
    columns = {each["name"]: each for each in _tables(data)[0]["properties"]}
    assert columns["at"]["logicalType"] == ("date" if version == "v3.0.2" else "timestamp")
    assert columns["tags"]["logicalType"] == "object"
    assert columns["vector"]["logicalTypeOptions"] == {"minItems": 3, "maxItems": 3}
    (rule,) = columns["state"]["quality"]
    assert rule.get("validValues", rule.get("arguments", {}).get("validValues")) == ["new", "paid"]
    if version == "v3.0.2":
        assert columns["amount"]["logicalTypeOptions"] == {"minimum": 0, "exclusiveMinimum": True}
        assert columns["mail"]["quality"] == [{"rule": "nullValues", "mustBe": 0}]
        assert data["team"][-1]["role"] == "owner"
    assert contract_of(effective.document).owner == "sales team"


def test_an_older_parent_is_said_in_the_words_of_the_child_s_version() -> None:
    parent = contract(
        "parent",
        """
team: [{username: ann, role: owner}]
schema:
  - name: t
    properties:
      - name: amount
        logicalType: number
        logicalTypeOptions: {minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false}
      - name: state
        quality:
          - {rule: validValues, validValues: [a, b]}
          - {rule: duplicateCount, mustBeGreaterThan: 0, mustBeLessThan: 10}
          - {rule: somethingElse, name: odd}
          - {type: sql, query: SELECT 1}
""",
        "v3.0.2",
    )
    child = contract("child", "schema: [{name: t, properties: [{name: at, logicalType: timestamp}]}]", "v3.2.0")
    effective = effective_of([parent, child])
    data: Any = effective.document.data
    assert not list(raw_errors("v3.2.0", data))
    assert data["team"] == {"members": [{"username": "ann", "role": "owner"}]}
    columns = {each["name"]: each for each in _tables(data)[0]["properties"]}
    assert columns["amount"]["logicalTypeOptions"] == {"exclusiveMinimum": 0, "maximum": 9}
    rules = columns["state"]["quality"]
    assert [rule["type"] for rule in rules] == ["library", "library", "library", "text", "text"]
    assert rules[0]["arguments"] == {"validValues": ["a", "b"]}


def test_a_type_that_one_version_lacks_may_stand_for_another() -> None:
    def column(version: str, kind: str) -> Contract:
        return contract(kind, f"schema:\n  - {{name: t, properties: [{{name: a, logicalType: {kind}}}]}}\n", version)

    assert effective_of([column("v3.0.2", "date"), column("v3.1.0", "timestamp")]).violations == ()
    assert effective_of([column("v3.1.0", "timestamp"), column("v3.0.2", "date")]).violations == ()
    assert effective_of([column("v3.2.0", "map"), column("v3.1.0", "object")]).violations == ()
    assert len(effective_of([column("v3.1.0", "timestamp"), column("v3.1.0", "date")]).violations) == 1


def _tables(data: Any) -> list[Any]:
    return list(data["schema"])


def _slas(data: Any) -> list[Any]:
    return list(data["slaProperties"])


JUNK: tuple[object, ...] = (True, -1, 1.5, "x", [], {}, [1], {"a": 1}, [[]], [None], [{"name": None}], "(((")
KEYS = (
    *("schema", "slaProperties", "team", "customProperties", "tags", "description", "name", "required", "logicalType"),
    *("physicalType", "classification", "logicalTypeOptions", "enum", "quality", "properties", "items", "map"),
)


@pytest.mark.slow
def test_what_has_a_wrong_form_says_nothing_and_raises_nothing() -> None:
    """The linter tells what is wrong; the chain still has an answer."""
    column: dict[str, Any] = {
        "name": "a",
        "logicalType": "string",
        "required": True,
        "quality": [{"metric": "rowCount"}],
    }
    good = _read({"schema": [{"name": "t", "properties": [column]}], "slaProperties": [{"property": "ly"}]})
    for key in KEYS:
        for junk in JUNK:
            bad = _read({key: junk})
            worse = _read({"schema": [{"name": "t", "properties": [{**column, key: junk}], key: junk}]})
            assert effective_of([good, bad, worse, good]).document.data["id"] == "x"


def _read(data: dict[str, Any]) -> Contract:
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "x", "version": "1.0.0"}
    return contract_of(Document({**head, **data}, "x.yaml", lambda path: FilePlace("x.yaml", 1)))


def test_a_classification_that_is_overruled_comes_from_the_parent() -> None:
    columns = "schema:\n  - name: orders\n    properties:\n"
    above = contract("above", columns + "      - {name: amount, classification: confidential}\n")
    own = contract("own", columns + "      - {name: amount, classification: internal}\n")
    effective = effective_of([above, own])
    assert contract_of(effective.document).tables[0].properties[0].classification == "confidential"
    assert effective.origins["schema[0].properties[0].classification"] == "above"


def test_a_fix_with_two_words_of_classification_can_stand_in_braces() -> None:
    columns = "schema:\n  - name: orders\n    properties:\n"
    above = contract("above", columns + "      - {name: mail, classification: pii}\n")
    own = contract("own", columns + "      - {name: mail, classification: internal}\n")
    (found,) = effective_of([above, own]).violations
    assert 'classification: "internal, pii"' in found.fix
