"""The first phase: every relation gets a name of one part, so that no later phase has to know its source's names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from forge.federation.names import base_tables, resolve_relation
from forge.federation.relation import RelationName, SourceRelation
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class LocalQuery:
    """`tree` reads relations as `r1`, `r2` …, each with an alias; `relations` says which these are. `fresh` makes
    names that nothing in the query has."""

    tree: exp.Query
    relations: Mapping[str, SourceRelation]
    fresh: FreshNames


class FreshNames:
    """Names that no part of a query has: `f1`, `f2` …"""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = {name.lower() for name in taken}

    def numbered(self, prefix: str) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield self.like(f"{prefix}{number}")

    def like(self, name: str) -> str:
        while name.lower() in self._taken:
            name += "_"
        self._taken.add(name.lower())
        return name


def give_local_names(
    tree: exp.Query, relations: Mapping[RelationName, SourceRelation], sources: Collection[str]
) -> LocalQuery:
    tree = tree.copy()
    _forget_comments(tree)
    fresh = FreshNames({name.name for name in tree.find_all(exp.Identifier)})
    numbers = fresh.numbered("r")
    named: dict[RelationName, str] = {}
    tables = list(base_tables(tree))
    prefixes: dict[tuple[str, ...], str] = {}
    for table, ctes in tables:
        name = resolve_relation(table, sources, ctes)
        if name not in relations:
            raise ForgeError("E108", f"unknown table {name}", fix=did_you_mean(str(name), map(str, relations)))
        local = named.setdefault(name, "") or next(numbers)
        named[name] = local
        parts = [part.name for part in table.parts]
        if not table.alias:
            prefixes[tuple(part.lower() for part in parts)] = parts[-1]
            table.set("alias", exp.TableAlias(this=exp.to_identifier(parts[-1], quoted=True)))
        table.set("this", exp.to_identifier(local, quoted=True))
        table.set("db", None)
        table.set("catalog", None)
        table.set("version", None)
    _shorten(tree, prefixes)
    return LocalQuery(tree, {local: relations[name] for name, local in named.items()}, fresh)


def _forget_comments(tree: exp.Expr) -> None:
    """A comment can tell the parser's library how to read a name; the text of a user must not."""
    for node in tree.walk():
        node.comments = None
        node.meta.pop("case_sensitive", None)


def _shorten(tree: exp.Expr, prefixes: Mapping[tuple[str, ...], str]) -> None:
    """`core.orders.amount` is `orders.amount` now."""
    for column in list(tree.find_all(exp.Column)):
        parts = tuple(part.name.lower() for part in column.parts)
        if len(parts) > 2 and parts[:-1] in prefixes:
            column.set("table", exp.to_identifier(prefixes[parts[:-1]], quoted=True))
            column.set("db", None)
            column.set("catalog", None)
    for dot in list(tree.find_all(exp.Dot)):  # source.schema.table.column of a deeper source
        if not isinstance(dot.parent, exp.Dot) and all(isinstance(part, exp.Identifier) for part in dot.parts):
            parts = tuple(part.name.lower() for part in dot.parts)
            if parts[:-1] in prefixes:
                dot.replace(exp.column(dot.parts[-1].name, table=prefixes[parts[:-1]], quoted=True))
