"""Personal data in a file: CSV, Parquet or JSON lines, outside of any project. Nothing is stored."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from forge.catalog.pii import PiiFinding, find_pii
from forge.model.errors import ForgeError

ROWS = 10_000  # that are looked at, from the beginning of the file
_MAX_CELL = 1_000_000  # characters of a CSV cell
_KINDS = {"csv": "csv", "tsv": "csv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "parquet": "parquet"}
Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class FileScan:
    """`rows` were read; `complete`: there are no others."""

    file: str
    rows: int
    complete: bool
    findings: tuple[PiiFinding, ...]

    def to_dict(self) -> dict[str, object]:
        found = [finding.to_dict() for finding in self.findings]
        return {"file": self.file, "rows": self.rows, "complete": self.complete, "columns": found}


def is_table_file(path: Path) -> bool:
    """By its ending."""
    return path.suffix.lower().lstrip(".") in _KINDS


def scan_file(path: Path, rows: int = ROWS) -> FileScan:
    """Looks at the first `rows` rows. E629: it is no table."""
    kind = _KINDS.get(path.suffix.lower().lstrip("."))
    if kind is None:
        why = "Its ending is none of .csv, .tsv, .jsonl, .ndjson, .json and .parquet."
        raise _unreadable(path, why, "Give it the ending of its format.")
    if not path.is_file():
        raise _unreadable(path, "There is no such file.", "Look at its name, and try again.")
    read = {"csv": _csv_rows, "jsonl": _json_rows, "parquet": _parquet_rows}[kind]
    columns: dict[str, list[object]] = {}
    count, complete = 0, True
    try:
        for row in islice(read(path), rows + 1):
            if count == rows:
                complete = False
                break
            count += 1
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise _unreadable(path, str(error), "Look at the file, and try again.") from error
    return FileScan(str(path), count, complete, find_pii(columns))


def _unreadable(path: Path, why: str, fix: str) -> ForgeError:
    return ForgeError("E629", f"{path.name} cannot be read as a table", where=str(path), why=why, fix=fix)


def _csv_rows(path: Path) -> Iterator[Row]:
    csv.field_size_limit(_MAX_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        sample = file.read(65_536)
        delimiter = _delimiter(sample)
        file.seek(0)
        lines = csv.reader(file, delimiter=delimiter)
        header = next(lines, None)
        if not header:
            raise ValueError("It is empty.")
        for line in lines:
            yield dict(zip(header, line, strict=False))


def _delimiter(sample: str) -> str:
    """That which the first line has most of."""
    first = sample.partition("\n")[0]
    return max(",;\t|", key=first.count)


def _json_rows(path: Path) -> Iterator[Row]:
    """One object a line; or one list of objects."""
    with path.open(encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "")
        whole = first.lstrip().startswith("[")
        items: Iterable[object] = (
            json.loads(first + file.read()) if whole else map(json.loads, chain([first], filter(str.strip, file)))
        )
        for item in items:
            if not isinstance(item, dict):
                raise ValueError("A line of it is no JSON object.")
            yield {name: _as_text(value) for name, value in item.items()}


def _as_text(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _parquet_rows(path: Path) -> Iterator[Row]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                yield {name: _as_text(value) for name, value in row.items()}
