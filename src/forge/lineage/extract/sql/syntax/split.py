"""Splits a script into statements on lexemes alone, so that one bad statement never hides another.

Blocks (BEGIN … END, IF, CASE, WHILE, FOR, LOOP, procedure bodies) are flattened to statements in text order, marked
`maybe` where they are conditional."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from forge.lineage.extract.sql.syntax.lexemes import Lexeme, lexemes_of


class StatementKind(StrEnum):
    STATEMENT = "statement"
    ROUTINE = "routine"  # the head of a procedure or function whose body follows as statements
    LOOP = "loop"  # FOR … IN query: a name and its rows
    DECLARATION = "declaration"  # of a variable before a block
    UNCLOSED = "unclosed"  # a quote or comment that never ends


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """`depth`: the deepest nesting of parentheses."""

    text: str
    line: int
    kind: StatementKind = StatementKind.STATEMENT
    maybe: bool = False
    depth: int = 0


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCK_START = frozenset({"BEGIN", "IF", "CASE", "WHILE", "FOR", "LOOP", "REPEAT"})
_TRANSACTION = frozenset({"TRAN", "TRANSACTION", "WORK", "DISTRIBUTED", "ISOLATION", "READ", "DEFERRED", "IMMEDIATE"})
_SECTIONS = frozenset({"oracle", "postgres", "redshift", "snowflake"})  # DECLARE a …; b …; BEGIN
_AFTER_END = frozenset({"IF", "WHILE", "LOOP", "FOR", "CASE", "REPEAT", "TRY", "CATCH"})
_VERBS = _words(
    "INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE DECLARE SET EXEC EXECUTE IF WHILE BEGIN PRINT RETURN USE "
    "SELECT COMMIT ROLLBACK THROW RAISERROR BREAK CONTINUE FETCH OPEN CLOSE DEALLOCATE WITH"
)
_BEFORE_EXISTS = _words("TABLE VIEW PROCEDURE FUNCTION SCHEMA INDEX DATABASE COLUMN CONSTRAINT")  # DROP TABLE IF EXISTS
_SET_WORDS = frozenset({"UNION", "ALL", "EXCEPT", "INTERSECT", "AS", "FOR", "THEN", "MINUS"})


@dataclass(slots=True, kw_only=True)
class _Scan:
    """The state of the scan: `header` is the word that ends the current condition or loop head."""

    text: str
    dialect: str
    pieces: list[ScriptStatement] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    start: int = -1
    line: int = 1
    words: list[str] = field(default_factory=list)
    depth: int = 0
    deepest: int = 0
    header: tuple[str, ...] = ()
    head: tuple[int, int] = (0, 1)  # where it begins: place and line
    routine: bool = False
    section: bool = False
    once: bool = False  # tsql: the next statement or block runs only under a condition
    cases: int = 0
    before: str = ""  # the token before, in capitals
    after_end: bool = False


def split(text: str, dialect: str, line: int = 1) -> tuple[ScriptStatement, ...]:
    scan = _Scan(text=text, dialect=dialect)
    at, passed = line, 0
    tokens = list(lexemes_of(text, dialect))
    for place, (kind, start, end) in enumerate(tokens):
        at += text.count("\n", passed, start)
        passed = start
        if kind == "unclosed":
            begun = scan.start >= 0
            rest = text[scan.start if begun else start :]
            scan.pieces.append(ScriptStatement(rest, scan.line if begun else at, StatementKind.UNCLOSED))
            return tuple(scan.pieces)
        _step(scan, kind, start, end, at, tokens, place)
    _finish_statement(scan, len(text))
    return tuple(scan.pieces)


def _step(scan: _Scan, kind: str, start: int, end: int, line: int, tokens: list[Lexeme], place: int) -> None:
    if kind == "cut":
        _finish_statement(scan, start)
        scan.blocks.clear()
        scan.section = scan.once = scan.after_end = False
        return
    if kind == "end":
        scan.after_end = False
        _finish_statement(scan, start)
        return
    word = scan.text[start:end].upper() if kind == "word" else ""
    if scan.after_end:
        label = word and word not in _VERBS and word not in ("ELSE", "END", "WHEN", "ELSEIF")
        if word in _AFTER_END or (label and scan.dialect not in ("tsql", "fabric")):
            return
        scan.after_end = False
    if kind == "open":
        scan.depth += 1
        scan.deepest = max(scan.deepest, scan.depth)
    elif kind == "close":
        scan.depth = max(0, scan.depth - 1)
    if word and scan.depth == 0 and _is_structure(scan, word, start, end, line, tokens, place):
        scan.before = word
        return
    if scan.start < 0 and not scan.header:
        if scan.text[start] == ":":  # of a label
            return
        scan.start, scan.line = start, line
    if word:
        if scan.depth == 0 and len(scan.words) < 400:
            scan.words.append(word)
        if word == "CASE":
            scan.cases += 1
        elif word == "END" and scan.cases:
            scan.cases -= 1
    scan.before = word or scan.text[start:end]


def _is_structure(scan: _Scan, word: str, start: int, end: int, line: int, tokens: list[Lexeme], place: int) -> bool:
    """Whether the word belongs to the frame around statements, not to one of them."""
    if scan.header:
        return _in_header(scan, word, start)
    if scan.start < 0:
        scan.head = (start, line)
        return _at_start(scan, word, start, line, tokens, place)
    if word == "END" and not scan.cases and scan.blocks:
        _emit(scan, start)
        _close(scan)
        return True
    if word == "BEGIN" and "HANDLER" in scan.words:
        _emit(scan, start, StatementKind.DECLARATION)
        scan.blocks.append("maybe")
        return True
    if word == "BEGIN" and (scan.routine or scan.before == "AS") and not scan.cases:
        _emit(scan, start, StatementKind.ROUTINE)
        scan.blocks.append("begin")
        return True
    if word in _ROUTINES and scan.words[:1] in (["CREATE"], ["ALTER"]):
        scan.routine = scan.routine or not (set(scan.words) - _CREATE_WORDS)
    elif word in ("AS", "IS") and scan.routine and _opens_body(scan, word, tokens, place):
        _emit(scan, start, StatementKind.ROUTINE)
        scan.section = scan.dialect == "oracle"
        return True
    elif (
        scan.dialect in ("tsql", "fabric") and word in _VERBS and not scan.cases and _is_new(scan, word, tokens, place)
    ):
        _finish_statement(scan, start)
        scan.head = (start, line)
        return _at_start(scan, word, start, line, tokens, place)
    elif word == "ELSE" and scan.dialect in ("tsql", "fabric") and not scan.cases:
        _finish_statement(scan, start)
        scan.once = True
        return True
    return False


_ROUTINES = _words("PROCEDURE PROC FUNCTION TRIGGER PACKAGE TASK")
_CREATE_WORDS = _words(
    "CREATE ALTER OR REPLACE TEMP TEMPORARY EDITIONABLE NONEDITIONABLE DEFINER IF NOT EXISTS AGGREGATE BODY SECURE "
    "SQL SECURITY INVOKER CURRENT_USER PROCEDURE PROC FUNCTION TRIGGER PACKAGE TASK CONSTRAINT"
)


def _opens_body(scan: _Scan, word: str, tokens: list[Lexeme], place: int) -> bool:
    """AS or IS, after which the statements of a procedure follow without a BEGIN of their own right there."""
    ahead = _word_ahead(scan, tokens, place)
    if scan.dialect in ("tsql", "fabric"):
        return word == "AS" and scan.before not in ("EXECUTE", "EXEC") and ahead not in ("RETURN", "EXTERNAL")
    if scan.dialect == "oracle":
        return ahead != "" and ahead not in ("BEGIN", "OBJECT", "LANGUAGE", "TABLE")
    return False


def _at_start(scan: _Scan, word: str, start: int, line: int, tokens: list[Lexeme], place: int) -> bool:
    ahead = _word_ahead(scan, tokens, place)
    tsql = scan.dialect in ("tsql", "fabric")
    if word == "BEGIN":
        scan.section = False
        if ahead in _TRANSACTION or _is_end(tokens, place + 1):
            return False
        scan.blocks.append("maybe" if scan.once or ahead == "CATCH" else "begin")
        scan.once = False
        scan.after_end = ahead in ("TRY", "CATCH", "ATOMIC", "NOT")
        return True
    if word == "END" and scan.blocks:
        _close(scan)
        return True
    if word in ("IF", "WHILE") and tsql:
        scan.header = ("",)
        return True
    if word == "ELSE" and (tsql or scan.blocks):
        scan.once = tsql
        return True
    if word == "DECLARE" and scan.dialect in _SECTIONS and ahead:
        scan.section = True
        return True
    if word in ("IF", "CASE") and not tsql:
        scan.blocks.append("maybe")
        scan.header = ("THEN",)
        return True
    if word in ("ELSEIF", "ELSIF", "WHEN") and scan.blocks:
        scan.header = ("THEN",)
        return True
    if word == "EXCEPTION" and scan.blocks:
        scan.blocks[-1] = "maybe"
        return True
    if word in ("WHILE", "FOR", "FOREACH"):
        scan.header = ("DO", "LOOP")
        scan.blocks.append("maybe")
        scan.start, scan.line = (start, line) if word == "FOR" else (-1, line)
        return True
    if word in ("LOOP", "REPEAT"):
        scan.blocks.append("maybe")
        return True
    if word == "UNTIL" and scan.blocks:
        scan.header = ("END",)
        return True
    # a label
    return ahead in _BLOCK_START and place + 1 < len(tokens) and scan.text[tokens[place + 1][1]] == ":"


def _in_header(scan: _Scan, word: str, start: int) -> bool:
    if word == "CASE":
        scan.cases += 1
    elif word == "END" and scan.cases:
        scan.cases -= 1
    elif word in scan.header and not scan.cases:
        scan.header = ()
        if word == "END":
            _close(scan)
        elif scan.start >= 0:
            _emit(scan, start, StatementKind.LOOP)
    elif scan.header == ("",) and word in _VERBS and word != "EXISTS" and not scan.cases:
        scan.header = ()
        scan.once = True
        if word in ("IF", "WHILE"):
            scan.header = ("",)
        elif word == "BEGIN":
            scan.blocks.append("maybe")
            scan.once = False
        else:
            return False
    return True


def _is_new(scan: _Scan, word: str, tokens: list[Lexeme], place: int) -> bool:
    """T-SQL needs no semicolons: whether a verb begins a statement of its own."""
    first, before, seen = (scan.words or [""])[0], scan.before, scan.words
    if word in ("INSERT", "UPDATE", "DELETE", "MERGE"):
        if before in ("THEN", "FOR", "ON", "AFTER", "OF", "INSTEAD", ",", "AS", "GRANT", "REVOKE", "OR"):
            return False
        return not (first == "WITH" and not {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"} & set(seen)) and (
            first not in ("GRANT", "REVOKE", "DENY")
        )
    if word == "SELECT":
        if before in _SET_WORDS or first in ("GRANT", "REVOKE", "DENY"):
            return False
        if first in ("INSERT", "WITH", "CREATE", "ALTER"):
            return "SELECT" in seen or "VALUES" in seen or "EXEC" in seen or (first == "CREATE" and "AS" not in seen)
        return True
    if word == "SET":
        return (
            not (first in ("UPDATE", "WITH") and "SET" not in seen)
            and before not in ("UPDATE", "ALTER", "DATABASE")
            and (first not in ("ALTER", "MERGE"))
        )
    if word in ("CREATE", "ALTER", "DROP"):
        if word == "ALTER" and seen == ["CREATE", "OR"]:
            return False
        return first not in ("ALTER", "GRANT", "REVOKE") or word == "CREATE"
    if word in ("EXEC", "EXECUTE"):
        return first != "INSERT" or "SELECT" in seen or "VALUES" in seen
    if word == "IF":
        return before not in _BEFORE_EXISTS
    if word == "WITH":
        if first in ("CREATE", "ALTER") and "AS" not in seen:
            return False  # CREATE VIEW v WITH SCHEMABINDING AS …
        ahead = tokens[place + 2] if place + 2 < len(tokens) else None
        return ahead is not None and scan.text[ahead[1] : ahead[2]].upper() == "AS" and before != "AS"
    return word not in ("FETCH", "OPEN", "CLOSE", "CONTINUE", "BEGIN", "USE", "BREAK") and before not in ("WITH", ",")


def _finish_statement(scan: _Scan, end: int) -> None:
    if scan.header:
        # A condition that never ends opens no block; what was passed over is a statement, and a bad one.
        if scan.blocks and scan.header != ("",):
            scan.blocks.pop()
        scan.header = ()
        scan.start, scan.line = scan.head
    _emit(scan, end, StatementKind.DECLARATION if scan.section else StatementKind.STATEMENT)


def _emit(scan: _Scan, end: int, kind: StatementKind = StatementKind.STATEMENT) -> None:
    if scan.start >= 0 and end > scan.start:
        maybe = scan.once or "maybe" in scan.blocks
        scan.pieces.append(ScriptStatement(scan.text[scan.start : end].rstrip(), scan.line, kind, maybe, scan.deepest))
        if kind is StatementKind.STATEMENT:
            scan.once = False
    scan.start, scan.depth, scan.deepest, scan.cases = -1, 0, 0, 0
    scan.words.clear()
    scan.header = ()
    scan.routine = False
    scan.before = ""


def _close(scan: _Scan) -> None:
    scan.blocks.pop()
    scan.after_end = True


def _word_ahead(scan: _Scan, tokens: list[Lexeme], place: int) -> str:
    for kind, start, end in tokens[place + 1 : place + 4]:
        if kind == "word":
            return scan.text[start:end].upper()
        if kind != "other":
            return ""
    return ""


def _is_end(tokens: list[Lexeme], place: int) -> bool:
    return place >= len(tokens) or tokens[place][0] in ("end", "cut")
