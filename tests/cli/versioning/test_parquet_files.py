"""Parquet files compared and merged without a project."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer

from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal
from forge.cli.versioning.parquet_files import diff_files, merge_files
from forge.model.errors import ForgeError

FIELDS = [
    pa.field("id", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "1"}),
    pa.field("amount", pa.decimal128(10, 2), metadata={"PARQUET:field_id": "2"}),
    pa.field("note", pa.string(), metadata={"PARQUET:field_id": "3"}),
]
JSON, TABLE = Terminal(format=OutputFormat.JSON), Terminal()
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, *rows: tuple[int, str, str | None], schema: pa.Schema | None = None) -> Path:
        schema = schema or pa.schema(FIELDS)
        columns: list[list[Any]] = [[row[place] for row in rows] for place in range(3)]
        columns[1] = [Decimal(text) for text in columns[1]]
        arrays = [pa.array(cells, field.type) for cells, field in zip(columns, schema, strict=True)]
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), tmp_path / name)
        return tmp_path / name

    return write_file


@pytest.fixture
def base(write: Write) -> Path:
    return write("base.parquet", (1, "1.00", "a"), (2, "2.00", "b"), (3, "3.00", None))


@pytest.fixture
def ours(write: Write) -> Path:
    return write("ours.parquet", (1, "1.10", "a"), (2, "2.00", "b"), (3, "3.00", "mine"))


@pytest.fixture
def theirs(write: Write) -> Path:
    return write("theirs.parquet", (1, "1.20", "a"), (2, "2.00", "new"), (9, "9.00", None))


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_diff_is_a_document(base: Path, theirs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    diff_files(JSON, base, theirs, ("id",), 2)
    found = document(capsys)
    assert found["schema_version"] == 1
    assert (found["inserted"], found["updated"], found["deleted"]) == (1, 2, 1)
    assert found["schema"] == []
    assert found["truncated"] is True
    assert found["rows"] == [
        {
            "kind": "updated",
            "key": {"id": 1},
            "before": {"id": 1, "amount": "1.00", "note": "a"},
            "after": {"id": 1, "amount": "1.20", "note": "a"},
            "columns": ["amount"],
            "count": 1,
        },
        {
            "kind": "updated",
            "key": {"id": 2},
            "before": {"id": 2, "amount": "2.00", "note": "b"},
            "after": {"id": 2, "amount": "2.00", "note": "new"},
            "columns": ["note"],
            "count": 1,
        },
    ]


def test_a_diff_reads_as_lines(base: Path, theirs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    diff_files(TABLE, base, theirs, ("id",), 3)
    assert capsys.readouterr().out.splitlines() == [
        "base.parquet → theirs.parquet   +1 ~2 −1 rows",
        "  ~ id=1   amount 1.00 → 1.20",
        "  ~ id=2   note b → new",
        "  − id=3   amount 3.00, note ∅",
        "… and 1 more row: --limit 100",
    ]


def test_a_diff_without_a_key_counts_rows(base: Path, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    right = write("right.parquet", (1, "1.00", "a"), (2, "2.00", "b"), (4, "4.00", "d"), (4, "4.00", "d"))
    diff_files(JSON, base, right, (), 10)
    found = document(capsys)
    assert (found["inserted"], found["updated"], found["deleted"], found["truncated"]) == (2, 0, 1, False)
    assert [(row["kind"], row["key"]["id"], row["count"]) for row in found["rows"]] == [
        ("deleted", 3, 1),
        ("inserted", 4, 2),
    ]
    diff_files(TABLE, base, right, (), 10)
    assert "  + id=4, amount=4.00, note=d   × 2" in capsys.readouterr().out.splitlines()


def test_a_diff_says_what_happened_to_columns(base: Path, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    renamed = FIELDS[1].with_name("total").with_type(pa.decimal128(12, 2))
    right = write("r.parquet", (1, "1.00", "a"), schema=pa.schema([FIELDS[0], renamed, FIELDS[2]]))
    diff_files(TABLE, base, right, ("id",), 10)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("−2 rows · 2 schema changes")
    assert lines[1:3] == [
        "  ~ column total renamed: amount → total",
        "  ~ column total retyped: decimal(10,2) → decimal(12,2)",
    ]


def test_conflicts_end_with_status_1_and_no_file(
    base: Path, ours: Path, theirs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.parquet"
    with pytest.raises(typer.Exit) as end:
        merge_files(JSON, base, ours, theirs, ("id",), out, None, ())
    assert end.value.exit_code == 1
    found = document(capsys)
    assert (found["status"], found["conflict_count"], found["rows"], found["out"]) == ("conflicted", 2, None, None)
    first, second = found["conflicts"]
    assert set(first) == {"id", "kind", "key", "column", "base", "ours", "theirs", "location"}
    assert (first["kind"], first["key"], first["column"]) == ("modify_modify", {"id": 1}, "amount")
    assert (first["base"], first["ours"], first["theirs"]) == ("1.00", "1.10", "1.20")
    assert (second["kind"], second["column"], second["theirs"]) == ("modify_delete", None, None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base.parquet", "ours.parquet", "theirs.parquet"]


def test_conflicts_read_as_a_table(base: Path, ours: Path, theirs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        merge_files(TABLE, base, ours, theirs, ("id",), None, None, ())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "✗ 2 conflicts, nothing was written   theirs → ours: +1 ~1 rows"
    assert [line.split() for line in lines[3:5]] == [
        ["⚠", "1", "amount", "1.00", "1.10", "1.20", "modify_modify"],
        ["⚠", "3", "*row*", "exists", "note=mine", "deleted", "modify_delete"],
    ]
    assert "--rule 'amount=greatest(ours, theirs)'" in lines[-1]


def test_answers_resolve_and_the_result_is_written_whole(
    base: Path, ours: Path, theirs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.parquet"
    merge_files(JSON, base, ours, theirs, ("id",), out, "ours", ("amount=ours + theirs - base",))
    found = document(capsys)
    assert found == {
        "schema_version": 1,
        "status": "merged",
        "conflicts": [],
        "conflict_count": 0,
        "statistics": {"inserted": 1, "updated": 2, "deleted": 0},
        "rows": 4,
        "out": str(out),
    }
    merged = pq.read_table(out)
    assert merged["amount"].to_pylist() == [Decimal("1.30"), Decimal("2.00"), Decimal("3.00"), Decimal("9.00")]
    assert merged["note"].to_pylist() == ["a", "new", "mine", None]
    assert merged.schema.equals(pa.schema(FIELDS), check_metadata=True)
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".tmp"]


def test_the_result_may_replace_an_input(base: Path, ours: Path, theirs: Path) -> None:
    merge_files(JSON, base, ours, theirs, ("id",), ours, "theirs", ())
    assert pq.read_table(ours)["id"].to_pylist() == [1, 2, 9]


def test_a_merge_without_a_key_is_one_of_multisets(
    base: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    more = write("more.parquet", (1, "1.00", "a"), (1, "1.00", "a"), (2, "2.00", "b"), (3, "3.00", None))
    less = write("less.parquet", (1, "1.00", "a"), (2, "2.00", "b"))
    merge_files(JSON, base, more, less, (), None, None, ())
    found = document(capsys)
    assert (found["rows"], found["statistics"]) == (3, {"inserted": 0, "updated": 0, "deleted": 1})


@pytest.mark.parametrize("content", [None, b"", b"not parquet at all", b"PAR1 cut off"])
def test_a_file_that_is_none_is_named(content: bytes | None, base: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    if content is not None:
        bad.write_bytes(content)
    with pytest.raises(ForgeError) as error:
        diff_files(JSON, base, bad, ("id",), 10)
    assert error.value.code == "E629"
    assert str(bad) in error.value.what


def test_a_folder_is_no_file(base: Path, tmp_path: Path) -> None:
    with pytest.raises(ForgeError) as error:
        diff_files(JSON, tmp_path, base, (), 10)
    assert error.value.code == "E629"


def test_an_unknown_key_is_answered_with_the_nearest_name(base: Path, ours: Path) -> None:
    with pytest.raises(ForgeError) as error:
        diff_files(JSON, base, ours, ("amont",), 10)
    assert (error.value.code, error.value.fix) == ("E613", "Did you mean amount?")


@pytest.mark.parametrize(
    ("take", "rules", "code"),
    [
        ("mine", (), "E619"),
        (None, ("amount",), "E619"),
        (None, ("amont=ours",), "E619"),
        (None, ("amount=max(ours, theirs)",), "E625"),
    ],
)
def test_answers_that_are_none_are_refused_before_anything_is_merged(
    take: str | None, rules: tuple[str, ...], code: str, base: Path
) -> None:
    with pytest.raises(ForgeError) as error:
        merge_files(JSON, base, base, base, ("id",), None, take, rules)
    assert error.value.code == code
    assert error.value.fix


def test_a_folder_that_does_not_exist_is_said_and_nothing_is_left(base: Path, tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match="cannot be written") as error:
        merge_files(JSON, base, base, base, ("id",), tmp_path / "no" / "out.parquet", None, ())
    assert error.value.code == "E629"
