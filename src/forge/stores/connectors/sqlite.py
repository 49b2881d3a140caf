"""A file of SQLite as a source of queries. Placeholders of `SourceQuery.text` are `?`.

The file is opened read-only and only SELECT is authorised: no ATTACH, no PRAGMA, no extension. Columns should be
written with their table (`t."name"`): SQLite takes a bare `"name"` that no table has for a text.

| declared | Spark | accepted values | `=` | order |
|---|---|---|---|---|
| a name with INT | bigint | integers | yes | yes |
| BOOL, BOOLEAN | boolean | 0 and 1 | yes | yes |
| REAL, FLOA…, DOUB… | double | numbers that a double holds | yes | yes |
| CHAR, CLOB, TEXT | string | text | where COLLATE is BINARY | and the file is in UTF-8 |
| BLOB | binary | blobs | yes | yes |
| DECIMAL(p,s), NUMERIC(p,s) | decimal(p,s) | numbers; a fraction by its shortest text | no | no |
| DATE | date | text: 2026-01-31 | no | no |
| DATETIME, TIMESTAMP | timestamp_ntz | text: 2026-01-31 23:59:59.5, with a T, too | no | no |
| NUMERIC, DECIMAL | double | numbers that a double holds | no | no |
| anything else, and nothing | string | text, and numbers as their text | no | no |

A value of another kind is an error (E310), never NULL: SQLite itself lets any value into any column."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import Source
from forge.model.errors import SourceUnreachableError
from forge.model.types import DataType
from forge.stores.connectors.cells import PIECE_ROWS, array_of, batches_of, failed_query, unfit
from forge.stores.connectors.login import Login, login_of
from forge.stores.connectors.names import matching
from forge.stores.connectors.running import RunningReads, started

if TYPE_CHECKING:
    import pyarrow as pa

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_SIZED = re.compile(r"(?:decimal|numeric)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)", re.IGNORECASE)
_STORAGE = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}
_UNREACHABLE = ("SQLITE_CANTOPEN", "SQLITE_NOTADB", "SQLITE_BUSY", "SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_PERM")
_BUSY_SECONDS = 10.0
_PIECE_BYTES = 256 * 1024**2  # of the rows that are gathered at a time
_CELL_BYTES = 64 * 1024**2
_STEPS = 10_000  # of SQLite's machine, between two looks at the clock
_RELATIONS = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


class SqliteConnector:
    def __init__(self, source: Source, root: Path, secret: Callable[[str], str]) -> None:
        self._source, self._root, self._secret = source, root, secret
        self._running = RunningReads(source.name)

    def test(self) -> str:
        self._ask("SELECT count(*) FROM sqlite_schema")  # a file of something else is found out when it is read
        return f"SQLite {sqlite3.sqlite_version}"

    def relations(self) -> tuple[RelationName, ...]:
        return tuple(RelationName(self._source.name, (name,)) for (name,) in self._ask(f"{_RELATIONS} ORDER BY 1"))

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        if len(path) == 2 and path[0].lower() == "main":
            path = path[1:]
        with closing(self._open(for_catalog=True)) as connection, self._explained():
            found = matching(path, connection.execute(_RELATIONS).fetchall())
            if found is None:
                return None
            columns = connection.execute(
                'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid', found
            ).fetchall()
            in_utf8 = connection.execute("PRAGMA encoding").fetchone()[0] == "UTF-8"
            sure = _sure_columns(connection, found[0], columns)
            return SourceRelation(
                RelationName(self._source.name, found),
                tuple(
                    replace(self._column(connection, found[0], row, in_utf8), holds_others=row[0] not in sure)
                    for row in columns
                ),
                rows=_estimate(connection, found[0]),
                key=tuple(name for _, name in sorted((pk, name) for name, _, _, pk in columns if pk)),
                version=self._version() if self._is_stored(connection, found[0]) else "",
                is_derived=not self._is_stored(connection, found[0]) or _is_shadow(connection, found[0]),
            )

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        if isinstance(asked, Scan):
            raise TypeError("a database is asked by SQL")
        return started(schema, self._batches(asked, schema, batch_rows))

    def cancel(self) -> None:
        self._running.cancel()

    def close(self) -> None:
        self._running.cancel()

    @cached_property
    def _login(self) -> Login:
        return login_of(self._source, self._root, self._secret, ())

    def _batches(self, query: SourceQuery, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        seconds = self._login.seconds
        with closing(self._open()) as connection, self._explained(), self._running.read(connection.interrupt) as read:
            if seconds:
                ends = time.monotonic() + seconds
                connection.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
            rows = connection.execute(query.text, [_bound(value) for value in query.values])
            batches = batches_of(self._source.name, schema, self._bearable(rows, schema), most, _array)
            yield from self._running.until_cancelled(read, batches)

    def _bearable(self, rows: Iterator[tuple[Any, ...]], schema: pa.Schema) -> Iterator[tuple[Any, ...]]:
        """A view of a small file makes as many texts of a gigabyte as it is asked for, and rows are gathered before
        anybody sees how large they are."""
        import pyarrow as pa

        wide = [
            place for place, one in enumerate(schema) if pa.types.is_string(one.type) or pa.types.is_binary(one.type)
        ]
        size = 0
        for number, row in enumerate(rows):
            size = size if number % PIECE_ROWS else 0
            for place in wide:
                cell = row[place]
                if isinstance(cell, str | bytes):
                    size += len(cell)
            if size > _PIECE_BYTES:
                why = f"{PIECE_ROWS:,} of its rows have more than {_PIECE_BYTES:,} bytes."
                raise failed_query(self._source.name, why, "Ask for fewer columns, or for less of them.")
            yield row

    def _ask(self, text: str) -> list[tuple[Any, ...]]:
        with closing(self._open()) as connection, self._explained(), self._running.read(connection.interrupt):
            return connection.execute(text).fetchall()

    def _open(self, *, for_catalog: bool = False) -> sqlite3.Connection:
        """`for_catalog`: for the fixed questions above, which use pragmas."""
        path = Path(self._login.database)
        if not path.is_file():
            raise SourceUnreachableError(
                f"{self._source.name} cannot be reached", why="There is no such file.", fix="Correct `url`."
            )

        with self._explained():
            uri = f"file:{quote(str(path.absolute()))}?mode=ro"
            # Rows may be read by one thread and the reader be let go of by another, never both at once.
            connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, check_same_thread=False)
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")  # no function with side effects by way of a view
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _CELL_BYTES)
            if not for_catalog:
                connection.set_authorizer(_authorised)
        return connection

    def _column(self, connection: sqlite3.Connection, table: str, row: tuple[Any, ...], in_utf8: bool) -> SourceColumn:
        name, native, not_null, _ = row
        found = _data_type(native)
        same = native != "" and found.name in ("bigint", "boolean", "double", "binary") and not _is_numeric(native)
        if found.name == "string" and _is_text(native):
            same = _is_binary_collated(connection, table, name)
        order = same and (found.name != "string" or in_utf8)
        return SourceColumn(name, found, nullable=not not_null, native=native, same_equality=same, same_order=order)

    def _is_stored(self, connection: sqlite3.Connection, table: str) -> bool:
        """A view may ask for the time, and a virtual table may be anything."""
        text = "SELECT 1 FROM sqlite_schema WHERE name = ? AND type = 'table' AND rootpage > 0"
        return connection.execute(text, (table,)).fetchone() is not None

    def _version(self) -> str:
        """The change counter of the file's header, what the file and its log look like, and how far the log goes: the
        first of them does not change with the log, and the log may be written anew without growing."""
        path = Path(self._login.database)
        with path.open("rb") as file:
            counter = file.read(100)[24:28].hex()
        log = path.with_name(path.name + "-wal")
        seen = [f"{one.stat().st_size}.{one.stat().st_mtime_ns}" for one in (path, log) if one.exists()]
        with suppress(FileNotFoundError), path.with_name(path.name + "-shm").open("rb") as shared:
            seen.append(shared.read(48).hex())  # the header of the log's index, with a checksum over all of the log
        return ":".join((counter, *seen))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        source = self._source.name
        try:
            yield
        except sqlite3.Error as error:
            said = str(error)
            undecoded = re.match(r"Could not decode to UTF-8 column '(.*?)' with text", said, re.DOTALL)
            if undecoded:
                raise unfit(source, undecoded[1], "string", "It is not UTF-8.") from None
            if said == "interrupted" and self._login.seconds:
                raise failed_query(source, f"It took longer than {self._login.seconds:g} s.") from error
            if getattr(error, "sqlite_errorname", "") in _UNREACHABLE:
                raise self._login.unreachable(error) from error
            raise failed_query(source, said) from error


def _sure_columns(connection: sqlite3.Connection, table: str, columns: Sequence[tuple[Any, ...]]) -> frozenset[str]:
    """Those that hold values of their type alone: all of a STRICT table, and an INTEGER PRIMARY KEY that is the number
    of the row, which needs no index. Elsewhere a type is advice."""
    with suppress(sqlite3.Error):  # before 3.37 no table was STRICT, and nobody could ask
        strict = connection.execute("SELECT strict FROM pragma_table_list(?) WHERE schema = 'main'", (table,))
        if (strict.fetchone() or (0,))[0]:
            return frozenset(name for name, *_ in columns)
    keys = [(name, native) for name, native, _, place in columns if place]
    indexed = connection.execute("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'", (table,)).fetchone()
    is_rowid = len(keys) == 1 and keys[0][1].strip().lower() == "integer" and indexed is None
    return frozenset(name for name, _ in keys) if is_rowid else frozenset()


def _is_shadow(connection: sqlite3.Connection, table: str) -> bool:
    """Where a virtual table keeps its rows: docs_content of docs. By the name, as SQLite knows it: what the module says
    is known only where there is that module."""
    text = (
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage = 0 "
        "AND lower(substr(?1, 1, length(name) + 1)) = lower(name) || '_'"
    )
    return connection.execute(text, (table,)).fetchone() is not None


def _authorised(action: int, _first: str | None, second: str | None, *_: object) -> int:
    allowed = action in _ALLOWED and (action != sqlite3.SQLITE_FUNCTION or second != "load_extension")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _estimate(connection: sqlite3.Connection, table: str) -> int | None:
    """What ANALYZE counted, or else the highest rowid, which is found without reading the table."""
    with suppress(sqlite3.Error):  # the table of statistics is only there after an ANALYZE
        found = connection.execute("SELECT stat FROM sqlite_stat1 WHERE tbl = ?", (table,)).fetchone()
        if found and found[0]:
            return int(found[0].split()[0])
    is_table = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,)).fetchone()
    with suppress(sqlite3.Error):  # tables WITHOUT ROWID have none
        if is_table:
            return int(connection.execute(f"SELECT max(rowid) FROM {_quoted(table)}").fetchone()[0] or 0)  # noqa: S608
    return None


def _is_binary_collated(connection: sqlite3.Connection, table: str, column: str) -> bool:
    """SQLite does not tell the collation of a column. A UNION compares by that of its first part, so it is tried out
    on texts that other collations hold for equal. No row of the table is read."""
    text = (
        f"SELECT count(*) FROM (SELECT t.{_quoted(column)} FROM {_quoted(table)} AS t WHERE 0 "  # noqa: S608
        "UNION SELECT 'a' UNION SELECT 'A' UNION SELECT 'a ')"
    )
    try:
        return bool(connection.execute(text).fetchone()[0] == 3)
    except sqlite3.Error:  # a collation that only the program which wrote the file has
        return False


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _data_type(native: str) -> DataType:
    """By the name, as SQLite itself derives the affinity; dates and sized decimals go before."""
    word = native.strip().lower()
    sized = _SIZED.fullmatch(word)
    if sized and 0 < int(sized[1]) <= 38 and int(sized[2] or 0) <= int(sized[1]):
        return DataType("decimal", (int(sized[1]), int(sized[2] or 0)))
    if word in ("bool", "boolean"):
        return DataType("boolean")
    if word == "date":
        return DataType("date")
    if word.split("(")[0].strip() in ("datetime", "timestamp"):
        return DataType("timestamp_ntz")
    if "int" in word:
        return DataType("bigint")
    if _is_text(native):
        return DataType("string")
    if "blob" in word:
        return DataType("binary")
    if any(part in word for part in ("real", "floa", "doub")) or _is_numeric(native):
        return DataType("double")
    return DataType("string")


def _is_text(native: str) -> bool:
    word = native.lower()
    return "int" not in word and any(part in word for part in ("char", "clob", "text"))


def _is_numeric(native: str) -> bool:
    return native.strip().lower().split("(")[0].strip() in ("numeric", "decimal")


def _bound(value: object) -> object:
    """SQLite binds integers, doubles, text and blobs."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return (
        value.isoformat(" ") if isinstance(value, datetime) else value.isoformat() if isinstance(value, date) else value
    )


_CLASSES: dict[str, frozenset[type]] = {
    "int": frozenset({int}),
    "bool": frozenset({int}),
    "double": frozenset({int, float}),
    "decimal": frozenset({int, float}),
    "string": frozenset({str, int, float}),
    "binary": frozenset({bytes}),
}
_DATED = frozenset({str})


def _array(source: str, column: str, cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Of Python's objects, whose classes are those of storage."""
    import pyarrow as pa

    name = "decimal" if pa.types.is_decimal(kind) else str(kind).rstrip("0123456789")
    classes = set(map(type, cells)) - {type(None)}
    if not classes <= _CLASSES.get(name, _DATED):
        odd = ", ".join(sorted(_STORAGE[one] for one in classes - _CLASSES.get(name, _DATED)))
        raise unfit(source, column, kind, f"It is stored as {odd}.")
    if name in ("int", "double", "binary"):
        try:
            return pa.array(cells, kind)
        except (pa.ArrowException, OverflowError) as error:
            raise unfit(source, column, kind, str(error)[:200]) from error
    texts = cells if classes <= {str} else [one if one is None or isinstance(one, str) else repr(one) for one in cells]
    return array_of(source, column, texts, kind)
