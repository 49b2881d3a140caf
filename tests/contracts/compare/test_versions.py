"""What changed between two versions of a contract. The plain cases are text files in cases/diff; here is the rest."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from forge.contracts import find_breaking_changes
from forge.contracts.compare.versions import ContractComparison, bump_between
from forge.contracts.document.file import ContractError, read_document
from forge.contracts.load import load_contract

BASE = """\
apiVersion: v3.2.0
kind: DataContract
id: orders
name: Orders
version: 1.4.2
status: active
domain: sales
tags: [gold, Core]
team: {name: data, members: [{username: ada@shop.example, role: owner}]}
servers:
  - {server: prod, type: postgres, host: db, port: 5432, database: shop, schema: core}
roles:
  - {role: reader, access: read}
  - {role: editor, access: write}
price: {priceAmount: 9.95, priceCurrency: EUR, priceUnit: GB}
schema:
  - name: orders
    physicalName: core.orders
    properties:
      - {name: order_id, logicalType: integer, physicalType: bigint, primaryKey: true, primaryKeyPosition: 1}
      - {name: amount, logicalType: number, physicalType: "decimal(12,2)", required: true, unique: true}
      - name: state
        logicalType: string
        classification: confidential
        encryptedName: state_enc
        enum: [{value: open}, {value: paid}]
        relationships: [{type: foreignKey, to: states.id}]
      - name: lines
        logicalType: array
        logicalTypeOptions: {maxItems: 9, uniqueItems: true}
        items: {logicalType: object, properties: [{name: sku, logicalType: string, id: s}]}
      - name: attributes
        logicalType: map
        map: {key: {logicalType: string}, value: {logicalType: integer}}
      - {name: share, logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 1, multipleOf: 0.1}}
      - name: placed
        logicalType: timestamp
        logicalTypeOptions: {timezone: true, minimum: "2020-01-01T00:00:00Z"}
    quality:
      - {metric: rowCount, mustBeGreaterThan: 0, severity: error}
      - {type: sql, query: "SELECT count(*) FROM t WHERE a = 'X'", mustBe: 0}
      - {type: text, description: Looks good}
      - {type: custom, engine: forge, implementation: {type: range, column: share, min: 0, max: 1}}
      - {type: custom, engine: soda, implementation: "- row_count > 0"}
      - {rule: duplicateCount, name: no twins}
slaProperties:
  - {property: latency, value: 1, unit: d, element: orders.placed, driver: analytics}
  - {property: retention, value: 3, unit: y}
  - {property: availability, value: "99.9%"}
  - {property: supportHours, value: 9-17}
"""

DATA = yaml.load(BASE, yaml.CSafeLoader)
READ = read_document(BASE, "old.odcs.yaml")
Edit = Callable[[dict[str, Any]], object]


def written(data: object) -> str:
    """JSON is YAML, and is written faster."""
    return json.dumps(data, indent=1)


def after(edit: Edit, **values: object) -> str:
    new = copy.deepcopy(DATA)
    edit(new)
    return written({**new, **values})


def edited(edit: Edit, version: str = "1.5.0") -> ContractComparison:
    return find_breaking_changes(READ, after(edit, version=version))


def column(new: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in new["schema"][0]["properties"] if each["name"] == name)


def options(name: str, **values: object) -> Edit:
    return lambda new: column(new, name)["logicalTypeOptions"].update(values)


def sla(index: int, **values: object) -> Edit:
    return lambda new: new["slaProperties"][index].update(values)


def rule(index: int, **values: object) -> Edit:
    return lambda new: new["schema"][0]["quality"][index].update(values)


def on(name: str, **values: object) -> Edit:
    return lambda new: column(new, name).update(values)


def without(name: str, key: str) -> Edit:
    return lambda new: column(new, name).pop(key)


def moved_key(new: dict[str, Any]) -> None:
    del column(new, "order_id")["primaryKey"]
    column(new, "amount").update(primaryKey=True, required=False, unique=False)


DATE = {"logicalType": "date"}
RANGE = {"type": "range", "column": "share", "min": 0}
CASES: list[tuple[str, str, Edit]] = [
    ("nothing", "none", lambda new: None),
    ("the case of tags and people, and their order", "none", lambda new: new.update(tags=["core", "GOLD"])),
    ("a server moved", "major", lambda new: new["servers"][0].update(host="db2")),
    ("a server gone", "major", lambda new: new.pop("servers")),
    ("a server more", "minor", lambda new: new["servers"].append({"server": "test", "type": "local", "path": "x"})),
    ("words on a server", "patch", lambda new: new["servers"][0].update(description="the one")),
    ("a role gone", "major", lambda new: new["roles"].pop(0)),
    ("a role more", "minor", lambda new: new["roles"].append({"role": "guest", "access": "read"})),
    ("an editor who may only read", "major", lambda new: new["roles"][1].update(access="read")),
    ("who lets in", "patch", lambda new: new["roles"][0].update(firstLevelApprovers="ada")),
    ("another price", "minor", lambda new: new["price"].update(priceAmount=12)),
    ("another domain", "patch", lambda new: new.update(domain="finance")),
    ("a draft again", "major", lambda new: new.update(status="draft")),
    ("a word for the same state", "patch", lambda new: new.update(status="production")),
    ("sunset", "minor", lambda new: new.update(status="sunset")),
    ("parents", "minor", lambda new: new.update(customProperties=[{"property": "forge.extends", "value": "base"}])),
    ("a custom property", "patch", lambda new: new.update(customProperties=[{"property": "x", "value": 1}])),
    ("protected more", "minor", on("state", classification="Restricted")),
    ("protected less", "major", on("state", classification="internal")),
    ("protection not said", "major", without("state", "classification")),
    ("personal", "minor", on("state", classification="confidential, pii")),
    ("classified at last", "minor", on("amount", classification="public")),
    ("the encrypted column gone", "major", without("state", "encryptedName")),
    ("an encrypted column", "minor", on("amount", encryptedName="amount_enc")),
    ("a reference gone", "major", without("state", "relationships")),
    ("a reference elsewhere", "major", on("state", relationships=[{"to": "conditions.id"}])),
    ("a reference written out", "none", on("state", relationships=[{"to": "States.ID"}])),
    ("a reference more", "minor", on("amount", relationships=[{"to": "amounts.id"}])),
    ("words on allowed values", "patch", on("state", enum=[{"value": "paid"}, {"value": "open", "label": "Open"}])),
    ("deprecated", "minor", on("state", deprecated=True)),
    ("no column any more", "major", on("amount", semanticType="measure")),
    ("a dimension", "patch", on("amount", semanticType="dimension")),
    ("partitions", "minor", on("amount", partitioned=True)),
    ("how it is made", "minor", on("amount", transformLogic="a * 2")),
    ("examples", "patch", on("amount", examples=[1, 2])),
    ("required, which a key is anyway", "patch", on("order_id", required=True)),
    ("unique, which the key is anyway", "minor", on("order_id", unique=True)),
    ("not required, but the key", "major", moved_key),
    ("unique no more", "major", without("amount", "unique")),
    ("an id", "patch", on("amount", id="a1")),
    ("the logical type said otherwise", "patch", on("order_id", logicalType="integer", physicalType="LONG", id="x")),
    ("a logical type that does not fit", "major", on("order_id", logicalType="string")),
    ("widened, but called a date", "major", on("amount", physicalType="decimal(14,2)", logicalType="date")),
    ("no exact type any more", "major", without("amount", "physicalType")),
    ("a field inside gone", "major", lambda new: column(new, "lines")["items"].update(properties=[])),
    ("a field inside renamed", "major", lambda new: column(new, "lines")["items"]["properties"][0].update(name="code")),
    ("a field inside more", "minor", lambda new: column(new, "lines")["items"]["properties"].append({"name": "n"})),
    ("nothing said about items", "major", without("lines", "items")),
    ("other values in a map", "major", lambda new: column(new, "attributes")["map"]["value"].update(DATE)),
    ("items described", "minor", on("state", logicalType="string", items={"logicalType": "string"})),
    ("fewer items", "minor", options("lines", maxItems=5)),
    ("more items", "major", options("lines", maxItems=10)),
    ("items at least", "minor", options("lines", minItems=1)),
    ("items may repeat", "major", options("lines", uniqueItems=False)),
    ("the default written out", "none", options("lines", minItems=0)),
    ("a coarser step", "minor", options("share", multipleOf=0.2)),
    ("a finer step", "major", options("share", multipleOf=0.05)),
    ("another step", "major", options("share", multipleOf=0.15)),
    ("an open end", "minor", options("share", exclusiveMaximum=1)),
    ("a later begin", "minor", options("placed", minimum="2021-01-01T00:00:00Z")),
    ("the same begin in another zone", "none", options("placed", minimum="2020-01-01T01:00:00+01:00")),
    ("an earlier begin", "major", options("placed", minimum="2019-12-31")),
    ("a bound nobody can compare", "major", options("placed", minimum="long ago")),
    ("no zone any more", "major", options("placed", timezone=False)),
    ("the default zone written out", "none", options("placed", defaultTimezone="Etc/UTC")),
    ("an option nobody knows", "patch", options("share", colour="red")),
    ("one row at least, in other words", "none", lambda new: new["schema"][0]["quality"].__setitem__(
        0, {"type": "library", "metric": "rowCount", "mustBeGreaterOrEqualTo": 1}
    )),
    ("a rule that only warns", "major", rule(0, severity="warning")),
    ("a rule that stops everything", "minor", rule(0, severity="critical")),
    ("a rule's words", "patch", rule(0, description="never empty")),
    ("a rule's time", "minor", rule(0, schedule="0 4 * * *", scheduler="cron")),
    ("another query", "major", rule(1, query="SELECT count(*) FROM t WHERE a = 'Y'")),
    ("the same query, laid out anew", "none", rule(1, query="select  COUNT(*)\nfrom T where A = 'X';")),
    ("a query that may find one", "major", rule(1, mustBe=1)),
    ("a text rule in other words", "patch", rule(2, description="Looks fine")),
    ("a text rule gone", "major", lambda new: new["schema"][0]["quality"].pop(2)),
    ("a check of Forge that allows less", "minor", rule(3, implementation={**RANGE, "min": 0.5, "max": 1})),
    ("a check of Forge that allows more", "major", rule(3, implementation=RANGE)),
    ("a check of Forge written as text", "none", rule(3, implementation="type: range\nmax: 1\nmin: 0\ncolumn: share")),
    ("a check of another engine", "major", rule(4, implementation="- row_count > 1")),
    ("a metric's name of today", "none", rule(5, rule=None, metric="duplicateValues", mustBe=0)),
    ("a few twins", "major", rule(5, mustBeLessThan=5)),
    ("a promise of more", "minor", lambda new: new["slaProperties"][0].pop("element")),
    ("a promise by another clock", "major", sla(0, element="orders.amount")),
    ("a promise whose clock is named", "minor", sla(1, element="orders.placed")),
    ("a promise of the only table", "patch", sla(1, element="orders")),
    ("a clock for all of them", "minor", lambda new: new.update(slaDefaultElement="orders.placed")),
    ("a promise of less", "major", sla(2, element="orders.amount")),
    ("a promise of another table", "major", sla(0, element="refunds.placed")),
    ("a promise's reason", "patch", sla(0, driver="operational")),
    ("a promise in other words", "none", sla(0, property="ly", value="P1D", unit=None, element="Orders.Placed")),
    ("a promise in another unit", "none", sla(1, value=36, unit="months")),
    ("a promise nobody can rank", "major", sla(3, value="8-20")),
    ("a promise's schedule", "minor", sla(0, schedule="0 4 * * *")),
    ("a percentage without its sign", "none", sla(2, value=99.9, unit="percent")),
]  # fmt: skip


@pytest.mark.parametrize(("bump", "edit"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_change_asks_for_a_bump(bump: str, edit: Edit) -> None:
    found = edited(edit)
    assert found.required_bump == bump, found.changes
    assert bool(found.changes) == (bump != "none")
    assert {v.code for v in found.violations} == ({"E520"} if bump == "major" else set())
    assert edited(edit, "2.0.0").violations == ()


@pytest.mark.parametrize("edit", [case[2] for case in CASES], ids=[case[0] for case in CASES])
def test_every_change_stands_in_the_new_file_and_says_what_it_is(edit: Edit) -> None:
    lines = len(after(edit).splitlines())
    for change in edited(edit).changes:
        assert change.place.file == "new.odcs.yaml"
        assert 1 <= change.place.line <= lines
        assert change.message
        assert set(change.to_dict()) >= {"kind", "element", "subject", "bump", "message", "old", "new", "path", "line"}


def test_what_is_removed_stands_at_its_parent_in_the_new_file() -> None:
    new = BASE.replace(
        '      - {name: amount, logicalType: number, physicalType: "decimal(12,2)", required: true, unique: true}\n', ""
    )
    [found] = find_breaking_changes(BASE, new).violations
    assert (found.code, found.path, found.line, found.column) == ("E520", "schema[0]", 17, 5)
    assert "orders.amount is gone" in found.message
    assert "and the version stays 1.4.2" in found.message
    assert found.fix.startswith("Set version: 2.0.0, or keep orders.amount")


def test_a_changed_value_stands_where_it_is_written() -> None:
    new = BASE.replace("decimal(12,2)", "string").replace("version: 1.4.2", "version: 1.5.0")
    [found] = find_breaking_changes(BASE, new).violations
    line = new.splitlines()[found.line - 1]
    assert line[found.column - 1 :].startswith('"string"')
    assert found.message == (
        "orders.amount: decimal(12,2) → string: breaks readers, and 1.4.2 → 1.5.0 is only a MINOR version"
    )


def test_a_rename_by_id_is_one_change() -> None:
    [change] = edited(lambda new: column(new, "lines")["items"]["properties"][0].update(name="code")).changes
    assert (change.kind, change.element, change.old, change.new) == ("renamed", "field", "sku", "code")


def test_a_key_column_that_is_renamed_is_still_the_key() -> None:
    old = BASE.replace("{name: order_id,", "{name: order_id, id: k,")
    new = old.replace("name: order_id", "name: number").replace("1.4.2", "2.0.0")
    [change] = find_breaking_changes(old, new).changes
    assert change.kind == "renamed"


def test_what_a_key_promises_needs_not_be_said_again() -> None:
    changes = edited(moved_key).changes
    assert [(c.element, c.bump) for c in changes if c.subject == "orders.amount"] == [
        ("required", "patch"),
        ("unique", "patch"),
    ]


def test_a_name_of_the_contract_alone_hurts_no_reader() -> None:
    old = BASE.replace("{name: amount,", "{name: amount, id: a, physicalName: amt,")
    found = find_breaking_changes(old, old.replace("name: amount,", "name: total,").replace("1.4.2", "1.5.0"))
    assert (found.required_bump, found.violations) == ("minor", ())


def test_bounds_of_another_type_are_not_compared() -> None:
    changes = edited(on("share", logicalType="string", logicalTypeOptions={"maxLength": 3})).changes
    assert [change.element for change in changes] == ["type"]


@pytest.mark.parametrize(
    ("old", "new", "bump"),
    [
        ("^[A-Z]{2}$", "^[A-Z][A-Z]$", "none"),
        ("^[A-Z]+$", "^[A-Z]{2}$", "minor"),
        ("^[A-Z]{2}$", "^[A-Z]{2,3}$", "major"),
        ("^[A-Z]+$", "^[a-z]+$", "major"),
        ("(?=a)a", "(?=a)ab", "major"),
    ],
)
def test_a_pattern_is_compared_by_what_it_lets_pass(old: str, new: str, bump: str) -> None:
    def note(pattern: str) -> str:
        option = {"name": "note", "logicalType": "string", "logicalTypeOptions": {"pattern": pattern}}
        rule = {"metric": "invalidValues", "arguments": {"pattern": pattern}, "mustBe": 0}
        columns = [option, {"name": "x", "quality": [rule]}]
        return written({"version": "1.0.0", "schema": [{"name": "t", "properties": columns}]})

    found = find_breaking_changes(note(old), note(new))
    assert found.required_bump == bump
    assert len(found.changes) == (0 if bump == "none" else 2)


def test_the_zone_of_a_timestamp_is_part_of_its_type() -> None:
    def versions(old: str, new: str) -> str:
        texts = [BASE.replace("decimal(12,2)", one).replace("logicalType: number, p", "p") for one in (old, new)]
        return find_breaking_changes(*texts).required_bump

    assert versions("timestamp", "timestamptz") == "major"
    assert versions("struct<a:timestamp>", "struct<a:timestamptz>") == "major"
    assert versions("timestamp", "timestamp_ltz") == "none"
    assert versions("timestamp", "timestamp without time zone") == "none"
    assert versions("timestamp", "timestamp_ntz") == "major"


@pytest.mark.parametrize(
    ("old", "new", "bump"),
    [
        ("1.0.0", "1.0.0", "none"),
        ("1.0.0", "1.0.1", "patch"),
        ("1.0.9", "1.0.10", "patch"),
        ("1.9.0", "1.10.0", "minor"),
        ("1.2.3", "2.0.0", "major"),
        ("1.2.3", "3.1.4", "major"),
        ("1.0.0", "0.9.0", "downgrade"),
        ("1.0.0", "1.0.0-rc.1", "downgrade"),
        ("1.4.0", "2.0.0-rc.1", "major"),
        ("2.0.0-rc.1", "2.0.0-rc.2", "major"),
        ("2.0.0-rc.1", "2.0.0", "major"),
        ("2.1.0-rc.1", "2.1.0", "minor"),
        ("2.1.1-a", "2.1.1-b", "patch"),
        ("1.0.0+a", "1.0.0+b", "none"),
        ("1.0", "1.1", "unknown"),
        ("one", "one", "none"),
    ],
)
def test_versions_are_compared_as_numbers(old: str, new: str, bump: str) -> None:
    assert bump_between(old, new) == bump


def test_before_one_a_minor_version_may_break() -> None:
    old = BASE.replace("1.4.2", "0.3.0")
    new = old.replace("bigint", "string")
    minor = find_breaking_changes(old, new.replace("0.3.0", "0.4.0"))
    assert (minor.required_bump, minor.actual_bump, minor.violations) == ("minor", "minor", ())
    patch = find_breaking_changes(old, new.replace("0.3.0", "0.3.1"))
    assert [(v.code, v.severity) for v in patch.violations] == [("E520", "error")]
    assert patch.next_version == "0.4.0"


def test_something_added_without_a_bump_is_worth_a_warning_and_words_are_not() -> None:
    added = edited(lambda new: new["schema"][0]["properties"].append({"name": "note"}), "1.4.2")
    [warning] = added.violations
    assert (warning.code, warning.severity, warning.path) == ("", "warning", "version")
    assert warning.fix == "Set version: 1.5.0."
    words = edited(lambda new: new["schema"][0].update(description="new"), "1.4.2")
    assert (words.required_bump, words.violations) == ("patch", ())


def test_a_version_that_goes_back_is_worth_a_warning() -> None:
    [warning] = edited(lambda new: None, "1.0.0").violations
    assert (warning.severity, warning.message) == ("warning", "the version goes back: 1.4.2 → 1.0.0")


def test_a_version_that_is_none_is_said_where_it_stands() -> None:
    found = edited(lambda new: new["schema"].clear(), "latest")
    assert found.actual_bump == "unknown"
    assert [(v.code, v.path) for v in found.violations] == [("E502", "version"), ("E520", "schema")]


def test_a_type_that_is_none_is_not_made_right_by_a_version() -> None:
    found = edited(on("amount", logicalType="tinyint"), "2.0.0")
    assert [(v.code, v.severity, v.path) for v in found.violations] == [
        ("E503", "error", "schema[0].properties[1].logicalType")
    ]


def test_a_pre_release_that_announces_enough_needs_no_more() -> None:
    old = BASE.replace("1.4.2", "2.0.0-rc.1")
    found = find_breaking_changes(old, old.replace("bigint", "string"))
    assert (found.required_bump, found.next_version) == ("major", "2.0.0")


def test_contracts_and_texts_are_taken_alike() -> None:
    contract = load_contract(BASE.replace("supportHours", "frequency").replace("9-17", "1 d"), "contracts/o.odcs.yaml")
    assert find_breaking_changes(contract, contract).changes == ()
    assert find_breaking_changes(BASE, contract).violations[0].file == "contracts/o.odcs.yaml"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("version: 1.0.0\nschema: {}\n", "schema"),
        ("version: 1.0.0\nschema: [{name: t, properties: {a: 1}}]\n", "schema[0].properties"),
        ("version: 1.0.0\nschema: [{name: t, properties: [a]}]\n", "schema[0].properties[0]"),
        ("version: 1.0.0\nschema: [{name: t, properties: [{name: a, items: 3}]}]\n", "schema[0].properties[0].items"),
        ("version: 1.0.0\nslaProperties: 3\n", "slaProperties"),
        ("version: 1.0.0\nmodels: {orders: {}}\n", "models"),
        ("- 1\n", ""),
    ],
)
def test_what_has_another_shape_is_refused_and_not_taken_for_gone(text: str, path: str) -> None:
    with pytest.raises(ContractError) as refused:
        find_breaking_changes(BASE, text)
    assert [(v.code, v.path) for v in refused.value.violations] == [("E502", path)]


def test_a_contract_of_almost_nothing_is_compared_too() -> None:
    assert find_breaking_changes("version: 1.0.0\n", "version: 1.0.0\n").changes == ()
    assert find_breaking_changes("version: 1.0.0\n", BASE).required_bump == "minor"


@pytest.mark.slow
def test_there_and_back_again_one_way_breaks() -> None:
    """A change that is free one way is none at all both ways; a promise given and taken back breaks once."""
    for name, bump, edit in CASES:
        back = find_breaking_changes(after(edit), READ).required_bump
        assert (back == "none") == (bump == "none"), name


def test_order_never_matters() -> None:
    randomly = random.Random(7)

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            keys = list(value)
            randomly.shuffle(keys)
            return {key: shuffled(value[key]) for key in keys}
        if isinstance(value, list):
            items = [shuffled(item) for item in value]
            randomly.shuffle(items)
            return items
        return value

    for _ in range(20):
        assert find_breaking_changes(READ, written(shuffled(DATA))).changes == ()


def test_names_differ_in_case_only() -> None:
    data = copy.deepcopy(DATA)
    for each in data["schema"][0]["properties"]:
        each["name"] = each["name"].upper()
    data["name"], data["domain"] = "ORDERS", "Sales"
    data["schema"][0]["name"] = "ORDERS"
    data["schema"][0]["physicalName"] = "Core.Orders"
    data["servers"][0]["server"] = "PROD"
    assert find_breaking_changes(BASE, written(data)).changes == ()
