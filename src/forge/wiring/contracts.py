"""Wiring of contracts: registry, governance, lineage and channels."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError, raise_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forge.contracts.compare.versions import ContractComparison
    from forge.contracts.contract import Contract
    from forge.contracts.policy.governance import Governance
    from forge.contracts.registry import RegisteredContract
    from forge.flows.contracts.compile.project import CompilePorts
    from forge.flows.contracts.facts import Versions
    from forge.flows.contracts.ports import ContractPorts, Registration
    from forge.flows.contracts.tool import ContractTool
    from forge.flows.contracts.versions import AffectedReader, CommittedFiles
    from forge.flows.runs.project import Project
    from forge.model.names import RunId, TableName
    from forge.model.schema import Schema
    from forge.stores.sql.contracts.registry import SqlContracts
    from forge.transforms.transform import Transform
    from forge.versioning.commit import Tree
    from forge.wiring import Wiring


_log = logging.getLogger("forge.contracts")


def contract_tool() -> ContractTool:
    """datacontract-cli, imported on use."""
    from forge.tools.datacontract_cli import DatacontractCli

    return DatacontractCli()


def send_results(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """E735 where the URL does not accept them; its path and query may be secret and are not repeated."""
    from forge.channels.http import post, shown
    from forge.flows.quality.incidents.ports import SendError

    try:
        post(url, body, headers, 30)
    except SendError as error:
        raise ForgeError(
            "E735",
            f"{shown(url)} did not take the results",
            why=error.detail,
            fix="Check the address and --key; for Forge it is …/api/v1/contracts/results.",
        ) from error


@dataclass(frozen=True)
class ContractParts:
    wiring: Wiring

    @cached_property
    def registry(self) -> SqlContracts:
        from forge.stores.sql.contracts.registry import SqlContracts

        return SqlContracts(self.wiring.database)

    @cached_property
    def governance(self) -> Governance:
        """The governance settings of the project."""
        from forge.wiring.governance import governance_of

        return governance_of(self.wiring.settings)

    def ports(self, actor: str | None = None) -> ContractPorts:
        """Ports of the contract flows."""
        from forge.flows.contracts.ports import ContractPorts

        return ContractPorts(
            store=self.registry,
            root=self.wiring.root,
            clock=self.wiring.clock,
            actor=actor or self.wiring.author.email,
            metadata=self.wiring.metadata,
            lake=lambda: self.wiring.lake,
            default_branch=self.wiring.default_branch,
            governance=self.governance,
            owner=self.wiring.settings.owner_of,
            lineage=lambda: self.wiring.lineage.graph,
            alerts=lambda: self.wiring.quality.alerts,
            published=self._list_in_catalog,
        )

    def commits(self) -> CommittedFiles:
        """The files of the project at other commits of its git repository."""
        from forge.tools.git import GitFiles

        return GitFiles(self.wiring.root)

    def compile_ports(self) -> CompilePorts:
        """No JVM is started: table schemas come from Iceberg metadata."""
        from forge.flows.contracts.compile.project import CompilePorts

        return CompilePorts(
            root=self.wiring.root,
            governance=self.governance,
            owner_of=self.wiring.settings.owner_of,
            clock=self.wiring.clock,
            known=self.wiring.catalog.known_tables,
            schema_of=cache(self.live_schema),
            versions=self.versions,
            project_errors=self._run_refusals,
        )

    def live_schema(self, table: TableName) -> Schema | None:
        """Of a table on the default branch, from metadata alone."""
        from forge.flows.contracts.drift import live_schema

        return live_schema(str(table), self.wiring.versioning.reader())

    def versions(self) -> Versions:
        """Breaking changes against the registry, and whom they affect."""
        from forge.flows.contracts.judge import versions_in
        from forge.flows.contracts.versions import find_affected

        def hits(comparison: ContractComparison, old: Contract) -> tuple[AffectedReader, ...]:
            """Nobody, where the lineage cannot be read now: what breaks is reported without names."""
            try:
                return find_affected(comparison, old, self.wiring.lineage.graph, owner=self.wiring.settings.owner_of)
            except ForgeError as error:
                _log.warning("The consumers of %s were not found: %s", old.id, error)
                return ()

        return versions_in(self.registry, hits)

    def register(self, tables: Sequence[TableName], run_id: RunId) -> tuple[Registration, ...]:
        """For what a run publishes. A contract that cannot be registered does not block data."""
        from forge.flows.contracts.files import project_files
        from forge.flows.contracts.registration import registrations_of_run

        if self.governance.is_off:
            return ()
        try:
            return registrations_of_run(
                self.ports(),
                tables,
                project_files(self.wiring.root),
                run_id,
                lambda text: _log.warning("Run %s: %s; forge compile says why", run_id, text),
            )
        except (ForgeError, OSError, ValueError) as error:
            _log.warning("The contracts of run %s are not registered: %s", run_id, error)
            return ()

    def list_outputs(self, run_id: RunId) -> None:
        """Lists the contracts of the run's tables in an external catalog, whatever run registered them, so that earlier
        failures are repaired."""
        if self.wiring.settings.catalog.type == "embedded":
            return
        from forge.flows.runs.records import OutputStatus

        run = self.wiring.metadata.run(run_id)
        standing = (OutputStatus.PUBLISHED, OutputStatus.UP_TO_DATE)
        tables = {str(one.table).lower() for one in (run.outputs if run else ()) if one.status in standing}
        heads = self.registry.heads()
        self._list_in_catalog([one.newest for one in heads if tables & {table.lower() for table in one.newest.tables}])

    def _list_in_catalog(self, registered: Sequence[RegisteredContract]) -> None:
        """In an external catalog; the embedded one was written with the registration. A failure is repaired by the next
        one: a namespace gets all its registered contracts."""
        if self.wiring.settings.catalog.type == "embedded" or not registered:
            return
        from forge.contracts.registry import namespaces_of
        from forge.stores.lake.external_lake import ExternalLake
        from forge.stores.lake.namespaces import write_external

        namespaces = namespaces_of(table for one in registered for table in one.tables)
        try:
            if isinstance(self.wiring.lake, ExternalLake):
                write_external(
                    self.wiring.lake, namespaces, lambda: tuple(head.newest for head in self.registry.heads())
                )
        except ForgeError as error:
            _log.warning("The catalog does not list its contracts yet: %s", error)

    def refuse_new_readers(self, order: Sequence[Transform], tree: Tree) -> None:
        raise_errors(self._new_readers(order, tree))

    def _new_readers(self, transforms: Iterable[Transform], tree: Tree) -> tuple[ForgeError, ...]:
        """E506: new readers of tables of a retired contract."""
        from forge.flows.contracts.lifecycle import find_new_readers, retired_tables

        retired = {} if self.governance.is_off else retired_tables(self.registry)
        return find_new_readers(retired, transforms, tree, self.wiring.metadata) if retired else ()

    def _run_refusals(self, project: Project) -> tuple[ForgeError, ...]:
        """Errors for which a run is refused before it begins."""
        from forge.transforms.params import find_unknown_params

        tree = self.wiring.metadata.tree(self.wiring.branch_head(self.wiring.default_branch))
        readers = self._new_readers(project.transforms.values(), tree)
        return (*find_unknown_params(project.transforms, self.wiring.runs.params()), *readers)
