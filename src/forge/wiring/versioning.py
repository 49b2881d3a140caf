"""The parts of reading and changing versions of tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from forge.model.names import BranchName, CatalogName, SnapshotId
from forge.model.secret import resolve_secret
from forge.wiring.fault import fault_point

if TYPE_CHECKING:
    from collections.abc import Callable

    from forge.engines.spark.frames import DataFrame
    from forge.flows.runs.build import StepEvent
    from forge.flows.runs.engine import Pin
    from forge.flows.runs.records import RunStatus
    from forge.flows.upkeep.verify.history import Checksum
    from forge.flows.versioning.content_hash import FileHasher
    from forge.flows.versioning.ports import VersionPorts
    from forge.flows.versioning.read import RevisionReader
    from forge.flows.versioning.tables import RowOperations
    from forge.model.names import RunId
    from forge.stores.lake.tables import IcebergTables
    from forge.stores.sql.metadata import SqlMetadata
    from forge.versioning.commit import Author, Signer
    from forge.versioning.signing import PublicKeys
    from forge.wiring import Wiring


@dataclass(frozen=True)
class VersioningParts:
    wiring: Wiring

    def ports(
        self,
        notify: Callable[[StepEvent], None] = lambda event: None,
        *,
        author: Author | None = None,
        run_id: RunId | None = None,
        stopped: Callable[[], RunStatus | None] = lambda: None,
    ) -> VersionPorts:
        """The ports of commits of data, merges and everything built on them."""
        from forge.flows.versioning.keys import DeclaredKeys
        from forge.flows.versioning.ports import VersionPorts
        from forge.versioning.resolution import standing_rules

        keys = self.wiring.settings.versioning
        return VersionPorts(
            metadata=self.wiring.metadata,
            lake=self.wiring.lake,
            tables_=self.tables,
            small=self._driver_rows,
            large=self._spark_rows,
            engine=lambda: self.wiring.engine,
            project=self.wiring.project,
            declared=self.wiring.catalog.personal,
            personal=self.wiring.catalog.hidden_from((author or self.wiring.author).email),
            clock=self.wiring.clock,
            author=author or self.wiring.author,
            default_branch=self.wiring.default_branch,
            fault_point=fault_point(self.wiring.environ),
            notify=notify,
            stopped=stopped,
            protected=frozenset(keys.protected_branches),
            review=keys.require_review_for_protected,
            keys=DeclaredKeys(keys.keys, self.wiring.project),
            rules=standing_rules(keys.rules),
            hasher=self.hasher,
            signer=self.signer,
            run_id=run_id,
            history=self.wiring.quality.history,
            governance=self.wiring.contracts.governance,
            register=self.wiring.contracts.register,
        )

    def reader(self, branch: BranchName | None = None) -> RevisionReader:
        from forge.flows.versioning.read import RevisionReader

        default = self.wiring.default_branch
        return RevisionReader(self.wiring.metadata, self.wiring.lake, branch or default, default)

    def frame(self, pin: Pin) -> DataFrame:
        """A table at a snapshot, as Spark reads it."""
        from forge.engines.spark.frames import frame_of

        return frame_of(self.wiring.session.get(), pin)

    def uncached_metadata(self) -> SqlMetadata:
        """The records straight from the database, for verification."""
        from forge.stores.sql.metadata import SqlMetadata

        return SqlMetadata(self.wiring.database)

    @cached_property
    def tables(self) -> IcebergTables | None:
        """None for an external catalog."""
        from forge.stores.lake.iceberg import IcebergLake
        from forge.stores.lake.tables import IcebergTables

        return IcebergTables(self.wiring.lake) if isinstance(self.wiring.lake, IcebergLake) else None

    @cached_property
    def _driver_rows(self) -> RowOperations | None:
        if self.tables is None:
            return None
        from forge.stores.lake.arrow.rows import ArrowRows

        return ArrowRows(self.tables)

    def _spark_rows(self) -> RowOperations:
        from forge.engines.spark.merge.row_engine import SparkRows

        assert self.tables is not None, "rows are worked on in Forge's own catalog only"
        return SparkRows(self.wiring.engine, self.tables)

    def checksum(self) -> Checksum:
        """Of the rows of a snapshot, on Spark."""
        from forge.engines.spark.merge.row_engine import SparkRows
        from forge.flows.versioning.tables import FileSlice

        def of(catalog: CatalogName, snapshot_id: SnapshotId) -> str:
            assert self.tables is not None, "rows are worked on in Forge's own catalog only"
            found = self.tables.files(catalog, snapshot_id)
            rows = SparkRows(self.wiring.engine, self.tables)
            return rows.checksum(FileSlice(catalog, snapshot_id, tuple(found.files)), found.fields)

        return of

    @cached_property
    def hasher(self) -> FileHasher | None:
        """None for an external catalog."""
        from forge.stores.lake.file_hasher import IcebergFileHasher
        from forge.stores.lake.iceberg import IcebergLake

        return IcebergFileHasher(self.wiring.lake) if isinstance(self.wiring.lake, IcebergLake) else None

    @cached_property
    def signer(self) -> Signer | None:
        reference = self.wiring.settings.versioning.signing_key
        if reference is None:
            return None
        from forge.versioning.signing import signer_of

        where = "versioning.signing_key"
        return signer_of(resolve_secret(reference, self.wiring.environ, where), where)

    def trusted_keys(self) -> PublicKeys:
        """Trusted public keys; without any, that of the key that signs here."""
        from forge.versioning.signing import load_public, public_text

        texts = self.wiring.settings.trusted_keys()
        reference = self.wiring.settings.versioning.signing_key
        if not texts and reference is not None:
            texts = (public_text(resolve_secret(reference, self.wiring.environ, "versioning.signing_key")),)
        return load_public(texts, "versioning.trusted_keys")
