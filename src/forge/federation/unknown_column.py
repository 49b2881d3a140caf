"""A column that no table of a query of the lake has, told without Spark: only where Spark would refuse it for sure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from sqlglot import exp

from forge.federation.relation import SourceRelation
from forge.model.name_suggestions import did_you_mean

# What gives columns names of its own, or has words that look like columns to the parser.
_DOUBTFUL: tuple[type[exp.Expr], ...] = (
    exp.UDTF, exp.Pivot, exp.MatchRecognize, exp.Command, exp.Anonymous, exp.AnonymousAggFunc, exp.Explode,
    exp.Posexplode, exp.Inline, exp.Stack, exp.JSONTable, exp.Lambda, exp.Columns, exp.Kwarg, exp.Collate,
    exp.JSONExtract, exp.Hint,
)  # fmt: skip
_NAMED_BY_VALUE = (exp.Placeholder, exp.Parameter, exp.Concat)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")  # what begins with _ may be metadata of a table or its files
# Functions without brackets, variables, words for all columns, and units of time.
# fmt: off
_WORDS = frozenset((
    "current_catalog", "current_database", "current_date", "current_path", "current_schema", "current_time",
    "current_timestamp", "current_timezone", "current_user", "localtime", "localtimestamp", "now", "session_user",
    "user", "session", "system", "grouping__id", "spark_grouping_id", "all", "default", "true", "false", "null",
    "year", "years", "quarter", "month", "months", "week", "weeks", "day", "days", "dayofweek", "dayofyear", "hour",
    "hours", "minute", "minutes", "second", "seconds", "millisecond", "milliseconds", "microsecond", "microseconds",
))
# fmt: on


def find_unknown_column(
    query: exp.Expr, expanded: exp.Expr, relations: Collection[SourceRelation]
) -> exp.Identifier | None:
    """Its name in the text. `query` is as it was written, `expanded` has no views. A name that stands anywhere, as
    that of a column, a result, a table or a text, is known everywhere: which clause knows it is for Spark to say."""
    aliases = {name.lower() for name in _aliases(expanded)}
    schemas = {table.db.lower() for table in query.find_all(exp.Table) if table.db}
    if any(_is_doubtful(node, aliases, schemas) for node in expanded.walk()):
        return None
    columns = {column.name.lower() for one in relations for column in one.columns}
    columns |= {name.lower() for name in _results(expanded, aliases, schemas)}
    for column in query.find_all(exp.Column):
        found = _unknown_part(column.parts, columns, aliases, schemas)
        if found is not None:
            return found
    return None


def near_columns(name: str, query: exp.Expr, relations: Collection[SourceRelation]) -> str | None:
    known = {column.name.lower(): column.name for one in relations for column in one.columns}
    known |= {name.lower(): name for name in (*_aliases(query), *(one.alias for one in query.find_all(exp.Alias)))}
    return did_you_mean(name.lower(), known, cutoff=0.5)


def _unknown_part(
    parts: Sequence[exp.Expr], columns: Collection[str], aliases: Collection[str], schemas: Collection[str]
) -> exp.Identifier | None:
    """`amount`, `orders.amount`, `core.orders.amount`, and fields of these: the first part that is nothing."""
    names = [part.name.lower() for part in parts]
    place = 0
    if names[0] not in columns:
        if names[0] in aliases and len(names) > 1:
            place = 1
        elif names[0] in schemas and len(names) > 2:
            place = 2
        elif len(names) > 3:
            return None  # a catalog
    part, name = parts[place], names[place]
    is_known = name in columns or name in aliases or name in _WORDS or not _PLAIN.fullmatch(name)
    return None if is_known or not isinstance(part, exp.Identifier) else part


def _is_doubtful(node: exp.Expr, aliases: Collection[str], schemas: Collection[str]) -> bool:
    if isinstance(node, exp.Table):
        return not isinstance(node.this, exp.Identifier)
    if isinstance(node, exp.Select):
        return any(isinstance(one, _NAMED_BY_VALUE) for one in node.expressions)
    if isinstance(node, exp.Star):  # the fields of a struct become columns
        above = node.parent
        if isinstance(above, exp.Column):
            return _is_field(above, aliases, schemas)
        return isinstance(above, exp.Dot)
    return isinstance(node, _DOUBTFUL)


def _aliases(tree: exp.Expr) -> Iterator[str]:
    """Names of tables, subqueries and CTEs, and those that these give to columns."""
    for node in tree.find_all(exp.Table, exp.TableAlias):
        yield node.name
        if isinstance(node, exp.TableAlias):
            yield from (one.name for one in node.columns)


def _is_field(column: exp.Column, aliases: Collection[str], schemas: Collection[str]) -> bool:
    first, parts = column.parts[0].name.lower(), len(column.parts)
    return parts > 1 and not (parts == 2 and first in aliases) and not (parts == 3 and first in schemas)


def _results(tree: exp.Expr, aliases: Collection[str], schemas: Collection[str]) -> Iterator[str]:
    """Names that a SELECT can give: an alias, a field of a struct, and a text, which is the name of its own column."""
    yield from (one.alias for one in tree.find_all(exp.Alias))
    yield from (one.name for one in tree.find_all(exp.PropertyEQ))
    yield from (node.name for node in tree.find_all(exp.Literal) if node.is_string)
    yield from (node.expression.name for node in tree.find_all(exp.Dot))
    yield from (one.name for one in tree.find_all(exp.Column) if _is_field(one, aliases, schemas))
