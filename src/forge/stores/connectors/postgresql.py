"""PostgreSQL as a source of queries. Placeholders of `SourceQuery.text` are `$1`, `$2`; a percent sign is itself.
Values are bound by the server.

Every connection is read-only and reads one query: names are found in pg_catalog only, so the text spells out schemas.
Rows come as text in pieces of libpq (no cursor, which would rule out parallel plans), so memory is bounded. A large
table is read in parts.

| PostgreSQL | Spark | `=` | order |
|---|---|---|---|
| boolean, smallint, integer, bigint, real, double precision, date | the same | yes | yes |
| oid | bigint | yes | yes |
| numeric(p,s) | decimal(p,s), at most 38 digits | yes | yes |
| numeric | decimal(38,18), as Spark reads it over JDBC | yes | yes |
| text, varchar | string | where its collation is deterministic | the same, by COLLATE "C" |
| char(n) | string, padded | no | no |
| bytea | binary | yes | yes |
| timestamp | timestamp_ntz | yes | yes |
| timestamptz | timestamp | yes | yes |
| bit(1) | boolean | no | no |
| arrays of these, and of uuid, json, inet, time, interval, char(n) | array | no | no |
| time, interval, uuid, json, inet, money, enums, citext, ranges, bit(n), all else | string: its own text | no | no |

Infinity, years before 1 and after 9999, NaN of a numeric and digits that do not fit are errors (E310). A domain is what
it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import date, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import Source, SourceOrigin
from forge.federation.statistics import ColumnStatistics, bounds_of, place_of
from forge.model.errors import ForgeError
from forge.model.types import DataType, TypeField
from forge.stores.connectors.cells import FIRST_ROWS, batches_of, failed_query
from forge.stores.connectors.login import Login, driver_needed, login_of, signs_in_as_told
from forge.stores.connectors.names import matching
from forge.stores.connectors.parts import PartedRead
from forge.stores.connectors.running import RunningReads, started

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa
    from psycopg.abc import AdaptContext
    from psycopg.adapt import AdaptersMap

    Connection = psycopg.Connection[tuple[Any, ...]]

PART_BLOCKS = 4_096  # of a part of a read: 32 MB in most servers
_LAST_ROW = "(4294967295,65535)"  # no table has it
_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BLOCKS = """
SELECT pg_relation_size(c.oid) / current_setting('block_size')::int
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2
"""
DRIVER_OPTIONS = ("sslmode", "sslrootcert", "sslcert", "sslkey")
_PORT = 5432
_SESSION: Mapping[str, str] = {
    "default_transaction_read_only": "on",
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",  # the shortest text that is the same number again
    "standard_conforming_strings": "on",
    "search_path": "pg_catalog,pg_temp",
    "lock_timeout": "10s",
}
_READABLE = """
  c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname NOT IN ('information_schema', 'pg_catalog') AND n.nspname NOT LIKE 'pg\\_%'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
"""
_RELATIONS = f"""
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT c.relispartition AND {_READABLE}
"""  # noqa: S608
# The estimate of the last ANALYZE, scaled to what the table has become since, as the planner does; partitions are
# added up. The version of what only transactions of this server change is its snapshot: while no transaction has begun
# to write or ended since, every table shows the same rows. Views, policies and foreign tables may depend on more.
_NAMED = f"""
WITH named AS (
  SELECT c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity,
    c.relhassubclass OR EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid) AS in_tree
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE lower(n.nspname) = lower($1) AND lower(c.relname) = lower($2) AND {_READABLE}
)
SELECT oid::bigint, nspname, relname, relkind IN ('v', 'm', 'f') AS derived, in_tree,
  relkind IN ('r', 'm') AND has_table_privilege(oid, 'SELECT') AND current_setting('server_version_num')::int >= 140000,
  parts.unknown, parts.rows, parts.bytes,
  CASE WHEN parts.plain AND NOT named.relrowsecurity AND NOT pg_is_in_recovery()
    THEN concat_ws(' ', oid, txid_current_snapshot(), pg_postmaster_start_time(), current_user) END AS version
FROM named, LATERAL (
  SELECT bool_or(c.reltuples < 0) AS unknown,
    sum(CASE WHEN c.relpages > 0 AND c.relkind <> 'f'
      THEN c.reltuples::float8 * (pg_relation_size(c.oid) / current_setting('block_size')::int) / c.relpages
      ELSE c.reltuples END)::bigint AS rows,
    sum(CASE WHEN c.relkind IN ('r', 'm') THEN pg_table_size(c.oid) END)::bigint AS bytes,
    bool_and(c.relkind <> 'f' AND NOT c.relrowsecurity AND (NOT c.relhassubclass OR c.relkind = 'm')) AS plain
  FROM pg_class c
  WHERE c.relkind IN ('r', 'm', 'f')
    AND c.oid IN (SELECT named.oid UNION SELECT relid FROM pg_partition_tree(named.oid) WHERE isleaf)
) parts
"""  # noqa: S608
# Of a table its partitions and children, at any depth, whose rows it has; and all that have rows of any of these.
_TREE = """
WITH RECURSIVE below AS (
  SELECT $1::bigint::oid AS oid
  UNION SELECT i.inhrelid FROM below JOIN pg_inherits i ON i.inhparent = below.oid
), above AS (
  SELECT oid FROM below
  UNION SELECT i.inhparent FROM above JOIN pg_inherits i ON i.inhrelid = above.oid
)
SELECT n.nspname, c.relname, c.relkind = 'f'
FROM above JOIN pg_class c ON c.oid = above.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid <> $1::bigint::oid ORDER BY 1, 2
"""
_COLUMNS = """
WITH RECURSIVE based AS (
  SELECT a.attnum, a.atttypid AS type, a.atttypmod AS modifier FROM pg_attribute a WHERE a.attrelid = $1::bigint::oid
  UNION ALL
  SELECT based.attnum, t.typbasetype, CASE WHEN t.typtypmod >= 0 THEN t.typtypmod ELSE based.modifier END
  FROM based JOIN pg_type t ON t.oid = based.type AND t.typtype = 'd'
)
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
  CASE WHEN e.oid IS NULL THEN t.typname ELSE e.typname END AS name, e.oid IS NOT NULL AS many, based.modifier,
  tn.nspname = 'pg_catalog' AND coalesce(en.nspname = 'pg_catalog', true) AS plain,
  coalesce(l.collisdeterministic, true) AS deterministic,
  s.n_distinct, s.null_frac, CASE WHEN t.typcategory IN ('N', 'D') THEN s.histogram_bounds::text::text[] END,
  CASE WHEN t.typcategory IN ('N', 'D') THEN s.most_common_vals::text::text[] END, s.most_common_freqs,
  coalesce(k.place, 0) AS place
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
  AND s.inherited = (c.relkind = 'p')
JOIN based ON based.attnum = a.attnum
JOIN pg_type t ON t.oid = based.type AND t.typtype <> 'd'
JOIN pg_namespace tn ON tn.oid = t.typnamespace
LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
LEFT JOIN pg_namespace en ON en.oid = e.typnamespace
LEFT JOIN pg_collation l ON l.oid = a.attcollation
LEFT JOIN (
  SELECT conrelid, unnested.attnum, unnested.place FROM pg_constraint,
    LATERAL unnest(conkey) WITH ORDINALITY AS unnested(attnum, place) WHERE contype = 'p'
) k ON k.conrelid = a.attrelid AND k.attnum = a.attnum
WHERE a.attrelid = $1::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped
  AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attnum
"""
_SIMPLE: Mapping[str, str] = {
    "bool": "boolean",
    "int2": "smallint",
    "int4": "int",
    "int8": "bigint",
    "oid": "bigint",
    "float4": "float",
    "float8": "double",
    "text": "string",
    "varchar": "string",
    "bytea": "binary",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
}
_NUMBERS = frozenset({"smallint", "int", "bigint", "float", "double", "decimal"})
_TIMES: Mapping[str, Callable[[str], object]] = {
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "timestamp_ntz": datetime.fromisoformat,
}
_PARTS = 100  # of the values of a column, for estimates
_IN_ARRAYS = {*_SIMPLE, "numeric", "bpchar", "uuid", "json", "jsonb", "inet", "cidr", "macaddr", "time", "interval"}
_DIGITS = 38
_BYTES_ARE_CHARACTERS = ("UTF8", "LATIN1", "SQL_ASCII")  # whose COLLATE "C" sorts as UTF-8 does
_UNREACHABLE = ("08", "28", "3D", "53", "57P")  # classes of SQLSTATE


class PostgresConnector:
    def __init__(self, source: Source, root: Path, secret: Callable[[str], str]) -> None:
        self._source, self._root, self._secret = source, root, secret
        self._running = RunningReads(source.name)

    def test(self) -> str:
        return f"PostgreSQL {self._ask('SHOW server_version')[0][0].split()[0]}"

    def relations(self) -> tuple[RelationName, ...]:
        return tuple(RelationName(self._source.name, path) for path in sorted(self._ask(_RELATIONS)))

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        schema = self._source.schema or "public"
        wanted = (schema, *path) if len(path) == 1 else path
        if len(wanted) != 2:
            return None
        with self._asking() as ask:
            found: dict[tuple[str, ...], tuple[Any, ...]] = {row[1:3]: row for row in ask(_NAMED, wanted)}
            name = matching(wanted, found)
            if name is None:
                return None
            oid, _, _, derived, in_tree, splits, unknown, rows, size, version = found[name]
            described = ask(_COLUMNS, (int(oid),))
            tree = ask(_TREE, (int(oid),)) if in_tree == "t" and self._source.has_rules else []
            encoding = ask("SHOW server_encoding", ())[0][0]
        key = sorted((int(row[-1]), row[0]) for row in described if row[-1] != "0")
        known = None if rows is None or unknown == "t" else int(rows)
        return SourceRelation(
            RelationName(self._source.name, name),
            tuple(_with_statistics(self._column(row, encoding), row, known) for row in described),
            rows=known,
            bytes=None if size is None else int(size),
            key=tuple(column for _, column in key),
            version=version or "",
            splits=splits == "t",
            shares_rows=tuple(row[:2] for row in tree),
            is_derived=derived == "t" or any(row[2] == "t" for row in tree),
        )

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        if isinstance(asked, Scan):
            raise TypeError("a database is asked by SQL")
        in_parts = asked.split is not None and self._login.seconds is None  # its time is that of all parts
        return started(schema, (self._parts if in_parts else self._batches)(asked, schema, batch_rows))

    def cancel(self) -> None:
        self._running.cancel()

    def close(self) -> None:
        self._running.cancel()

    @cached_property
    def _login(self) -> Login:
        return login_of(self._source, self._root, self._secret, DRIVER_OPTIONS)

    def _column(self, row: Sequence[str], encoding: str) -> SourceColumn:
        name, native, not_null, type_name, many, modifier, plain, deterministic, *_ = row
        known = _data_type(type_name, int(modifier)) if plain == "t" else None
        is_text = type_name in ("text", "varchar")
        same = known is not None and many == "f" and type_name != "bit" and (not is_text or deterministic == "t")
        found = known or DataType("string")
        if many == "t" and plain == "t" and type_name in _IN_ARRAYS:
            found = DataType("array", (), (TypeField("element", found),))
        elif many == "t":
            found = DataType("string")
        return SourceColumn(
            name,
            found,
            nullable=not_null != "t",
            native=native,
            same_equality=same,
            same_order=same and (not is_text or encoding in _BYTES_ARE_CHARACTERS),
            counts_bytes=is_text and encoding == "SQL_ASCII",
        )

    def _ask(self, text: str) -> list[tuple[Any, ...]]:
        with self._asking() as ask:
            return ask(text, ())

    @contextmanager
    def _asking(self) -> Iterator[Callable[[str, Sequence[object]], list[tuple[Any, ...]]]]:
        """Questions to the catalog, over one connection."""
        with closing(self._open()) as connection:
            import psycopg

            cursor = psycopg.RawCursor(connection)
            try:
                with self._running.read(lambda: connection.cancel_safe(timeout=10)):
                    yield lambda text, values: cursor.execute(text, values).fetchall()
            except psycopg.Error as error:
                raise self._failure(error) from error

    def _batches(self, query: SourceQuery, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        with closing(self._open()) as connection:
            yield from self._streamed(connection, query, schema, most)

    def _streamed(
        self, connection: Connection, query: SourceQuery, schema: pa.Schema, most: int
    ) -> Iterator[pa.RecordBatch | None]:
        import psycopg

        rows = psycopg.RawCursor(connection).stream(query.text, query.values, size=min(most, FIRST_ROWS))
        try:
            with self._running.read(lambda: connection.cancel_safe(timeout=10)) as read:
                yield from self._running.until_cancelled(read, batches_of(self._source.name, schema, rows, most))
        except psycopg.Error as error:
            raise self._failure(error) from error
        finally:
            rows.close()  # type: ignore[attr-defined] # a generator: it cancels what still runs

    def _parts(self, query: SourceQuery, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        """In ranges of its blocks. All see one snapshot, so that no row is read twice or not at all where others write
        meanwhile; a server that gives none away, as a standby, is asked for everything at once."""
        assert query.split is not None
        split = query.split
        with closing(self._open()) as first:
            found = self._snapshot(first, split.path)
            if found is None:
                yield from self._streamed(first, query, schema, most)
                return
            name, blocks = found

            def stream(connection: Connection, low: str, high: str | None) -> Iterator[pa.RecordBatch | None]:
                bounds = (low, high or _LAST_ROW)
                return self._streamed(connection, SourceQuery(split.text, (*query.values, *bounds)), schema, most)

            starts = [f"({block},0)" for block in range(0, blocks, PART_BLOCKS)]
            parts = list(zip(starts, [*starts[1:], None], strict=True))
            reading = PartedRead(first, joined=lambda: self._joined(name), stream=stream, parts=parts)
            with self._running.read(reading.stop) as read:
                yield from self._running.until_cancelled(read, reading.batches())

    def _snapshot(self, first: Connection, path: tuple[str, ...]) -> tuple[str, int] | None:
        """Its name and how many blocks the table has; None where it cannot be read in parts, or is small."""
        import psycopg

        cursor = psycopg.RawCursor(first)
        try:
            with self._running.read(lambda: first.cancel_safe(timeout=10)):
                cursor.execute(_BEGIN)
                blocks = cursor.execute(_BLOCKS, path).fetchone()
                if blocks is not None and int(blocks[0]) > PART_BLOCKS:
                    name = cursor.execute("SELECT pg_export_snapshot()").fetchone()
                    assert name is not None
                    return str(name[0]), int(blocks[0])
        except psycopg.OperationalError as error:
            raise self._failure(error) from error
        except psycopg.Error:
            pass
        first.rollback()
        return None

    def _joined(self, snapshot: str) -> Connection:
        """Another connection that sees what the first one does."""
        import psycopg
        from psycopg import sql

        connection = self._open()
        try:
            connection.execute(_BEGIN)
            connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
        except psycopg.Error as error:
            connection.close()
            raise self._failure(error) from error
        return connection

    def _open(self) -> Connection:
        with driver_needed(self._source.name, "PostgreSQL", "postgres"):
            import psycopg

        login = self._login
        driver: dict[str, Any] = dict(login.options)
        if self._source.origin is SourceOrigin.HTTP:
            driver |= signs_in_as_told(self._source.name)
        session = dict(_SESSION) | ({"statement_timeout": f"{login.seconds * 1000:.0f}"} if login.seconds else {})
        try:
            return psycopg.connect(
                host=login.host,
                port=login.port or _PORT,
                dbname=login.database,
                user=login.user,
                password=login.password,
                connect_timeout=max(2, round(login.connect_seconds)),
                options=" ".join(f"-c {name}={value}" for name, value in session.items()),
                client_encoding="UTF8",
                application_name="forge",
                autocommit=True,
                prepare_threshold=None,
                context=_text_loaders(),
                **driver,
            )
        except psycopg.Error as error:
            raise login.unreachable(error) from error

    def _failure(self, error: psycopg.Error) -> ForgeError:
        state = error.sqlstate or ""
        if state == "57014":
            return (
                failed_query(self._source.name, f"It took longer than {self._login.seconds:g} s.")
                if (self._login.seconds)
                else failed_query(self._source.name, "It was cancelled at the server.")
            )
        if not state or state.startswith(_UNREACHABLE):
            return self._login.unreachable(error)
        said = error.diag.message_primary or str(error)
        return failed_query(self._source.name, self._login.without_secrets(said))


def _with_statistics(column: SourceColumn, row: Sequence[Any], rows: int | None) -> SourceColumn:
    distinct, nulls, histogram, common, frequencies = row[-6:-1]
    found = ColumnStatistics(
        _distinct(distinct, rows),
        None if nulls is None else float(nulls),
        _bounds(column.type, _listed(histogram), _listed(common), [float(one) for one in _listed(frequencies)]),
    )
    return replace(column, statistics=found)


def _listed(array: object) -> list[str]:
    return [str(one) for one in array] if isinstance(array, list) else []


def _bounds(
    of: DataType, histogram: Sequence[str], common: Sequence[str], shares: Sequence[float]
) -> tuple[float, ...]:
    """The server tells frequent values with their shares, and bounds of the others. Together about a hundred."""
    read: Callable[[str], object] | None = _TIMES.get(of.name, float if of.name in _NUMBERS else None)
    if read is None:
        return ()
    try:
        rest = bounds_of(map(read, histogram))
        often = bounds_of(map(read, common))
    except ValueError:  # infinity has no place among days
        return ()
    parts = max(round(_PARTS * (1 - sum(shares))), 2) if rest else 0
    found = [rest[round(place * (len(rest) - 1) / (parts - 1))] for place in range(parts)]
    for one, share in zip(often, _in_order(common, shares, read), strict=len(often) == len(common)):
        found += [one] * max(round(_PARTS * share), 1)
    return tuple(sorted(found)) if len(found) > 1 else ()


def _in_order(common: Sequence[str], shares: Sequence[float], read: Callable[[str], object]) -> list[float]:
    """Of the sorted values."""
    return [share for _, share in sorted(zip((place_of(read(one)) or 0.0 for one in common), shares, strict=False))]


def _distinct(said: str | None, rows: int | None) -> int | None:
    """As ANALYZE says: how many, or where it grows with the table, their share of the rows as a negative number."""
    share = float(said or 0)
    if share > 0:
        return round(share)
    return round(-share * rows) or None if rows is not None else None


def _data_type(name: str, modifier: int) -> DataType | None:
    if name in _SIMPLE:
        return DataType(_SIMPLE[name])
    if name == "bpchar":
        return None
    if name == "bit":
        return DataType("boolean") if modifier == 1 else None
    if name != "numeric":
        return None
    if modifier < 0:
        return DataType("decimal", (_DIGITS, 18))
    precision, scale = (modifier - 4) >> 16 & 0xFFFF, (((modifier - 4) & 0x7FF) ^ 1024) - 1024
    if scale < 0:  # numeric(2,-3): two digits and three zeros
        precision, scale = precision - scale, 0
    return DataType("decimal", (min(_DIGITS, max(precision, scale)), min(_DIGITS, scale)))


@cache
def _text_loaders() -> AdaptContext:
    """All values as their text; those of arrays as lists of texts, bytea as bytes."""
    import psycopg
    from psycopg.adapt import AdaptersMap
    from psycopg.types.string import TextLoader

    found = AdaptersMap(psycopg.adapters)
    for info in psycopg.adapters.types:
        if info.name != "bytea":
            found.register_loader(info.oid, TextLoader)
        if info.array_oid and info.name not in _IN_ARRAYS:
            found.register_loader(info.array_oid, TextLoader)
    return _Context(found)


class _Context:
    """What psycopg.connect takes them from."""

    connection = None

    def __init__(self, adapters: AdaptersMap) -> None:
        self.adapters = adapters
