"""What judging data needs, and commits of data, which are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from forge.flows.build import Event
from forge.flows.keys import DeclaredKeys
from forge.flows.records import RunStatus
from forge.flows.version_ports import VersionPorts
from forge.model.names import RunId, TableName
from forge.versioning.commit import Author
from forge.versioning.conflict import standing_rules

if TYPE_CHECKING:
    from forge.flows.check import CheckPorts, HistoryOf
    from forge.flows.contract_ports import Registration
    from forge.flows.metric_history import MetricPorts
    from forge.stores.sql.quality.metrics import SqlMetrics
    from forge.stores.sql.quality.states import SqlStates
from forge.wiring.foundation import Foundation, fault_seam


class JudgingWiring(Foundation):
    @cached_property
    def _states(self) -> SqlStates:
        from forge.stores.sql.quality.states import SqlStates

        return SqlStates(self.database)

    @property
    def _history(self) -> HistoryOf:
        from forge.flows.metric_history import HistoryReader

        return HistoryReader(self.metric_ports())

    @cached_property
    def metrics(self) -> SqlMetrics:
        """Histories of metrics, and what people said of them."""
        from forge.stores.sql.quality.metrics import SqlMetrics

        return SqlMetrics(self.database)

    def metric_ports(self) -> MetricPorts:
        """What keeping and judging metrics needs."""
        from forge.flows.metric_history import MetricPorts

        return MetricPorts(self.metrics, self.metadata, self.clock, self._hidden)

    def _hidden(self, table: TableName) -> frozenset[str]:
        """Columns that hold personal data on the default branch."""
        from forge.flows.personal import Personal

        head = self.metadata.branch(self.default_branch)
        trees = (self.metadata.tree(head.head if head else None),)
        return Personal(self.project(), self.metadata, lambda: trees).of(table)

    def _personal(self, table: TableName) -> frozenset[str] | None:
        """Columns that the table's contract calls personal; None where it has none."""
        from forge.contracts.contract import pii_columns

        contract = self.project().contracts.get(table)
        return pii_columns(contract) if contract else None

    def check_ports(
        self,
        run_id: RunId | None = None,
        notify: Callable[[Event], None] = lambda event: None,
        stopped: Callable[[], RunStatus | None] = lambda: None,
    ) -> CheckPorts:
        """What judging published data needs."""
        from forge.flows.check import CheckPorts

        return CheckPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=lambda: self.engine,
            project=self.project,
            clock=self.clock,
            default_branch=self.default_branch,
            notify=notify,
            stopped=stopped,
            run_id=run_id,
            history=self._history,
            states=self._states,
        )

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
            history=self._history,
            governance=self.governance(),
            register=self._register,
        )

    def _register(self, tables: Sequence[TableName], run_id: RunId) -> tuple[Registration, ...]:
        """The contracts of what is about to be published; what contracts need is wired above."""
        return ()
