"""Drafts of contracts: clean at once, complete when all is known, and nothing made up."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.contracts.draft import KnownColumn, KnownTable, draft_contract
from forge.contracts.drift.table import find_drift
from forge.contracts.linter.lint import lint
from forge.contracts.load import load_contract
from forge.model.names import TableName
from forge.model.schema import Column, Schema

ORDERS = TableName("core", "orders")
SCHEMA = Schema(
    (
        Column("id", "bigint", nullable=False),
        Column("email", "string", doc="Where we write to"),
        Column("amount", "decimal(12,2)"),
        Column("address", "struct<city:string,zip:int>"),
        Column("lines", "array<struct<sku:string,n:int>>"),
        Column("counts", "map<string,int>"),
        Column("photo", "binary"),
        Column("at", "timestamp"),
        Column("local", "timestamp_ntz"),
    )
)


def drafted(known: KnownTable | None = None, schema: Schema = SCHEMA) -> dict[str, Any]:
    text = draft_contract(ORDERS, schema, known)
    assert lint(text) == ()
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def columns(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in data["schema"][0]["properties"]}


def test_a_draft_says_what_the_table_is_and_promises_nothing_yet() -> None:
    data = drafted()
    assert (data["id"], data["name"], data["version"], data["status"]) == (
        "core-orders",
        "core.orders",
        "0.1.0",
        "draft",
    )
    assert data["schema"][0]["physicalName"] == "core.orders"
    assert columns(data)["id"] == {"name": "id", "logicalType": "integer", "physicalType": "bigint", "required": True}
    assert columns(data)["photo"] == {"name": "photo", "physicalType": "binary"}
    assert not {"team", "description"} & set(data)


def test_the_table_has_no_drift_from_its_own_draft() -> None:
    contract = load_contract(draft_contract(ORDERS, SCHEMA), "core.orders.odcs.yaml")
    assert find_drift(contract, SCHEMA) == ()


def test_parts_of_structs_and_arrays_are_properties() -> None:
    found = columns(drafted())
    assert [each["name"] for each in found["address"]["properties"]] == ["city", "zip"]
    assert [each["name"] for each in found["lines"]["items"]["properties"]] == ["sku", "n"]
    assert found["counts"] == {"name": "counts", "physicalType": "map<string,int>"}


def test_what_is_missing_is_left_out_for_the_strict_profile_to_ask_for() -> None:
    gaps = lint(draft_contract(ORDERS, SCHEMA), profile="strict")
    assert {each.code for each in gaps} == {"E501"}
    assert any("nobody owns" in each.message for each in gaps)
    assert not any("email" in each.message for each in gaps), "its description is in the table, its name says pii"


def test_a_draft_of_what_is_known_is_complete() -> None:
    paths = ("id", "email", "amount", "address", "address.city", "address.zip", "lines", "lines.sku", "lines.n")
    told = {name: KnownColumn(description="Said") for name in (*paths, "counts", "photo", "at", "local")}
    text = draft_contract(ORDERS, SCHEMA, KnownTable(project="shop", owner="ada@example.com", columns=told))
    assert lint(text, profile="strict") == ()
    assert yaml.safe_load(text)["team"] == {"members": [{"username": "ada@example.com", "role": "owner"}]}


def test_a_view_is_called_so() -> None:
    assert drafted(KnownTable(kind="view"))["schema"][0]["physicalType"] == "view"


def test_a_team_is_an_owner_too() -> None:
    assert drafted(KnownTable(owner="finance"))["team"] == {"name": "finance"}


def test_the_key_is_required_and_ordered() -> None:
    found = columns(drafted(KnownTable(key=("AMOUNT", "id"))))
    assert (found["amount"]["primaryKeyPosition"], found["id"]["primaryKeyPosition"]) == (1, 2)
    assert found["amount"]["required"] is True


def test_personal_columns_get_a_class_and_a_tag() -> None:
    found = columns(
        drafted(KnownTable(columns={"amount": KnownColumn(personal="iban"), "local": KnownColumn(personal="")}))
    )
    assert (found["amount"]["classification"], found["amount"]["tags"]) == ("pii", ["pii:iban"])
    assert (found["local"]["classification"], found["local"].get("tags")) == ("pii", None)
    assert found["email"]["classification"] == "pii", "its name alone says so"


def test_what_the_data_showed_becomes_rules() -> None:
    told = {
        "email": KnownColumn(required=True, unique=True, options={"format": "email"}, allowed_values=("a@b.c",)),
        "amount": KnownColumn(options={"minimum": 0, "format": "email"}),
        "id": KnownColumn(reference="core.customers.customer_id"),
    }
    data = drafted(KnownTable(columns=told, rows_at_least=10))
    found = columns(data)
    assert (found["email"]["required"], found["email"]["unique"]) == (True, True)
    assert found["email"]["quality"][0]["arguments"] == {"validValues": ["a@b.c"]}
    assert found["amount"]["logicalTypeOptions"] == {"minimum": 0}, "a number has no format of texts"
    assert found["id"]["relationships"] == [{"type": "foreignKey", "to": "customers.customer_id"}]
    assert data["schema"][0]["quality"][0]["mustBeGreaterOrEqualTo"] == 10


KINDS = st.recursive(
    st.sampled_from(["int", "bigint", "string", "double", "decimal(38,9)", "date", "timestamp", "binary", "boolean"]),
    lambda inner: (
        st.builds("array<{}>".format, inner)
        | st.builds("map<string,{}>".format, inner)
        | st.builds("struct<a:{},b:{}>".format, inner, inner)
    ),
    max_leaves=4,
)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(KINDS, min_size=1, max_size=5), st.booleans())
def test_every_table_has_a_clean_draft_that_fits_it(kinds: list[str], nullable: bool) -> None:
    schema = Schema(tuple(Column(f"c{at}", kind, nullable) for at, kind in enumerate(kinds)))
    text = draft_contract(ORDERS, schema)
    assert lint(text) == ()
    assert find_drift(load_contract(text, "core.orders.odcs.yaml"), schema) == ()
