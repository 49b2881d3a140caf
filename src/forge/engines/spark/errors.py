"""Spark's exceptions turned into Forge's errors: a code, the place in the user's text, the reason in one line."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from forge.model.errors import ForgeError

_LINE = re.compile(r"\bline (\d+),? pos(?:ition)? (\d+)")
_SUGGESTED = re.compile(r"Did you mean one of the following\? \[(.*?)\]")
_DISK_FULL = ("No space left on device", "Disk quota exceeded", "There is not enough space")


def first_line(error: BaseException) -> str:
    """The sentence a person needs: without the error class, the SQL and the JVM's stack."""
    text = str(error).strip().split("\n\tat ")[0]
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
    if condition.startswith(("TABLE_OR_VIEW_NOT_FOUND", "UNRESOLVED_ROUTINE")):
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


def job_error(error: BaseException, where: str) -> ForgeError:
    """A Spark job that failed while it ran."""
    text = str(error)
    if any(sign in text for sign in _DISK_FULL):
        return ForgeError(
            "E305",
            "No space is left for the warehouse",
            where=where,
            why=root_cause(error),
            fix="Free some space (`forge gc` removes what failed runs left) and run again. Nothing was published.",
        )
    if "FORGE-E212" in text:
        key = re.search(r"FORGE-E212 (.*?)(?:\n|$|SQLSTATE)", text)
        return ForgeError(
            "E212",
            "The result has the same unique key more than once",
            where=where,
            why=key.group(1).strip() if key else None,
            fix="Deduplicate in the transform, for instance with row_number() over (partition by the key).",
        )
    if "MALFORMED_RECORD_IN_PARSING" in text or "FAILED_READ_FILE" in text or "CANNOT_PARSE" in text:
        record = re.search(r"following bad record was encountered: (.+)|Malformed record: (.+)", text)
        why = next((part for part in record.groups() if part), None) if record else None
        return ForgeError(
            "E210",
            "A file has rows that do not fit the declared columns",
            where=where,
            why=(why or root_cause(error)).strip()[:300],
            fix="Correct the file or the columns of the source. Nothing of it was loaded.",
        )
    return ForgeError(
        "E304",
        "A Spark job failed",
        where=where,
        why=root_cause(error),
        fix="Correct the transform; `forge run -vv` shows the stack trace.",
    )


def user_error(error: BaseException, file: str, root: Path, line: int) -> ForgeError:
    """An exception of the user's own code, at the deepest line of it that lies in the project."""
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
