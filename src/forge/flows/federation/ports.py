"""The ports of federation: opened sources, declared sources, and executors of what is left of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from forge.model.errors import CellError, ForgeError

if TYPE_CHECKING:
    import pyarrow as pa

    from forge.federation.drift import SeenSource
    from forge.federation.plan import Fragment, QueryPlan, Scan, SourceQuery
    from forge.federation.relation import RelationName, SourceRelation
    from forge.federation.saved_query import SavedQuery
    from forge.federation.source import DeclaredSource
    from forge.federation.virtual_table import DeclaredVirtualTable
    from forge.flows.runs.records import AuditRecord
    from forge.model.schema import Schema


class SourceConnector(Protocol):
    """One opened source. Nothing is connected before it is needed. `read` may be used by several threads at once.
    E308 where it cannot be reached, with its name."""

    def test(self) -> str:
        """Connects and says what answered: "PostgreSQL 18.1"."""

    def relations(self) -> tuple[RelationName, ...]:
        """All that can be read, by name."""

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        """The relation of this path, the default schema filled in; None: there is none. Names are matched as they
        are, or else in any case where only one matches. What is hidden is the caller's to fill in."""

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        """Rows as a stream, its columns by place cast to `schema` without loss: a value that does not fit is E308's
        neighbour (E310), never NULL. What the source refuses is raised here (E309). Letting go of the reader ends
        the query in the source, too: pyarrow's own `close` does nothing until then."""

    def cancel(self) -> None:
        """Ends what this connector reads now, in the source itself. From any thread."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ProposedColumns:
    """Columns by name that would fit the file, read with these options."""

    file: str
    columns: Mapping[str, str]
    options: Mapping[str, str]


class DeclaredSources(Protocol):
    """Sources created by a command or over HTTP, and the columns that sources had; those of files are not here. Every
    method is one transaction."""

    def sources(self) -> tuple[DeclaredSource, ...]:
        """By name."""

    def apply(self, before: DeclaredSource | None, after: DeclaredSource | None, audit: AuditRecord) -> bool:
        """Create, change or drop one. False, and nothing written, where it is not at the version of `before` any more,
        or the name is there already. What is dropped is forgotten with its columns."""

    def seen(self, name: str) -> SeenSource | None: ...
    def remember(self, seen: SeenSource) -> None:
        """Replaces what was remembered of the source."""


class VirtualTables(Protocol):
    """Virtual tables created by a command or over HTTP, and the columns of their sources when they were looked at;
    those of files are not here. Every method is one transaction."""

    def tables(self) -> tuple[DeclaredVirtualTable, ...]:
        """By name."""

    def apply(
        self, before: DeclaredVirtualTable | None, after: DeclaredVirtualTable | None, audit: AuditRecord
    ) -> bool:
        """Create, change or drop one. False, and nothing written, where it is not at the version of `before` any more,
        or the name is there already. What is dropped is forgotten with its columns."""

    def seen(self, name: str) -> SeenSource | None: ...
    def remember(self, seen: SeenSource) -> None:
        """Replaces what was remembered of the virtual table."""


class SavedQueries(Protocol):
    """Queries that people keep by a name; a name is there once of each owner. Every method is one transaction."""

    def visible_to(self, user: str) -> tuple[SavedQuery, ...]:
        """His own and those that are shared: by name, then by owner."""

    def find(self, query_id: str) -> SavedQuery | None: ...
    def apply(self, before: SavedQuery | None, after: SavedQuery | None, audit: AuditRecord) -> bool:
        """Keep, change or drop one. False, and nothing written, where it is not at the version of `before` any more, or
        its owner has another one by that name."""


class FragmentReader(Protocol):
    """Opens the rows of a fragment. `keys`: of the fragment's key filters, by its own column; a row with another value
    may be left out. May be called by several threads at once."""

    def __call__(self, fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = ...) -> pa.RecordBatchReader: ...


ExecutorName = Literal["in-process", "spark"]


class UnfitValueError(CellError):
    """A value of a source that its column cannot hold (E310)."""


class UndecidedError(ForgeError):
    """Raised by `run` of the executor in-process: the rows or the values of parameters need something that it does
    not compute as Spark does, or a row fails, of which Spark says whether it is an error. Spark runs the plan."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """`schema` has Spark's type names. `rows_read` by fragment: how many rows came out of each source."""

    schema: Schema
    table: pa.Table
    rows_read: Mapping[str, int]


class QueryExecutor(Protocol):
    """Computes what the sources do not. Both executors give the same rows for the same plan."""

    name: ExecutorName

    def refusal(self, plan: QueryPlan) -> str | None:
        """Why it cannot compute this, in words; None: it can."""

    def run(
        self,
        plan: QueryPlan,
        read: FragmentReader,
        parameters: Mapping[str, object],
        limit: int | None,
    ) -> QueryResult:
        """`limit`: no more rows than these."""

    def cancel(self) -> None:
        """Ends what it computes now. From any thread."""
