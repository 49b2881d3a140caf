"""What sqlglot's parser does not know: the rest of Spark's pipe syntax, a function called `window`, functions of users
that are named like one of an engine but take other arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, TypeVar, cast

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.parser import Parser
from sqlglot.parsers.base import BaseParser
from sqlglot.tokenizer_core import Token, TokenType

from forge.lineage.extract.sql.pipe import PipeParser

E = TypeVar("E", bound=exp.Expr)


class _Additions(PipeParser):
    VERSION_PHRASES: ClassVar = {**Parser.VERSION_PHRASES, ("FOR", "SYSTEM_VERSION"): "VERSION"}

    def parse(self, raw_tokens: list[Token], sql: str) -> list[exp.Expr | None]:
        for token, following in pairwise(raw_tokens):
            if token.token_type is TokenType.WINDOW and following.token_type is TokenType.L_PAREN:
                token.token_type = TokenType.VAR
        return super().parse(with_scripts(raw_tokens), sql)

    def _parse_ddl_select(self) -> exp.Expr | None:
        """DuckDB's short PIVOT may stand where a query stands."""
        if self._match_set((TokenType.PIVOT, TokenType.UNPIVOT)):
            pivot = self._parse_simplified_pivot(is_unpivot=self._prev.token_type is TokenType.UNPIVOT or None)
            return exp.Select(expressions=[exp.Star()], from_=exp.From(this=pivot))
        return super()._parse_ddl_select()

    def validate_expression(self, expression: E, args: list[exp.Expr] | None = None) -> E:
        return expression if isinstance(expression, exp.Func) else super().validate_expression(expression, args)


def with_scripts(tokens: list[Token]) -> list[Token]:
    """Hive's `MAP a, b USING 'job' AS x, y` is `SELECT TRANSFORM (a, b) USING 'job' AS (x, y)`; so is REDUCE."""
    for place, token in enumerate(tokens):
        if token.text.upper() in ("MAP", "REDUCE") and _is_script(tokens, place):
            using = _next_word(tokens, place, "USING")
            if using is None:
                continue
            made = [*tokens[:place], _like(token, TokenType.SELECT, "SELECT"), _like(token, TokenType.VAR, "TRANSFORM")]
            made += [
                _like(token, TokenType.L_PAREN, "("),
                *tokens[place + 1 : using],
                _like(token, TokenType.R_PAREN, ")"),
            ]
            return with_scripts([*made, *_with_names(tokens[using:])])
    return tokens


def _is_script(tokens: list[Token], place: int) -> bool:
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    before = tokens[place - 1] if place else None
    if following is None or following.token_type not in (TokenType.VAR, TokenType.STAR, TokenType.IDENTIFIER):
        return False
    ends = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.L_PAREN)
    return before is None or before.token_type in ends


def _next_word(tokens: list[Token], start: int, word: str) -> int | None:
    """Where the word stands next in the same brackets, before another query starts."""
    depth = 0
    for place in range(start, len(tokens)):
        kind = tokens[place].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth < 0 or kind in (TokenType.SELECT, TokenType.FROM, TokenType.JOIN, TokenType.SEMICOLON):
            return None
        if depth == 0 and tokens[place].text.upper() == word:
            return place
    return None


def _with_names(tokens: list[Token]) -> list[Token]:
    """`USING 'job' AS x, y` with its names in brackets."""
    as_ = next((place for place, token in enumerate(tokens[:4]) if token.token_type is TokenType.ALIAS), None)
    if as_ is None or tokens[as_ + 1].token_type is TokenType.L_PAREN:
        return tokens
    end = as_ + 1
    while end < len(tokens) and tokens[end].token_type in (TokenType.VAR, TokenType.IDENTIFIER, TokenType.COMMA):
        end += 1
    opened, closed = _like(tokens[as_], TokenType.L_PAREN, "("), _like(tokens[as_], TokenType.R_PAREN, ")")
    return [*tokens[: as_ + 1], opened, *tokens[as_ + 1 : end], closed, *tokens[end:]]


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)


@lru_cache(maxsize=64)
def dialect_of(name: str) -> Dialect:
    """A dialect of sqlglot, with what is added here. Raises ValueError if there is none of that name."""
    dialect = Dialect.get_or_raise(name)
    dialect.ORIGINAL_NAME_META_KEY = "name"  # substr and substring are one to sqlglot, but not to who reads a result
    base = dialect.parser_class
    parsers = {name: _named_after(name, parser) for name, parser in base.FUNCTION_PARSERS.items()}
    added = type(f"{base.__name__}Added", (_Additions, base), {"FUNCTION_PARSERS": parsers})
    dialect.parser_class = cast("type[BaseParser]", added)
    return dialect


def _named_after(name: str, parser: Callable[[Parser], exp.Expr | None]) -> Callable[[Parser], exp.Expr | None]:
    def parse(self: Parser) -> exp.Expr | None:
        found = parser(self)
        if isinstance(found, exp.Func):
            found.meta.setdefault("name", name)
        return found

    return parse
