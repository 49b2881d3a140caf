"""Personal data in a file: CSV, Parquet or JSON lines, outside of any project. Nothing is stored."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from forge.catalog.pii import PiiFinding, PiiType, find_pii
from forge.catalog.pii.detect import LOOKED_AT
from forge.flows.catalog.nested_fields import take_apart
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 10_000  # that are looked at, from the beginning of the file
_MAX_CELL = 2**31 - 1  # bytes of a CSV cell
_LONGEST = 20_000  # characters of a value that are kept
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


def scan_file(path: Path, rows: int = ROWS, types: Sequence[PiiType] = ()) -> FileScan:
    """Looks at the first `rows` rows. `types`: of the project. E629: it is no table."""
    kind = _KINDS.get(path.suffix.lower().lstrip("."))
    if kind is None:
        why = "Its ending is none of .csv, .tsv, .jsonl, .ndjson, .json and .parquet."
        raise _unreadable(path, why, "Give it the ending of its format.")
    if not path.is_file():
        raise _unreadable(path, "There is no such file.", "Look at its name, and try again.")
    read = {"csv": _csv_rows, "jsonl": _json_rows, "parquet": _parquet_rows}[kind]
    columns: dict[str, list[object]] = {}
    count, complete = -1, True  # the first row is that of the names
    try:
        for row in read(path):
            if count == rows:
                complete = False
                break
            count += 1
            for name, value in row.items():
                kept = columns.setdefault(name, [])
                if value is not None and count:
                    _keep(kept, value)
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise _unreadable(path, str(error), "Look at the file, and try again.") from error
    flat = take_apart(columns)
    return FileScan(str(path), count, complete, find_pii({name: map(_as_text, flat[name]) for name in flat}, types))


def _keep(kept: list[object], value: object) -> None:
    """Text of an object that is too long to be kept."""
    if not isinstance(value, dict | list):
        kept.append(value[:_LONGEST] if isinstance(value, str) else value)
    elif len(kept) < LOOKED_AT:
        text = str(_as_text(value))
        kept.append(value if isinstance(value, dict) and len(text) <= _LONGEST else text[:_LONGEST])


def _unreadable(path: Path, why: str, fix: str) -> ForgeError:
    return ForgeError("E629", f"{path.name} cannot be read as a table", where=str(path), why=why, fix=fix)


def _csv_rows(path: Path) -> Iterator[Row]:
    csv.field_size_limit(_MAX_CELL)
    with path.open(encoding=_encoding(path), newline="") as file:
        sample = file.read(65_536)
        delimiter = _delimiter(sample)
        file.seek(0)
        if sample.startswith("sep="):  # a line for Excel
            file.readline()
        lines = csv.reader(file, delimiter=delimiter)
        header = next((line for line in lines if line), None)
        if not header:
            raise ValueError("It is empty.")
        names = _different(header)
        yield dict.fromkeys(names)
        for line in lines:
            yield dict(zip(names, line, strict=False))


def _encoding(path: Path) -> str:
    """UTF-16 says so in its first bytes; what is no UTF-8 is what Windows writes in the west."""
    with path.open("rb") as file:
        head = file.read(1_000_000)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        if b"\0" in head:
            raise ValueError("It is no text.") from None
        return "cp1252"
    return "utf-8-sig"


def _different(header: Iterable[str]) -> list[str]:
    """Columns that have the same name are numbered: mail, mail (2)."""
    names: dict[str, None] = {}
    for name in header:
        place, own = 1, name
        while own in names:
            place += 1
            own = f"{name} ({place})".strip()
        names[own] = None
    return list(names)


def _delimiter(sample: str) -> str:
    """That which the first line has most of."""
    first = sample.lstrip().partition("\n")[0]
    if first.startswith("sep=") and len(first.strip()) == 5:
        return first[4]
    return max(",;\t|", key=first.count)


def _json_rows(path: Path) -> Iterator[Row]:
    """One object a line; or one list of objects, or one object."""
    with path.open(encoding=_encoding(path)) as file:
        number, first = next(((at, line) for at, line in enumerate(file, 1) if line.strip()), (0, ""))
        if not first:
            raise ValueError("It is empty.")
        yield {}
        for item in _json_items(first, file, number):
            if not isinstance(item, dict):
                raise ValueError("A line of it is no JSON object.")
            yield item


def _json_items(first: str, file: TextIO, number: int) -> Iterable[object]:
    """`number`: of the first line."""
    if first.lstrip().startswith("["):
        found: list[object] = json.loads(first + file.read())
        return found
    if first.strip() == "{":
        return [json.loads(first + file.read())]
    return _json_lines(enumerate(chain([first], file), number))


def _json_lines(lines: Iterable[tuple[int, str]]) -> Iterator[object]:
    for number, line in lines:
        try:
            if line.strip():
                yield json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"Line {number:,} is no JSON: {error.msg}, at letter {error.colno}.") from error


def _as_text(value: object) -> object:
    return json.dumps(value, ensure_ascii=False, default=_plain) if isinstance(value, dict | list) else value


def _plain(value: object) -> str:
    """What JSON has no form for."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _parquet_rows(path: Path) -> Iterator[Row]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        names = _different(file.schema_arrow.names)
        yield dict.fromkeys(names)
        for batch in file.iter_batches(batch_size=1000):
            for row in zip(*map(_values, batch.columns), strict=True):
                yield dict(zip(names, row, strict=True))


def _values(column: pa.Array[Any]) -> list[object]:
    """As Python has them; as text where it has none, as for years beyond 9999."""
    import pyarrow as pa

    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        try:
            return list(column.cast(pa.string()).to_pylist())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return [None] * len(column)
