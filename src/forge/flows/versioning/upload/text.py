"""Uploads as text: CSV and JSON lines. Whole columns are converted at once; where that fails, line by line, to name
the first invalid one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from forge.flows.versioning.fit_rows import check_columns
from forge.flows.versioning.upload.limits import too_large
from forge.flows.versioning.upload.values import InvalidValue, cast_texts, converter, find_type
from forge.model.errors import ForgeError
from forge.versioning.arrow_types import arrow_type
from forge.versioning.field import Fields, TableField

MORE = 1000  # bad lines that are counted after the first
_SHOWN = 60  # characters of a value in a message
_PLAIN: dict[str, set[type]] = {"bigint": {int}, "string": {str}, "boolean": {bool}, "double": {float, int}}


@dataclass(slots=True)
class _Problems:
    """The first bad line, and how many more there are."""

    file: str
    first: ForgeError | None = None
    more: int = 0

    def add(self, line: int, what: str, fix: str) -> bool:
        """False: the limit is reached."""
        if self.first is None:
            self.first = ForgeError("E621", f"Line {line}{what}", where=f"{self.file}:{line}", fix=fix)
            return True
        self.more += 1
        return self.more <= MORE

    def raise_first(self) -> None:
        if self.first is None:
            return
        count = f"More than {MORE} more lines are" if self.more > MORE else f"{self.more} more lines are"
        others = f" {count} bad, too." if self.more > 1 else " Another line is bad, too." if self.more else ""
        first = self.first
        raise ForgeError("E621", first.what, where=first.where, why=f"Nothing of it was taken.{others}", fix=first.fix)


def read_csv(name: str, content: bytes, schema: Fields | None, most: int, *, partial: bool, extra: bool) -> pa.Table:
    """With a header, in UTF-8. An empty field is NULL, in a column of text an empty text."""
    text = _decoded(name, content)
    header = _header(name, text)
    fields = schema
    if fields is not None:
        _check_header(header, fields, name, partial=partial, extra=extra)
        fields = tuple(field for field in fields if not partial or field.name in header)
    columns = _columns_fast(content, header) if b'"' not in content else None
    if columns is None:
        columns = _columns_exact(name, text, header)
    length = len(columns[0]) if columns else 0
    if length > most:
        raise too_large(name, f"{length:,} rows", f"{most:,} rows")
    texts = dict(zip(header, columns, strict=True))
    if fields is None:
        fields = tuple(TableField(each, each, find_type(texts[each])) for each in header)
    made = {field.name: _typed(texts.get(field.name), field, length) for field in fields}
    if any(column is None for column in made.values()):
        return _read_singly(name, _csv_lines(name, text, header), fields, empty_is_null=True)
    return pa.table(made)


def _decoded(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ForgeError(
            "E621",
            f"Line {line} is not UTF-8",
            where=f"{name}:{line}",
            why=f"{error.reason}: {content[error.start : error.start + 1]!r}",
            fix="Save the file as UTF-8.",
        ) from error


def _header(name: str, text: str) -> list[str]:
    try:
        header = next((row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row), None)
    except csv.Error as error:
        raise _broken(name, 1, str(error)) from error
    if header is None:
        raise ForgeError("E621", f"{name} is empty", where=name, fix="The first line names the columns.")
    if len(set(header)) < len(header) or "" in header:
        twice = next((each for place, each in enumerate(header) if each in header[:place]), "")
        what = f"The column {twice} is there twice" if twice else "A column has no name"
        raise ForgeError("E621", what, where=f"{name}:1", fix="The first line names each column once.")
    return header


def _check_header(header: Sequence[str], fields: Fields, name: str, *, partial: bool, extra: bool) -> None:
    known = {field.name for field in fields}
    names = [each for each in header if each in known] if extra else list(header)
    check_columns(names, fields, f"{name}:1", partial=partial)


def _columns_fast(content: bytes, header: Sequence[str]) -> list[pa.ChunkedArray] | None:
    """All as text. None where it has to be parsed exactly, to report errors."""
    from pyarrow import csv as arrow_csv

    try:
        found = arrow_csv.read_csv(
            pa.BufferReader(content),
            convert_options=arrow_csv.ConvertOptions(
                column_types={each: pa.string() for each in header}, strings_can_be_null=False
            ),
        )
    except pa.ArrowException:
        return None
    return list(found.columns) if found.column_names == list(header) else None


def _columns_exact(name: str, text: str, header: Sequence[str]) -> list[pa.ChunkedArray]:
    rows = [row for _, row in _csv_lines(name, text, header)]
    return [pa.chunked_array([pa.array([row[each] for row in rows], pa.string())]) for each in header]


def _csv_lines(name: str, text: str, header: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row with the line it begins at."""
    csv.field_size_limit(max(csv.field_size_limit(), 2**30))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    problems = _Problems(name)
    line, is_header = 1, True
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            problems.raise_first()
            raise _broken(name, line, str(error)) from error
        if row is None:
            break
        if row and not is_header and len(row) != len(header):
            what = f" has {len(row)} fields, and the header has {len(header)}"
            if not problems.add(line, what, "Quote a field that holds a comma."):
                break
        elif row and not is_header and problems.first is None:
            yield line, dict(zip(header, row, strict=True))
        is_header = is_header and not row
        line = reader.line_num + 1
    problems.raise_first()


def _broken(name: str, line: int, why: str) -> ForgeError:
    return ForgeError(
        "E621",
        f"The text that begins in line {line} is no CSV",
        where=f"{name}:{line}",
        why=why,
        fix='Close every quote, and double a quote inside of a field: "".',
    )


def _typed(column: pa.ChunkedArray | None, field: TableField, length: int) -> pa.ChunkedArray | None:
    if column is None:
        return pa.chunked_array([pa.nulls(length, arrow_type(field.type))])
    made = cast_texts(column, field.type)
    return None if made is None or (field.required and made.null_count) else made


def _read_singly(
    name: str, lines: Iterator[tuple[int, dict[str, Any]]], fields: Fields, *, empty_is_null: bool
) -> pa.Table:
    problems = _Problems(name)
    converters = {field.name: converter(field.type) for field in fields}
    values: dict[str, list[object]] = {field.name: [] for field in fields}
    for line, row in lines:
        bad = _convert(row, fields, converters, values, empty_is_null)
        if bad is not None and not problems.add(
            line, f", column {bad[0].name}: {bad[1]}", f"The column is {bad[0].type}."
        ):
            break
    problems.raise_first()
    return pa.table({f.name: pa.array(values[f.name], arrow_type(f.type)) for f in fields})


def _convert(
    row: dict[str, Any],
    fields: Fields,
    converters: dict[str, Callable[[object], object]],
    values: dict[str, list[object]],
    empty_is_null: bool,
) -> tuple[TableField, str] | None:
    """Adds the row to the values; else the column that does not fit, and why."""
    for field in fields:
        given = row.get(field.name)
        if given is None or (empty_is_null and given == "" and field.type != "string"):
            if field.required:
                return field, "it is empty, and the column is required"
            values[field.name].append(None)
            continue
        try:
            values[field.name].append(converters[field.name](given))
        except InvalidValue as error:
            return field, f"{_shown(given)} is not a {field.type}: {error}"
    return None


def _shown(value: object) -> str:
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def read_json(name: str, content: bytes, schema: Fields | None, most: int, *, partial: bool, extra: bool) -> pa.Table:
    """One object a line. A missing key is NULL."""
    lines = _json_lines(name, _decoded(name, content), most)
    header = list(dict.fromkeys(key for _, row in lines for key in row))
    fields = schema
    if fields is None:
        fields = tuple(TableField(each, each, _json_type([row.get(each) for _, row in lines])) for each in header)
    else:
        known = {field.name for field in fields}
        for line, row in lines:  # the first line that has a name the table does not know
            if not extra and not known.issuperset(row):
                check_columns([key for key in row if key not in known], fields, f"{name}:{line}", partial=True)
        fields = tuple(field for field in fields if not partial or field.name in header)
    made = {field.name: _json_column([row.get(field.name) for _, row in lines], field) for field in fields}
    if any(column is None for column in made.values()):
        return _read_singly(name, iter(lines), fields, empty_is_null=False)
    return pa.table(made)


def _json_lines(name: str, text: str, most: int) -> list[tuple[int, dict[str, Any]]]:
    rows: list[tuple[int, dict[str, Any]]] = []
    problems = _Problems(name)
    decode = json.JSONDecoder(parse_float=_number, object_pairs_hook=_object).decode
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        try:
            row = decode(written.strip())
            if not isinstance(row, dict):
                raise InvalidValue("it is no object")
            rows.append((line, row))
        except (ValueError, RecursionError) as error:
            if not problems.add(line, f" is no JSON object: {error}", 'Write one object a line, like {"id": 1}.'):
                break
        if len(rows) > most:
            raise too_large(name, f"more than {most:,} rows", f"{most:,} rows")
    problems.raise_first()
    return rows


def _number(text: str) -> object:
    """Exact where a float would not be: a decimal column gets the digits as written."""
    value = float(text)
    return value if repr(value) == text else Decimal(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidValue("a name is there twice")
    return found


def _json_column(values: list[Any], field: TableField) -> pa.Array | None:
    """All at once where each is of the plain type; None: convert them one by one."""
    present = set(map(type, values)) - {type(None)}
    if (field.required and None in values) or field.type not in _PLAIN or not present <= _PLAIN[field.type]:
        return None
    try:
        return pa.array(values, arrow_type(field.type))
    except (pa.ArrowException, OverflowError):
        return None


def _json_type(values: list[Any]) -> str:
    from forge.versioning.arrow_types import type_name

    present = [value for value in values if value is not None]
    kinds = set(map(type, present))
    if kinds <= {int}:
        return "bigint" if kinds and all(-(2**63) <= value < 2**63 for value in present) else "string"
    if kinds <= {int, float, Decimal}:
        return "double"
    if kinds == {bool}:
        return "boolean"
    if kinds == {str}:
        found = find_type(pa.chunked_array([pa.array(present, pa.string())]))
        return found if found in ("date", "timestamp") and "" not in present else "string"
    try:
        return type_name(pa.array(present).type)
    except (pa.ArrowException, TypeError):
        return "string"
