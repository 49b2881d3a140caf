"""Wiring of lineage: code ingestion and queries."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.secret import resolve_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from forge.engines.local.code_reader import CodeReaderPool
    from forge.flows.lineage.capture import ScriptCapture
    from forge.flows.lineage.code.ports import IngestPorts
    from forge.flows.lineage.openlineage.ingest import OpenLineagePorts
    from forge.flows.lineage.ports import KeyOf, LineagePorts
    from forge.flows.lineage.query_log import EdgeCount
    from forge.flows.lineage.verify import AnalyserFactory
    from forge.flows.versioning.keys import Reference
    from forge.lineage.extract.catalog import TableCatalog
    from forge.lineage.extract.codebase import Run
    from forge.lineage.extract.dagster import DagsterAsset
    from forge.lineage.graph.store import LineageAnswers, LineageStore
    from forge.model.names import TableName
    from forge.model.schema import Schema
    from forge.stores.sql.lineage.sources import SqlSources
    from forge.versioning.commit import TableVersion
    from forge.wiring import Wiring

_LARGEST_CODE = 1_000_000  # bytes
_CODE = (".sql", ".hql", ".ddl", ".py", ".ipynb", ".j2")


def code_readers(processes: int | None = None, limit: float | None = None) -> CodeReaderPool:
    """Processes of this machine that read code. `limit`: seconds for one unit of it."""
    from forge.engines.local.code_reader import LIMIT, CodeReaderPool

    return CodeReaderPool(processes, limit or LIMIT)


def dagster_assets(target: str, job: str | None = None, run_id: str | None = None) -> tuple[DagsterAsset, ...]:
    """Of an instance's folder, else of a code location. E819."""
    from forge.engines.dagster import read_dagster

    return read_dagster(target, job=job, run_id=run_id)


@dataclass(frozen=True)
class LineageParts:
    wiring: Wiring

    @cached_property
    def graph(self) -> LineagePorts:
        """What questions about lineage need; the index behind it is shared by all who ask."""
        from forge.flows.lineage.ports import LineagePorts
        from forge.lineage.graph.graph import Graph
        from forge.lineage.graph.weights import Weights
        from forge.stores.sql.lineage.facts import SqlLineage

        keys = self.wiring.settings.lineage
        store = SqlLineage(self.wiring.database)
        graph = Graph(store, database=keys.database) if keys.store == "sql" else None

        def scratch() -> tuple[LineageStore, LineageAnswers]:
            from forge.stores.memory.lineage import MemoryLineage

            empty = MemoryLineage()
            return empty, Graph(empty, database=keys.database)

        return LineagePorts(
            metadata=self.wiring.metadata,
            store=store,
            answers=graph or self._neo4j(store),
            scratch=scratch,
            clock=self.wiring.clock,
            default_branch=self.wiring.default_branch,
            actor=self.wiring.author.name,
            schema=self._schema_of,
            owner=self.wiring.settings.owner_of,
            keys=self._keys,
            references=self._references,
            database=keys.database,
            project=self.wiring.settings.project or "forge",
            min_confidence=keys.min_confidence,
            weights=Weights.of(keys.weights, where="forge.yaml"),
            graph=graph,
            code=self._code,
        )

    def _code(self, file: str) -> str | None:
        """Of a file of the project; None for what is outside, gone, large or no code."""
        root = self.wiring.root.resolve()
        try:
            place = (root / file).resolve()
            is_code = place.suffix.lower() in _CODE and place.is_relative_to(root)
            if not is_code or place.stat().st_size > _LARGEST_CODE:
                return None
            return place.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError):
            return None

    def ingest(self, read: Run) -> IngestPorts:
        """What reading code into the graph needs."""
        from forge.flows.lineage.code.lake_definitions import definitions_in_lake
        from forge.flows.lineage.code.ports import IngestPorts

        ports = self.graph
        known = partial(definitions_in_lake, ports)
        return IngestPorts(ports, self.sources, read, known, self.openlineage)

    @cached_property
    def openlineage(self) -> OpenLineagePorts:
        """What taking in OpenLineage events needs."""
        from forge.flows.lineage.openlineage.ingest import OpenLineagePorts
        from forge.lineage.extract.openlineage import DatasetNaming
        from forge.stores.sql.lineage.events import SqlLineageEvents

        keys = self.wiring.settings.lineage
        given = keys.openlineage
        naming = DatasetNaming(frozenset({given.namespace}), given.namespaces, keys.database)
        return OpenLineagePorts(self.graph, SqlLineageEvents(self.wiring.database), naming)

    @cached_property
    def sources(self) -> SqlSources:
        """The files of code that were read, and how much of each was understood."""
        from forge.stores.sql.lineage.sources import SqlSources

        return SqlSources(self.wiring.database)

    def analysers(self) -> AnalyserFactory:
        """Spark's own, for verifying what was read."""
        from forge.engines.spark.lineage.verify import SparkAnalyser

        return partial(SparkAnalyser, self.wiring.session.get())

    def spark_readers(self) -> Run:
        """The workers of a cluster read code."""
        from forge.engines.spark.lineage.extract_job import run_on

        return run_on(self.wiring.session.get())

    def capture(self, script: Path, arguments: Sequence[str]) -> ScriptCapture:
        """Runs a script on Spark and watches what it reads and writes."""
        from forge.engines.spark.lineage.capture import capture

        conf = {key: value for key, value in self.wiring.settings.spark.items() if key != "master"}
        return capture(script, arguments, conf)

    def query_log(self, place: str, column: str | None = None) -> Callable[[TableCatalog, str], Iterator[EdgeCount]]:
        """A table or file of query texts, and what counts its edges."""
        from forge.engines.spark.lineage.query_log import count_edges, open_log

        return partial(count_edges, open_log(self.wiring.session.get(), place, column))

    def _neo4j(self, store: LineageStore) -> LineageAnswers:
        from forge.stores.neo4j.lineage import open_neo4j

        keys = self.wiring.settings.lineage.neo4j
        if keys.url is None:
            raise ForgeError(
                "E811",
                "lineage.store is neo4j, and lineage.neo4j.url is not set",
                where="forge.yaml",
                fix="Set lineage.neo4j.url to an address like bolt://localhost:7687.",
            )
        password = resolve_secret(keys.password, self.wiring.environ, "lineage.neo4j.password") if keys.password else ""
        lake = self.wiring.settings.lineage.database
        return open_neo4j(keys.url, keys.user, password, keys.database, store, lake=lake)

    def feed_neo4j(self) -> None:
        """After each publish, so that who asks Neo4j itself sees it. What cannot be sent now is sent the next time."""
        from forge.flows.lineage.feed import catch_up

        ports = self.graph
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
            found = self.wiring.lake.snapshot(version.catalog, version.snapshot_id)
        except ForgeError:
            return None
        return found.schema if found else None

    def _references(self) -> Mapping[TableName, tuple[Reference, ...]]:
        """A project that cannot be read declares nothing."""
        from forge.flows.versioning.keys import find_references

        try:
            return find_references(self.wiring.project())
        except ForgeError:
            return {}

    def _keys(self) -> KeyOf:
        """A project that cannot be read declares nothing; its tables still have their identifier fields."""
        from forge.flows.versioning.keys import DeclaredKeys

        keys = DeclaredKeys(self.wiring.settings.versioning.keys, self.wiring.project)

        def key_of(table: TableName, version: TableVersion | None) -> tuple[str, ...]:
            remembered = version.key if version is not None else ()
            try:
                declared = keys.get(table, ()) or remembered
            except ForgeError:
                declared = remembered
            if declared or version is None or version.snapshot_id is None:
                return tuple(declared)
            try:
                found = self.wiring.lake.snapshot(version.catalog, version.snapshot_id)
            except ForgeError:
                return ()
            return found.identifier if found else ()

        return key_of

    def close(self) -> None:
        if "graph" in self.__dict__ and hasattr(self.graph.answers, "close"):
            self.graph.answers.close()
