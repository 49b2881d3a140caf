"""Spark's exceptions translated to Forge's errors: a code, the place in the user's text, the reason in one line."""

from __future__ import annotations

import logging
import re
import traceback
from pathlib import Path
from urllib.parse import unquote, urlparse

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from forge.model.errors import CellError, DiskFullError, ForgeError, SourceUnreachableError
from forge.versioning.errors import IncomparableCellsError

SPARK_ERRORS = (PySparkException, Py4JJavaError)
_LINE = re.compile(r"\bline (\d+),? pos(?:ition)? (\d+)")
_SUGGESTED = re.compile(r"Did you mean one of the following\? \[(.*?)\]")
_DISK_FULL = ("No space left on device", "Disk quota exceeded", "There is not enough space")
_NO_DATABASE = re.compile(
    r"java\.net\.\w+Exception|Connection refused|connection attempt failed|authentication failed"
    r"|unable to open database|Communications link failure|timed out",
    re.IGNORECASE,
)
_BAD_ROWS = ("MALFORMED_RECORD_IN_PARSING", "FAILED_READ_FILE", "CANNOT_PARSE")
_ROW_SIGN = re.compile(r"FORGE-(E611|E612|E619) (.*?)(?:\n|$|SQLSTATE)")
_SQL_PLACE = re.compile(r"== SQL \(line (\d+), position (\d+)\) ==")
_CALLED = re.compile(r"^An error occurred while calling [^\n]*\n: (?:[\w.$]+: )?")  # Py4J's own words
_WORKER_FRAME = re.compile(r'File "(.+?)", line (\d+)')


def keep_quiet() -> None:
    """PySpark logs the JVM's whole stack to stderr for every query it refuses, before anyone can catch the error."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def first_line(error: BaseException) -> str:
    """The message for a person: without the error class, the SQL and the JVM's stack."""
    text = _CALLED.sub("", str(error).strip().split("\n\tat ")[0])
    line = next((part.strip() for part in text.splitlines() if part.strip()), type(error).__name__)
    return re.sub(r"^\[[A-Z_.0-9]+\]\s*", "", line)[:600]


def root_cause(error: BaseException) -> str:
    """The last `Caused by:` of a JVM error, else its first line."""
    causes = re.findall(r"Caused by: (?:[\w.$]+: )?(.+)", str(error))
    return causes[-1].strip()[:600] if causes else first_line(error)


def analysis_error(error: BaseException, file: str, line: int = 1) -> ForgeError:
    """What Spark's analyser or parser refused, at its place in the user's file."""
    text = str(error)
    condition = _condition(error)
    match = _LINE.search(text)
    where = f"{file}:{match.group(1)}:{int(match.group(2)) + 1}" if match else f"{file}:{line}"
    if condition.startswith("PARSE_SYNTAX") or "ParseException" in type(error).__name__:
        return ForgeError("E201", "Spark cannot parse this SQL", where=where, why=first_line(error), fix="Correct it.")
    if condition.startswith(("UNRESOLVED_COLUMN", "UNRESOLVED_FIELD", "FIELD_NOT_FOUND")):
        near = _SUGGESTED.search(text)
        fix = f"Did you mean {near.group(1).replace('`', '')}?" if near else "Check the name against the inputs."
        return ForgeError("E203", _unresolved(text), where=where, why="No input has a column of that name.", fix=fix)
    if condition.startswith("UNRESOLVED_ROUTINE"):
        name = re.search(r"routine `(.+?)`", text)
        what = f"Unknown function {name.group(1)}" if name else "Unknown function"
        return ForgeError("E211", what, where=where, why=first_line(error), fix="Check the spelling.")
    if condition.startswith("TABLE_OR_VIEW_NOT_FOUND"):
        return ForgeError("E202", first_line(error), where=where, fix="Check the spelling; tables are schema.table.")
    return ForgeError("E211", "Spark refused the query", where=where, why=first_line(error), fix="Correct the query.")


def _condition(error: BaseException) -> str:
    get = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    condition = get() if get else None
    return condition or ""


def _unresolved(text: str) -> str:
    match = re.search(r"with name (`.+?`) cannot be resolved", text)
    name = match.group(1).replace("`", "") if match else "a column"
    return f"Unknown column {name}"


def job_error(error: BaseException, where: str, root: Path | None = None) -> ForgeError:
    """A Spark job that failed. `root`: the project, to name its files as the user does."""
    text = str(error)
    if any(sign in text for sign in _DISK_FULL):
        return DiskFullError(
            "No space is left for the warehouse",
            where=where,
            why=root_cause(error),
            fix="Free some space (`forge gc --older-than 1h` removes what failed runs left), then run again.",
        )
    if "FORGE-E212" in text:
        key = re.search(r"FORGE-E212 (.*?)(?:\n|$|SQLSTATE)", text)
        return CellError(
            "E212",
            "The result has the same unique key more than once",
            without="The result has the same unique key more than once",
            where=where,
            why=key.group(1).strip() if key else None,
            fix="Deduplicate in the transform, for instance with row_number() over (partition by the key).",
        )
    found = _ROW_SIGN.search(text)
    if found:
        return _bad_keys(found.group(1), found.group(2).strip(), where)
    if any(sign in text for sign in _BAD_ROWS):
        return _bad_rows(error, where, root)
    if "Traceback (most recent call last)" in text:
        return _worker_error(text, where, root)
    place = _SQL_PLACE.search(text)
    if place and ":" in where:
        where = f"{where.split(':')[0]}:{place.group(1)}:{place.group(2)}"
    return ForgeError(
        "E304",
        "A Spark job failed",
        where=where,
        why=root_cause(error),
        fix="Correct the transform; `forge run -vv` shows the stack trace.",
    )


def is_unreachable(error: BaseException) -> bool:
    """Of what a JDBC driver says."""
    return _NO_DATABASE.search(str(error)) is not None


def source_error(error: BaseException, url: str, where: str, root: Path | None = None) -> ForgeError:
    """A database that could not be read. Only its name is shown: an address may contain a password."""
    if not is_unreachable(error):
        return job_error(error, where, root)
    return SourceUnreachableError(
        f"The database {database_of(url)} cannot be reached",
        where=where,
        why=root_cause(error),
        fix="Check url, user and password of the source, and that this machine may connect to it; then try again.",
    )


def database_of(url: str) -> str:
    """The last part of an address: `shop` of jdbc:postgresql://db.example:5432/shop?user=ada."""
    named = re.search(r";\s*database(?:Name)?=([^;]+)", url, re.IGNORECASE)
    path = re.split(r"[?;]", url.removeprefix("jdbc:"))[0].rstrip("/")
    last = re.split(r"[/\\:@]", path)[-1]
    return named.group(1) if named else last or "of the source"


def _bad_keys(code: str, why: str, where: str) -> ForgeError:
    """Key errors that one of our own expressions raised inside a job."""
    what, fix = {
        "E611": ("The rows have the same key more than once", "Remove the duplicates, or use a key that is unique."),
        "E612": ("A key of the rows is NULL", "Fill the column, leave these rows out, or use another key."),
        "E619": ("The expression gives no whole number", "Round it, for instance with floor(…)."),
    }[code]
    kind = CellError if code == "E619" else IncomparableCellsError
    return kind(code, what, without=what, where=where, why=why, fix=fix)


def _bad_rows(error: BaseException, where: str, root: Path | None) -> ForgeError:
    text = str(error)
    file = re.search(r"while reading file (\S+?)\.?\s", text)
    record = re.search(r"(?:bad record was encountered: |Malformed record: |in record parsing: )(.+)", text)
    row = f" (the row reads {record.group(1).strip().rstrip('.')})" if record else ""
    what = f"{_shown(file.group(1), root) if file else 'A file'} has rows that do not fit the declared columns"
    return CellError(
        "E210",
        what,
        without=what,
        where=where,
        why=f"{root_cause(error)}{row}"[:600],
        fix="Correct the file or the columns of the source. Nothing of it was loaded.",
    )


def _shown(uri: str, root: Path | None) -> str:
    """A local file as the user wrote it, any other as it is."""
    path = Path(unquote(urlparse(uri).path)) if uri.startswith("file:") else None
    if path is None:
        return uri
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else str(path)


def _worker_error(text: str, where: str, root: Path | None) -> ForgeError:
    """An exception inside a Python worker, of which only the traceback text is available."""
    trace = text[text.index("Traceback (most recent call last)") :].split("\n\n")[0].split("\n\tat ")[0]
    raised = [line for line in trace.splitlines() if re.match(r"[\w.]+(?::|$)", line)]
    for file, line in _WORKER_FRAME.findall(trace):
        path = Path(file)
        if root and path.is_absolute() and path.is_relative_to(root):
            where = f"{path.relative_to(root).as_posix()}:{line}"
    return ForgeError(
        "E207",
        raised[-1].strip()[:600] if raised else "a Python worker failed",
        where=where,
        why="A function of the transform raised it while Spark worked on the rows.",
        fix="Correct the code; `-vv` shows the whole stack trace.",
    )


def user_error(error: BaseException, file: str, root: Path, line: int) -> ForgeError:
    """An exception of the user's own code, at its deepest frame inside the project."""
    place = f"{file}:{line}"
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path.is_absolute() and path.is_relative_to(root):
            place = f"{path.relative_to(root).as_posix()}:{frame.lineno}"
    return ForgeError(
        "E207",
        f"{type(error).__name__}: {first_line(error)}",
        where=place,
        why="The transform's own code raised it.",
        fix="Correct the code; `-vv` shows the whole stack trace.",
    )
