"""One answer in five forms, checked against the readers of the standard library."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import yaml

from forge.cli.answer import AnswerColumn, CommandAnswer, write_answer
from forge.cli.output import OutputFormat

ITEMS = (
    {"name": "a,b", "rows": 12, "when": datetime(2026, 11, 15, 6, tzinfo=UTC), "tags": ["x"], "note": None},
    {"name": 'say "hi"\nthere', "rows": 3, "when": date(2026, 11, 15), "tags": [], "note": True},
)
COLUMNS = (AnswerColumn("name", lambda i: str(i["name"])), AnswerColumn("rows", lambda i: str(i["rows"]), right=True))


def written(format: OutputFormat, answer: CommandAnswer | None = None) -> str:
    stream = io.StringIO()
    write_answer(
        answer or CommandAnswer(name="things", items=ITEMS, columns=COLUMNS, facts={"of": "all"}), format, stream
    )
    return stream.getvalue()


def test_json_and_yaml_hold_the_same_document() -> None:
    document = json.loads(written(OutputFormat.JSON))
    assert document["schema_version"] == 1
    assert document["of"] == "all"
    assert [item["rows"] for item in document["things"]] == [12, 3]
    assert document["things"][0]["when"] == "2026-11-15T06:00:00+00:00"
    assert yaml.safe_load(written(OutputFormat.YAML)) == document


def test_ndjson_is_one_item_a_line() -> None:
    lines = written(OutputFormat.NDJSON).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(written(OutputFormat.JSON))["things"]


def test_csv_reads_back() -> None:
    rows = list(csv.DictReader(io.StringIO(written(OutputFormat.CSV))))
    assert [row["name"] for row in rows] == ["a,b", 'say "hi"\nthere']
    assert [row["tags"] for row in rows] == ['["x"]', "[]"]
    assert [row["note"] for row in rows] == ["", "true"]


def test_a_piped_table_is_plain_aligned_text() -> None:
    assert written(OutputFormat.TABLE) == 'name            rows\na,b               12\nsay "hi" there     3\n'


@pytest.mark.parametrize("format", list(OutputFormat))
def test_no_items_are_no_error(format: OutputFormat) -> None:
    assert "Traceback" not in written(format, CommandAnswer(name="things", items=(), columns=COLUMNS))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(Decimal("1.10"), "1.10"), (float("nan"), "nan"), (b"\x00\xff", "00ff"), ((1, 2), [1, 2]), ({1: 2}, {"1": 2})],
)
def test_values_json_does_not_know_are_still_written(value: object, expected: object) -> None:
    assert json.loads(written(OutputFormat.JSON, CommandAnswer(name="rows", items=[{"v": value}])))["rows"] == [
        {"v": expected}
    ]
