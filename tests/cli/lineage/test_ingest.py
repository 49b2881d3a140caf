"""`forge lineage extract`, without a project, and `forge ingest` into the graph of one. No JVM."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from migrated import lay_database

DAILY = """\
CREATE TABLE mart.daily AS
SELECT day,
       SUM(amount) AS net
FROM sales.orders
WHERE status = 'paid'
GROUP BY day;
"""
CENTS = """\
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
daily = spark.table("mart.daily")
daily.select("day", (F.col("net") * 100).alias("cents")).write.saveAsTable("mart.cents")
"""
STAR = """\
INSERT INTO mart.everything SELECT * FROM raw.events;

FROBNICATE THE WAREHOUSE;
"""
FILES = {"daily.sql": DAILY, "copy.py": CENTS, "star.sql": STAR}  # Python itself has a copy.py, too


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of code that is no project."""
    folder = tmp_path_factory.mktemp("outside")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "schema.yaml").write_text("raw.events:\n  id: bigint\n  kind: string\n")
    (folder / "schema.json").write_text('{"raw": {"events": {"id": "bigint"}}}')
    return folder


def direct(source: str, target: str, how: str, expression: str, place: str) -> dict[str, object]:
    file, _, line = place.partition(":")
    return {
        "source": source,
        "target": target,
        "kind": "direct",
        "transformation": how,
        "masking": False,
        "expression": expression,
        "confidence": 0.95,
        "file": file,
        "line": int(line),
    }


EDGES = [
    direct("mart.daily.net", "mart.cents.cents", "transformation", "F.col('net') * 100", "copy.py:5"),
    direct("mart.daily.day", "mart.cents.day", "identity", "day", "copy.py:5"),
    direct("sales.orders.day", "mart.daily.day", "identity", "day", "daily.sql:1"),
    direct("sales.orders.amount", "mart.daily.net", "aggregation", "SUM(amount)", "daily.sql:1"),
]


@pytest.mark.slow
def test_all_that_code_says_is_one_document_and_gaps_are_told_beside_it(forge: Any, outside: Path) -> None:
    ended = forge("lineage", "extract", ".", "--strict", "--json", at=outside)
    found = ended.json
    assert found.keys() == {"schema_version", "edges", "indirect", "table_edges", "gaps"}
    assert found["edges"] == EDGES
    indirect = {(one["source"], one["target"], one["subtype"], one["line"]) for one in found["indirect"]}
    assert indirect == {
        ("sales.orders.day", "mart.daily", "group_by", 1),
        ("sales.orders.status", "mart.daily", "filter", 1),
    }
    tables = {(one["source"], one["target"]): one["confidence"] for one in found["table_edges"]}
    assert tables == {
        ("mart.daily", "mart.cents"): 0.95,
        ("raw.events", "mart.everything"): 0.3,
        ("sales.orders", "mart.daily"): 0.95,
    }
    assert [(gap["file"], gap["line"]) for gap in found["gaps"]] == [("star.sql", 1), ("star.sql", 3)]
    assert all(gap["reason"] for gap in found["gaps"])
    assert ended.status == 1
    told = ended.err.splitlines()
    assert [line.partition("  ")[0] for line in told[:2]] == ["star.sql:1", "star.sql:3"]
    assert told[2].startswith("3 files, 6 statements, 4 edges, 2 gaps, ")
    assert told[3] == "FORGE-E824 2 gaps in the lineage"


@pytest.mark.slow
def test_what_is_understood_whole_passes_strict_and_is_a_table(forge: Any, outside: Path) -> None:
    ended = forge("lineage", "extract", "copy.py", "daily.sql", "--strict", at=outside)
    assert ended.status == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["to", "from", "how", "expression", "sure", "where"]
    assert [line[:2] for line in lines[1:]] == [[edge["target"], edge["source"]] for edge in EDGES]
    assert ended.err.splitlines()[0].startswith("2 files, ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "schema", "columns"), [("csv", "schema.yaml", ["id", "kind"]), ("ndjson", "schema.json", ["id"])]
)
def test_columns_come_from_a_file(forge: Any, outside: Path, form: str, schema: str, columns: list[str]) -> None:
    words = ("--schema", str(outside / schema), "--format", form, "--processes", "1")
    ended = forge("lineage", "extract", str(outside / "star.sql"), *words)
    assert ended.status == 0
    if form == "csv":
        rows: list[Any] = list(csv.DictReader(io.StringIO(ended.out)))
    else:
        rows = [json.loads(line) for line in ended.out.splitlines()]
    assert [row["target"] for row in rows] == [f"mart.everything.{name}" for name in columns]
    assert all(row.keys() == EDGES[0].keys() for row in rows)
    assert f"{outside / 'star.sql'}:3  " in ended.err


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("raw.events:\n  id: bigint\nraw.more: 7\n", ":3", "raw.more has no columns"),
        ("raw.events:\n  id: [bigint]\n", ":2", "The type of id is no text"),
        ("raw.events:\n  id: bigint\n  - kind\n", ":3:3", "malformed"),
        ('{"raw.events": ', ":1", "malformed"),
        ("- raw.events\n", "", "It holds no tables"),
        (None, "", "No such file"),
    ],
    ids=["no columns", "no type", "yaml", "json", "a list", "missing"],
)
def test_a_mistaken_file_of_columns_is_told_with_its_line(
    forge: Any, outside: Path, tmp_path: Path, text: str | None, place: str, why: str
) -> None:
    file = tmp_path / "mistaken.yaml"
    if text is not None:
        file.write_text(text)
    ended = forge("lineage", "extract", str(outside), "--schema", str(file))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-E817 {file}{place}")
    assert why in ended.err


def test_a_dialect_that_is_misspelt_and_a_path_that_is_missing_are_told(forge: Any, outside: Path) -> None:
    ended = forge("lineage", "extract", str(outside), "--dialect", "snowflke")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("FORGE-E822 ")
    assert "Did you mean snowflake?" in ended.err
    ended = forge("lineage", "extract", str(outside), "nowhere")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("FORGE-E816 There is no nowhere")


# into a graph


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with code; what the first reading of it printed lies in first.txt and first.err."""
    from typer.testing import CliRunner

    from forge.cli.main import app

    root = tmp_path_factory.mktemp("read")
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(root / ".forge" / "forge.db")
    (root / "jobs").mkdir()
    for name, text in FILES.items():
        (root / "jobs" / name).write_text(text)
    ended = CliRunner().invoke(app, ["ingest", str(root / "jobs"), "--project", str(root)])
    assert ended.exit_code == 0, ended.output
    (root / "first.txt").write_text(ended.stdout)
    (root / "first.err").write_text(ended.stderr)
    return root


@pytest.mark.slow
def test_reading_ends_with_a_table_of_files_and_their_sum(read: Path) -> None:
    lines = (read / "first.txt").read_text().splitlines()
    assert lines[0].split() == ["file", "language", "statements", "understood", "edges", "gaps"]
    assert [line.split() for line in lines[1:4]] == [
        ["copy.py", "python", "3", "100%", "2"],
        ["daily.sql", "sql", "1", "100%", "2"],
        ["star.sql", "sql", "2", "0%", "0", "2"],
    ]
    assert lines[-1].startswith("3 files, 6 statements, 4 edges, 2 gaps, ")
    assert (read / "first.err").read_text() == "Every gap with its line of code: forge lineage sources --gaps\n"


@pytest.mark.slow
def test_what_did_not_change_is_not_read_again(forge: Any, read: Path) -> None:
    found = forge("ingest", "jobs", "--json", at=read).json
    assert (found["files"], found["read"], found["unchanged"], found["root"]) == (3, 0, 3, "jobs")
    assert set(found["recorded"].values()) == {0}
    assert [one["id"] for one in found["sources"]] == ["jobs/copy.py", "jobs/daily.sql", "jobs/star.sql"]
    ended = forge("ingest", "jobs", "--strict", at=read)
    assert ended.status == 1
    assert ended.out.startswith("0 files read, 3 unchanged\n")
    assert "FORGE-E824 2 gaps in the lineage" in ended.err


@pytest.mark.slow
def test_the_sources_are_listed_with_how_much_was_understood(forge: Any, read: Path) -> None:
    ended = forge("lineage", "sources", at=read)
    assert ended.status == 0
    assert ended.out.splitlines()[-1] == "67% of 6 statements understood"
    found = forge("lineage", "sources", "star.sql", "--json", at=read).json["sources"]
    assert [(one["id"], one["coverage"], one["edges"]) for one in found] == [("jobs/star.sql", 0.0, 0)]


@pytest.mark.slow
def test_every_gap_is_listed_with_its_line_of_code(forge: Any, read: Path) -> None:
    gaps = forge("lineage", "sources", "--gaps", "--json", at=read).json["gaps"]
    assert [(gap["file"], gap["line"], gap["code"]) for gap in gaps] == [
        ("jobs/star.sql", 1, "INSERT INTO mart.everything SELECT * FROM raw.events;"),
        ("jobs/star.sql", 3, "FROBNICATE THE WAREHOUSE;"),
    ]
    assert "jobs/star.sql:3" in forge("lineage", "sources", "--gaps", at=read).out


def test_the_graph_answers_from_what_was_read(forge: Any, read: Path) -> None:
    ended = forge("upstream", "mart.cents.cents", at=read)
    assert ended.out.splitlines() == [
        "mart.cents.cents comes from 2 columns of 2 tables",
        "└─ mart.daily.net  (transformation: F.col('net') * 100, 0.95)",
        "   └─ sales.orders.amount  (aggregation: SUM(amount), 0.95)",
    ]
    edge = forge("lineage", "edge", "mart.daily.net->mart.cents.cents#transformed", at=read).out
    assert "jobs/copy.py:5" in edge


@pytest.mark.slow
def test_where_nothing_was_read_it_is_said_how(forge: Any, project: Path) -> None:
    ended = forge("lineage", "sources", at=project)
    assert (ended.status, ended.err) == (0, "No code was read yet. Read some: forge ingest PATH\n")


def test_outside_of_a_project_the_other_word_is_named(forge: Any, outside: Path) -> None:
    ended = forge("ingest", "some jobs", at=outside)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("FORGE-E102 ")
    assert "forge lineage extract 'some jobs'" in ended.err
