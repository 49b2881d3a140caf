"""Forge, as anyone else here: the pure function on a text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from worker import Case, NotRead, Pair, Schema, serve

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import TableDefinition, definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.sql.program import read_sql

_DEFINITIONS: dict[int, tuple[TableDefinition, ...]] = {}


@cache
def _catalog(number: int, db: str, default_schema: str) -> TableCatalog:
    return TableCatalog(_DEFINITIONS[number], db or None, default_schema or None)


def catalog_of(schema: Schema, db: str, default_schema: str) -> TableCatalog:
    if id(schema) not in _DEFINITIONS:
        _DEFINITIONS[id(schema)] = definitions_of(schema)
    return _catalog(id(schema), db, default_schema)


def read(case: Case) -> Iterable[Pair]:
    catalog = catalog_of(case.schema, case.db, case.default_schema)
    found = flatten([read_sql(case.script, catalog, dialect=case.dialect)])
    pairs = [(str(edge.source), str(edge.target)) for edge in found.edges]
    if found.gaps:
        raise NotRead(found.gaps[0].reason, pairs)
    return pairs


serve(read)
