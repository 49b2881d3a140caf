"""Wiring: reads settings, builds adapters, hands them to flows. It has no verbs of its own.

Adapters are built when first asked for, so that a command that only reads records starts no JVM."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from forge.flows.branches import create_default_branch
from forge.flows.build import Event
from forge.flows.keys import DeclaredKeys
from forge.flows.ports import Lake, Seam
from forge.flows.project import Project, load_project
from forge.flows.read import Reader
from forge.flows.records import RunStatus
from forge.flows.run import Ports
from forge.flows.seal import Seals
from forge.flows.tables import RowWork
from forge.flows.verify import Checksum
from forge.flows.version_ports import VersionPorts
from forge.model.errors import ForgeError, raise_errors
from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId, TableName
from forge.model.schema import Schema
from forge.model.secret import resolve_secret
from forge.model.time import Clock, utc_now
from forge.settings import Settings, load_settings
from forge.transforms.params import Param, bind_params, declare_params, find_unknown_params
from forge.transforms.transform import SqlQuery
from forge.versioning.commit import Author, Signer, TableVersion
from forge.versioning.conflict import standing_rules
from forge.versioning.signing import PublicKeys

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from forge.engines.spark.engine import SparkEngine
    from forge.engines.spark.session import LazySession
    from forge.flows.ingest_ports import IngestPorts
    from forge.flows.lineage_ports import LineagePorts
    from forge.flows.openlineage import OpenLineagePorts
    from forge.lineage.extract.codebase import Run
    from forge.lineage.store import LineageAnswers, LineageStore
    from forge.stores.lake.tables import IcebergTables
    from forge.stores.sql.metadata import SqlMetadata

FAULT = "FORGE_FAULT"  # the name of a step at which the process kills itself; only tests set it


def fault_seam(environ: Mapping[str, str]) -> Seam:
    """A run that dies by kill -9 at the step the environment names; otherwise nothing happens."""
    wanted = environ.get(FAULT)

    def seam(step: str) -> None:
        if step == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    return seam


@dataclass
class Wiring:
    settings: Settings
    clock: Clock = utc_now
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @classmethod
    def of(
        cls, start: Path | None = None, *, clock: Clock = utc_now, overrides: Mapping[str, object] | None = None
    ) -> Wiring:
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

        engine = open_database(self.settings.database_url())
        migrate(engine)
        return engine

    @cached_property
    def metadata(self) -> SqlMetadata:
        from forge.stores.sql.metadata import SqlMetadata

        metadata = SqlMetadata(self.database)
        if metadata.branch(self.default_branch) is None:
            create_default_branch(metadata, self.default_branch, self.author, self.clock())
        if self.settings.lineage.store == "neo4j":
            metadata.published = self._feed_neo4j
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
        from forge.engines.spark.session import LazySession, SparkSettings

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
        """All files of the project, read and validated. Tables of the lake that no file makes are known inputs too."""
        tree = self.metadata.tree(self.branch_head(self.default_branch))
        known = {*tree, *(TableName(c.namespace, c.name) for c in self.lake.tables())}
        project = load_project(self.root, self.settings.owner_of, known)
        raise_errors(find_unknown_params(project.transforms, self.params()))
        return project

    def params(self) -> dict[str, Param]:
        return declare_params({name: keys.model_dump() for name, keys in self.settings.params.items()})

    def bind(self, given: Mapping[str, str]) -> dict[str, object]:
        """The parameters of a run: what was given, else the declared default, as values of the declared types."""
        return bind_params(self.params(), given, needed=())

    def branch_head(self, name: BranchName) -> CommitId | None:
        branch = self.metadata.branch(name)
        return branch.head if branch else None

    def reader(self, branch: BranchName | None = None) -> Reader:
        return Reader(self.metadata, self.lake, branch or self.default_branch, self.default_branch)

    def ports(self, notify: Callable[[Event], None] = lambda event: None) -> Ports:
        return Ports(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=self.clock,
            author=self.author,
            secrets=lambda reference: resolve_secret(reference, self.environ, "forge.yaml"),
            seam=fault_seam(self.environ),
            notify=notify,
            logger=logging.getLogger("forge.transform"),
            default_branch=self.default_branch,
            parallel=self.settings.parallel,
            publish_all=self.settings.run.publish == "all",
            protected=frozenset(self.settings.versioning.protected_branches),
            review=self.settings.versioning.require_review_for_protected,
            seals=self.seals,
            signer=self.signer,
            tell=self._tell(),
        )

    def _tell(self) -> Callable[[RunId, Project], None]:
        """Of a run that has ended, to whom the settings name."""
        keys = self.settings.lineage.openlineage
        if keys.file is None and keys.url is None:
            return lambda run_id, project: None
        from importlib.metadata import version

        from forge.flows.openlineage_out import Emitter
        from forge.stores.openlineage_sink import OpenLineageSink

        reference = keys.api_key
        sink = OpenLineageSink(
            self.root / ".forge" / "openlineage",
            file=self.root / Path(keys.file).expanduser() if keys.file else None,
            url=keys.url,
            key=(lambda: resolve_secret(reference, self.environ, "lineage.openlineage.api_key")) if reference else None,
        )
        return Emitter(self.metadata, sink, self.settings.project, keys.namespace, version("forge"))

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
        from forge.stores.lake.arrow_rows import ArrowRows

        return ArrowRows(self.tables)

    def _spark_rows(self) -> RowWork:
        from forge.engines.spark.rows import SparkRows

        assert self.tables is not None, "rows are worked on in Forge's own catalog only"
        return SparkRows(self.engine, self.tables)

    def checksum(self) -> Checksum:
        """Of the rows of a snapshot, on Spark."""
        from forge.engines.spark.rows import SparkRows
        from forge.flows.tables import Slice

        def of(catalog: CatalogName, snapshot_id: SnapshotId) -> str:
            assert self.tables is not None, "rows are worked on in Forge's own catalog only"
            found = self.tables.files(catalog, snapshot_id)
            rows = SparkRows(self.engine, self.tables)
            return rows.checksum(Slice(catalog, snapshot_id, tuple(found.files)), found.fields)

        return of

    def versions(
        self,
        notify: Callable[[Event], None] = lambda event: None,
        *,
        author: Author | None = None,
        run_id: RunId | None = None,
        stopped: Callable[[], RunStatus | None] = lambda: None,
    ) -> VersionPorts:
        """What commits of data, merges and all that stands on them need."""
        keys = self.settings.versioning
        return VersionPorts(
            metadata=self.metadata,
            lake=self.lake,
            tables_=self.tables,
            small=self._driver_rows,
            large=self._spark_rows,
            engine=lambda: self.engine,
            project=self.project,
            clock=self.clock,
            author=author or self.author,
            default_branch=self.default_branch,
            seam=fault_seam(self.environ),
            notify=notify,
            stopped=stopped,
            protected=frozenset(keys.protected_branches),
            review=keys.require_review_for_protected,
            keys=DeclaredKeys(keys.keys, self.project),
            rules=standing_rules(keys.rules),
            seals=self.seals,
            signer=self.signer,
            run_id=run_id,
        )

    @cached_property
    def _lineage(self) -> LineagePorts:
        from forge.flows.lineage_ports import LineagePorts
        from forge.lineage.graph import Graph
        from forge.lineage.weights import Weights
        from forge.stores.memory.lineage import MemoryLineage
        from forge.stores.sql.lineage import SqlLineage

        keys = self.settings.lineage
        store = SqlLineage(self.database)
        graph = Graph(store, database=keys.database) if keys.store == "sql" else None

        def scratch() -> tuple[LineageStore, LineageAnswers]:
            empty = MemoryLineage()
            return empty, Graph(empty, database=keys.database)

        return LineagePorts(
            metadata=self.metadata,
            store=store,
            answers=graph or self._neo4j(store),
            scratch=scratch,
            clock=self.clock,
            default_branch=self.default_branch,
            actor=self.author.name,
            schema=self._schema_of,
            owner=self.settings.owner_of,
            database=keys.database,
            min_confidence=keys.min_confidence,
            weights=Weights.of(keys.weights, where="forge.yaml"),
            graph=graph,
        )

    def lineage(self) -> LineagePorts:
        """What questions about lineage need; the index behind it is shared by all who ask."""
        return self._lineage

    def ingest(self, read: Run) -> IngestPorts:
        """What reading code into the graph needs."""
        from forge.flows.ingest_ports import IngestPorts
        from forge.flows.lake_definitions import definitions_in_lake
        from forge.stores.sql.lineage_sources import SqlSources

        ports = self._lineage
        known = partial(definitions_in_lake, ports)
        return IngestPorts(ports, SqlSources(self.database), read, known, self._openlineage, self._made_by_sql())

    def _made_by_sql(self) -> Mapping[str, str]:
        """The table that each SQL transform of the project makes; none where the project is not sound."""
        try:
            transforms = self.project().transforms.values()
        except ForgeError:
            return {}
        return {one.file: str(one.output) for one in transforms if isinstance(one.body, SqlQuery)}

    @cached_property
    def _openlineage(self) -> OpenLineagePorts:
        from forge.flows.openlineage import OpenLineagePorts
        from forge.lineage.extract.openlineage import Naming
        from forge.stores.sql.lineage_events import SqlLineageEvents

        keys = self.settings.lineage
        given = keys.openlineage
        naming = Naming(frozenset({given.namespace}), given.namespaces, keys.database)
        return OpenLineagePorts(self.lineage(), SqlLineageEvents(self.database), naming)

    def openlineage(self) -> OpenLineagePorts:
        """What taking in OpenLineage events needs."""
        return self._openlineage

    def _neo4j(self, store: LineageStore) -> LineageAnswers:
        from forge.stores.neo4j.lineage import open_neo4j

        keys = self.settings.lineage.neo4j
        if keys.url is None:
            raise ForgeError(
                "E811",
                "lineage.store is neo4j, and lineage.neo4j.url is not set",
                where="forge.yaml",
                fix="Set lineage.neo4j.url to an address like bolt://localhost:7687.",
            )
        password = resolve_secret(keys.password, self.environ, "lineage.neo4j.password") if keys.password else ""
        lake = self.settings.lineage.database
        return open_neo4j(keys.url, keys.user, password, keys.database, store, lake=lake)

    def _feed_neo4j(self) -> None:
        """After each publish, so that who asks Neo4j itself sees it. What cannot be sent now is sent the next time."""
        from forge.flows.lineage_feed import catch_up

        ports = self.lineage()
        try:
            catch_up(ports)
            ports.answers.catch_up()  # type: ignore[attr-defined]
        except ForgeError as error:
            logging.getLogger("forge.lineage").warning("Neo4j was not fed: %s", error)

    def _schema_of(self, version: TableVersion) -> Schema | None:
        """None: a view, or its metadata is gone; lineage knows the columns then without their types."""
        if version.snapshot_id is None:
            return None
        try:
            found = self.lake.snapshot(version.catalog, version.snapshot_id)
        except ForgeError:
            return None
        return found.schema if found else None

    def close(self) -> None:
        if "session" in self.__dict__:
            self.session.stop()
        if "_lineage" in self.__dict__ and hasattr(self._lineage.answers, "close"):
            self._lineage.answers.close()
        if "lake" in self.__dict__:
            self.lake.close()
        if "database" in self.__dict__:
            self.database.dispose()
