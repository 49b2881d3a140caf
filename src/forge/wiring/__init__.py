"""Wiring: reads settings, builds adapters, passes them to flows. It has no logic of its own.

One record of parts per room: `wiring.lineage.graph`, `wiring.quality.monitors`. Adapters are built on first use, so
that a command that only reads records starts no JVM."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from forge.model.names import BranchName, CommitId
from forge.model.time import Clock, utc_now
from forge.versioning.commit import Author
from forge.wiring.fault import FAULT as FAULT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlalchemy import Engine

    from forge.engines.spark.engine import SparkEngine
    from forge.engines.spark.session.session import LazySession
    from forge.flows.ports import Lake
    from forge.flows.runs.project import Project
    from forge.settings import Settings
    from forge.stores.sql.metadata import SqlMetadata
    from forge.wiring.catalog import CatalogParts
    from forge.wiring.contracts import ContractParts
    from forge.wiring.federation import FederationParts
    from forge.wiring.lineage import LineageParts
    from forge.wiring.quality import QualityParts
    from forge.wiring.runs import RunParts
    from forge.wiring.upkeep import UpkeepParts
    from forge.wiring.versioning import VersioningParts


@dataclass
class Wiring:
    """The parts of an open project, each opened once: settings, database, records, lake and engine."""

    settings: Settings
    clock: Clock = utc_now
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    address: str | None = None  # of the server, once it listens

    @classmethod
    def of(
        cls, start: Path | None = None, *, clock: Clock = utc_now, overrides: Mapping[str, object] | None = None
    ) -> Self:
        from forge.settings import load_settings

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
        metadata.noted = lambda audit: self.catalog.discovery.recorder.record_query(audit)
        metadata.published = self._published
        return metadata

    def _published(self) -> None:
        if self.settings.lineage.store == "neo4j":
            self.lineage.feed_neo4j()
        if self.settings.catalog.follow:
            self.catalog.follower.mark()

    def follow_up(self) -> tuple[str, ...]:
        """What publications of this process are followed by in the catalog; what failed of it, in words."""
        is_marked = "catalog" in self.__dict__ and "follower" in self.catalog.__dict__
        return self.catalog.follower.catch_up() if is_marked and self.settings.catalog.follow else ()

    @cached_property
    def lake(self) -> Lake:
        settings, warehouse = self.settings, str(self.settings.warehouse_path())
        if settings.catalog.type == "embedded":
            from forge.stores.lake.iceberg import IcebergLake

            return IcebergLake(self.database, warehouse)
        from forge.stores.lake.catalogs import pyiceberg_properties
        from forge.stores.lake.external_lake import ExternalLake

        kind, uri, properties = settings.catalog.type, settings.catalog.uri, settings.catalog_properties()
        known = pyiceberg_properties(kind, uri, properties, warehouse, self.root)
        return ExternalLake(kind, known, known.get("warehouse", warehouse) if kind != "rest" else warehouse)

    @cached_property
    def session(self) -> LazySession:
        from forge.engines.spark.session.session import LazySession, SparkSettings

        conf = {key: value for key, value in self.settings.spark.items() if key != "master"}
        return LazySession(
            settings=SparkSettings(
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
        """All files of the project, read and validated, with their faults. Tables of the lake that no file makes are
        known inputs too."""
        from forge.flows.contracts.lazy_gate import gated
        from forge.flows.runs.project import load_project
        from forge.transforms.params import find_unknown_params
        from forge.transforms.project import find_faults_by_file

        project = load_project(
            self.root, self.settings.owner_of, self.catalog.known_tables(), self.contracts.governance
        )
        unknown = find_unknown_params(project.transforms, self.runs.params())
        project = replace(project, faults=(*project.faults, *find_faults_by_file(project.transforms, unknown)))
        return replace(project, judged=gated(project, self.contracts.versions))

    def branch_head(self, name: BranchName) -> CommitId | None:
        branch = self.metadata.branch(name)
        return branch.head if branch else None

    @cached_property
    def runs(self) -> RunParts:
        from forge.wiring.runs import RunParts

        return RunParts(self)

    @cached_property
    def versioning(self) -> VersioningParts:
        from forge.wiring.versioning import VersioningParts

        return VersioningParts(self)

    @cached_property
    def lineage(self) -> LineageParts:
        from forge.wiring.lineage import LineageParts

        return LineageParts(self)

    @cached_property
    def quality(self) -> QualityParts:
        from forge.wiring.quality import QualityParts

        return QualityParts(self)

    @cached_property
    def contracts(self) -> ContractParts:
        from forge.wiring.contracts import ContractParts

        return ContractParts(self)

    @cached_property
    def catalog(self) -> CatalogParts:
        from forge.wiring.catalog import CatalogParts

        return CatalogParts(self)

    @cached_property
    def federation(self) -> FederationParts:
        from forge.wiring.federation import FederationParts

        return FederationParts(self)

    @cached_property
    def upkeep(self) -> UpkeepParts:
        from forge.wiring.upkeep import UpkeepParts

        return UpkeepParts(self)

    def close(self) -> None:
        if "session" in self.__dict__:
            self.session.stop()
        if "lineage" in self.__dict__:
            self.lineage.close()
        if "lake" in self.__dict__:
            self.lake.close()
        if "federation" in self.__dict__:
            self.federation.close()
        if "database" in self.__dict__:
            self.database.dispose()
