"""What contracts need: their registry, the rules of the project, the lineage and the channels."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError, raise_errors
from forge.wiring.lineage import LineageWiring
from forge.wiring.quality import QualityWiring

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forge.contracts.registry import Registered
    from forge.flows.contracts.ports import ContractPorts, Registration
    from forge.model.names import BranchName, RunId, TableName
    from forge.transforms.transform import Transform
    from forge.versioning.commit import Tree

_log = logging.getLogger("forge.contracts")


class ContractWiring(LineageWiring, QualityWiring):
    def contract_ports(self, actor: str | None = None) -> ContractPorts:
        """What registering contracts and asking about them needs."""
        from forge.flows.contracts.ports import ContractPorts

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
        the next one: a namespace gets all its contracts of the registry."""
        if self.settings.catalog.type == "embedded" or not registered:
            return
        from forge.contracts.registry import namespaces_of
        from forge.stores.lake.external import ExternalLake
        from forge.stores.lake.namespaces import write_external

        namespaces = namespaces_of(table for one in registered for table in one.tables)
        try:
            if isinstance(self.lake, ExternalLake):
                write_external(
                    self.lake, namespaces, lambda: tuple(head.newest for head in self.contract_store.heads())
                )
        except ForgeError as error:
            _log.warning("The catalog does not list its contracts yet: %s", error)

    def _register(self, tables: Sequence[TableName], run_id: RunId) -> tuple[Registration, ...]:
        """Of what a run publishes. A contract that cannot be registered keeps no data back."""
        from forge.flows.contracts.files import project_files
        from forge.flows.contracts.registration import registrations_of_run

        if self.governance().is_off:
            return ()
        try:
            return registrations_of_run(
                self.contract_ports(),
                tables,
                project_files(self.root),
                run_id,
                lambda text: _log.warning("Run %s: %s; forge compile says why", run_id, text),
            )
        except (ForgeError, OSError, ValueError) as error:
            _log.warning("The contracts of run %s are not registered: %s", run_id, error)
            return ()

    def _settle(self, branch: BranchName, run_id: RunId, outputs: Mapping[TableName, bool]) -> None:
        """An external catalog lists the contracts of the run's tables once they stand, whatever run registered them: so
        what an earlier one missed is made up for."""
        super()._settle(branch, run_id, outputs)
        if self.settings.catalog.type == "embedded":
            return
        from forge.flows.runs.records import OutputStatus

        run = self.metadata.run(run_id)
        standing = (OutputStatus.PUBLISHED, OutputStatus.UP_TO_DATE)
        tables = {str(one.table).lower() for one in (run.outputs if run else ()) if one.status in standing}
        heads = self.contract_store.heads()
        self._list_in_catalog([one.newest for one in heads if tables & {table.lower() for table in one.newest.tables}])

    def _refuse_new_readers(self, order: Sequence[Transform], tree: Tree) -> None:
        raise_errors(self._new_readers(order, tree))

    def _new_readers(self, transforms: Iterable[Transform], tree: Tree) -> tuple[ForgeError, ...]:
        """E506: those that would read what a retired contract was about and did not before."""
        from forge.flows.contracts.lifecycle import find_new_readers, retired_tables

        retired = {} if self.governance().is_off else retired_tables(self.contract_store)
        return find_new_readers(retired, transforms, tree, self.metadata) if retired else ()
