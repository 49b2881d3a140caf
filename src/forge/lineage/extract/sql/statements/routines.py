"""Bodies of procedures and triggers: their parameters, declarations and loops."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.sql.names import split_name
from forge.lineage.extract.sql.rows import rows_of
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.syntax.parse import parse
from forge.lineage.extract.sql.syntax.split import ScriptStatement, StatementKind
from forge.lineage.extract.value import NOTHING

_TRIGGER = re.compile(r"\A\s*CREATE\s.*?\bTRIGGER\s.*?\bON\s+([\w.`\"\[\]]+)", re.IGNORECASE | re.DOTALL)
_CURSOR = re.compile(
    r"\A(?:(?:PROCEDURE|FUNCTION)\s.*?\b[IA]S\s+)?(?:CURSOR\s+(\w+)|(\w+)\s+CURSOR)\s*(?:\([^()]*\)\s*)?"
    r"(?:IS|FOR)\s+(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


def begin_routine(state: SessionState, head: str) -> None:
    """Its parameters are no columns; a trigger sees the rows of its table."""
    state.values.update(dict.fromkeys(_parameters(head), NOTHING))
    found = _TRIGGER.match(head)
    state.triggered = state.named(split_name(found[1])) if found else None
    state.held |= state.triggered.reads if state.triggered is not None else frozenset()


def _parameters(head: str) -> list[str]:
    """The names of the parameters of a procedure."""
    found = re.search(r"(?:PROCEDURE|PROC|FUNCTION)\s+[\w.`\"\[\]]+\s*\(?(.*)\Z", head, re.IGNORECASE | re.DOTALL)
    words = [part.split() for part in re.sub(r"\([^()]*\)", "", found[1]).split(",")] if found else []
    modes = ("in", "out", "inout", "variadic")
    named = [next((word for word in part if word.lower() not in modes), "") for part in words]
    return [name.lower().lstrip("@") for name in named if re.fullmatch(r"@?\w+", name)]


def loop(state: SessionState, piece: ScriptStatement) -> None:
    """FOR r IN (SELECT …), FOR r IN cursor: r is a row."""
    found = re.match(r"FOR\s+(\w+)\s+(?:IN|AS)\s+(.*)\Z", piece.text, re.IGNORECASE | re.DOTALL)
    rows = state.cursors.get(found[2].partition("(")[0].strip().lower(), found[2]) if found else ""
    if not found or not re.match(r"[\s(]*(SELECT|WITH|FROM)\b", rows, re.IGNORECASE):
        return
    tree = parse(replace(piece, text=rows, kind=StatementKind.STATEMENT), state.dialect)
    if isinstance(tree, exp.Query):
        reading = state.between(found[1], OutputKind.TEMPORARY, rows_of(state, tree), 0)
        state.held |= reading.reads
        for column in reading.columns:
            state.values[f"{found[1]}.{column.name}".lower()] = column.value


def declaration(state: SessionState, piece: ScriptStatement) -> None:
    """x VARCHAR := 'text', CURSOR c IS SELECT …"""
    cursor = _CURSOR.match(piece.text)
    if cursor:
        state.cursors[(cursor[1] or cursor[2]).lower()] = cursor[3]
        return
    name = re.match(r"\w+", piece.text)
    if name:
        state.values[name[0].lower()] = NOTHING
    found = re.match(r"(\w+)\s+[\w(),% .]*?(?::=|\bDEFAULT\b|=)\s*(.*)\Z", piece.text, re.IGNORECASE | re.DOTALL)
    if found:
        text = found[2].strip()
        if len(text) > 1 and text[0] == text[-1] == "'":
            state.texts[found[1].lower()] = text[1:-1].replace("''", "'")
