"""DataHub's parser: it splits scripts itself, and is told after each statement what it found out about the columns of
what was made. The schemas, for which it would ask its server, are at hand. Views are joined here."""

from __future__ import annotations

from collections.abc import Iterable

from datahub.sql_parsing.schema_resolver import SchemaResolver
from datahub.sql_parsing.split_statements import split_statements
from datahub.sql_parsing.sqlglot_lineage import infer_output_schema, sqlglot_lineage
from worker import Case, NotRead, Pair, Schema, Views, plain, serve

_NAMES = {"tsql": "mssql"}
_RESOLVERS: dict[tuple[int, str], SchemaResolver] = {}


def resolver_of(schema: Schema, dialect: str) -> SchemaResolver:
    key = (id(schema), dialect)
    if key not in _RESOLVERS:
        resolver = _RESOLVERS[key] = SchemaResolver(platform=_NAMES.get(dialect, dialect), env="PROD")
        for name, columns in schema.items():
            resolver.add_raw_schema_info(urn_of(name, resolver.platform), dict(columns))
    return _RESOLVERS[key]


def urn_of(name: str, platform: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{plain(name)},PROD)"


def read(case: Case) -> Iterable[Pair]:
    resolver = resolver_of(case.schema, case.dialect)
    views = Views()
    around = resolver.with_temp_tables({})
    pairs: list[Pair] = []
    problems: list[str] = []
    alone = ";" not in case.script.strip().rstrip(";")  # then it need not look for the ends of statements
    for statement in [case.script] if alone else split_statements(case.script, dialect=case.dialect):
        found = sqlglot_lineage(
            statement, around, case.db or None, case.default_schema or None, override_dialect=case.dialect
        )
        if found.debug_info.error is not None:
            problems.append(str(found.debug_info.error)[:200])
        depths = {1 + name.count(".") for name in case.schema}  # it wants all names of one length
        made = found.out_tables[0] if found.out_tables else ""
        if made and 1 + table_of(made).count(".") in depths and (columns := infer_output_schema(found)):
            around.add_temp_tables({made: columns})
        own = [
            (f"{table_of(source.table)}.{source.column}", f"{table_of(target.table)}.{target.column}")
            for column in found.column_lineage or []
            if (target := column.downstream).table
            for source in column.upstreams
        ]
        pairs += views.through(statement, own)
    if problems:
        raise NotRead(problems[0], pairs)
    return pairs


def table_of(urn: str) -> str:
    return urn.split(",")[1]


serve(read)
