"""Why a source failed tells where it is: that is for who may write, and for the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from forge.api.auth import Principal
from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceRelation
from forge.federation.source import Source
from forge.flows.federation.ports import SourceConnector, UnfitValueError
from forge.flows.federation.query import FederationPorts, QueryExplanation
from forge.flows.federation.running import QueryTimeoutError
from forge.flows.upkeep.access import TokenScope
from forge.model.errors import (
    CancellationError,
    ForgeError,
    RefusedQueryError,
    SourceNotAllowedError,
    SourceUnreachableError,
    errors_of,
)

if TYPE_CHECKING:
    import pyarrow as pa

_TELLING = (SourceUnreachableError, RefusedQueryError, SourceNotAllowedError)  # the way to a source, and its own words


@dataclass
class SourceFailures:
    """Of one request. Its sources may be read by several threads."""

    errors: list[tuple[str, ForgeError]] = field(default_factory=list)

    def watched(self, ports: FederationPorts) -> FederationPorts:
        return replace(ports, connector=self.watching(ports.connector))

    def watching(self, open_connector: Callable[[Source], SourceConnector]) -> Callable[[Source], SourceConnector]:
        def opened(source: Source) -> SourceConnector:
            with self.noted(source.name):
                return _WatchedSource(open_connector(source), source.name, self)

        return opened

    @contextmanager
    def noted(self, source: str) -> Iterator[None]:
        try:
            yield
        except UnfitValueError:
            raise  # names a column; the query left out values that are not for who asks
        except ForgeError as error:
            self.errors.append((source, error))
            raise

    @contextmanager
    def discreet(self, caller: Principal) -> Iterator[None]:
        try:
            yield
        except ForgeError as error:
            seen = (error, error.__context__)  # which it was before values were left out of it
            source = next((source for source, one in self.errors if one in seen), None)
            is_telling = source is not None or any(isinstance(one, _TELLING) for one in errors_of(error))
            is_end = isinstance(error, CancellationError | QueryTimeoutError)
            if caller.scope is TokenScope.WRITE or is_end or not is_telling:
                raise
            raise _short(error, source) from error


def discreet_plan(explained: object, caller: Principal) -> object:
    """Why its sources cannot be reached is for who may write."""
    if caller.scope is TokenScope.WRITE or not isinstance(explained, QueryExplanation):
        return explained
    return replace(
        explained, unavailable={source: _short(error, source) for source, error in explained.unavailable.items()}
    )


def _short(error: ForgeError, source: str | None) -> ForgeError:
    what = f"The source {source} cannot be read" if source else "A source cannot be read"
    return ForgeError(error.code, what, fix="Ask whoever declared it.")


@dataclass(frozen=True, slots=True)
class _WatchedSource:
    connector: SourceConnector
    name: str
    failures: SourceFailures

    def test(self) -> str:
        with self.failures.noted(self.name):
            return self.connector.test()

    def relations(self) -> tuple[RelationName, ...]:
        with self.failures.noted(self.name):
            return self.connector.relations()

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        with self.failures.noted(self.name):
            return self.connector.describe(path)

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        import pyarrow as pa

        def batches() -> Iterator[pa.RecordBatch]:
            with self.failures.noted(self.name):
                yield from reader

        with self.failures.noted(self.name):
            reader = self.connector.read(asked, schema, batch_rows)
        return pa.RecordBatchReader.from_batches(schema, batches())

    def cancel(self) -> None:
        self.connector.cancel()

    def close(self) -> None:
        self.connector.close()
