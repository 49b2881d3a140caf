"""The parts of federation: declared sources, and their connectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlparse

from forge.federation.source import Source, SourceOrigin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forge.federation.lake_rules import LakeRules
    from forge.federation.limits import SourceLimits
    from forge.federation.relation import RelationName
    from forge.federation.saved_query import SavedQuery
    from forge.federation.virtual_table import VirtualTable
    from forge.flows.catalog.personal_data import PersonalColumns
    from forge.flows.federation.kept_results import QueryCache
    from forge.flows.federation.ports import ProposedColumns, QueryExecutor, SourceConnector
    from forge.flows.federation.query import FederationPorts
    from forge.flows.federation.query_claims import QueryRecorder
    from forge.flows.federation.result_cache import ResultCache
    from forge.flows.federation.saved_queries import SavedQueryPorts
    from forge.flows.federation.source_paths import FileGuard
    from forge.flows.federation.source_users import SourceUsers
    from forge.flows.federation.sources import SourcePorts
    from forge.flows.federation.virtual_tables import VirtualTablePorts
    from forge.flows.runs.pin import Pin
    from forge.model.names import BranchName
    from forge.stores.lake.external_lake import ExternalLake
    from forge.stores.lake.iceberg import IcebergLake
    from forge.stores.lake.scan import LakeConnector
    from forge.stores.sql.federation.declared_sources import SqlDeclaredSources
    from forge.stores.sql.federation.virtual_tables import SqlVirtualTables
    from forge.wiring import Wiring


@dataclass(frozen=True)
class FederationParts:
    wiring: Wiring

    @cached_property
    def declared(self) -> SqlDeclaredSources:
        """Sources created by a command or over HTTP."""
        from forge.stores.sql.federation.declared_sources import SqlDeclaredSources

        return SqlDeclaredSources(self.wiring.database)

    def sources(self) -> tuple[Source, ...]:
        """All that queries can read, by name: those of files, then those of the store. Whose name is taken is left
        out."""
        from forge.flows.federation.sources import list_sources

        return tuple(one.source for one in list_sources(self.source_ports()).sources)

    def connector(self, source: Source) -> SourceConnector:
        """Its connector; nothing is connected yet. E886 for what a source created over HTTP may not reach. Who may
        read it is the caller's to ask (`forge.federation.rights`). E888 for one that is not yet asked as anybody."""
        from forge.federation.credentials import refuse_without

        refuse_without(source)
        self.refuse_out_of_reach(source)
        return self._open(source)

    def source_ports(self, actor: str | None = None, origin: SourceOrigin = SourceOrigin.COMMAND) -> SourcePorts:
        from forge.federation.credentials import asked_as
        from forge.federation.policy import PolicySubject
        from forge.flows.federation.source_files import read_file_sources
        from forge.flows.federation.sources import SourcePorts

        user, roles = actor or self.wiring.author.email, self.wiring.settings.keys.roles
        return SourcePorts(
            declared=self.declared,
            files=lambda: read_file_sources(self.wiring.root, self._schemas()),
            schemas=self._schemas,
            open_connector=lambda source: self.connector(asked_as(source, PolicySubject(user, roles))),
            propose_columns=self._propose_columns,
            clock=self.wiring.clock,
            actor=user,
            roles=roles,
            origin=origin,
            limits=self.limits,
            forget=self._forget,
            readers_changed=lambda source: self.hold_readers(source, user),
        )

    def hold_readers(self, source: str | None = None, actor: str | None = None) -> None:
        """After who may read a source has changed, or may have: what is for everyone tells of it, or no more."""
        self.wiring.catalog.close_databases()
        self.record_virtual_lineage_again(source, actor)

    def record_virtual_lineage_again(self, source: str | None = None, actor: str | None = None) -> None:
        from forge.flows.federation.query_claims import forget_restricted
        from forge.flows.federation.virtual_tables import record_lineage_again

        tables = self.virtual_tables()
        if tables:
            record_lineage_again(self.virtual_ports(actor), source)
        restricted = {one.name for one in self.sources() if one.readers} | set(self.lake_rules.readers)
        restricted |= {str(one.relation) for one in tables.values() if one.readers}
        forget_restricted(self.wiring.lineage.graph, restricted)

    def source_users(self, user: str, *, sees_all: bool = True) -> SourceUsers:
        """Who uses sources. `sees_all`: virtual tables, too, that the user may not read."""
        from forge.flows.federation.lake_views import rules_below
        from forge.flows.federation.saved_queries import list_saved_queries
        from forge.flows.federation.source_users import SourceUsers
        from forge.transforms.project import read_source_files
        from forge.transforms.source import load_sources

        texts, _ = read_source_files(self.wiring.root)
        virtual = self.virtual_tables()
        return SourceUsers(
            sources={one.name: one for one in self.sources()},
            virtual=virtual,
            loads=[load for file, text in texts.items() for load in load_sources(text, file)[0]],
            saved=list_saved_queries(self.saved_query_ports(user)),
            user=None if sees_all else user,
            rules=rules_below(self.query_ports(user=user), virtual.values()),
        )

    @cached_property
    def virtual_declared(self) -> SqlVirtualTables:
        """Virtual tables created by a command or over HTTP."""
        from forge.stores.sql.federation.virtual_tables import SqlVirtualTables

        return SqlVirtualTables(self.wiring.database)

    def virtual_tables(self) -> Mapping[str, VirtualTable]:
        """All that queries can read, by name. Whose name is taken is left out."""
        from forge.flows.federation.virtual_table_files import read_file_virtual_tables
        from forge.flows.federation.virtual_tables import gather_virtual_tables

        files = read_file_virtual_tables(self.wiring.root)
        found = gather_virtual_tables(files, self.virtual_declared, self._schemas)
        return {one.name: one.table for one in found.tables}

    def virtual_ports(
        self,
        actor: str | None = None,
        origin: SourceOrigin = SourceOrigin.COMMAND,
        hidden: PersonalColumns | None = None,
    ) -> VirtualTablePorts:
        from forge.flows.federation.query_claims import forget_restricted
        from forge.flows.federation.virtual_lineage import record_virtual_lineage
        from forge.flows.federation.virtual_table_files import read_file_virtual_tables
        from forge.flows.federation.virtual_tables import VirtualTablePorts

        user = actor or self.wiring.author.email

        def record(table: VirtualTable, is_gone: bool) -> None:
            record_virtual_lineage(self.wiring.lineage.graph, table, user, is_gone=is_gone)
            if is_gone:
                forget_restricted(self.wiring.lineage.graph, {str(table.relation)})

        return VirtualTablePorts(
            declared=self.virtual_declared,
            files=lambda: read_file_virtual_tables(self.wiring.root),
            schemas=self._schemas,
            federation=self.query_ports(user=user, hidden=hidden),
            clock=self.wiring.clock,
            actor=user,
            origin=origin,
            record=record,
        )

    def saved_query_ports(self, user: str) -> SavedQueryPorts:
        from forge.flows.federation.saved_queries import SavedQueryPorts
        from forge.stores.sql.federation.saved_queries import SqlSavedQueries

        def record(query: SavedQuery, is_gone: bool) -> None:
            from forge.flows.federation.saved_queries import record_saved_query

            record_saved_query(query, self.query_ports(user=user), self.wiring.lineage.graph, is_gone=is_gone)

        return SavedQueryPorts(
            saved=SqlSavedQueries(self.wiring.database),
            clock=self.wiring.clock,
            user=user,
            record=record if self.wiring.settings.federation.record_lineage else lambda query, is_gone: None,
        )

    @cached_property
    def lake_rules(self) -> LakeRules:
        """Masks, row filters and readers of tables of the lake, and of those that hold rows of them."""
        from forge.federation.lake_rules import LakeRules

        keys = self.wiring.settings.federation.lake
        rules = LakeRules(
            masks=tuple(one.mask for one in keys.masks),
            rows=tuple(one.row_filter for one in keys.rows),
            readers={table.lower(): tuple(users) for table, users in keys.readers.items()},
        )
        if not rules:
            return rules
        from forge.flows.quality import keep_failing
        from forge.flows.quality.remediation import quarantine

        return rules.with_copies((keep_failing.SUFFIX, quarantine.SUFFIX))

    def kept_back(self, user: str | None) -> PersonalColumns:
        """What rules of the lake keep back from this user; None: from anybody."""
        from forge.federation.policy import PolicySubject
        from forge.flows.catalog.personal_data import PersonalColumns

        subject = PolicySubject(user, self.wiring.settings.keys.roles) if user is not None else None
        found = self.lake_rules.kept_back(subject)
        return PersonalColumns(found.columns, ruled=found.tables, closed=found.closed)

    @cached_property
    def limits(self) -> SourceLimits:
        """What sources that were created over HTTP may reach."""
        from forge.federation.limits import SourceLimits

        keys = self.wiring.settings.federation
        return SourceLimits(tuple(keys.hosts), tuple(keys.secrets), tuple(keys.folders))

    def query_ports(
        self,
        branch: BranchName | None = None,
        *,
        user: str | None = None,
        hidden: PersonalColumns | None = None,
        notify: Callable[[str], None] = lambda step: None,
    ) -> FederationPorts:
        """The ports of a query. `hidden`: what reads as NULL; nothing for the owner of the project."""
        from forge.flows.catalog.personal_data import PersonalColumns
        from forge.flows.federation.query import FederationPorts
        from forge.flows.versioning.time_travel import masked_pin

        executors: list[QueryExecutor] = []

        def in_process() -> QueryExecutor:
            if not executors:
                executors.append(self._in_process())
            return executors[0]

        wiring = self.wiring
        return FederationPorts(
            wiring.versioning.reader(branch),
            sources=lambda: {one.name: one for one in self.sources()},
            connector=self.connector,
            lake=self._lake_connector,
            in_process=in_process,
            spark=self._spark_executor,
            engine=lambda: wiring.engine,
            masked=lambda pin, columns: masked_pin(wiring.versioning.ports(), pin, columns)[0],
            user=user or wiring.author.email,
            hidden=hidden or PersonalColumns(),
            hidden_at=wiring.catalog.personal_at if hidden is not None else lambda *commits: PersonalColumns(),
            roles=wiring.settings.keys.roles,
            rules=self.lake_rules,
            mask_key=self.mask_key,
            notify=notify,
            cache=self._query_cache(),
            virtual=self.virtual_tables,
            record=self.recorder if wiring.settings.federation.record_lineage else lambda asked: None,
            seen=lambda source: self.declared.seen(source),
        )

    @cached_property
    def recorder(self) -> QueryRecorder:
        """Takes queries into the lineage graph."""
        from forge.flows.federation.query_claims import QueryRecorder

        return QueryRecorder(lambda: self.wiring.lineage.graph)

    @cached_property
    def results(self) -> ResultCache | None:
        """Kept results of queries; None: none are."""
        keys, clock = self.wiring.settings.federation.cache, self.wiring.clock
        if keys.store == "off":
            return None
        if keys.store == "disk":
            from forge.stores.disk.result_cache import DiskResultCache

            return DiskResultCache(self.wiring.root / ".forge" / "results", keys.max_bytes, clock)
        from forge.stores.redis.result_cache import RedisResultCache

        return RedisResultCache(self._redis_url(), self._project, keys.max_bytes, clock)

    def close(self) -> None:
        from forge.stores.redis.result_cache import RedisResultCache

        results = self.__dict__.get("results")
        if isinstance(results, RedisResultCache):
            results.close()

    def _redis_url(self) -> str:
        from forge.model.errors import ForgeError
        from forge.model.secret import is_reference, resolve_secret

        url = self.wiring.settings.federation.cache.url
        if url is None:
            raise ForgeError(
                "E105",
                "federation.cache.store is redis, and federation.cache.url is not set",
                where="forge.yaml",
                fix="Set federation.cache.url to an address like redis://cache.example:6379/0.",
            )
        return resolve_secret(url, self.wiring.environ, "federation.cache.url") if is_reference(url) else url

    @cached_property
    def _project(self) -> str:
        """Results of other records or another lake are not its own. Addresses of Forge's database have no password
        here."""
        settings = self.wiring.settings
        return repr((settings.project, str(self.wiring.database.url), str(settings.warehouse_path())))

    def _query_cache(self) -> QueryCache | None:
        """What a session gives and a query does not say, its time zone above all, is a part of every key."""
        import time

        from forge.flows.federation.kept_results import QueryCache

        if self.results is None:
            return None
        keys, wiring = self.wiring.settings.federation.cache, self.wiring
        zone = (time.tzname, time.timezone, wiring.environ.get("TZ", ""))
        return QueryCache(
            store=self.results,
            project=repr((self._project, self._makers, zone)),
            login=self._login,
            clock=wiring.clock,
            max_entry_bytes=min(keys.max_entry_bytes, keys.max_bytes),
            ttl_seconds=keys.ttl_seconds,
        )

    @cached_property
    def _makers(self) -> object:
        """Another version may compute something else."""
        from importlib.metadata import version

        settings = self.wiring.settings.spark
        session = sorted((key, value) for key, value in settings.items() if key.startswith("spark.sql."))
        return session, [version(name) for name in ("forge", "datafusion", "pyspark", "sqlglot")]

    def _login(self, source: Source) -> str:
        """Who connects: databases and services give users rows of their own. A password is nobody's name, but where it
        stands alone."""
        from forge.model.secret import is_reference, resolve_secret

        known = [source.user or source.password or "", *(source.options[name] for name in sorted(source.options))]
        return repr([str(resolve_secret(one, self.wiring.environ)) if is_reference(one) else one for one in known])

    def _forget(self, source: str) -> None:
        """Results of a source that has changed. They could not be found any more; now they take no room either."""
        from contextlib import suppress

        from forge.flows.federation.kept_results import source_tag
        from forge.model.errors import ForgeError

        with suppress(ForgeError):
            if self.results is not None:
                self.results.invalidate(source_tag(source))

    def mask_key(self) -> bytes:
        """Of hashes that stand for values: a secret of the project, made when it is first needed."""
        from forge.flows.federation.mask_key import load_mask_key
        from forge.model.secret import resolve_secret

        reference = self.wiring.settings.federation.mask_key
        if reference is not None:
            return resolve_secret(reference, self.wiring.environ, "federation.mask_key").encode()
        return load_mask_key(self.wiring.root)

    def _by_spark(self, source: Source, secret: Callable[[str], str]) -> SourceConnector:
        from forge.engines.spark.federation.jdbc import JdbcConnector
        from forge.federation.limits import refuse_out_of_files

        refuse_out_of_files(source)
        folder = self.wiring.root / ".forge" / "queries"
        return JdbcConnector(source, secret, lambda: self.wiring.engine, folder)

    def _lake_connector(self, pins: Mapping[tuple[str, str], Pin]) -> LakeConnector:
        from forge.stores.lake.scan import LakeConnector

        lake = cast("IcebergLake | ExternalLake", self.wiring.lake)
        return LakeConnector(lake.open_table, pins)

    def _in_process(self) -> QueryExecutor:
        from forge.engines.datafusion.executor import DataFusionExecutor

        return DataFusionExecutor()

    def _spark_executor(self, pins: Mapping[RelationName, Pin]) -> QueryExecutor:
        from forge.engines.spark.federation.executor import SparkExecutor

        folder = self.wiring.root / ".forge" / "queries"
        return SparkExecutor(self.wiring.engine, pins, folder, self._refusing, self.mask_key)

    def _refusing(self, source: str) -> Callable[[Path], None]:
        """E886 for a file that the source may not read; those of operators may read any."""
        declared = next(one for one in self.sources() if one.name == source)
        if declared.origin is not SourceOrigin.HTTP:
            return lambda path: None
        return self._file_guard(declared).refuse

    def _schemas(self) -> Mapping[str, str]:
        from forge.flows.federation.source_files import schemas_of

        return schemas_of((), self.wiring.catalog.known_tables())

    def refuse_out_of_reach(self, source: Source) -> None:
        """E886 for a source created over HTTP. Looked at each time: settings, links and files change."""
        if source.origin is not SourceOrigin.HTTP:
            return
        from forge.federation.limits import find_breaches
        from forge.federation.object_path import is_object_path
        from forge.flows.federation.source_paths import refuse_lake, refuse_outside
        from forge.model.errors import raise_errors

        raise_errors(find_breaches(source, self.limits))
        if is_object_path(source.path):
            refuse_lake(source, str(self.wiring.settings.warehouse_path()))
        elif source.path:
            refuse_outside(source, self.wiring.root, self._file_guard(source))

    def _file_guard(self, source: Source) -> FileGuard:
        from forge.flows.federation.source_paths import FileGuard

        return FileGuard.of(source, self.wiring.root, self.limits, self._kept_apart())

    def _kept_apart(self) -> tuple[Path, ...]:
        """Forge's own files, and those of the lake, which have masks."""
        warehouse = str(self.wiring.settings.warehouse_path())
        own = self.wiring.root / ".forge"
        return (own, Path(warehouse)) if not urlparse(warehouse).scheme else (own,)

    def _propose_columns(self, source: Source) -> ProposedColumns:
        from forge.stores.connectors.proposed_columns import propose_columns

        self.refuse_out_of_reach(source)
        if source.origin is not SourceOrigin.HTTP:
            return propose_columns(source, self.wiring.root)
        return propose_columns(source, self.wiring.root, self._file_guard(source).refuse)

    def _open(self, source: Source) -> SourceConnector:
        from forge.model.secret import resolve_secret
        from forge.stores.connectors import open_connector

        where = source.where or f"source {source.name}"

        def secret(reference: str) -> str:
            return resolve_secret(reference, self.wiring.environ, where)

        if source.connector.needs_spark:
            return self._by_spark(source, secret)
        if source.origin is not SourceOrigin.HTTP:
            return open_connector(source, self.wiring.root, secret)
        return open_connector(source, self.wiring.root, secret, self._file_guard(source).refuse)
