"""What `forge compile` needs, and the project with the gates that it shares with runs and merges."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from forge.flows.project import Project
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.transforms.params import find_unknown_params
from forge.wiring.contracts import ContractWiring

if TYPE_CHECKING:
    from forge.contracts.compare import Comparison
    from forge.contracts.contract import Contract
    from forge.flows.compile import CompilePorts
    from forge.flows.contract_facts import Versions
    from forge.flows.contract_versions import Hit


class CompileWiring(ContractWiring):
    def project(self) -> Project:
        from forge.flows.contract_judge import gated

        project = super().project()
        return replace(project, judged=gated(project, self._versions))

    def _versions(self) -> Versions:
        """What contracts break of what is registered, and whom it hits."""
        from forge.flows.contract_judge import versions_in
        from forge.flows.contract_versions import find_hit

        def hits(comparison: Comparison, old: Contract) -> tuple[Hit, ...]:
            return find_hit(comparison, old, self.lineage(), owner=self.settings.owner_of)

        return versions_in(self.contract_store, hits)

    def compile_ports(self) -> CompilePorts:
        """No JVM is started: what tables are like is read from Iceberg's metadata."""
        from forge.flows.compile import CompilePorts
        from forge.flows.contract_drift import live_schema

        reader = self.reader()

        @cache
        def schema_of(table: TableName) -> Schema | None:
            return live_schema(str(table), reader)

        return CompilePorts(
            root=self.root,
            governance=self.governance(),
            owner_of=self.settings.owner_of,
            clock=self.clock,
            known=self.known_tables,
            schema_of=schema_of,
            versions=self._versions,
            beside=lambda project: find_unknown_params(project.transforms, self.params()),
        )
