"""What contracts need: their registry, the rules of the project, the lineage and the channels."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.transforms.transform import Transform
from forge.versioning.commit import Tree
from forge.wiring.lineage import LineageWiring
from forge.wiring.quality import QualityWiring

if TYPE_CHECKING:
    from forge.contracts.registry import Registered
    from forge.flows.contract_ports import ContractPorts, Registration
    from forge.stores.sql.contracts import SqlContracts

_log = logging.getLogger("forge.contracts")


class ContractWiring(LineageWiring, QualityWiring):
    @cached_property
    def contract_store(self) -> SqlContracts:
        from forge.stores.sql.contracts import SqlContracts

        return SqlContracts(self.database)

    def contract_ports(self, actor: str | None = None) -> ContractPorts:
        """What registering contracts and asking about them needs."""
        from forge.flows.contract_ports import ContractPorts

        return ContractPorts(
            store=self.contract_store,
            root=self.root,
            clock=self.clock,
            actor=actor or self.author.email,
            metadata=self.metadata,
            lake=lambda: self.lake,
            default_branch=self.default_branch,
            governance=self.governance(),
            owner=self.settings.owner_of,
            lineage=self.lineage,
            alerts=self.alerts,
            published=self._list_in_catalog,
        )

    def _list_in_catalog(self, registered: Sequence[Registered]) -> None:
        """In an external catalog; the embedded one was written with the registration. What fails now is made up for by
        the next one."""
        if self.settings.catalog.type == "embedded":
            return
        from forge.stores.lake.external import ExternalLake
        from forge.stores.lake.namespaces import write_external

        try:
            if isinstance(self.lake, ExternalLake):
                write_external(self.lake, registered)
        except ForgeError as error:
            _log.warning("The catalog does not list its contracts yet: %s", error)

    def _register(self, tables: Sequence[TableName], run_id: RunId) -> tuple[Registration, ...]:
        """Of what a run publishes. A contract that cannot be registered keeps no data back."""
        from forge.flows.contract_files import project_files
        from forge.flows.contract_register import registrations_of_run

        if self.governance().is_off:
            return ()
        try:
            return registrations_of_run(self.contract_ports(), tables, project_files(self.root), run_id)
        except ForgeError as error:
            _log.warning("The contracts of run %s are not registered: %s", run_id, error)
            return ()

    def _settle(self, branch: BranchName, run_id: RunId, outputs: Mapping[TableName, bool]) -> None:
        """An external catalog lists what the run registered once that stands."""
        super()._settle(branch, run_id, outputs)
        if self.settings.catalog.type != "embedded":
            self._list_in_catalog([one.newest for one in self.contract_store.heads() if one.newest.run_id == run_id])

    def _refuse_new_readers(self, order: Sequence[Transform], tree: Tree) -> None:
        from forge.flows.contract_lifecycle import refuse_new_readers

        if not self.governance().is_off:
            refuse_new_readers(self.contract_store, order, tree, self.metadata)
