"""Notebooks as Python source: `.ipynb`, and the exports of Databricks and Fabric (`.py`, `.sql`).

Source lines keep their line numbers of the file, so that editors open at the right place. Only where a file has more
than one in a line (JSON without line breaks) do the two differ; `placed` maps them back, with the cell.

SQL cells become `_sqldf = spark.sql(…)`, `%run ./other` becomes `__forge_run__("./other")`. A cell that cannot be read
is a gap and hides no other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from forge.lineage.edge import Gap
from forge.lineage.extract.lines import with_lines
from forge.lineage.extract.notebook.cell import CellCode, NotebookCell, read_cell
from forge.lineage.extract.notebook.detection import HEAD
from forge.lineage.extract.notebook.document import NotebookError, cells_of_json
from forge.lineage.extract.program import Program

_BREAK = re.compile(r"(?:#|--)\s*(?:COMMAND -{5,}|(?:PARAMETERS )?CELL \*{5,}|(?P<other>MARKDOWN|METADATA) \*{5,})\s*$")
_MAGIC = re.compile(r"(?:#|--)\s?MAGIC ?")
_TITLE = re.compile(r"(?:#|--)\s*DBTITLE\b")


@dataclass(frozen=True, slots=True)
class CellPlace:
    """The origin of a line: file line, cell and line in the cell, from 1."""

    line: int
    cell: int = 0
    row: int = 0

    def __str__(self) -> str:
        return f"cell {self.cell}, line {self.row}" if self.cell else f"line {self.line}"


@dataclass(frozen=True, slots=True)
class NotebookCode:
    """`places`: of each line, in order; None for generated lines."""

    file: str
    text: str
    places: tuple[CellPlace | None, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def place(self, line: int) -> CellPlace:
        """Of a line of the text; of one between the cells, that of the last before it."""
        for at in range(min(line, len(self.places)) - 1, -1, -1):
            found = self.places[at]
            if found is not None:
                return found
        return CellPlace(max(line, 1))

    def placed(self, program: Program) -> Program:
        """What was read out of the text, at the lines of the file and with the gaps of the notebook itself."""
        at_home = with_lines(program, lambda line: self.place(line).line, lambda line: str(self.place(line)))
        return replace(at_home, file=self.file, gaps=(*self.gaps, *at_home.gaps))


def read_notebook(text: str, file: str) -> NotebookCode:
    """Never raises: what is no notebook is a gap."""
    if file.lower().endswith(".ipynb"):
        try:
            return _code_of(cells_of_json(text), file)
        except NotebookError as problem:
            return NotebookCode(file, "", gaps=(Gap(file, problem.line, problem.reason),))
    return _code_of(_cells_of_export(text, "sql" if file.lower().endswith(".sql") else "python"), file)


def _code_of(cells: Iterable[NotebookCell], file: str) -> NotebookCode:
    lines: list[str] = []
    places: list[CellPlace | None] = []
    gaps: list[Gap] = []
    for cell in cells:
        read: CellCode = read_cell(cell)
        for problem in read.problems:
            at = CellPlace(cell.line(problem.row), cell.number, problem.row)
            gaps.append(Gap(file, at.line, f"{problem.reason} ({at})"))
        for row, line in enumerate(read.lines, 1):
            while len(lines) + 1 < cell.line(row):
                lines.append("")
                places.append(None)
            lines.append(line)
            places.append(CellPlace(cell.line(row), cell.number, row))
    return NotebookCode(file, "\n".join(lines), tuple(places), tuple(gaps))


def _cells_of_export(text: str, language: str) -> Iterable[NotebookCell]:
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


def _exported(rows: list[str], number: int, start: int, language: str) -> NotebookCell:
    plain = ["" if _TITLE.match(row) else row for row in rows]
    if any(_MAGIC.match(row) for row in plain):
        plain = [_MAGIC.sub("", row, count=1) if _MAGIC.match(row) else _commented(row, language) for row in plain]
    return NotebookCell(number, tuple(plain), tuple(range(start, start + len(plain))), language, databricks=True)


def _commented(row: str, language: str) -> str:
    """Besides magic lines there are only comments of the export itself, which must not get into another language."""
    return "" if row.startswith("#" if language == "python" else "--") else row
