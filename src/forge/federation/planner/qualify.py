"""The second phase: every column gets the name of its table, stars and positions are replaced by what they mean.
What sqlglot reads otherwise than Spark is not qualified at all: the engine then reads whole relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from forge.federation.planner.local_names import LocalQuery
from forge.federation.planner.output_names import name_expressions
from forge.federation.relation import SourceRelation
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean

# Clauses and functions whose columns or rows sqlglot could read otherwise than Spark.
_NOT_QUALIFIED: tuple[type[exp.Expr], ...] = (
    exp.Lateral, exp.Pivot, exp.Unnest, exp.Qualify, exp.MatchRecognize, exp.Command, exp.Rand, exp.Randn, exp.Uuid,
    exp.Anonymous, exp.AnonymousAggFunc, exp.Explode, exp.Posexplode, exp.Inline, exp.GroupingSets, exp.Cube,
    exp.Rollup, exp.Hint, exp.TableSample, exp.Lambda, exp.Columns,
)  # fmt: skip
_UNRESOLVED = re.compile(r"(?:Column '(?P<a>[^']+)' could not be resolved|Unknown column: (?P<b>\S+))")
_AMBIGUOUS = re.compile(r"Ambiguous column '([^']+)'")


class UnknownColumnError(UnknownNameError):
    """As far as the planner can tell: of tables alone, Spark may know better."""


def qualify_columns(query: LocalQuery) -> exp.Query | str:
    """The qualified tree, or why there is none. E108: a column that no relation has, or several."""
    tree = query.tree.copy()
    name_expressions(tree)
    reason = _doubt(tree, query.relations)
    if reason is not None:
        return reason
    schema = MappingSchema(
        {local: {column.name.lower(): "string" for column in one.columns} for local, one in query.relations.items()},
        dialect="spark",
    )
    try:
        found = qualify(tree, schema=schema, dialect="spark", identify=True)
    except SqlglotError as error:
        return _read_error(str(error), query)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, RecursionError):
        return "its names are resolved by the engine"
    return found if isinstance(found, exp.Query) else "it is no SELECT"


def _doubt(tree: exp.Query, relations: Mapping[str, SourceRelation]) -> str | None:
    for node in tree.walk():
        if isinstance(node, _NOT_QUALIFIED):
            return f"{type(node).__name__.upper()} is read by the engine alone"
        if isinstance(node, exp.With) and node.recursive:
            return "a recursive WITH is computed by the engine"
        if isinstance(node, exp.Star) and any(node.args.values()):
            return "a star with EXCEPT is read by the engine alone"
        if isinstance(node, exp.Join) and (node.args.get("using") or node.method):
            return "USING and NATURAL are read by the engine alone"
        if isinstance(node, exp.Table) and node.args.get("alias") and node.args["alias"].columns:
            return "a table whose columns get other names is read by the engine alone"
        if isinstance(node, exp.Table) and (node.args.get("joins") or not isinstance(node.this, exp.Identifier)):
            return "joins in brackets and table functions are read by the engine alone"
        if isinstance(node, exp.Order) and any(_is_position(key.this) for key in node.expressions):
            named = [one.alias_or_name.lower() for one in getattr(node.parent, "selects", [])]
            if len(set(named)) < len(named) or any(name in ("", "*") for name in named):
                return "a position in ORDER BY beside columns of one name, or a star, is read by the engine alone"
        if isinstance(node, exp.Select):
            doubt = _doubtful_alias(node, relations.values())
            if doubt is not None:
                return doubt
    for relation in relations.values():
        names = [column.name.lower() for column in relation.columns]
        if len(set(names)) < len(names):
            return f"{relation.name} has columns whose names differ only in case"
    return None


def _is_position(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string


def _doubtful_alias(select: exp.Select, relations: Iterable[SourceRelation]) -> str | None:
    """An alias that is also the name of a column: which of the two is meant depends on the clause."""
    aliases = {
        one.alias.lower()
        for one in select.selects
        if isinstance(one, exp.Alias)
        and not (isinstance(one.this, exp.Column) and one.this.name.lower() == one.alias.lower())
    }
    inner = {column.name.lower() for relation in relations for column in relation.columns}
    inner |= {
        one.alias_or_name.lower()
        for other in select.root().find_all(exp.Select)
        if other is not select
        for one in other.selects
    }
    # ORDER BY of an alias alone means the alias, everywhere.
    plain_keys = {id(key.this) for key in (select.args.get("order") or exp.Order()).expressions}
    for column in select.find_all(exp.Column):
        name = column.name.lower()
        if name not in aliases or column.table or id(column) in plain_keys:
            continue
        clause = _clause_of(column, select)
        if clause in ("expressions", "group"):
            continue  # here a column comes first, for both
        if name in inner:
            return f"{column.name} is the name of a column and of a result"
        if clause in ("where", "joins"):
            raise ForgeError(
                "E108",
                f"unknown column {column.name}",
                why="It is a name that SELECT gives, which WHERE and ON do not know.",
                fix="Write the expression again, or put the query into a subquery.",
            )
    return None


def _clause_of(node: exp.Expr, select: exp.Select) -> str:
    while node.parent is not None and node.parent is not select:
        node = node.parent
    return node.arg_key or ""


def _read_error(message: str, query: LocalQuery) -> str:
    ambiguous = _AMBIGUOUS.search(message)
    unknown = _UNRESOLVED.search(message)
    known = _known_names(query.relations, query.tree)
    one_select = len(list(query.tree.find_all(exp.Select))) == 1
    if ambiguous or (unknown and one_select):
        name = ambiguous.group(1) if ambiguous else _name_of(unknown)
        owners = sorted({str(one.name) for one in query.relations.values() if one.get(name) is not None})
        if len(owners) > 1:
            raise ForgeError(
                "E108",
                f"the column {name} is ambiguous",
                why=f"{' and '.join(owners)} have it.",
                fix="Write its table before it.",
            )
        if name.lower() not in known:
            raise _unknown_column(name, known)
    if unknown:
        name = _name_of(unknown)
        if name.lower() not in known:
            raise _unknown_column(name, known)
    return "its names are resolved by the engine"


def _name_of(unknown: re.Match[str] | None) -> str:
    return (unknown.group("a") or unknown.group("b")).strip('`"') if unknown else ""


def _known_names(relations: Mapping[str, SourceRelation], tree: exp.Expr) -> dict[str, str]:
    known = {column.name.lower(): column.name for one in relations.values() for column in one.columns}
    names = [alias.alias for alias in tree.find_all(exp.Alias)]
    for table in tree.find_all(exp.TableAlias):
        names += [table.name, *(one.name for one in table.columns)]
    known |= {name.lower(): name for name in names if name}
    return known


def _unknown_column(name: str, known: Mapping[str, str]) -> UnknownColumnError:
    return UnknownColumnError(f"unknown column {name}", fix=did_you_mean(name.lower(), known, cutoff=0.5))
