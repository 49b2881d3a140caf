"""Contracts made of rows hold no value of them, and promise nothing that nobody promised."""

from __future__ import annotations

from forge.contracts.sample_values import without_sample

TABLE = {
    "name": "people",
    "properties": [
        {"name": "email", "logicalType": "string", "required": True, "unique": True, "examples": ["bob@x.example"]},
        {"name": "age", "logicalTypeOptions": {"minimum": 3, "maximum": 9}},
        {"name": "at", "logicalTypeOptions": {"minimum": 3, "format": "date"}},
        {"name": "in", "properties": [{"name": "a", "examples": [1]}], "items": {"examples": [2]}},
    ],
}


def test_values_and_what_they_show_are_left_out_and_told() -> None:
    data, notes = without_sample({"id": "p", "schema": [TABLE]}, "csv")
    assert data["schema"] == [
        {
            "name": "people",
            "properties": [
                {"name": "email", "logicalType": "string"},
                {"name": "age"},
                {"name": "at", "logicalTypeOptions": {"format": "date"}},
                {"name": "in", "properties": [{"name": "a"}], "items": {}},
            ],
        }
    ]
    assert notes == (
        "examples: were left out; they are values of rows",
        "required, unique, minimum, maximum: were left out; what the rows of one file show is no promise",
    )


def test_parquet_declares_itself_what_is_required() -> None:
    data, notes = without_sample({"schema": [{"properties": [{"name": "a", "required": True}]}]}, "parquet")
    assert data["schema"] == [{"properties": [{"name": "a", "required": True}]}]
    assert notes == ()
