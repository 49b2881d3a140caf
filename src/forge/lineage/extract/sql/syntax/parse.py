"""Parses one statement, or gives the reason why it cannot be parsed."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from forge.lineage.extract.sql.syntax.grammar import dialect_of
from forge.lineage.extract.sql.syntax.split import ScriptStatement, StatementKind

DEEPEST = 400  # parentheses in each other
LARGEST = 10_000_000  # characters
LARGE = 500_000  # characters of one statement that are read only once
NOT_FILLED_IN = "it holds a template that is not filled in"
_FRAMES = 20_000  # of Python; a statement of DEEPEST parentheses needs about that many

# What sqlglot cannot parse it keeps as a command and says so in its log; here it is a gap.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

SIBLINGS = {
    "spark": ("databricks", "hive"),
    "databricks": ("spark", "hive"),
    "hive": ("spark", "databricks"),
    "postgres": ("redshift", "duckdb"),
    "redshift": ("postgres",),
    "duckdb": ("postgres",),
    "trino": ("presto", "athena"),
    "presto": ("trino",),
    "athena": ("trino", "hive"),
    "mysql": ("doris",),
    "oracle": (),
    "snowflake": (),
}
_TOKEN = re.compile(r" but got <Token .*>| for <class '[^']*'>|invalid expression / ", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class UnparsedStatement:
    reason: str


def _repair(pattern: str, by: str) -> tuple[re.Pattern[str], str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), by


_EXPECT = r"CONSTRAINT\s+\w+\s+EXPECT\s*\((?:[^()]|\([^()]*\))*\)(?:\s+ON\s+VIOLATION\s+(?:DROP\s+ROW|FAIL\s+UPDATE))?"
# Rewrites of syntax that sqlglot does not know. Lines are preserved.
_REPAIRS = (
    _repair(r"\AREPLACE(\s+)(TABLE|VIEW)\b", r"CREATE OR REPLACE\1\2"),
    _repair(r"\AREPLACE(\s+)(?:(?:LOW_PRIORITY|DELAYED)\s+)?INTO\b", r"INSERT\1INTO"),
    _repair(r"\AMERGE(\s+)WITH\s+SCHEMA\s+EVOLUTION(\s+)INTO\b", r"MERGE\1\2INTO"),
    _repair(r"\AINSERT(\s+)WITH\s+SCHEMA\s+EVOLUTION(\s+)INTO\b", r"INSERT\1\2INTO"),
    _repair(
        r"\ACREATE(\s+)(?:OR\s+(?:REFRESH|REPLACE)\s+)?(?:(?:STREAMING|TEMPORARY)\s+)?LIVE(\s+)(TABLE|VIEW)\b",
        r"CREATE\1\2\3",
    ),
    _repair(
        r"\A(CREATE\s+(?:OR\s+\w+\s+)?TABLE\s.*?\bCLONE\s+[\w.`\"]+)\s+(?:VERSION|TIMESTAMP)\s+AS\s+OF\s+\S+", r"\1"
    ),
    _repair(
        r"\A(INSERT\s+OVERWRITE\s+(?:LOCAL\s+)?DIRECTORY\s+(?:'[^']*'\s+)?)USING\s+\w+(\s+OPTIONS\s*\([^)]*\))?", r"\1"
    ),
    _repair(
        r"\A(INSERT\s+INTO\s+(?:TABLE\s+)?[\w.`]+\s+)REPLACE\s+ON\s+.*?(?=\bSELECT\b|\bWITH\b|\(\s*SELECT\b)", r"\1"
    ),
    _repair(r"\A(CREATE\s+(?:OR\s+\w+\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\w.`\"]+\s+)DEEP\s+CLONE\b", r"\1CLONE"),
    # Oracle: what an update has changed is deleted.
    _repair(
        r"\A(MERGE\s.*?)\bDELETE\s+WHERE\s+(.*?)(?=\s+WHEN\s+(?:NOT\s+)?MATCHED\b|\Z)",
        r"\1 WHEN MATCHED AND (\2) THEN DELETE",
    ),
    _repair(r"\s+WITH\s+(?:NO\s+)?DATA\s*\Z", ""),
    _repair(r"\A(CREATE\s.*?\bAS\s+)TABLE\s+([\w.`\"]+)\s*\Z", r"\1SELECT * FROM \2"),
    _repair(r"\A(CREATE\s(?:[^']|'[^']*')*?)\bDEFAULT\s+COLLATION\s+\w+", r"\1"),
    _repair(r"\s+WITH\s+(?:(?:LOCAL|CASCADED)\s+)?CHECK\s+OPTION\s*\Z", ""),
    _repair(r"\ACREATE(\s+)OR\s+ALTER(\s+)VIEW\b", r"CREATE\1OR REPLACE\2VIEW"),
    _repair(
        r"\A(CREATE\s+(?:OR\s+\w+\s+)?VIEW\s+[\w.\[\]\"]+\s*(?:\([^()]*\)\s*)?)"
        r"WITH\s+(?:SCHEMABINDING|ENCRYPTION|VIEW_METADATA)(?:\s*,\s*\w+)*(?=\s+AS\b)",
        r"\1",
    ),
    _repair(rf"\(\s*(?:{_EXPECT}\s*,?\s*)+\)", ""),
    _repair(rf",\s*{_EXPECT}", ""),
    _repair(r"\A(INSERT\s+OVERWRITE\s.*?\bPARTITION\s*\([^)]*\)\s*)IF\s+NOT\s+EXISTS\b", r"\1"),
)
_CHANGE = re.compile(r"\AALTER\s+TABLE\s+([\w.`]+)\s+CHANGE\s+(?:COLUMN\s+)?([\w`]+)\s+([\w`]+)\s", re.IGNORECASE)


_OUTPUT = re.compile(
    r"\bOUTPUT\s+[\w.,*\s\[\]$]+?"
    r"(?P<into>\s+INTO\s+(?P<table>[\w.\[\]]+)\s*(?:\((?P<columns>[^()]*)\))?)(?=\s)",
    re.IGNORECASE,
)
_UPDATE = re.compile(r"\A(?:WITH\b.*?\)\s*)?UPDATE\b", re.IGNORECASE | re.DOTALL)
_ADDED = re.compile(r"'[^']*'|(?P<name>[\w.\[\]@]+)\s*(?P<sign>[-+*/%&|^])=")
_TEMPLATE = re.compile(r"\{\{|\{%")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)


def parse(piece: ScriptStatement, dialect: str) -> exp.Expr | UnparsedStatement:
    if piece.kind is StatementKind.UNCLOSED:
        return UnparsedStatement("a quote or a comment is not closed")
    if piece.depth > DEEPEST:
        return UnparsedStatement(f"parentheses are {piece.depth} deep; at most {DEEPEST} are read")
    if _TEMPLATE.search(_QUOTED.sub("", piece.text)):
        return UnparsedStatement(NOT_FILLED_IN)
    text = repaired(piece.text)
    reason = ""
    kept: exp.Expr | None = None
    siblings = SIBLINGS.get(dialect, ()) if len(text) <= LARGE else ()
    for one in (dialect, *siblings):
        found = _parse_output(text, one)
        if isinstance(found, UnparsedStatement):
            reason = reason or found.reason
        elif not isinstance(found, exp.Command):
            return found
        elif kept is None:
            kept = found
    return kept if kept is not None else UnparsedStatement(reason)


def _parse_output(text: str, dialect: str) -> exp.Expr | UnparsedStatement:
    """T-SQL: OUTPUT … INTO dbo.log (a, b), of which sqlglot knows only INTO log."""
    found = _OUTPUT.search(text) if dialect in ("tsql", "fabric") else None
    if found is None:
        return _parse(text, dialect)
    tree = _parse(text[: found.start("into")] + text[found.end() :], dialect)
    returning = tree.args.get("returning") if isinstance(tree, exp.Expr) else None
    if not isinstance(returning, exp.Returning):
        return _parse(text, dialect)
    table: exp.Expr = exp.to_table(found["table"], dialect=dialect)
    if found["columns"]:
        columns = [exp.to_identifier(one.strip(" []")) for one in found["columns"].split(",")]
        table = exp.Schema(this=table, expressions=columns)
    returning.set("into", table)
    return tree


def repaired(text: str) -> str:
    changed = _CHANGE.match(text)
    if changed and changed[2].strip("`").lower() != changed[3].strip("`").lower():
        return f"ALTER TABLE {changed[1]} RENAME COLUMN {changed[2]} TO {changed[3]}"
    for pattern, by in _REPAIRS:
        text = pattern.sub(by, text, count=1)
    return _ADDED.sub(_spelled_out, text) if _UPDATE.match(text) else text


def _spelled_out(found: re.Match[str]) -> str:
    """T-SQL: `SET a += 1` is `SET a = a + 1`."""
    return found[0] if found["name"] is None else f"{found['name']} = {found['name']} {found['sign']}"


def _parse(text: str, dialect: str) -> exp.Expr | UnparsedStatement:
    try:
        with deep():
            trees = [tree for tree in dialect_of(dialect).parse(text) if tree is not None]
    except ParseError as error:
        return UnparsedStatement(_reason(error))
    except TokenError:
        return UnparsedStatement("a quote or a comment is not closed")
    except RecursionError:
        return UnparsedStatement("it is nested too deep to be read")
    except Exception as error:  # sqlglot's builders of functions do not check what they are given
        return UnparsedStatement(f"it could not be parsed: {error}")
    if len(trees) != 1:
        return UnparsedStatement("it could not be parsed")
    return trees[0]


def _reason(error: ParseError) -> str:
    """sqlglot's own words, without its tokens, the colours and the place, which the gap has."""
    for one in error.errors:
        message = _TOKEN.sub("", str(one.get("description") or "")).rstrip(". ")
        near = str(one.get("highlight") or "").strip().splitlines()
        where = f" near {near[0][:40]!r}" if near else ""
        return f"it could not be parsed: {message[:1].lower()}{message[1:]}{where}"
    return "it could not be parsed"


@contextmanager
def deep() -> Iterator[None]:
    """Room for deeply nested statements: the parser calls itself many times for each parenthesis."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
