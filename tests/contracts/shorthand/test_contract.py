"""The shorthand becomes ODCS: every line of the mapping, and a word on what did not map."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.contracts.linter.lint import lint
from forge.contracts.shorthand.contract import from_shorthand, full_version, is_shorthand
from forge.contracts.write import write_contract

WHOLE = """\
name: customers
version: 1.2
owner: data@shop.example
domain: sales
description: All customers
tags: [gold]
terms: {usage: Reports only, limitations: No mails, retention: 3y, noticePeriod: P3M}
links: {wiki: "https://wiki.example/customers"}
deprecation: {announced: "2026-01-01", sunset: "2026-06-01", replacement: customers_v2}
freshness: 6h
availability: 99.9%
models:
  - name: customers
    description: One row each
    tags: [core]
    elements:
      - {name: id, type: bigint, primaryKey: true, required: true}
      - {name: email, type: string, format: email, classification: pii, tags: [contact],
         quality: {completeness: 99.5%, uniqueness: true}}
      - {name: price, type: "decimal(12,2)", minimum: 0, maximum: 10}
      - {name: state, type: text, enum: [open, closed]}
      - {name: created, type: timestamp, nullable: false}
      - {name: address, type: struct, elements: {city: string, zip: {type: int, notNull: true}}}
      - {name: lines, type: array, items: {type: object, fields: [{name: sku, type: string}]}}
    quality: {rowCount: 10, accuracy: 99%}
"""


def convert(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    made = from_shorthand(yaml.safe_load(text))
    return dict(made.data), made.notes


def minimal(more: str = "") -> tuple[dict[str, Any], tuple[str, ...]]:
    return convert(
        f"name: orders\nversion: 1.0.0\nstatus: active\n{more}\nmodels: {{orders: {{fields: {{id: int}}}}}}\n"
    )


def column(text: str) -> dict[str, Any]:
    data, _ = convert(f"name: a\nversion: 1.0.0\nmodels: [{{name: a, elements: [{{name: x, {text}}}]}}]")
    found: dict[str, Any] = data["schema"][0]["properties"][0]
    return found


def test_models_become_schema_and_elements_become_properties() -> None:
    data, _ = convert(WHOLE)
    (table,) = data["schema"]
    assert (table["name"], table["description"], table["tags"]) == ("customers", "One row each", ["core"])
    assert [each["name"] for each in table["properties"]] == [
        *("id", "email", "price", "state", "created", "address", "lines"),
    ]


def test_what_comes_out_is_clean() -> None:
    data, _ = convert(WHOLE)
    assert lint(write_contract(data)) == ()


def test_owner_becomes_the_team() -> None:
    assert minimal("owner: ada@example.com")[0]["team"] == {
        "members": [{"username": "ada@example.com", "role": "owner"}]
    }
    assert minimal("owner: finance")[0]["team"] == {"name": "finance"}
    both = minimal("owners: [finance, {name: Ada, email: ada@example.com}]")[0]["team"]
    assert both == {"name": "finance", "members": [{"username": "ada@example.com", "role": "owner"}]}


def test_terms_become_the_description() -> None:
    data, _ = convert(WHOLE)
    assert data["description"] == {
        "purpose": "All customers",
        "usage": "Reports only",
        "limitations": "No mails\nnoticePeriod: P3M",
    }
    assert minimal("terms: Only for reports")[0]["description"] == {"usage": "Only for reports"}


def test_links_become_authoritative_definitions() -> None:
    listed = minimal("links: [{name: code, url: 'https://git.example'}, 'https://wiki.example']")[0]
    assert listed["authoritativeDefinitions"] == [
        {"type": "code", "url": "https://git.example"},
        {"type": "documentation", "url": "https://wiki.example"},
    ]
    assert convert(WHOLE)[0]["authoritativeDefinitions"] == [{"type": "wiki", "url": "https://wiki.example/customers"}]


def test_deprecation_becomes_a_custom_property() -> None:
    assert convert(WHOLE)[0]["customProperties"] == [
        {
            "property": "forge.deprecation",
            "value": {"announced": "2026-01-01", "sunset": "2026-06-01", "replacement": "customers_v2"},
        }
    ]


def test_freshness_and_availability_become_service_levels() -> None:
    assert convert(WHOLE)[0]["slaProperties"] == [
        {"property": "freshness", "value": 6, "unit": "h"},
        {"property": "availability", "value": 99.9, "unit": "percent"},
        {"property": "retention", "value": 3, "unit": "y"},
    ]
    nested = minimal("servicelevels: {freshness: {threshold: PT6H, timestampField: orders.at}}")[0]
    assert nested["slaProperties"] == [{"property": "freshness", "element": "orders.at", "value": "PT6H"}]


def test_quality_becomes_rules() -> None:
    data, notes = convert(WHOLE)
    email = data["schema"][0]["properties"][1]
    assert email["quality"] == [
        {
            "type": "library",
            "metric": "nullValues",
            "mustBeLessOrEqualTo": 0.5,
            "unit": "percent",
            "dimension": "completeness",
        },
        {"type": "library", "metric": "duplicateValues", "mustBe": 0, "dimension": "uniqueness"},
    ]
    rows, accuracy = data["schema"][0]["quality"]
    assert (rows["metric"], rows["mustBeGreaterOrEqualTo"]) == ("rowCount", 10)
    assert accuracy == {"type": "text", "description": "accuracy: 99%", "dimension": "accuracy"}
    assert any("accuracy" in note for note in notes)


TWO = "name: a\nversion: 1.0.0\nstatus: active\n"
TWO += "models: [{name: a, elements: [{name: id, type: int, required: true}, {name: b}]"
FILLED = {"type": "library", "metric": "nullValues", "dimension": "completeness"}


@pytest.mark.parametrize("where", ["}]\nquality: {%s}", ", quality: {%s}}]"])
def test_completeness_of_a_table_is_that_of_its_columns(where: str) -> None:
    data, notes = convert(TWO + where % "completeness: 99")
    (table,) = data["schema"]
    assert table["properties"][1]["quality"] == [{**FILLED, "mustBeLessOrEqualTo": 1, "unit": "percent"}]
    assert "quality" not in table["properties"][0]  # required already
    assert (notes, lint(write_contract(data))) == ((), ())


def test_completeness_may_name_its_columns() -> None:
    for said in ("[id, B]", "{columns: [id, b], threshold: 100%}"):
        data, notes = convert(f"{TWO}, quality: {{completeness: {said}}}}}]")
        assert [each["quality"] for each in data["schema"][0]["properties"]] == [[{**FILLED, "mustBe": 0}]] * 2
        assert notes == ()


def test_uniqueness_of_columns_is_a_rule_of_the_table() -> None:
    data, notes = convert(TWO + "}]\nquality: {uniqueness: [id, b]}")
    assert data["schema"][0]["quality"] == [
        {
            "type": "library",
            "metric": "duplicateValues",
            "arguments": {"properties": ["id", "b"]},
            "mustBe": 0,
            "dimension": "uniqueness",
        }
    ]
    assert (notes, lint(write_contract(data))) == ((), ())


def test_a_promise_about_columns_that_are_not_there_is_kept_in_words() -> None:
    data, notes = convert(TWO + "}]\nquality: {uniqueness: [nope], completeness: [nope]}")
    assert [rule["type"] for rule in data["schema"][0]["quality"]] == ["text", "text"]
    assert [note.split(":")[0] for note in notes] == ["quality.uniqueness", "quality.completeness"]


def test_tags_are_kept() -> None:
    data, _ = convert(WHOLE)
    assert (data["tags"], data["schema"][0]["properties"][1]["tags"]) == (["gold"], ["contact"])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("type: string", {"logicalType": "string"}),
        ("type: text", {"logicalType": "string"}),
        ("type: bigint", {"logicalType": "integer", "physicalType": "bigint"}),
        ("type: 'decimal(12,2)'", {"logicalType": "number", "physicalType": "decimal(12,2)"}),
        ("type: timestamp_ntz", {"logicalType": "timestamp", "physicalType": "timestamp_ntz"}),
        ("type: bigint, physicalType: INT8", {"logicalType": "integer", "physicalType": "INT8"}),
        ("type: hyperlog", {"physicalType": "hyperlog"}),
        ("type: date, nullable: false", {"logicalType": "date", "required": True}),
        ("type: date, nullable: true", {"logicalType": "date", "required": False}),
        ("type: string, pii: true", {"logicalType": "string", "classification": "pii"}),
        ("type: string, pattern: '^a'", {"logicalType": "string", "logicalTypeOptions": {"pattern": "^a"}}),
    ],
)
def test_elements_keep_what_they_say(text: str, wanted: dict[str, Any]) -> None:
    assert column(text) == {"name": "x", **wanted}


def test_allowed_values_become_a_rule_because_enum_came_later() -> None:
    assert column("type: string, enum: [a, b]")["quality"] == [
        {"type": "library", "metric": "invalidValues", "arguments": {"validValues": ["a", "b"]}, "mustBe": 0}
    ]


def test_what_has_no_place_is_told_and_not_lost_silently() -> None:
    _, notes = convert(
        "name: a\nversion: 1.0.0\nfoo: bar\nsla: {mood: good}\n"
        "models: [{name: a, shade: blue, elements: [{name: x, type: int, colour: red}]}]"
    )
    told = "\n".join(notes)
    for word in ("foo", "mood", "models.a.shade", "models.a.x.colour"):
        assert word in told


@pytest.mark.parametrize(
    "text",
    [
        "models: 5",
        "models: [{name: a, elements: 5}]",
        "slaProperties: [5]",
        "customProperties: 5",
        "models: [{name: a, quality: 5}]",
        "models: [{name: a, quality: [5]}]",
    ],
)
def test_what_is_of_the_wrong_form_is_told(text: str) -> None:
    assert any(" 5 " in note for note in convert(f"name: a\nversion: 1.0.0\nstatus: draft\n{text}")[1])


def test_what_odcs_requires_and_nobody_said_is_filled_in_and_told() -> None:
    data, notes = convert("name: My Orders\nmodels: {orders: {fields: {id: int}}}")
    assert (data["id"], data["version"], data["status"]) == ("my-orders", "1.0.0", "draft")
    assert [note.split(":")[0] for note in notes] == ["version", "status"]
    assert lint(write_contract(data)) == ()


def test_the_head_is_texts() -> None:
    data, _ = convert("id: 17\nname: 5\nversion: 1\nstatus: active\ntags: gold\nmodels: {a: {fields: {id: int}}}")
    assert (data["id"], data["name"], data["version"], data["tags"]) == ("17", "5", "1.0.0", ["gold"])
    assert lint(write_contract(data)) == ()


@pytest.mark.parametrize(
    ("given", "wanted"), [("1", "1.0.0"), ("1.2", "1.2.0"), ("v2", "2.0.0"), ("01.2", "1.2.0"), ("one", "one")]
)
def test_short_versions_get_their_three_numbers(given: str, wanted: str) -> None:
    assert full_version(given) == wanted


def test_the_shorthand_is_told_from_the_standard() -> None:
    assert is_shorthand({"models": {}})
    assert is_shorthand({"owner": "a", "elements": []})
    assert not is_shorthand({"apiVersion": "v3.1.0", "schema": [], "models": []})
    assert not is_shorthand({"openapi": "3.0.0"})


NAMES = st.sampled_from(["id", "email", "Größe", "a b", "x"])
SCALARS = st.sampled_from(["int", "string", "decimal(10,2)", "struct<a:int>", "", None, 5, True, ["a"], {"b": 1}])
ANYTHING = st.dictionaries(
    st.sampled_from(
        [
            "name",
            "version",
            "owner",
            "terms",
            "links",
            "models",
            "elements",
            "quality",
            "freshness",
            "deprecation",
            "tags",
        ]
    ),
    SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(NAMES, SCALARS, max_size=2),
    max_size=6,
)


def test_service_levels_written_as_a_mapping_are_entries_of_their_own() -> None:
    given = {
        "name": "a",
        "owner": "b",
        "models": [{"name": "t"}],
        "slaProperties": {"freshness": "6h", "availability": "99.9%"},
    }
    assert from_shorthand(given).data["slaProperties"] == [
        {"property": "freshness", "value": 6, "unit": "h"},
        {"property": "availability", "value": 99.9, "unit": "percent"},
    ]
    one = from_shorthand({**given, "slaProperties": {"property": "freshness", "value": 6, "unit": "h"}})
    assert one.data["slaProperties"] == [{"property": "freshness", "value": 6, "unit": "h"}]


@settings(max_examples=examples(40), deadline=None)
@given(ANYTHING)
def test_odd_input_never_breaks_the_import(data: dict[str, object]) -> None:
    lint(write_contract(from_shorthand(data).data))


@settings(max_examples=examples(15), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text("abcdefgh_", min_size=1, max_size=8),
            st.sampled_from(["int", "bigint", "string", "decimal(10,2)", "date", "timestamp", "boolean", "array<int>"]),
            st.booleans(),
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda one: one[0],
    )
)
def test_well_formed_shorthand_is_always_clean(columns: list[tuple[str, str, bool]]) -> None:
    elements = [{"name": name, "type": kind, "required": required} for name, kind, required in columns]
    data = from_shorthand({"name": "a", "owner": "b", "models": [{"name": "t", "elements": elements}]}).data
    assert lint(write_contract(data)) == ()
