"""The kind of a source file, and its text.

Text is UTF-8, or what the byte order mark says (UTF-8, UTF-16, UTF-32). Invalid UTF-8 is read as Latin-1 and reported:
SQL and Python are ASCII but for names and comments, so lineage is right and at worst an accent is wrong. A file with a
zero byte is binary."""

from __future__ import annotations

import codecs
import posixpath
import re
from dataclasses import dataclass
from enum import StrEnum

from forge.lineage.extract.notebook import is_notebook

LARGEST = 10 * 1024 * 1024
_LARGEST_MANIFEST = 256 * 1024 * 1024  # dbt writes all of a project into one file
_HEAD = 64 * 1024

_SQL = frozenset(
    {
        *(".sql", ".hql", ".ddl", ".dml", ".spark", ".sparksql", ".dbsql", ".q", ".hive", ".psql", ".pgsql", ".tsql"),
        *(".bq", ".bteq", ".plsql", ".pls", ".pks", ".pkb", ".prc", ".fnc", ".vw", ".view", ".snowsql", ".duckdb.sql"),
    }
)
_TEMPLATE = re.compile(r"\.(?:j2|jinja|jinja2|tmpl|template|tpl)$")
_YAML = frozenset({".yml", ".yaml"})
_JSON = frozenset({".json", ".ndjson", ".jsonl"})
_PLAIN = frozenset({".csv", ".md"})  # of which a dbt project may hold something
_NOT_READ = {
    ".scala": "Scala is not read; only SQL and Python are",
    ".r": "R is not read; only SQL and Python are",
    ".jar": "",
    ".java": "",
}
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARES = re.compile(r"^edges\s*:", re.MULTILINE)
_SAYS_WHO = re.compile(r"^\s*(?:-\s*)?\{?\s*(?:author|source)\s*:", re.MULTILINE)
_EXPORT = re.compile(r'\s*\{"format"\s*:\s*"forge-lineage"')
_EVENT = re.compile(r'"(?:eventTime|eventType)"\s*:')
_EVENT_OF = re.compile(r'"(?:run|job|dataset)"\s*:\s*\{')


class FileKind(StrEnum):
    SQL = "sql"
    PYTHON = "python"
    NOTEBOOK = "notebook"
    DBT = "dbt"  # the file that makes a folder a dbt project
    DECLARED = "declared"  # edges that people wrote, in YAML
    EVENTS = "events"  # of OpenLineage, as JSON or one in each line
    EXPORT = "export"  # what `forge lineage export` wrote
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FileContent:
    """`text`: None if there is none. `problem`: what to report; None for files that are not code."""

    kind: FileKind
    text: str | None = None
    problem: str = ""


def text_of_file(path: str, data: bytes, *, size: int | None = None) -> FileContent:
    """`data`: the file, or so much of it that it is seen to be too large; `size`: of the file."""
    suffix = suffix_of(path)
    guess = _by_name(path, suffix)
    if not may_be_read(path):
        return FileContent(guess, problem=_NOT_READ.get(suffix, ""))
    whole = len(data) if size is None else size
    if suffix == ".csv":
        data = data.partition(b"\n")[0]  # only its names of columns say something
    elif whole > (most := limit_of(path)):
        reason = f"the file has {whole / 1024 / 1024:.0f} MB; files of more than {most // 1024 // 1024} MB are not read"
        return FileContent(guess, problem=reason if guess is not FileKind.OTHER or most > LARGEST else "")
    text, problem = decoded(data)
    if text is None:
        return FileContent(guess, problem=problem if guess is not FileKind.OTHER else "")
    kind = kind_of_file(path, text[:_HEAD])
    if not text.strip() and kind is not FileKind.OTHER:
        return FileContent(kind, text, "the file is empty")
    return FileContent(kind, text, problem if kind is not FileKind.OTHER else "")


def may_be_read(path: str) -> bool:
    """Whether it may hold something, by its name; no other file need be opened."""
    suffix = suffix_of(path)
    return _by_name(path, suffix) is not FileKind.OTHER or suffix in _YAML | _JSON | _PLAIN


def limit_of(path: str) -> int:
    """The most bytes that are read of it."""
    made_by_dbt = posixpath.basename(path) in ("manifest.json", "catalog.json")
    return _LARGEST_MANIFEST if made_by_dbt else LARGEST


def kind_of_file(path: str, head: str) -> FileKind:
    """`head`: the beginning of its text."""
    suffix = suffix_of(path)
    kind = _by_name(path, suffix)
    if kind in (FileKind.SQL, FileKind.PYTHON) and is_notebook(path, head):
        return FileKind.NOTEBOOK
    if suffix in _YAML and kind is FileKind.OTHER and _DECLARES.search(head) and _SAYS_WHO.search(head):
        return FileKind.DECLARED
    if suffix in _JSON and _EXPORT.match(head):
        return FileKind.EXPORT
    if suffix in _JSON and _EVENT.search(head) and _EVENT_OF.search(head):
        return FileKind.EVENTS
    return kind


def _by_name(path: str, suffix: str) -> FileKind:
    if posixpath.basename(path) in ("dbt_project.yml", "dbt_project.yaml"):
        return FileKind.DBT
    if suffix in _SQL:
        return FileKind.SQL
    return {".py": FileKind.PYTHON, ".ipynb": FileKind.NOTEBOOK}.get(suffix, FileKind.OTHER)


def suffix_of(path: str) -> str:
    """In small letters; of a template (`x.sql.j2`) that of what it makes."""
    name = _TEMPLATE.sub("", posixpath.basename(path).lower())
    return posixpath.splitext(name)[1]


def decoded(data: bytes) -> tuple[str | None, str]:
    """The text, and a problem to report; None: binary."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return data.decode(encoding), ""
            except UnicodeDecodeError:
                return None, f"the file begins as {encoding.removesuffix('-sig').upper()} and is not"
    if b"\0" in data[:_HEAD]:
        return None, "the file is binary"
    try:
        return data.decode(), ""
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        return data.decode("latin-1"), f"line {line} is not UTF-8; the file was read as Latin-1"
