"""Notebooks as Python text: `.ipynb`, and the exports of Databricks and Fabric (`.py`, `.sql`).

Each source line stands in the text at the line where it stands in the file, so that what is found there opens in an
editor at the right place. Only where a file has several source lines in one line (JSON without line breaks) do the two
differ; `Code.placed` puts that right, and tells the cell.

SQL cells become `_sqldf = spark.sql(…)`, `%run ./other` becomes `__forge_run__("./other")`. A cell that cannot be read
is a gap and hides no other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from forge.lineage.edge import Gap
from forge.lineage.extract.lines import relined
from forge.lineage.extract.notebook.cell import Cell, Read, read_cell
from forge.lineage.extract.notebook.document import NotANotebook, cells_of_json
from forge.lineage.extract.notebook.head import HEAD
from forge.lineage.extract.program import Program

_BREAK = re.compile(r"(?:#|--)\s*(?:COMMAND -{5,}|(?:PARAMETERS )?CELL \*{5,}|(?P<other>MARKDOWN|METADATA) \*{5,})\s*$")
_MAGIC = re.compile(r"(?:#|--)\s?MAGIC ?")
_TITLE = re.compile(r"(?:#|--)\s*DBTITLE\b")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line of the text comes from: the line of the file, and the cell and the line in it, both from 1."""

    line: int
    cell: int = 0
    row: int = 0

    def __str__(self) -> str:
        return f"cell {self.cell}, line {self.row}" if self.cell else f"line {self.line}"


@dataclass(frozen=True, slots=True)
class Code:
    """`places`: of the lines of the text, in order; None where nothing of the notebook stands."""

    file: str
    text: str
    places: tuple[Place | None, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def place(self, line: int) -> Place:
        """Of a line of the text; of one between the cells, that of the last before it."""
        for at in range(min(line, len(self.places)) - 1, -1, -1):
            found = self.places[at]
            if found is not None:
                return found
        return Place(max(line, 1))

    def placed(self, program: Program) -> Program:
        """What was read out of the text, at the lines of the file and with the gaps of the notebook itself."""
        at_home = relined(program, lambda line: self.place(line).line, lambda line: str(self.place(line)))
        return replace(at_home, file=self.file, gaps=(*self.gaps, *at_home.gaps))


def read_notebook(text: str, file: str) -> Code:
    """Never raises: what is no notebook is a gap."""
    if file.lower().endswith(".ipynb"):
        try:
            return _code_of(cells_of_json(text), file)
        except NotANotebook as problem:
            return Code(file, "", gaps=(Gap(file, problem.line, problem.reason),))
    return _code_of(_cells_of_export(text, "sql" if file.lower().endswith(".sql") else "python"), file)


def _code_of(cells: Iterable[Cell], file: str) -> Code:
    lines: list[str] = []
    places: list[Place | None] = []
    gaps: list[Gap] = []
    for cell in cells:
        read: Read = read_cell(cell)
        for problem in read.problems:
            at = Place(cell.line(problem.row), cell.number, problem.row)
            gaps.append(Gap(file, at.line, f"{problem.reason} ({at})"))
        for row, line in enumerate(read.lines, 1):
            while len(lines) + 1 < cell.line(row):
                lines.append("")
                places.append(None)
            lines.append(line)
            places.append(Place(cell.line(row), cell.number, row))
    return Code(file, "\n".join(lines), tuple(places), tuple(gaps))


def _cells_of_export(text: str, language: str) -> Iterable[Cell]:
    rows: list[str] = []
    number, start, read = 1, 1, True
    for line, content in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        found = _BREAK.match(content)
        if found is None:
            rows.append("" if line == 1 and HEAD.match(content) else content)
            continue
        if read:
            yield _exported(rows, number, start, language)
            number += 1
        rows, start, read = [], line + 1, found["other"] is None
    if read:
        yield _exported(rows, number, start, language)


def _exported(rows: list[str], number: int, start: int, language: str) -> Cell:
    plain = ["" if _TITLE.match(row) else row for row in rows]
    if any(_MAGIC.match(row) for row in plain):
        plain = [_MAGIC.sub("", row, count=1) if _MAGIC.match(row) else _commented(row, language) for row in plain]
    return Cell(number, tuple(plain), tuple(range(start, start + len(plain))), language, databricks=True)


def _commented(row: str, language: str) -> str:
    """Beside lines of magic there are only comments of the export itself; they must not get into another language."""
    return "" if row.startswith("#" if language == "python" else "--") else row
