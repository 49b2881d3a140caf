"""What `forge compile` needs, and the project with the gates that it shares with runs and merges."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.wiring.contracts import ContractWiring

if TYPE_CHECKING:
    from forge.contracts.compare.versions import Comparison
    from forge.contracts.contract import Contract
    from forge.flows.contracts.compile.project import CompilePorts
    from forge.flows.contracts.facts import Versions
    from forge.flows.contracts.versions import Hit
    from forge.flows.runs.project import Project
    from forge.model.names import TableName
    from forge.model.schema import Schema


_log = logging.getLogger("forge.contracts")


class CompileWiring(ContractWiring):
    def project(self) -> Project:
        from forge.flows.contracts.lazy_gate import gated

        project = super().project()
        return replace(project, judged=gated(project, self._versions))

    def _versions(self) -> Versions:
        """What contracts break of what is registered, and whom it hits."""
        from forge.flows.contracts.judge import versions_in
        from forge.flows.contracts.versions import find_hit

        def hits(comparison: Comparison, old: Contract) -> tuple[Hit, ...]:
            """Nobody, where the lineage cannot be read now: what breaks is told without names."""
            try:
                return find_hit(comparison, old, self.lineage(), owner=self.settings.owner_of)
            except ForgeError as error:
                _log.warning("The consumers of %s were not found: %s", old.id, error)
                return ()

        return versions_in(self.contract_store, hits)

    def live_schema(self, table: TableName) -> Schema | None:
        """Of a table as it is on the default branch, from its metadata alone."""
        from forge.flows.contracts.drift import live_schema

        return live_schema(str(table), self.reader())

    def compile_ports(self) -> CompilePorts:
        """No JVM is started: what tables are like is read from Iceberg's metadata."""
        from forge.flows.contracts.compile.project import CompilePorts

        return CompilePorts(
            root=self.root,
            governance=self.governance(),
            owner_of=self.settings.owner_of,
            clock=self.clock,
            known=self.known_tables,
            schema_of=cache(self.live_schema),
            versions=self._versions,
            beside=self._beside,
        )

    def _beside(self, project: Project) -> tuple[ForgeError, ...]:
        """What a run would refuse before it begins."""
        from forge.transforms.params import find_unknown_params

        tree = self.metadata.tree(self.branch_head(self.default_branch))
        readers = self._new_readers(project.transforms.values(), tree)
        return (*find_unknown_params(project.transforms, self.params()), *readers)
