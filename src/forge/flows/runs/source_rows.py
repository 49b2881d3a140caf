"""What the connector of a source gives to a load: its rows, or what has changed in them since the load before."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forge.federation.relation import SourceColumn
from forge.model.types import DataType

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from forge.transforms.transform import Transform

CHANGE, AT_VERSION = "_change_type", "_commit_version"  # in the words of Delta's change data feed
INSERTED, UPDATED, REPLACED, DELETED = "insert", "update_postimage", "update_preimage", "delete"
CHANGE_COLUMNS = (SourceColumn(CHANGE, DataType("string")), SourceColumn(AT_VERSION, DataType("bigint")))


@dataclass(frozen=True, slots=True)
class SourceRows:
    """`read` may be called once, and its rows are read once. `are_changes`: after the columns each row has
    `CHANGE_COLUMNS`. What has to live until the rows are loaded goes into `until`."""

    columns: tuple[SourceColumn, ...]
    read: Callable[[], pa.RecordBatchReader]
    are_changes: bool = False
    until: ExitStack = field(default_factory=ExitStack, compare=False)

    @property
    def read_columns(self) -> tuple[SourceColumn, ...]:
        return (*self.columns, *(CHANGE_COLUMNS if self.are_changes else ()))

    @property
    def schema(self) -> pa.Schema:
        import pyarrow as pa

        from forge.versioning.arrow_types import arrow_type

        return pa.schema([(each.name, arrow_type(each.type)) for each in self.read_columns])


class SourceLoads(Protocol):
    """Loads of `ConnectorSource`."""

    def state(self, transform: Transform) -> str:
        """Of what it would read now: the same text, the same rows. Empty: nobody can tell. A Delta table that is to
        be loaded by key has a change data feed (E206)."""

    def open(self, transform: Transform, state: str, since: str) -> SourceRows:
        """The rows as of `state`; what has changed since `since`, if that is known and not empty."""
