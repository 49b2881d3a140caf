"""sqllineage: the whole script at once, with its provider of metadata. That one looks up no table without a schema, so
they are given one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from sqllineage.config import SQLLineageConfig
from sqllineage.core.metadata.dummy import DummyMetaDataProvider
from sqllineage.runner import LineageRunner
from worker import TEMPORARY, Case, Pair, Schema, plain, serve, without_comments

MAIN = "main"
_NAMES = {"spark": "sparksql"}
_PROVIDERS: dict[int, DummyMetaDataProvider] = {}


def provider_of(schema: Schema) -> DummyMetaDataProvider:
    if id(schema) not in _PROVIDERS:
        known = {plain(name if "." in name else f"{MAIN}.{name}"): list(columns) for name, columns in schema.items()}
        _PROVIDERS[id(schema)] = DummyMetaDataProvider(known)
    return _PROVIDERS[id(schema)]


def read(case: Case) -> Iterable[Pair]:
    dialect = _NAMES.get(case.dialect, case.dialect)
    alone = any("." not in name for name in case.schema)
    with SQLLineageConfig(DEFAULT_SCHEMA=case.default_schema or MAIN * alone):
        runner = LineageRunner(case.script, dialect=dialect, metadata_provider=provider_of(case.schema))
        paths = runner.get_column_lineage(exclude_subquery_columns=True)
    pieces = without_comments(case.script).split(";")
    views = {plain(made[1]).rpartition(".")[2] for piece in pieces if (made := TEMPORARY.match(piece))}
    pairs: list[Pair] = []
    for path in paths:
        real = [column for column in path if column.parent is not None and name_of(column.parent) not in views]
        pairs += [(text_of(source), text_of(target)) for source, target in pairwise(real)]
    return pairs


def name_of(table: object) -> str:
    return plain(str(table)).rpartition(".")[2]


def text_of(column: object) -> str:
    return str(column).removeprefix("<default>.")


serve(read)
