"""The text of a query as the query builder shows it. Nothing is read, and nothing runs."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot.tokenizer_core import TokenType

from forge.federation.builder.outline import NotShown, outline
from forge.federation.builder.query import BuilderQuery
from forge.transforms.sql_parse import parse_query

FILE = "query"


@dataclass(frozen=True, slots=True)
class QueryOutline:
    """`found`: the query, or what of it is not shown. `where` the latter is: `query:2:8`. `has_comments`: the SQL of
    the builder will not have them."""

    found: BuilderQuery | NotShown
    where: str | None
    has_comments: bool


def outline_text(text: str) -> QueryOutline:
    """E201, E213: it is no SELECT that can be read."""
    query = parse_query(text, FILE)
    pipes = [token.start for token in query.tokens if token.token_type == TokenType.PIPE_GT]
    found = NotShown("a query in pipes (|>)", pipes[0]) if pipes else outline(query.tree)
    offset = found.offset if isinstance(found, NotShown) else None
    where = query.where(offset) if offset is not None else None
    return QueryOutline(found, where, any(token.comments for token in query.tokens))
