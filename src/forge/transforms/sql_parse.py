"""SQL text to one parsed query whose parts know their place in the text; everything else is refused with its place."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from forge.model.errors import ForgeError

# What sqlglot cannot parse it repeats in its log; here it is an error of whoever sent it.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

# Databricks parses `a:b` as a path into JSON; Spark refuses it, and so should we. All else is the same to us.
DIALECT = "spark"
_PARSER = sqlglot.Dialect.get_or_raise(DIALECT)

# fmt: off
_OTHER_STATEMENTS = frozenset((
    "ADD", "ALTER", "ANALYZE", "BEGIN", "CACHE", "CALL", "CLEAR", "COMMENT", "CREATE", "DECLARE", "DELETE",
    "DESC", "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "GRANT", "INSERT", "LIST", "LOAD", "MERGE", "MSCK",
    "OPTIMIZE", "REFRESH", "REPAIR", "RESET", "REVOKE", "SET", "SHOW", "TRUNCATE", "UNCACHE", "UPDATE",
    "USE",
))
# fmt: on
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
# What follows `schema.table@` without a quote: a branch, tag, commit or time with steps back. It ends where a comment
# begins.
_REF = re.compile(r"\w(?:(?:[\w.~^:+@]|-(?!-)|/(?!\*))*[\w~^])?", re.ASCII)
_SET_WORDS = (TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.ALL, TokenType.DISTINCT)


@dataclass(frozen=True)
class ParsedQuery:
    text: str
    file: str
    tree: exp.Expr
    tokens: tuple[Token, ...]
    table_words: frozenset[int]  # offsets of the word TABLE of `TABLE core.orders`

    def where(self, offset: int) -> str:
        line, column = place_of(self.text, offset)
        return f"{self.file}:{line}:{column}"

    @property
    def has_pipes(self) -> bool:
        return any(token.token_type == TokenType.PIPE_GT for token in self.tokens)


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of a character."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


# Exceptions sqlglot raises next to its own: it parses hints separately, and does not check the number of arguments.
_TRIPPED = (TokenError, AssertionError, IndexError, KeyError, AttributeError, TypeError, ValueError)


@lru_cache(maxsize=16)
def parse_query(text: str, file: str) -> ParsedQuery:
    """One SELECT, WITH, VALUES, TABLE or FROM query. E201: it does not parse. E213: it is something else. Cached,
    since a text is parsed more than once, and the result is read-only."""
    tokens = _tokens(text, file)
    _refuse_other_statements(text, file, tokens)
    table_words = _find_table_words(text, file, tokens)
    parsable = _with_doubled_quotes(text, tokens)
    for start in table_words:
        # The parser does not know `TABLE x`; `FROM x` of the same length means the same to it and moves no offset.
        parsable = f"{parsable[:start]}FROM {parsable[start + 5 :]}"
    try:
        parsed = _PARSER.parser().parse(_with_versions(parsable), parsable)
        trees = [tree for tree in parsed if tree and not isinstance(tree, exp.Semicolon)]
    except ParseError as error:
        raise _syntax_error(text, file, error) from error
    except _TRIPPED as error:
        raise ForgeError("E201", "SQL that cannot be read", where=f"{file}:1:1", fix="Correct the SQL.") from error
    except RecursionError as error:
        raise ForgeError("E201", "the SQL is nested too deeply", where=f"{file}:1:1") from error
    tree = trees[0] if trees else None
    if not isinstance(tree, exp.Query | exp.Values):
        first = tokens[0]
        # A statement that writes may hide behind a WITH or a FROM; a misspelt SELECT reads as an expression.
        wrong_kind = isinstance(tree, exp.DML | exp.DDL | exp.Command | exp.MultitableInserts)
        raise _not_a_query(text, file, first) if wrong_kind else _unexpected(text, file, first)
    return ParsedQuery(text, file, tree, tokens, frozenset(table_words))


def _with_versions(parsable: str) -> list[Token]:
    """`core.orders@dev` is `core.orders VERSION AS OF 'dev'`, which the parser knows. An `@` after a name stands
    nowhere else in Spark's SQL; within texts, quoted names and comments it is no token. What is put in has the place
    of the ref."""
    found: list[Token] = []
    end = -1  # of the last ref
    for token in _PARSER.tokenize(parsable):
        if token.start <= end:
            continue
        ref = _ref_after(parsable, token, found)
        if ref is None:
            found.append(token)
            continue
        text, end = ref
        words = ((TokenType.VAR, "VERSION"), (TokenType.ALIAS, "AS"), (TokenType.VAR, "OF"), (TokenType.STRING, text))
        found += [Token(kind, word, token.line, token.col, token.start, end) for kind, word in words]
    return found


def _ref_after(text: str, token: Token, before: Sequence[Token]) -> tuple[str, int] | None:
    """The ref and the offset of its last letter, where the token is the `@` of a table."""
    if token.token_type != TokenType.PARAMETER or not before or before[-1].token_type == TokenType.STRING:
        return None
    touches = before[-1].end + 1 == token.start and _is_word(text[token.start - 1])  # core.values@dev
    if not touches and before[-1].token_type not in _NAMES:
        return None
    rest = text[token.end + 1 :]
    quote = rest[:1]
    if quote in ("'", '"', "`"):
        closed = rest.find(quote, 1)
        return (rest[1:closed], token.end + 1 + closed) if closed > 1 and "\\" not in rest[:closed] else None
    match = _REF.match(rest)
    return (match.group(), token.end + match.end()) if match else None


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter in "_`"


def _with_doubled_quotes(text: str, tokens: Sequence[Token]) -> str:
    """`'it''s'` is one text to Spark, and two beside each other to the parser, which would read `its`. A backslash in
    place of the first of the two quotes moves no offset."""
    for one, other in pairwise(tokens):
        if one.token_type == other.token_type == TokenType.STRING and other.start == one.end + 1:
            same_quote = text[one.end] == text[other.start]
            text = f"{text[: one.end]}\\{text[other.start :]}" if same_quote else text
    return text


def _tokens(text: str, file: str) -> tuple[Token, ...]:
    try:
        return tuple(sqlglot.tokenize(text, read=DIALECT))
    except TokenError as error:
        found = re.search(r"Missing (.+) from \d+:(\d+)", str(error.__cause__ or error))
        offset = int(found.group(2)) if found else max(text.rfind("/*"), 0)
        line, column = place_of(text, offset)
        opened = f"a {found.group(1)}" if found else "a comment or a quote"
        raise ForgeError(
            "E201",
            f"SQL syntax error: {opened} is opened here and never closed",
            where=f"{file}:{line}:{column}",
            fix="Close it.",
        ) from error


def _refuse_other_statements(text: str, file: str, tokens: Sequence[Token]) -> None:
    words = [token for token in tokens if token.token_type != TokenType.SEMICOLON]
    if not words:
        raise ForgeError(
            "E213", "the file holds no query", where=f"{file}:1", fix="Write one SELECT; its result becomes the table."
        )
    if words[0].text.upper() in _OTHER_STATEMENTS and words[0].token_type != TokenType.IDENTIFIER:
        raise _not_a_query(text, file, words[0])
    for before, after in pairwise(tokens):
        if before.token_type == TokenType.SEMICOLON and after.token_type != TokenType.SEMICOLON:
            line, column = place_of(text, after.start)
            raise ForgeError(
                "E213",
                "a second statement begins here",
                where=f"{file}:{line}:{column}",
                why="A transform is one query; its result becomes one table.",
                fix="Put it into a file of its own.",
            )


def _find_table_words(text: str, file: str, tokens: Sequence[Token]) -> tuple[int, ...]:
    """The keyword TABLE at the start of a query. `table` may also be the name of a column or an alias."""
    found: list[int] = []
    for index, token in enumerate(tokens):
        following = [t.token_type for t in tokens[index + 1 : index + 3]]
        names_a_table = bool(following) and (following[0] in _NAMES or following[1:] == [TokenType.DOT])
        if token.token_type != TokenType.TABLE or not names_a_table:
            continue
        before = tokens[index - 1].token_type if index else TokenType.SEMICOLON
        if before == TokenType.L_PAREN and index >= 2 and tokens[index - 2].token_type in _NAMES:
            raise refuse_table_argument(text, file, token.start)
        if before in (TokenType.L_PAREN, TokenType.R_PAREN, TokenType.SEMICOLON, *_SET_WORDS):
            found.append(token.start)
    return tuple(found)


def refuse_table_argument(text: str, file: str, offset: int) -> ForgeError:
    line, column = place_of(text, offset)
    return ForgeError(
        "E206",
        "a table cannot be the argument of a function here",
        where=f"{file}:{line}:{column}",
        why="Every table a transform reads is pinned to a version, which Spark does not allow in that place.",
        fix="Write it as a Python transform.",
    )


def _not_a_query(text: str, file: str, token: Token) -> ForgeError:
    line, column = place_of(text, token.start)
    return ForgeError(
        "E213",
        f"only a query is accepted here, not {token.text.upper()}"
        if token.text.upper() in _OTHER_STATEMENTS
        else "only a query is accepted here, and this statement writes",
        where=f"{file}:{line}:{column}",
        why="Forge writes the result itself: it is staged, checked and then published.",
        fix="Write the SELECT alone; a transform's `kind:` says how its result is written.",
    )


def _unexpected(text: str, file: str, token: Token) -> ForgeError:
    line, column = place_of(text, token.start)
    return ForgeError(
        "E201",
        f"SQL syntax error: a query cannot begin with '{token.text}'",
        where=f"{file}:{line}:{column}",
        fix="Begin with SELECT, WITH, VALUES, TABLE or FROM.",
    )


def _plain(description: str) -> str:
    """The parser's message without its internals (`<class …>`, `<Token …>`)."""
    text = description.replace(" / ", ", ").rstrip(".")
    if "Required keyword" in text:
        return "Something is missing here"
    return re.sub(r"\s*but got <Token.*", "", re.sub(r"<[^>]*>", "", text)).strip()


def _syntax_error(text: str, file: str, error: ParseError) -> ForgeError:
    first = error.errors[0] if error.errors else {}
    bit = str(first.get("highlight") or "")
    line, end = int(first.get("line") or 1), int(first.get("col") or 1)
    after = str(first.get("start_context") or "")[-20:].split("\n")[-1].strip()
    description = _plain(str(first.get("description") or "not understood"))
    return ForgeError(
        "E201",
        f"SQL syntax error near '{bit}'" if bit else "SQL syntax error at the end of the text",
        where=f"{file}:{line}:{max(end - len(bit) + 1, 1)}",
        why=f"{description}{f', after “{after}”' if after else ''}.",
        fix="Correct the SQL there, or a little before it.",
    )
