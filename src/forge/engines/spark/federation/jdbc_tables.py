"""The tables of a database as its JDBC driver lists them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forge.model.errors import RefusedQueryError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_TABLES = 20_000
_READABLE = frozenset(
    {"TABLE", "BASE TABLE", "VIEW", "MATERIALIZED VIEW", "PARTITIONED TABLE", "FOREIGN TABLE", "EXTERNAL TABLE",
     "SYNONYM", "ALIAS", "MEMORY TABLE", "CACHED TABLE", "TABLE LINK"}
)  # fmt: skip
_OWN_ROWS = frozenset({"TABLE", "BASE TABLE", "MEMORY TABLE", "CACHED TABLE"})
_PARTITIONED = "PARTITIONED TABLE"


@dataclass(frozen=True, slots=True)
class JdbcTable:
    """`path`: as queries name it; `quoted`: as the database does. `is_default`: where a name alone is looked for.
    `is_derived`: its rows may be those of other tables."""

    path: tuple[str, ...]
    quoted: str
    is_default: bool
    is_derived: bool = False


def list_tables(spark: SparkSession, dialect: Any, connection: Any, source: str) -> list[JdbcTable]:
    """Those of the catalog that is connected to. `schema.table`, or the table alone where there are no schemas."""
    about = connection.getMetaData()
    _refuse_other_quotes(about, dialect, source)
    catalog, schema = connection.getCatalog() or None, _own_schema(connection)
    found: list[JdbcTable] = []
    types = [one for one in _texts(about.getTableTypes()) if one in _READABLE]
    for own_catalog, own_schema, name, kind in _rows(spark, about, catalog, types):
        is_other = bool(own_catalog) and (own_catalog != catalog or not own_schema)
        path = tuple(part for part in (own_catalog if is_other else None, own_schema, name) if part)
        quoted = ".".join(str(dialect.quoteIdentifier(part)) for part in path)
        is_default = own_schema == schema if own_schema else own_catalog == catalog
        found.append(JdbcTable(path, quoted, is_default, is_derived=_is_derived(kind, types)))
        if len(found) > MOST_TABLES:
            raise RefusedQueryError(
                f"{source} has more than {MOST_TABLES:,} tables",
                fix="Name a database with fewer of them in its url, or a user who sees fewer.",
            )
    return found


def place_of(path: tuple[str, ...], tables: Iterable[JdbcTable], schema: str) -> JdbcTable | None:
    """As it is spelled, or else the only one that differs in case alone. A name alone is of `schema`, or of where the
    database itself looks for it, or the only one of that name."""
    known = list(tables)
    if len(path) == 1 and schema:
        return _matching((schema, *path), known) or (_matching(path, known) if not _has_schemas(known) else None)
    if len(path) == 1 and _has_schemas(known):
        alike = [one for one in known if one.path[-1].casefold() == path[0].casefold()]
        near = [one for one in alike if one.is_default] or alike
        exact = [one for one in near if one.path[-1] == path[0]] or near
        return exact[0] if len(exact) == 1 else None
    return _matching(path, known)


def _has_schemas(tables: list[JdbcTable]) -> bool:
    return any(len(one.path) > 1 for one in tables)


def _matching(path: tuple[str, ...], tables: list[JdbcTable]) -> JdbcTable | None:
    folded = tuple(part.casefold() for part in path)
    alike = [one for one in tables if tuple(part.casefold() for part in one.path) == folded]
    exact = [one for one in alike if one.path == path] or alike
    return exact[0] if len(exact) == 1 else None


def _refuse_other_quotes(about: Any, dialect: Any, source: str) -> None:
    """Where `"name"` is a text, as in Hive, every row would have the name of the column for a value."""
    mark = (about.getIdentifierQuoteString() or "").strip()
    written = str(dialect.quoteIdentifier("x"))
    if not mark or written != f"{mark}x{mark}":
        raise RefusedQueryError(
            f"{source} quotes names in another way than Spark",
            why=f"Spark would write {written}, and the driver says {mark or 'that it has no quotes'}.",
            fix="Load its tables by a query of their own: `connector: jdbc` with `query:` in sources/*.yaml.",
        )


def _own_schema(connection: Any) -> str | None:
    """Drivers older than JDBC 4.1 know no such question."""
    from py4j.protocol import Py4JJavaError

    try:
        return connection.getSchema() or None
    except Py4JJavaError:
        return None


def _is_derived(kind: str, types: Collection[str]) -> bool:
    """Where there are partitions they are listed as tables, and of which, no driver says."""
    return kind not in _OWN_ROWS or _PARTITIONED in types


def _rows(
    spark: SparkSession, about: Any, catalog: str | None, types: Sequence[str]
) -> Iterator[tuple[str | None, str | None, str, str]]:
    """Catalog, schema, name and type."""
    gateway: Any = spark.sparkContext._gateway
    wanted = gateway.new_array(gateway.jvm.java.lang.String, len(types))
    for place, one in enumerate(types):
        wanted[place] = one
    found = about.getTables(catalog, None, "%", wanted)
    try:
        while found.next():
            name = found.getString(3)
            if name and "\x00" not in name:
                yield found.getString(1), found.getString(2), name, (found.getString(4) or "").strip()
    finally:
        found.close()


def _texts(found: Any) -> list[str]:
    texts = []
    while found.next():
        texts.append(str(found.getString(1)).strip())
    found.close()
    return texts
