"""One answer in five forms, checked against the readers of the standard library."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import yaml
from rich.panel import Panel
from rich.text import Text

from forge.cli.answer import AnswerColumn, CommandAnswer, cut_picture, picture_of, write_answer
from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal

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


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


EVIL = "a\x1b]0;title\x07\x1b[2J\x9b31m[bold][/nothing]"


@pytest.mark.parametrize(
    "answer",
    [
        CommandAnswer(name="rows", items=[{EVIL: EVIL}], columns=[AnswerColumn(EVIL, lambda item: str(item[EVIL]))]),
        CommandAnswer(name="rows", items=[], head=[EVIL], foot=[EVIL]),
        CommandAnswer(name="rows", items=[]).with_lines([(EVIL, "dim")]),
        CommandAnswer(name="rows", items=[], picture=lambda: picture_of([(EVIL, "red")])),
        CommandAnswer(name="rows", items=[], picture=lambda: cut_picture([EVIL])),
        CommandAnswer(name="rows", items=[], picture=lambda: EVIL),
        CommandAnswer(name="rows", items=[], picture=lambda: Panel(Text(EVIL))),
    ],
    ids=["column", "lines", "pictured lines", "picture", "cut picture", "text", "panel"],
)
@pytest.mark.parametrize("format", [OutputFormat.TABLE, OutputFormat.CSV])
def test_no_name_or_value_of_others_moves_the_cursor_of_a_terminal(
    answer: CommandAnswer, format: OutputFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a source, its owner chooses the names of columns."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    screen = Screen()
    write_answer(answer, format, screen)
    shown = screen.getvalue()
    assert not {"\x07", "\x9b"} & set(shown)
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown
    if format is OutputFormat.TABLE:
        assert "[bold][/nothing]" in shown


def test_a_message_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().say(EVIL)
    assert "\x1b" not in capsys.readouterr().err
