"""openlineage-sql, statement by statement. It takes no schema. It tells names of columns and, apart, the table that is
written; views are joined here."""

from __future__ import annotations

from collections.abc import Iterable

from openlineage_sql import parse
from worker import Case, NotRead, Pair, Views, serve

_NAMES = {"spark": "databricks", "tsql": "mssql", "trino": "generic", "duckdb": "generic", "oracle": "generic"}


def read(case: Case) -> Iterable[Pair]:
    views = Views()
    pairs: list[Pair] = []
    problems: list[str] = []
    for statement in filter(str.strip, case.script.split(";")):
        found = parse([statement], _NAMES.get(case.dialect, case.dialect), case.default_schema or None)
        if found is None:
            problems.append("nothing")
            continue
        problems += [error.message for error in found.errors]
        own = [
            (f"{source.origin.qualified_name}.{source.name}", f"{target.qualified_name}.{column.descendant.name}")
            for target in found.out_tables
            for column in found.column_lineage
            for source in column.lineage
            if source.origin is not None
        ]
        pairs += views.through(statement, own)
    if problems:
        raise NotRead(problems[0], pairs)
    return pairs


serve(read)
