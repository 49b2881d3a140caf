"""Terms as CSV, for spreadsheets. What a text holds comes back as it was.

Items of a list are separated by `|`; one inside an item is written `\\|`. A cell or item that a spreadsheet would
take for a formula gets an apostrophe before it, which is taken away again when it is read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from forge.catalog.glossary.entry import MOST_TERMS, TermEntry, TermFile, bad_file
from forge.catalog.glossary.term import CONTENT, GlossaryTerm
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

COLUMNS = ("id", *CONTENT)
LISTS = ("synonyms", "related", "examples")
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_DELIMITERS = (",", ";", "\t")


def terms_csv(terms: Iterable[GlossaryTerm]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for term in terms:
        writer.writerow([_cell(getattr(term, key)) for key in COLUMNS])
    return stream.getvalue()


def load_terms_csv(text: str, file: str) -> TermFile:
    """Never raises: rows that cannot be read are errors with their line. A column that is missing changes nothing."""
    csv.field_size_limit(max(csv.field_size_limit(), 2**30))  # one limit for the process; fields have their own
    text = text.removeprefix("\ufeff")
    delimiter = _delimiter(text)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    entries: list[TermEntry] = []
    errors: list[ForgeError] = []
    header: Sequence[str] | None = None
    try:
        for line, row in _rows(lines):
            if header is None:
                header = [name.strip().lower() for name in row]
                errors += _header_errors(header, f"{file}:{line}")
                if errors:
                    break
            elif len(entries) >= MOST_TERMS:
                errors.append(bad_file(f"There are more than {MOST_TERMS:,} terms", f"{file}:{line}"))
                break
            elif len(row) != len(header):
                what = f"The row has {len(row)} cells, the header {len(header)}"
                errors.append(bad_file(what, f"{file}:{line}", "Put cells with the separator in quotes."))
            else:
                entries.append(TermEntry(_fields(header, row), f"{file}:{line}"))
    except csv.Error as error:
        errors.append(bad_file(f"This is not CSV: {error}", f"{file}:{lines.line_num}"))
    if header is None and not errors:
        errors.append(bad_file("The file is empty", file, f"Its first line is {','.join(COLUMNS)}."))
    return TermFile(tuple(entries), tuple(errors))


def shielded(text: str) -> str:
    """Harmless in a spreadsheet."""
    return f"'{text}" if _FORMULA.match(text) else text


def unshielded(text: str) -> str:
    return text[1:] if _ESCAPED.match(text) else text


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        items = (shielded(str(item)).replace("\\", "\\\\").replace("|", "\\|") for item in value)
        return shielded(" | ".join(items))
    return shielded("" if value is None else str(value))


def _rows(lines: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it begins; blank lines are skipped."""
    begin = 1
    for row in lines:
        if any(cell.strip() for cell in row):
            yield begin, row
        begin = lines.line_num + 1  # type: ignore[attr-defined]  # of a csv.reader


def _delimiter(text: str) -> str:
    """That which separates most names of the first line: spreadsheets of some countries write semicolons."""
    first = text.lstrip("\r\n").splitlines()[0] if text.strip() else ""

    def known(delimiter: str) -> int:
        return sum(cell.strip(' "').lower() in COLUMNS for cell in first.split(delimiter))

    return max(_DELIMITERS, key=known)


def _header_errors(header: Sequence[str], where: str) -> list[ForgeError]:
    errors = [
        bad_file(
            f"There is no column '{name}'", where, did_you_mean(name, COLUMNS) or f"Columns: {', '.join(COLUMNS)}."
        )
        for name in header
        if name not in COLUMNS
    ]
    doubles = sorted({name for name in header if header.count(name) > 1 and name in COLUMNS})
    errors += [bad_file(f"The column '{name}' is there twice", where, "Remove one.") for name in doubles]
    if not {"id", "name"} & set(header):
        errors.append(bad_file("There is no column 'name'", where, f"Columns: {', '.join(COLUMNS)}."))
    return errors


def _fields(header: Sequence[str], row: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, cell in zip(header, row, strict=True):
        text = unshielded(cell)
        found[name] = _items(text) if name in LISTS else text.strip()
    if not found.get("id"):
        found.pop("id", None)
    return found


def _items(cell: str) -> list[str]:
    items, item, escaped = [], "", False
    for sign in cell:
        if escaped or sign not in "\\|":
            item += sign if not escaped or sign in "\\|" else f"\\{sign}"
            escaped = False
        elif sign == "\\":
            escaped = True
        else:
            items.append(item)
            item = ""
    items.append(item + ("\\" if escaped else ""))
    return [unshielded(one.strip()) for one in items if one.strip()]
