"""What questions about lineage need."""

from __future__ import annotations

import logging
from functools import cached_property, partial
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.secret import resolve_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.flows.lineage.code.ports import IngestPorts
    from forge.flows.lineage.openlineage.ingest import OpenLineagePorts
    from forge.flows.lineage.ports import KeyOf, LineagePorts
    from forge.flows.versioning.keys import Reference
    from forge.lineage.extract.codebase import Run
    from forge.lineage.graph.store import LineageAnswers, LineageStore
    from forge.model.names import TableName
    from forge.model.schema import Schema
    from forge.stores.sql.metadata import SqlMetadata
    from forge.versioning.commit import TableVersion
from forge.wiring.foundation import Foundation


class LineageWiring(Foundation):
    @cached_property
    def metadata(self) -> SqlMetadata:
        metadata = super().metadata
        if self.settings.lineage.store == "neo4j":
            metadata.published = self._feed_neo4j
        return metadata

    @cached_property
    def _lineage(self) -> LineagePorts:
        from forge.flows.lineage.ports import LineagePorts
        from forge.lineage.graph.graph import Graph
        from forge.lineage.graph.weights import Weights
        from forge.stores.sql.lineage.facts import SqlLineage

        keys = self.settings.lineage
        store = SqlLineage(self.database)
        graph = Graph(store, database=keys.database) if keys.store == "sql" else None

        def scratch() -> tuple[LineageStore, LineageAnswers]:
            from forge.stores.memory.lineage import MemoryLineage

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
            keys=self._keys,
            references=self._references,
            database=keys.database,
            project=self.settings.project or "forge",
            min_confidence=keys.min_confidence,
            weights=Weights.of(keys.weights, where="forge.yaml"),
            graph=graph,
        )

    def lineage(self) -> LineagePorts:
        """What questions about lineage need; the index behind it is shared by all who ask."""
        return self._lineage

    def ingest(self, read: Run) -> IngestPorts:
        """What reading code into the graph needs."""
        from forge.flows.lineage.code.lake_definitions import definitions_in_lake
        from forge.flows.lineage.code.ports import IngestPorts
        from forge.stores.sql.lineage.sources import SqlSources

        ports = self._lineage
        known = partial(definitions_in_lake, ports)
        return IngestPorts(ports, SqlSources(self.database), read, known, self._openlineage)

    @cached_property
    def _openlineage(self) -> OpenLineagePorts:
        from forge.flows.lineage.openlineage.ingest import OpenLineagePorts
        from forge.lineage.extract.openlineage import Naming
        from forge.stores.sql.lineage.events import SqlLineageEvents

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
        from forge.flows.lineage.feed import catch_up

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

    def _references(self) -> Mapping[TableName, tuple[Reference, ...]]:
        """A project that cannot be read declares nothing."""
        from forge.flows.versioning.keys import find_references

        try:
            return find_references(self.project())
        except ForgeError:
            return {}

    def _keys(self) -> KeyOf:
        """A project that cannot be read declares nothing; its tables still have their identifier fields."""
        from forge.flows.versioning.keys import DeclaredKeys

        keys = DeclaredKeys(self.settings.versioning.keys, self.project)

        def key_of(table: TableName, version: TableVersion | None) -> tuple[str, ...]:
            remembered = version.key if version is not None else ()
            try:
                declared = keys.get(table, ()) or remembered
            except ForgeError:
                declared = remembered
            if declared or version is None or version.snapshot_id is None:
                return tuple(declared)
            try:
                found = self.lake.snapshot(version.catalog, version.snapshot_id)
            except ForgeError:
                return ()
            return found.identifier if found else ()

        return key_of
