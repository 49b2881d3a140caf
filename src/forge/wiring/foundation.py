"""What stands on its own: settings, records, lake, engine and project."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.model.secret import resolve_secret
from forge.model.time import Clock, utc_now
from forge.settings import Settings, load_settings
from forge.versioning.commit import Author, Signer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlalchemy import Engine

    from forge.contracts.policy.governance import Governance
    from forge.engines.spark.engine import SparkEngine
    from forge.engines.spark.session.session import LazySession
    from forge.flows.catalog.declared_personal import DeclaredPersonal
    from forge.flows.catalog.personal import PersonalMemo
    from forge.flows.ports import Lake, Seam
    from forge.flows.runs.project import Project
    from forge.flows.upkeep.verify.history import Checksum
    from forge.flows.versioning.content_hash import Seals
    from forge.flows.versioning.read import Reader
    from forge.flows.versioning.tables import RowWork
    from forge.stores.lake.tables import IcebergTables
    from forge.stores.sql.contracts.registry import SqlContracts
    from forge.stores.sql.metadata import SqlMetadata
    from forge.transforms.params import Param
    from forge.versioning.signing import PublicKeys

FAULT = "FORGE_FAULT"  # the name of a step at which the process kills itself; only tests set it


def fault_seam(environ: Mapping[str, str]) -> Seam:
    """A run that dies by kill -9 at the step the environment names; otherwise nothing happens."""
    wanted = environ.get(FAULT)

    def seam(step: str) -> None:
        if step == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    return seam


@dataclass
class Foundation:
    settings: Settings
    clock: Clock = utc_now
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    address: str | None = None  # of the server, once it listens

    @classmethod
    def of(
        cls, start: Path | None = None, *, clock: Clock = utc_now, overrides: Mapping[str, object] | None = None
    ) -> Self:
        return cls(load_settings(start, overrides=overrides or {}), clock)

    @property
    def root(self) -> Path:
        return self.settings.root

    @property
    def default_branch(self) -> BranchName:
        return BranchName(self.settings.versioning.default_branch)

    @property
    def author(self) -> Author:
        user = self.settings.user
        return Author(user.name, user.email or user.name)

    @cached_property
    def database(self) -> Engine:
        from forge.stores.sql.database import migrate, open_database

        if self.settings.catalog.type == "embedded":
            self._refuse_lost_database()
        engine = open_database(self.settings.database_url())
        migrate(engine)
        return engine

    def _refuse_lost_database(self) -> None:
        from pathlib import Path
        from urllib.parse import urlparse

        from forge.stores.sql.database import parse_url
        from forge.stores.sql.failures import refuse_lost

        warehouse = str(self.settings.warehouse_path())
        if not urlparse(warehouse).scheme:
            refuse_lost(parse_url(self.settings.database_url()), Path(warehouse))

    @cached_property
    def metadata(self) -> SqlMetadata:
        from forge.stores.sql.metadata import SqlMetadata

        metadata = SqlMetadata(self.database)
        if metadata.branch(self.default_branch) is None:
            from forge.flows.versioning.branches import create_default_branch

            create_default_branch(metadata, self.default_branch, self.author, self.clock())
        return metadata

    @cached_property
    def lake(self) -> Lake:
        settings, warehouse = self.settings, str(self.settings.warehouse_path())
        if settings.catalog.type == "embedded":
            from forge.stores.lake.iceberg import IcebergLake

            return IcebergLake(self.database, warehouse)
        from forge.stores.lake.catalogs import pyiceberg_properties
        from forge.stores.lake.external import ExternalLake

        kind, uri, properties = settings.catalog.type, settings.catalog.uri, settings.catalog_properties()
        known = pyiceberg_properties(kind, uri, properties, warehouse, self.root)
        return ExternalLake(kind, known, known.get("warehouse", warehouse) if kind != "rest" else warehouse)

    @cached_property
    def seals(self) -> Seals | None:
        """None: the files belong to someone else's catalog."""
        from forge.stores.lake.iceberg import IcebergLake
        from forge.stores.lake.seal import IcebergSeal

        return IcebergSeal(self.lake) if isinstance(self.lake, IcebergLake) else None

    @cached_property
    def signer(self) -> Signer | None:
        reference = self.settings.versioning.signing_key
        if reference is None:
            return None
        from forge.versioning.signing import signer_of

        where = "versioning.signing_key"
        return signer_of(resolve_secret(reference, self.environ, where), where)

    def trusted_keys(self) -> PublicKeys:
        """Those whose signatures count; without any, that of the key that signs here."""
        from forge.versioning.signing import load_public, public_text

        texts = self.settings.trusted_keys()
        reference = self.settings.versioning.signing_key
        if not texts and reference is not None:
            texts = (public_text(resolve_secret(reference, self.environ, "versioning.signing_key")),)
        return load_public(texts, "versioning.trusted_keys")

    @cached_property
    def session(self) -> LazySession:
        from forge.engines.spark.session.session import LazySession, SparkSettings

        conf = {key: value for key, value in self.settings.spark.items() if key != "master"}
        return LazySession(
            SparkSettings(
                str(self.settings.spark.get("master", "local[*]")),
                conf,
                self._catalog(),
                self.root / ".forge" / "logs" / "spark.log",
                f"forge {self.settings.project}",
            )
        )

    def _catalog(self) -> dict[str, str]:
        """Properties of the Iceberg catalog for Spark: the same catalog that PyIceberg and Forge open."""
        from sqlalchemy import make_url

        from forge.stores.lake.catalogs import jdbc_properties, spark_properties

        settings, warehouse = self.settings, str(self.settings.warehouse_path())
        if settings.catalog.type == "embedded":
            return jdbc_properties(make_url(settings.database_url()), warehouse)
        kind, uri = settings.catalog.type, settings.catalog.uri
        return spark_properties(kind, uri, settings.catalog_properties(), warehouse, self.root)

    @cached_property
    def engine(self) -> SparkEngine:
        from forge.engines.spark.engine import SparkEngine

        return SparkEngine(self.session, self.root)

    def project(self) -> Project:
        """All files of the project, read and validated, with what is wrong with any of them. Tables of the lake that no
        file makes are known inputs too."""
        from forge.flows.runs.project import load_project
        from forge.transforms.params import find_unknown_params
        from forge.transforms.project import find_faults_by_file

        project = load_project(self.root, self.settings.owner_of, self.known_tables(), self.governance())
        unknown = find_unknown_params(project.transforms, self.params())
        return replace(project, faults=(*project.faults, *find_faults_by_file(project.transforms, unknown)))

    @cached_property
    def contract_store(self) -> SqlContracts:
        from forge.stores.sql.contracts.registry import SqlContracts

        return SqlContracts(self.database)

    @cached_property
    def declared(self) -> DeclaredPersonal:
        """What contracts call personal."""
        from forge.flows.catalog.declared_personal import DeclaredPersonal

        return DeclaredPersonal(self.root, self.governance(), lambda: self.contract_store)

    @cached_property
    def personal_at(self) -> PersonalMemo:
        """The columns whose values nobody is shown, now or at one of these commits."""
        from forge.flows.catalog.personal import PersonalMemo

        return PersonalMemo(self.metadata, self.declared, self.default_branch)

    def known_tables(self) -> frozenset[TableName]:
        """Of the lake."""
        tree = self.metadata.tree(self.branch_head(self.default_branch))
        return frozenset({*tree, *(TableName(c.namespace, c.name) for c in self.lake.tables())})

    @cached_property
    def _governance(self) -> Governance:
        from forge.wiring.governance import governance_of

        return governance_of(self.settings)

    def governance(self) -> Governance:
        """What the project wants of its contracts and tables."""
        return self._governance

    def params(self) -> dict[str, Param]:
        from forge.transforms.params import declare_params

        return declare_params({name: keys.model_dump() for name, keys in self.settings.params.items()})

    def bind(self, given: Mapping[str, str]) -> dict[str, object]:
        """The parameters of a run: what was given, else the declared default, as values of the declared types."""
        from forge.transforms.params import bind_params

        return bind_params(self.params(), given, needed=())

    def branch_head(self, name: BranchName) -> CommitId | None:
        branch = self.metadata.branch(name)
        return branch.head if branch else None

    def reader(self, branch: BranchName | None = None) -> Reader:
        from forge.flows.versioning.read import Reader

        return Reader(self.metadata, self.lake, branch or self.default_branch, self.default_branch)

    @cached_property
    def tables(self) -> IcebergTables | None:
        """None: the files belong to someone else's catalog."""
        from forge.stores.lake.iceberg import IcebergLake
        from forge.stores.lake.tables import IcebergTables

        return IcebergTables(self.lake) if isinstance(self.lake, IcebergLake) else None

    @cached_property
    def _driver_rows(self) -> RowWork | None:
        if self.tables is None:
            return None
        from forge.stores.lake.arrow.rows import ArrowRows

        return ArrowRows(self.tables)

    def _spark_rows(self) -> RowWork:
        from forge.engines.spark.merge.row_work import SparkRows

        assert self.tables is not None, "rows are worked on in Forge's own catalog only"
        return SparkRows(self.engine, self.tables)

    def checksum(self) -> Checksum:
        """Of the rows of a snapshot, on Spark."""
        from forge.engines.spark.merge.row_work import SparkRows
        from forge.flows.versioning.tables import Slice

        def of(catalog: CatalogName, snapshot_id: SnapshotId) -> str:
            assert self.tables is not None, "rows are worked on in Forge's own catalog only"
            found = self.tables.files(catalog, snapshot_id)
            rows = SparkRows(self.engine, self.tables)
            return rows.checksum(Slice(catalog, snapshot_id, tuple(found.files)), found.fields)

        return of
