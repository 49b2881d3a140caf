"""Extensions of sqlglot's parser: the rest of Spark's pipe syntax, and user functions that shadow a builtin with other
arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar, TypeVar, cast

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.parser import Parser
from sqlglot.parsers.base import BaseParser
from sqlglot.tokenizer_core import Token, TokenType

from forge.lineage.extract.sql.pipe import PipeParser
from forge.lineage.extract.sql.syntax.tokens import spelled_out

E = TypeVar("E", bound=exp.Expr)


class _Additions(PipeParser):
    READS_SPARK: ClassVar = False
    VERSION_PHRASES: ClassVar = {**Parser.VERSION_PHRASES, ("FOR", "SYSTEM_VERSION"): "VERSION"}

    def parse(self, raw_tokens: list[Token], sql: str) -> list[exp.Expr | None]:
        return super().parse(spelled_out(raw_tokens, spark=self.READS_SPARK), sql)

    def _parse_ddl_select(self) -> exp.Expr | None:
        """DuckDB's short PIVOT in place of a query."""
        if self._match_set((TokenType.PIVOT, TokenType.UNPIVOT)):
            pivot = self._parse_simplified_pivot(is_unpivot=self._prev.token_type is TokenType.UNPIVOT or None)
            return exp.Select(expressions=[exp.Star()], from_=exp.From(this=pivot))
        return super()._parse_ddl_select()

    def validate_expression(self, expression: E, args: list[exp.Expr] | None = None) -> E:
        return expression if isinstance(expression, exp.Func) else super().validate_expression(expression, args)


@lru_cache(maxsize=64)
def dialect_of(name: str) -> Dialect:
    """A dialect of sqlglot, with what is added here. Raises ValueError if there is none of that name."""
    dialect = Dialect.get_or_raise(name)
    dialect.ORIGINAL_NAME_META_KEY = "name"  # substr and substring are one to sqlglot, but not to who reads a result
    base = dialect.parser_class
    parsers = {name: _named_after(name, parser) for name, parser in base.FUNCTION_PARSERS.items()}
    made: dict[str, object] = {"FUNCTION_PARSERS": parsers}
    if name in ("spark", "databricks", "hive"):
        made["READS_SPARK"] = True
        made["FUNCTIONS"] = {**{one.upper(): _cast_to(one) for one in _CASTS}, **base.FUNCTIONS}
    added = type(f"{base.__name__}Added", (_Additions, base), made)
    dialect.parser_class = cast("type[BaseParser]", added)
    return dialect


_CASTS = ("bigint", "smallint", "tinyint", "decimal", "binary")


def _cast_to(type_: str) -> Callable[[list[exp.Expr]], exp.Expr]:
    """`bigint(a)` is a cast; of `int` and some more sqlglot knows it."""

    def build(arguments: list[exp.Expr]) -> exp.Expr:
        if len(arguments) != 1:
            return exp.Anonymous(this=type_, expressions=arguments)
        return exp.Cast(this=arguments[0], to=exp.DataType.build(type_, dialect="spark"))

    return build


def _named_after(name: str, parser: Callable[[Parser], exp.Expr | None]) -> Callable[[Parser], exp.Expr | None]:
    def parse(self: Parser) -> exp.Expr | None:
        found = parser(self)
        if isinstance(found, exp.Func):
            found.meta.setdefault("name", name)
        return found

    return parse
