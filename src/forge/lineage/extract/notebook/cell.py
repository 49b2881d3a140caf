"""One notebook cell as Python source, line by line."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forge.lineage.extract.notebook.magic import sql_call, sql_text_of, to_python_lines

_PYTHON = frozenset({"python", "python3", "python2", "ipython", "pyspark", "py"})
_SQL = frozenset({"sql", "sparksql", "spark sql", "tsql", "bigquery", "duckdb"})
# What has no lineage, or none that could be read.
_SILENT = re.compile(
    "md|markdown|sh|bash|fs|html|javascript|js|latex|svg|cmd|script|system|perl|ruby|writefile|file|configure|help"
    "|info|logs|cleanup|delete|send_to_spark|sx|skip|raw|text|pip|conda"
)
_TIMED = re.compile("time|timeit|capture|prun|local|memit|mprun|lprun|cache")  # what follows is Python
_OTHER = {"scala": "Scala", "r": "R", "ir": "R", "sparkr": "R", "csharp": "C#", "c#": "C#", "fsharp": "F#", "f#": "F#"}

_CELL_MAGIC = re.compile(r"\s*%%\s*(?P<word>[\w.]+)(?P<rest>.*)$", re.DOTALL)
_FIRST_MAGIC = re.compile(r"\s*%(?P<word>[A-Za-z]\w*)(?P<rest>.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """`lines`: file line of each row. `databricks`: `%sql` in the first row applies to the whole cell."""

    number: int
    rows: tuple[str, ...]
    lines: tuple[int, ...]
    language: str = "python"
    databricks: bool = False

    def line(self, row: int) -> int:
        return self.lines[row - 1] if 0 < row <= len(self.lines) else (self.lines[0] if self.lines else 1)


@dataclass(frozen=True, slots=True)
class CellProblem:
    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class CellCode:
    lines: tuple[str, ...] = ()
    problems: tuple[CellProblem, ...] = ()


def read_cell(cell: NotebookCell) -> CellCode:
    first = next((at for at, row in enumerate(cell.rows) if row.strip()), None)
    if first is None:
        return CellCode()
    language, rest = _language(cell, first)
    rows = list(cell.rows)
    if rest is not None:
        rows[first] = ""
    if language == "sql":
        return _sql(rows, first, rest, filled=not cell.databricks)
    if language == "python":
        return _python(rows, first)
    if language == "":
        return CellCode()
    name = _OTHER.get(language)
    if name is None and language.startswith("%%"):
        return CellCode(
            (), (CellProblem(first + 1, f"the cell begins with {language}, which is not known, and was not read"),)
        )
    return CellCode((), (CellProblem(first + 1, f"a cell in {name or language} is not read; only Python and SQL are"),))


def _language(cell: NotebookCell, first: int) -> tuple[str, str | None]:
    """python, sql, "" for cells that are skipped silently, or the name of an unsupported language; and the rest of
    the line of a cell magic."""
    row = cell.rows[first]
    found = _CELL_MAGIC.match(row)
    if found is not None:
        word = found["word"].lower()
        return _of_word(word, f"%%{found['word']}", cell.rows[first + 1 :]), found["rest"]
    found = _FIRST_MAGIC.match(row)
    if found is not None:
        word = found["word"].lower()
        if word in _SQL and _of_the_whole_cell(cell, first, found["rest"]):
            return "sql", found["rest"]
        if word in _OTHER or word in _PYTHON or word in ("md", "sh", "fs"):
            return _of_word(word, word, cell.rows[first + 1 :]), found["rest"]
        return "python", None
    if cell.language in _PYTHON:
        return "python", None
    if cell.language in _SQL:
        return "sql", None
    return ("" if _SILENT.fullmatch(cell.language) else cell.language), None


def _of_word(word: str, name: str, rest: Sequence[str]) -> str:
    if word in _PYTHON or _TIMED.fullmatch(word):
        return "python"
    if word in _SQL:
        return "sql"
    if word == "spark":  # Scala in Synapse, Python elsewhere
        return "python" if _parses("\n".join(rest)) else "scala"
    if _SILENT.fullmatch(word):
        return ""
    return word if word in _OTHER else name


def _of_the_whole_cell(cell: NotebookCell, first: int, rest: str) -> bool:
    """In Databricks `%sql` applies to the cell, in Jupyter to the line. If both are possible, the rows below decide:
    Python is not SQL."""
    below = "\n".join(cell.rows[first + 1 :])
    if cell.databricks or not rest.strip() or cell.language in _SQL:
        return True
    return bool(below.strip()) and not _parses("\n".join(to_python_lines(below.split("\n"))))


def _sql(rows: list[str], first: int, rest: str | None, *, filled: bool) -> CellCode:
    """`rest`: what follows the magic in its row; None for a SQL kernel without magic."""
    name = "_sqldf"
    if rest is not None:
        name, rows[first] = sql_text_of(rest)
    if not any(row.strip() and not row.strip().startswith("--") for row in rows):
        return CellCode()
    return CellCode(tuple(sql_call(rows, first, name, filled=filled and rest is not None)))


def _python(rows: list[str], first: int) -> CellCode:
    text = "\n".join(rows)
    if _parses(text):
        return CellCode(tuple(rows))
    lines = to_python_lines(rows)
    problem = _problem_of("\n".join(lines))
    if problem is None:
        return CellCode(tuple(lines))
    row, message = problem
    return CellCode((), (CellProblem(row or first + 1, f"the cell is not Python and was not read: {message}"),))


def _parses(text: str) -> bool:
    return _problem_of(text) is None


def _problem_of(text: str) -> tuple[int, str] | None:
    parse: Callable[[str], ast.Module] = ast.parse
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a text is no concern of ours
        try:
            parse(text)
        except SyntaxError as problem:
            return problem.lineno or 0, problem.msg
        except (ValueError, RecursionError, MemoryError):
            return 0, "it cannot be parsed"
    return None
