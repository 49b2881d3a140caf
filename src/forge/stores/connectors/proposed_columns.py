"""Columns that would fit CSV and JSON files, by the first rows of the first file: to look at, never taken unseen."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from forge.federation.source import Source
from forge.flows.federation.ports import ProposedColumns
from forge.flows.runs.source_files import find_files, lines_of, open_text
from forge.model.errors import ForgeError
from forge.stores.connectors.json_cells import JsonNumber, parse_json
from forge.transforms.transform import FileSource

_ROWS = 1_000
# A whole number with a zero before it is a code, and one of 19 digits may be too large for a bigint.
_FORMS: Mapping[str, re.Pattern[str]] = {
    "boolean": re.compile(r"true|false", re.IGNORECASE),
    "bigint": re.compile(r"-?(0|[1-9][0-9]{0,17})"),
    "double": re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?"),
    "date": re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"),
}


def propose_columns(source: Source, root: Path, refuse: Callable[[Path], None] = lambda path: None) -> ProposedColumns:
    """E208 where there is no file, E210 for one that cannot be read. A CSV whose options do not say otherwise is taken
    to have a header, and the options of the answer say so."""
    options = {"header": "true", **source.options} if source.format == "csv" else dict(source.options)
    files = FileSource(source.format, source.path, {}, options)  # type: ignore[arg-type]
    first = find_files(files, root, source.name)[0]
    refuse(root / first.path)
    encoding = options.get("encoding", "utf-8-sig")
    try:
        text = open_text(str(root / first.path), encoding)
        if text is None:
            raise ForgeError("E210", f"{first.path} is packed in a way that is not read here", fix="Use gzip.")
        with text:
            lines = islice(lines_of(text, Path(first.path).name), _ROWS)
            found = _of_csv(lines, options) if source.format == "csv" else _of_json(lines)
    except (OSError, EOFError, LookupError, ValueError, csv.Error) as error:
        raise ForgeError(
            "E210", f"{first.path} cannot be read as {source.format}", fix="Correct its format."
        ) from error
    return ProposedColumns(first.path, found, options)


def _of_csv(lines: Iterable[str], options: Mapping[str, str]) -> dict[str, str]:
    delimiter = options.get("sep", options.get("delimiter", ",")).replace("\\t", "\t")
    rows = list(csv.reader(lines, delimiter=delimiter))
    headed = options["header"].lower() == "true"
    names = rows[0] if rows and headed else [f"c{index}" for index in range(1, len(rows[0]) + 1 if rows else 1)]
    return {
        name: _type_of([row[index] for row in rows[int(headed) :] if index < len(row)])
        for index, name in enumerate(names)
        if name.strip()
    }


def _of_json(lines: Iterable[str]) -> dict[str, str]:
    """Lists and objects are left out: they are no columns."""
    rows = [row for row in (parse_json(line) for line in lines if line.strip()) if isinstance(row, dict)]
    cells: dict[str, list[Any]] = {}
    for row in rows:
        for name, cell in row.items():
            cells.setdefault(name, []).append(cell)
    flat = {name: found for name, found in cells.items() if not any(isinstance(one, dict | list) for one in found)}
    return {name: _type_of_json(found) for name, found in flat.items()}


def _type_of_json(cells: Sequence[Any]) -> str:
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, bool) for cell in present):
        return "boolean"
    if present and all(isinstance(cell, JsonNumber) for cell in present):
        return _type_of(present)
    if any(isinstance(cell, bool | JsonNumber) for cell in present):
        return "string"
    found = _type_of(present)
    return found if found == "date" else "string"


def _type_of(texts: Sequence[str]) -> str:
    present = [text for text in texts if text != ""]
    return next((kind for kind, form in _FORMS.items() if present and all(map(form.fullmatch, present))), "string")
