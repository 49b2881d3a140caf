"""The cells of an `.ipynb` file (nbformat 3 and 4, Synapse), with the file line of each source line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from forge.lineage.extract.notebook.cell import NotebookCell

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]', re.DOTALL)
_DATABRICKS = "application/vnd.databricks.v1+notebook"

JsonPath = tuple[str | int, ...]


@dataclass(frozen=True)
class NotebookError(Exception):
    line: int
    reason: str


def cells_of_json(text: str) -> Iterator[NotebookCell]:
    """Raises NotANotebook; a cell without source is none."""
    content = _loaded(text.lstrip("\ufeff"))
    before, book = _book_of(content)
    language = _language_of(book)
    databricks = _DATABRICKS in _inside(book, "metadata")
    lines = _lines_of_strings(text)
    number = 0
    for path, cell in _cells(book):
        number += 1
        if cell.get("cell_type", "code") != "code":
            continue
        key = "source" if "source" in cell else "input"
        rows, places = _rows(cell.get(key), (*before, *path, key), lines)
        own = _language_of_cell(cell) or language
        yield NotebookCell(number, rows, places, own, databricks=databricks)


def _loaded(text: str) -> Mapping[str, object]:
    try:
        content = json.loads(text)
    except json.JSONDecodeError as problem:
        raise NotebookError(problem.lineno, f"not a notebook: its JSON is broken ({problem.msg})") from None
    except (RecursionError, ValueError):
        raise NotebookError(1, "not a notebook: its JSON cannot be read") from None
    if not isinstance(content, dict):
        raise NotebookError(1, "not a notebook: it has no cells")
    return content


def _book_of(content: Mapping[str, object]) -> tuple[JsonPath, Mapping[str, object]]:
    for path, book in (((), content), (("properties",), _inside(content, "properties"))):
        if isinstance(book.get("cells"), list) or isinstance(book.get("worksheets"), list):
            return path, book
    raise NotebookError(1, "not a notebook: it has no cells")


def _cells(book: Mapping[str, object]) -> Iterator[tuple[JsonPath, Mapping[str, object]]]:
    cells = book.get("cells")
    if isinstance(cells, list):
        yield from ((("cells", at), cell) for at, cell in enumerate(cells) if isinstance(cell, dict))
        return
    sheets = book.get("worksheets")
    for number, sheet in enumerate(sheets if isinstance(sheets, list) else ()):
        inner = sheet.get("cells") if isinstance(sheet, dict) else None
        for at, cell in enumerate(inner if isinstance(inner, list) else ()):
            if isinstance(cell, dict):
                yield ("worksheets", number, "cells", at), cell


def _inside(value: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _language_of(book: Mapping[str, object]) -> str:
    metadata = _inside(book, "metadata")
    for inner, key in ((_DATABRICKS, "language"), ("kernelspec", "language"), ("language_info", "name")):
        found = _inside(metadata, inner).get(key)
        if isinstance(found, str) and found:
            return found.lower()
    return "python"


def _language_of_cell(cell: Mapping[str, object]) -> str:
    metadata = _inside(cell, "metadata")
    found = (
        _inside(metadata, "vscode").get("languageId")
        or _inside(metadata, "microsoft").get("language")
        or cell.get("language")
    )
    return found.lower() if isinstance(found, str) else ""


def _rows(source: object, path: JsonPath, lines: Mapping[JsonPath, int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The source lines, and where each begins. Source is a text or a list of pieces of it."""
    pieces: Sequence[tuple[str, int]]
    if isinstance(source, str):
        pieces = [(source, lines.get(path, 1))]
    elif isinstance(source, list):
        pieces = [(one, lines.get((*path, at), 1)) for at, one in enumerate(source) if isinstance(one, str)]
    else:
        pieces = []
    rows: list[str] = []
    places: list[int] = []
    begun = False
    for piece, line in pieces:
        for part in re.split(r"(?<=\n)", piece.replace("\r\n", "\n").replace("\r", "\n")):
            if not part:
                continue
            if begun:
                rows[-1] += part
            else:
                rows.append(part)
                places.append(line)
            begun = not part.endswith("\n")
    return tuple(row.rstrip("\n") for row in rows), tuple(places)


def _lines_of_strings(text: str) -> dict[JsonPath, int]:
    """Where each text that is a value begins. The JSON is known to be sound."""
    found: dict[JsonPath, int] = {}
    path: list[str | int] = []
    line, before, last = 1, 0, ""
    for token in _TOKEN.finditer(text):
        word = token.group()
        line += text.count("\n", before, token.start())
        before = token.start()
        if word in "{[":
            path.append("" if word == "{" else 0)
        elif word in "}]":
            path.pop()
        elif word == ",":
            if isinstance(path[-1], int):
                path[-1] += 1
            else:
                path[-1] = ""
        elif word == ":":
            path[-1] = json.loads(last)
        elif path and path[-1] == "":
            last = word
        else:
            found[tuple(path)] = line
    return found
