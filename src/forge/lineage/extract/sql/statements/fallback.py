"""Statements that cannot be parsed: the tables they read and write, found by keyword."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.syntax.parse import LARGE
from forge.lineage.extract.sql.target import WriteContent, WriteTarget

_READ = frozenset({"FROM", "JOIN", "USING"})
_WORDS_AFTER = frozenset({"TABLE", "INTO", "IF", "NOT", "EXISTS", "OVERWRITE", "ONLY", "LATERAL"})
_NAMED = (TokenType.VAR, TokenType.IDENTIFIER)

HARMLESS = frozenset(
    word
    for line in (
        "EXPLAIN SHOW DESCRIBE DESC ANALYZE OPTIMIZE VACUUM GRANT REVOKE DENY MSCK REPAIR REFRESH CLEAR RESET SET",
        "UNSET ADD LIST COMMENT COMMIT ROLLBACK SAVEPOINT START BEGIN END LOCK UNLOCK PRINT RAISE RAISERROR THROW",
        "RETURN LEAVE ITERATE BREAK CONTINUE EXIT GOTO WAITFOR OPEN FETCH CLOSE DEALLOCATE CALL EXEC EXECUTE DECLARE",
        "LET NULL PUT GET REMOVE RM LS UNCACHE FSCK KILL PREPARE CHECKPOINT DISCARD REINDEX CLUSTER NOTIFY LISTEN",
        "PRAGMA ATTACH DETACH INSTALL LOAD SIGNAL RESIGNAL PERFORM ASSERT UNDROP RESTORE CONVERT GENERATE REORG DBCC",
        "BACKUP CHECK SECURITY EXPORT IMPORT SUSPEND RESUME PURGE FLUSH HELP WHENEVER PROMPT SPOOL DEFINE REASSIGN",
        "ABORT REM ALTER DROP ELSE USE TRUNCATE",
    )
    for word in line.split()
)
_CREATE_NOTHING = re.compile(
    r"\ACREATE\s+(?:OR\s+\w+\s+)?(?:\w+\s+)?(?:ROLE|USER|GROUP|WAREHOUSE|SEQUENCE|STAGE|FILE\s+FORMAT|PIPE|POLICY|"
    r"EXTENSION|TYPE|DOMAIN|INDEX|LOGIN|SCHEMA|DATABASE|CATALOG|CONNECTION|INTEGRATION|SHARE|TAG|SYNONYM|RULE|"
    r"PUBLICATION|SUBSCRIPTION|SERVER|OPERATOR|CAST|AGGREGATE|COLLATION|STATISTICS|TRIGGER|EVENT|PARTITION|SECRET|"
    r"NETWORK|RESOURCE|EXTERNAL\s+(?:LOCATION|VOLUME)|STREAM|FUNCTION|PROCEDURE|PACKAGE|ASSIGNMENT|RESERVATION|WIDGET)\b",
    re.IGNORECASE,
)
_ASSIGNMENT = re.compile(r"\A[@:]?[\w.]+\s*(?::=|\()", re.IGNORECASE)


def first_word(text: str) -> str:
    found = re.match(r"\W*(\w+)", text)
    return found[1].upper() if found else ""


def is_harmless(text: str) -> bool:
    """It moves no data."""
    word = first_word(text)
    if word == "EXECUTE" and re.match(r"\W*EXECUTE\s+IMMEDIATE\b", text, re.IGNORECASE):
        return False
    if word == "EXPORT" and re.match(r"\W*EXPORT\s+DATA\b", text, re.IGNORECASE):
        return False
    if word == "ALTER" and re.search(r"\b(RENAME|SWAP|EXCHANGE)\b", text, re.IGNORECASE):
        return False
    if word == "LOAD" and re.match(r"\W*LOAD\s+DATA\b", text, re.IGNORECASE):
        return False
    return (
        word in HARMLESS
        or bool(_CREATE_NOTHING.match(text))
        or (
            bool(_ASSIGNMENT.match(text))
            and word not in ("INSERT", "SELECT", "WITH", "MERGE", "UPDATE", "VALUES", "FROM")
        )
    )


def scan_tables(state: SessionState, text: str) -> None:
    """A step without columns, so that table edges remain."""
    if len(text) > LARGE:
        return
    try:
        tokens = Dialect.get_or_raise(state.dialect).tokenize(text)
    except SqlglotError:
        return
    ctes = _ctes(tokens)
    reads = [name for name in _reads(tokens) if len(name) > 1 or name[0].lower() not in ctes]
    written = _target(tokens)
    if not written or not reads:
        return
    found: set[str] = set()
    for name in reads:
        found |= state.named(name).reads
    target = state.target_named(written)
    if target.temporary:
        target = WriteTarget(target.name, None, target.made, target.temporary)
    state.put(target, WriteContent({}, reads=frozenset(found)))


def _reads(tokens: Sequence[Token]) -> list[tuple[str, ...]]:
    found = []
    for place, token in enumerate(tokens[:-1]):
        if token.text.upper() in _READ and token.token_type not in _NAMED and tokens[place + 1].token_type in _NAMED:
            name, after = _name(tokens, place + 1)
            if name and not (after < len(tokens) and tokens[after].token_type is TokenType.L_PAREN):
                found.append(name)
    return found


def _ctes(tokens: Sequence[Token]) -> frozenset[str]:
    found = set()
    for place in range(len(tokens) - 2):
        if tokens[place + 1].token_type is TokenType.ALIAS and tokens[place + 2].token_type is TokenType.L_PAREN:
            found.add(tokens[place].text.lower())
    return frozenset(found)


def _target(tokens: Sequence[Token]) -> tuple[str, ...]:
    """After INSERT INTO, MERGE INTO, UPDATE, CREATE TABLE …"""
    words = [token.text.upper() for token in tokens]
    for place, word in enumerate(words):
        if word in ("INTO", "OVERWRITE", "UPDATE") or (word in ("TABLE", "VIEW") and "CREATE" in words[:place]):
            at = place + 1
            while at < len(words) and words[at] in _WORDS_AFTER:
                at += 1
            if at < len(tokens):
                name, after = _name(tokens, at)
                called = after < len(tokens) and tokens[after].token_type is TokenType.L_PAREN
                if name and not (called and name == ("identifier",)):
                    return name
    return ()


def _name(tokens: Sequence[Token], place: int) -> tuple[tuple[str, ...], int]:
    parts: list[str] = []
    while place < len(tokens):
        token = tokens[place]
        if token.token_type is not TokenType.IDENTIFIER and not re.fullmatch(r"[\w$#@]+", token.text):
            break
        parts.append(token.text if token.token_type is TokenType.IDENTIFIER else token.text.lower())
        if place + 1 >= len(tokens) or tokens[place + 1].token_type is not TokenType.DOT:
            place += 1
            break
        place += 2
    return tuple(parts), place
