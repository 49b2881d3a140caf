"""REST APIs: each declared endpoint is a table, whose records are read page by page and converted strictly.

An API is asked for equal values, by the parameters that its source declares; each record is looked at again, so that
one which finds more, or ignores the parameter, changes no answer. A `timestamp` has its zone in the text, and a
`timestamp_ntz` none. Rows that change while they are read may be seen twice or not at all: pages have no snapshot."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from forge.federation.address import parse_api_address
from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.rest import RestTable, steps_of
from forge.federation.rest_options import rest_options_of
from forge.federation.source import Source
from forge.model.errors import MissingSecretError
from forge.model.types import parse_type
from forge.stores.connectors.cells import batches_of, failed_query, unfit
from forge.stores.connectors.json_cells import json_array
from forge.stores.connectors.names import matching
from forge.stores.connectors.rest_client import RestClient
from forge.stores.connectors.rest_pages import find_value, pages_of
from forge.stores.connectors.running import RunningReads, started
from forge.stores.connectors.scans import chosen, typed
from forge.versioning.arrow_types import arrow_type

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_TESTED = 20  # endpoints
_FEW_ROWS = 64  # at once, where a few are enough: each page costs a request
_SENDABLE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


class RestConnector:
    def __init__(self, source: Source, secret: Callable[[str], str]) -> None:
        self._source, self._secret = source, secret
        self._options = rest_options_of(source.options)
        self._running = RunningReads(source.name)

    def test(self) -> str:
        """Of the first page of each endpoint all columns are read."""
        tables = list(self._source.tables.values())[:_MOST_TESTED]
        for table in tables:
            schema = _schema(table, list(table.columns))
            client = self._client()
            with self._running.read(client.stop):
                try:
                    page = next(pages_of(table, {}, client))
                    list(
                        batches_of(
                            self._source.name, schema, self._rows(table, schema.names, iter([page])), 1000, _array
                        )
                    )
                finally:
                    client.close()
        many = "1 endpoint" if len(tables) == 1 else f"{len(tables)} endpoints"
        return f"{many} of {self._address.base}"

    def relations(self) -> tuple[RelationName, ...]:
        return tuple(RelationName(self._source.name, (name,)) for name in sorted(self._source.tables))

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        found = matching(path, ((name,) for name in self._source.tables))
        if found is None:
            return None
        table = self._source.tables[found[0]]
        columns = tuple(
            SourceColumn(name, parse_type(kind), native=kind, parameter=table.filters.get(name, ""))
            for name, kind in table.columns.items()
        )
        return SourceRelation(RelationName(self._source.name, found), columns)

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        if isinstance(asked, SourceQuery):
            raise TypeError("an API understands no SQL")
        return started(schema, self._batches(asked, schema, batch_rows))

    def cancel(self) -> None:
        self._running.cancel()

    def close(self) -> None:
        self._running.cancel()

    def _batches(self, scan: Scan, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        table = self._source.tables[scan.relation.path[0]]
        wanted = dict.fromkeys((*scan.columns, *(one.column for one in scan.filters)))
        own = _schema(table, list(wanted) or list(table.columns)[:1])
        left = scan.limit
        most = most if left is None else min(most, max(left, _FEW_ROWS))
        client = self._client()
        with self._running.read(client.stop) as running:
            try:
                rows = self._rows(table, own.names, pages_of(table, _asked(table, scan), client))
                batches = batches_of(self._source.name, own, rows, most, _array)
                for batch in self._running.until_cancelled(running, batches):
                    if batch is None:
                        yield None
                        if left == 0:
                            return
                        continue
                    kept = typed(chosen(batch, scan), scan, schema)
                    kept = kept if left is None else kept.slice(0, left)
                    left = None if left is None else left - kept.num_rows
                    if kept.num_rows:
                        yield kept
                    if left == 0:
                        return
            finally:
                client.close()

    def _rows(
        self, table: RestTable, names: Sequence[str], pages: Iterator[list[dict[str, Any]]]
    ) -> Iterator[tuple[Any, ...]]:
        places = [(name, steps_of(table.fields[name]) if name in table.fields else (name,)) for name in names]
        plain = not any(name in table.fields for name in names)
        done = 0
        for page in pages:
            done += len(page)
            if done > self._options.rows:
                why = f"{table.path} has more than {self._options.rows:,} rows."
                fix = "Ask for less, by columns that have filters or by a LIMIT; or set `options.max_rows`."
                raise failed_query(self._source.name, why, fix)
            if plain:
                yield from (tuple(map(record.get, names)) for record in page)
                continue
            for record in page:
                yield tuple(self._cell(record, name, place) for name, place in places)

    def _cell(self, record: dict[str, Any], name: str, place: tuple[str, ...]) -> Any:
        try:
            return find_value(record, place)
        except LookupError as error:
            raise unfit(
                self._source.name, name, "column", "On the way to it is neither an object nor a list."
            ) from error

    @cached_property
    def _address(self) -> Any:
        found = parse_api_address(self._source.url)
        assert found is not None, "the url was validated"
        return found

    def _client(self) -> RestClient:
        """For one read. Secrets are resolved here, and are in no message."""
        headers = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "forge"}
        hidden: list[str] = []
        if self._source.password:
            user = self._resolved("user", self._source.user) if self._source.user else None
            password = self._resolved("password", self._source.password)
            pair = b64encode(f"{user}:{password}".encode()).decode()
            if self._options.header:
                headers[self._options.header] = password
            else:
                headers["authorization"] = f"Bearer {password}" if user is None else f"Basic {pair}"
            hidden = [pair, password, *([user] if user else [])]

        def hide(text: str) -> str:
            for one in hidden:
                text = text.replace(one, "***")
            return text

        return RestClient(
            source=self._source.name, address=self._address, headers=headers, options=self._options, hide=hide
        )

    def _resolved(self, key: str, reference: str) -> str:
        found = self._secret(reference)
        if not _SENDABLE.fullmatch(found):
            raise MissingSecretError(
                f"{key} of {self._source.name} cannot be sent in a header",
                why="It is empty, or has a line break or another character that headers do not have.",
                fix="Correct the secret.",
            )
        return found


def _schema(table: RestTable, names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    kinds = {name.lower(): (name, kind) for name, kind in table.columns.items()}
    found = [kinds[name.lower()] for name in names]
    return pa.schema([(name, arrow_type(str(parse_type(kind)))) for name, kind in dict(found).items()])


def _asked(table: RestTable, scan: Scan) -> dict[str, str]:
    """The first value of each parameter; what else must hold is looked at in the records."""
    found: dict[str, str] = {}
    parameters = {name.lower(): parameter for name, parameter in table.filters.items()}
    for one in scan.filters:
        parameter = parameters.get(one.column.lower())
        if parameter is not None and one.operator == "=" and one.values[0] is not None:
            found.setdefault(parameter, _as_parameter(one.values[0]))
    return found


def _as_parameter(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)


def _array(source: str, column: str, cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_timestamp(kind) and kind.tz):
        return json_array(source, column, cells, kind)
    texts = json_array(source, column, cells, pa.string())
    try:
        found = texts.cast(kind)
    except pa.ArrowException as error:
        why = f"{str(error)[:150]} A time without a zone is a timestamp_ntz."
        raise unfit(source, column, kind, why) from error
    if pc.any(pc.less(pc.year(found), 1)).as_py():
        raise unfit(source, column, kind, "It is before the year 1.")
    return found
