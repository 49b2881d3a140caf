"""SQL passed to a database: DB-API cursors, SQLAlchemy, DuckDB."""

from __future__ import annotations

import re

from forge.lineage.extract.python.library import Call, Handler, Library, ValueKind, methods
from forge.lineage.extract.python.values import AbstractValue, Frame, Hole, ListOf, Module, Text, UnknownValue, text
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation
from forge.model.word_list import words

_SQL = re.compile(
    r"\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*\(?\s*(?:select|with|insert|update|delete|merge|create|alter|drop|truncate|"
    r"replace|copy|call|exec|begin|set|use|from|refresh|unload|export|attach|explain|rename|grant)\b",
    re.IGNORECASE | re.DOTALL,
)
_PLACE = re.compile(r"%\((\w+)\)s|%s")


def plain_sql(query: Text) -> Text:
    """Places for values as the parser knows them: `%s` → `?`."""
    parts = (
        _PLACE.sub(lambda one: f":{one[1]}" if one[1] else "?", part) if isinstance(part, str) else part
        for part in query.parts
    )
    return Text(tuple(parts))


def _is_sql(thing: AbstractValue | None) -> bool:
    if not isinstance(thing, Text) or not thing.parts:
        return False
    first = thing.parts[0]
    return isinstance(first, Hole) or _SQL.match(first) is not None


def execute(call: Call, world: World) -> AbstractValue | None:
    """`cursor.execute(sql, …)` and its like, whatever the object is. None: its argument is no SQL."""
    query = call.arg(0) or next((call.named[name] for name in _ARGUMENTS if name in call.named), None)
    if isinstance(query, UnknownValue) and "execute" in call.name and _SQL_WORD.search(call.written):
        world.gap(call, f"the SQL is not known: it is {query.what}")
        return UnknownValue(call.written)
    if not _is_sql(query) or not isinstance(query, Text):
        return None
    relation = world.read_sql(call, plain_sql(query))
    return (
        UnknownValue(call.written) if relation is None else Frame("pyspark" if call.name == "sql" else "sql", relation)
    )


_ARGUMENTS = ("sql", "query", "statement", "operation", "sql_text")


def operator(call: Call, world: World) -> AbstractValue:
    """An operator of Airflow runs the SQL it is given, one text or a list. The path of a file is none."""
    if call.name.endswith("Operator"):
        given = next((call.named[name] for name in ("sql", "hql", "bql", "query") if name in call.named), None)
        for one in given.items if isinstance(given, ListOf) else [given]:
            if isinstance(one, Text) and _is_sql(one):
                world.read_sql(call, plain_sql(one))
    return UnknownValue(call.written)


_SQL_WORD = re.compile(r"sql|query|statement|stmt|\bcur(?:sor|s)?\b|conn|engine|session|\bdb\b", re.IGNORECASE)


def text_clause(call: Call, world: World) -> AbstractValue:
    """sqlalchemy.text: the text itself."""
    return call.arg(0, "text") or text("")


def duckdb_sql(call: Call, world: World) -> AbstractValue:
    """DuckDB reads frames of the program by the names of their variables."""
    query = call.arg(0, "query")
    if not isinstance(query, Text):
        return UnknownValue(call.written)
    frames = {name: one.relation for name, one in world.variables().items() if isinstance(one, Frame)}
    relation = world.read_sql(call, plain_sql(query), frames)
    return Frame("sql", relation if relation is not None else Relation())


def _connect(call: Call, world: World) -> AbstractValue:
    return Module("duckdb")


def _as(kind: str) -> Handler:
    return lambda call, world: Frame(kind, call.frame.relation)


RESULT = ValueKind(
    name="sql",
    methods={
        **methods(
            lambda call, world: ListOf([], "list", True), ("fetchall", "fetchmany", "all", "scalars", "mappings")
        ),
        **methods(
            _as("pandas"),
            ("df", "fetchdf", "fetch_df", "to_df", "toPandas", "fetch_pandas_all", "to_pandas", "to_dataframe"),
        ),
        **methods(_as("polars"), ("pl",)),
        **methods(lambda call, world: call.frame, ("result", "execute")),
    },
    attribute=lambda call, world: UnknownValue(call.written),
)
AIRFLOW = Library(modules=("airflow",), otherwise=operator)
RAW_SQL = Library(
    modules=("sqlalchemy", "duckdb"),
    functions={
        "sqlalchemy.text": text_clause,
        "sqlalchemy.sql.text": text_clause,
        "sqlalchemy.sql.expression.text": text_clause,
        "sqlalchemy.DDL": text_clause,
        "duckdb.sql": duckdb_sql,
        "duckdb.query": duckdb_sql,
        "duckdb.execute": duckdb_sql,
        "duckdb.connect": _connect,
        "duckdb.cursor": _connect,
    },
    kinds=(RESULT,),
    methods_anywhere=dict.fromkeys(
        words(
            "execute executemany executescript execute_async execute_string sql query run_query exec_driver_sql "
            "execute_sql run_sql run"
        ),
        execute,
    ),
)
