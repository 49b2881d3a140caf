"""MySQL and MariaDB as a source of queries. Placeholders of `SourceQuery.text` are `%s`, a percent sign is `%%`.

The driver binds no values at the server, so this connector writes them in forms that nothing can break out of: text
and bytes in hexadecimal, numbers, dates and times in digits.
Every connection is read-only and in UTC, with strict rules and ANSI_QUOTES; rows come unbuffered, as text.

| MySQL | Spark | `=` | order |
|---|---|---|---|
| tinyint(1), boolean; bit(1) | boolean: 0 and 1, nothing else | yes | yes |
| tinyint, smallint, mediumint, int, bigint | tinyint, smallint, int, int, bigint | yes | yes |
| the same, unsigned | smallint, int, int, bigint, decimal(20,0) | yes | yes |
| decimal(p,s) | decimal(p,s), at most 38 digits | yes | yes |
| float | float; ask for `col + 0e0`, as the server rounds it to six digits (E309 otherwise) | yes | yes |
| double | double | yes | yes |
| bit(n) | bigint | yes | yes |
| year | int | yes | yes |
| date | date | yes | yes |
| datetime | timestamp_ntz | yes | yes |
| timestamp | timestamp | yes | yes |
| char, varchar, text | string | binary collation without padding | the same, in UTF-8 or ASCII |
| binary, varbinary, blob, geometry | binary | yes | yes |
| json, enum, set, time, uuid, inet, all else | string | no | no |

Dates with a zero year, month or day are errors (E310), and so are integers of a tinyint(1) that are neither 0 nor 1."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import Source
from forge.model.types import DataType
from forge.stores.connectors.cells import batches_of, failed_query
from forge.stores.connectors.login import Login, driver_needed, login_of
from forge.stores.connectors.names import matching
from forge.stores.connectors.running import RunningReads, started

if TYPE_CHECKING:
    import pyarrow as pa

DRIVER_OPTIONS = ("ssl_ca", "ssl_cert", "ssl_key", "ssl_verify_cert", "ssl_verify_identity")
_PORT = 3306
_READ_SECONDS = 24 * 3600  # a server that has died without a word
_MODES = "STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,ERROR_FOR_DIVISION_BY_ZERO,ANSI_QUOTES,NO_BACKSLASH_ESCAPES"
_SESSION = (
    f"SET SESSION sql_mode = '{_MODES}', time_zone = '+00:00', sql_auto_is_null = 0, lock_wait_timeout = 10",
    "SET SESSION TRANSACTION READ ONLY",
)
_SYSTEM = "('information_schema', 'mysql', 'performance_schema', 'sys')"
# Engines whose tables have rows of their own; those of others are somewhere else (MERGE, FEDERATED, CONNECT).
_STORING = "('innodb', 'myisam', 'aria', 'memory', 'archive', 'csv', 'rocksdb', 'columnstore', 'ndbcluster')"
_RELATIONS = f"""
SELECT table_schema, table_name, table_rows, data_length, table_type = 'VIEW' OR lower(engine) NOT IN {_STORING}
FROM information_schema.tables
WHERE lower(table_schema) NOT IN {_SYSTEM} AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')
"""  # noqa: S608
_COLUMNS = """
SELECT column_name, data_type, column_type, is_nullable, numeric_precision, numeric_scale, column_key,
  collation_name, character_set_name
FROM information_schema.columns WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position
"""
_KEY = """
SELECT column_name FROM information_schema.key_column_usage
WHERE table_schema = %s AND table_name = %s AND constraint_name = 'PRIMARY' ORDER BY ordinal_position
"""
_SIGNED: Mapping[str, str] = {
    "tinyint": "tinyint",
    "smallint": "smallint",
    "mediumint": "int",
    "int": "int",
    "bigint": "bigint",
    "float": "float",
    "double": "double",
    "bit": "bigint",
    "year": "int",
    "date": "date",
    "datetime": "timestamp_ntz",
    "timestamp": "timestamp",
}
_UNSIGNED: Mapping[str, str] = {"tinyint": "smallint", "smallint": "int", "mediumint": "int", "int": "bigint"}
_TEXTS: tuple[str, ...] = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
_BINARIES: tuple[str, ...] = (
    "binary",
    "varbinary",
    "tinyblob",
    "blob",
    "mediumblob",
    "longblob",
    "geometry",
    "point",
    "linestring",
)
_BINARIES += ("polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection", "geomcollection")
_DIGITS = 38
_FLOAT, _BIT = 4, 16  # types on the wire
# Codes of the server. MariaDB and MySQL differ in those of a statement that took too long.
_INTERRUPTED, _TOO_LONG = 1317, (1969, 3024)
_CLIENT_ERRORS = range(2000, 3000)
_UNREACHABLE = (1040, 1044, 1045, 1049, 1053, 1129, 1130, 1203, 1226, 1698)


class MysqlConnector:
    def __init__(self, source: Source, root: Path, secret: Callable[[str], str]) -> None:
        self._source, self._root, self._secret = source, root, secret
        self._running = RunningReads(source.name)

    def test(self) -> str:
        version = str(self._ask("SELECT version()")[0][0])
        name = "MariaDB" if "mariadb" in version.lower() else "MySQL"
        return f"{name} {version.partition('-')[0]}"

    def relations(self) -> tuple[RelationName, ...]:
        found = self._ask(f"{_RELATIONS} AND (%s = '' OR table_schema = %s)", (self._schema, self._schema))
        return tuple(
            RelationName(self._source.name, (row[0], row[1])) for row in sorted(found, key=lambda row: row[:2])
        )

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        wanted = (self._schema, *path) if len(path) == 1 else path
        if len(wanted) != 2:
            return None
        with self._asking() as ask:
            rows = ask(f"{_RELATIONS} AND lower(table_schema) = lower(%s) AND lower(table_name) = lower(%s)", wanted)
            found: dict[tuple[str, ...], tuple[Any, ...]] = {row[:2]: row for row in rows}
            name = matching(wanted, found)
            if name is None:
                return None
            columns, key = ask(_COLUMNS, name), ask(_KEY, name)
        estimate, size, is_stored_elsewhere = found[name][2:]
        return SourceRelation(
            RelationName(self._source.name, name),
            tuple(_column(row, self._padding) for row in columns),
            rows=None if estimate is None else int(estimate),
            bytes=None if size is None else int(size),
            key=tuple(row[0] for row in key),
            is_derived=is_stored_elsewhere != "0",
        )

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        if isinstance(asked, Scan):
            raise TypeError("a database is asked by SQL")
        return started(schema, self._batches(asked, schema, batch_rows))

    def cancel(self) -> None:
        self._running.cancel()

    def close(self) -> None:
        self._running.cancel()

    @property
    def _schema(self) -> str:
        return self._source.schema or self._login.database

    @cached_property
    def _login(self) -> Login:
        return login_of(self._source, self._root, self._secret, DRIVER_OPTIONS)

    @cached_property
    def _padding(self) -> Mapping[str, bool]:
        """Of each binary collation, whether it pads with spaces. MariaDB says it by the name, MySQL in a column."""
        told = self._ask(
            "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'information_schema' "
            "AND table_name = 'COLLATIONS' AND column_name = 'PAD_ATTRIBUTE'"
        )
        pads = "pad_attribute" if told[0][0] != "0" else "CASE WHEN collation_name LIKE '%%nopad%%' THEN 'NO PAD' END"
        found = self._ask(
            f"SELECT collation_name, {pads} FROM information_schema.collations "  # noqa: S608
            "WHERE collation_name LIKE '%%\\_bin' ESCAPE '\\'"
        )
        return {name: padded != "NO PAD" for name, padded in found}

    def _batches(self, query: SourceQuery, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        text = bound_text(query.text, query.values)
        connection = self._open()
        cursor, ended = self._unbuffered(connection), False
        try:
            with self._explained(), self._running.read(partial(self._kill, connection.thread_id())) as read:
                cursor.execute(text)
                self._refuse_rounded(cursor)
                bits = [place for place, one in enumerate(cursor.description or ()) if one[1] == _BIT]
                rows: Iterator[Sequence[Any]] = iter(cursor.fetchone, None)
                batches = batches_of(self._source.name, schema, _without_bits(rows, bits), most)
                yield from self._running.until_cancelled(read, batches)
                ended = True
        finally:
            self._leave(connection, cursor, ended)

    def _unbuffered(self, connection: Any) -> Any:
        from pymysql.cursors import SSCursor

        return SSCursor(connection)

    def _refuse_rounded(self, cursor: Any) -> None:
        for name, kind, *_ in cursor.description or ():
            if kind == _FLOAT:
                raise failed_query(
                    self._source.name,
                    f"Column {name} is a FLOAT, which the server rounds to six digits.",
                    "Ask for it as a double: `col + 0e0`.",
                )

    def _leave(self, connection: Any, cursor: Any, ended: bool) -> None:
        """A statement that still runs is ended by another connection: the driver would read all its rows first, when
        it closes the cursor or forgets the result, which is why these are taken away from it."""
        cursor.connection = None
        if connection._result is not None:
            connection._result.unbuffered_active = False
        if not ended:
            with suppress(Exception):  # the server is gone, and the statement with it
                self._kill(connection.thread_id())
        connection._force_close()

    def _kill(self, thread: int) -> None:
        with closing(self._open()) as other, other.cursor() as cursor:
            cursor.execute(f"KILL QUERY {thread:d}")

    def _ask(self, text: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._asking() as ask:
            return ask(text, values)

    @contextmanager
    def _asking(self) -> Iterator[Callable[[str, Sequence[object]], list[tuple[Any, ...]]]]:
        """Questions to the catalog, over one connection."""
        connection = self._open()

        def ask(text: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
            cursor.execute(bound_text(text, values))
            return list(cursor.fetchall())

        stop = partial(self._kill, connection.thread_id())
        with closing(connection), self._explained(), self._running.read(stop), connection.cursor() as cursor:
            yield ask

    def _open(self) -> Any:
        login = self._login
        pymysql = _driver(self._source.name)
        try:
            connection = pymysql.connect(
                host=login.host,
                port=login.port or _PORT,
                user=login.user,
                password=login.password or "",
                database=login.database or None,
                charset="utf8mb4",
                connect_timeout=max(1, round(login.connect_seconds)),
                read_timeout=_READ_SECONDS,
                autocommit=True,
                conv={},
                program_name="forge",
                **tls_arguments(login.options),
            )
        except (pymysql.MySQLError, OSError) as error:
            raise login.unreachable(error) from error
        with self._explained(), connection.cursor() as cursor:
            for statement in (*_SESSION, *_time_limit(connection, login.seconds)):
                cursor.execute(statement)
        return connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        pymysql = _driver(self._source.name)
        try:
            yield
        except pymysql.MySQLError as error:
            code, said = (*error.args, 0, "")[:2]
            if code in _TOO_LONG:
                why = f"It took longer than {self._login.seconds or 0:g} s."
                raise failed_query(self._source.name, why) from error
            if code == _INTERRUPTED:
                raise failed_query(self._source.name, "It was cancelled at the server.") from error
            if not code or code in _UNREACHABLE or code in _CLIENT_ERRORS:
                raise self._login.unreachable(error) from error
            raise failed_query(self._source.name, self._login.without_secrets(str(said))) from error


def bound_text(text: str, values: Sequence[object]) -> str:
    """The placeholders are counted before anything is put in, and what is put in is of letters, digits and signs that
    `literal` chooses."""
    parts = re.split(r"%(.?)", text, flags=re.DOTALL)
    marks = parts[1::2]
    if not set(marks) <= {"s", "%"} or marks.count("s") != len(values):
        raise ValueError("placeholders and values do not match")
    rest = iter(values)
    filled = (literal(next(rest)) if mark == "s" else "%" for mark in marks)
    return parts[0] + "".join(put + after for put, after in zip(filled, parts[2::2], strict=True))


def literal(value: object) -> str:
    """A value as SQL of hexadecimal digits, decimal digits or a keyword."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return f"{value:d}" if value >= 0 else f"({value:d})"
        case float() if math.isfinite(value):
            return f"({value:.17e})"
        case Decimal() if value.is_finite():
            return f"({value:f})"
        case str():
            return f"_utf8mb4 X'{value.encode('utf-8').hex()}'"
        case bytes():
            return f"_binary X'{value.hex()}'"
        case datetime():
            naive = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
            return f"TIMESTAMP'{naive.isoformat(' ', 'microseconds')}'"
        case date():
            return f"DATE'{value.isoformat()}'"
    raise ValueError(f"MySQL has no value like a {type(value).__name__} that is not finite or of this class")


def _without_bits(rows: Iterator[Sequence[Any]], bits: Sequence[int]) -> Iterator[Sequence[Any]]:
    """BIT comes as bytes: made into digits."""
    if not bits:
        return rows
    return (_digits(row, bits) for row in rows)


def _digits(row: Sequence[Any], bits: Sequence[int]) -> Sequence[Any]:
    cells = list(row)
    for place in bits:
        if cells[place] is not None:
            cells[place] = str(int.from_bytes(cells[place], "big"))
    return cells


def _column(row: Sequence[Any], padding: Mapping[str, bool]) -> SourceColumn:
    name, kind, native, nullable, precision, scale, _, collation, characters = row
    found = _data_type(kind.lower(), native.lower(), int(precision or 0), int(scale or 0))
    same = found.name != "string"
    if kind.lower() in _TEXTS:
        same = padding.get(collation or "", True) is False
    order = same and (found.name != "string" or characters in ("utf8mb4", "utf8mb3", "utf8", "ascii"))
    return SourceColumn(name, found, nullable=nullable == "YES", native=native, same_equality=same, same_order=order)


def _data_type(kind: str, native: str, precision: int, scale: int) -> DataType:
    unsigned = "unsigned" in native
    if native == "tinyint(1)" or native == "bit(1)":
        return DataType("boolean")
    if kind == "bigint" and unsigned:
        return DataType("decimal", (20, 0))
    if kind == "decimal":
        return DataType("decimal", (min(_DIGITS, precision), min(_DIGITS, scale)))
    if kind in _BINARIES:
        return DataType("binary")
    return DataType((_UNSIGNED.get(kind) if unsigned else None) or _SIGNED.get(kind, "string"))


def _time_limit(connection: Any, seconds: float | None) -> tuple[str, ...]:
    if seconds is None:
        return ()
    if "mariadb" in str(connection.server_version).lower():
        return (f"SET SESSION max_statement_time = {seconds:f}",)
    return (f"SET SESSION max_execution_time = {math.ceil(seconds * 1000):d}",)


def tls_arguments(options: Mapping[str, str]) -> dict[str, Any]:
    return {name: value == "true" if name.startswith("ssl_verify") else value for name, value in options.items()}


def _driver(source: str) -> Any:
    with driver_needed(source, "MySQL and MariaDB", "mysql"):
        import pymysql
    return pymysql
