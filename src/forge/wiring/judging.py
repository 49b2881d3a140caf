"""What judging data needs, and commits of data, which are judged."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forge.flows.contracts.ports import Registration
    from forge.flows.quality.judge import CheckPorts, HistoryOf
    from forge.flows.quality.metrics.history import MetricPorts
    from forge.flows.runs.build import Event
    from forge.flows.runs.records import RunStatus
    from forge.flows.versioning.ports import VersionPorts
    from forge.model.names import RunId, TableName
    from forge.stores.sql.quality.metrics import SqlMetrics
    from forge.stores.sql.quality.states import SqlStates
    from forge.versioning.commit import Author
from forge.wiring.foundation import Foundation, fault_seam


class JudgingWiring(Foundation):
    @cached_property
    def _states(self) -> SqlStates:
        from forge.stores.sql.quality.states import SqlStates

        return SqlStates(self.database)

    @property
    def _history(self) -> HistoryOf:
        from forge.flows.quality.metrics.history import HistoryReader

        return HistoryReader(self.metric_ports())

    @cached_property
    def metrics(self) -> SqlMetrics:
        """Histories of metrics, and what people said of them."""
        from forge.stores.sql.quality.metrics import SqlMetrics

        return SqlMetrics(self.database)

    def metric_ports(self) -> MetricPorts:
        """What keeping and judging metrics needs."""
        from forge.flows.quality.metrics.history import MetricPorts

        return MetricPorts(self.metrics, self.metadata, self.clock, self._hidden)

    def _hidden(self, table: TableName) -> frozenset[str]:
        """Columns that hold personal data on the default branch."""
        return self.personal_at().of(table)

    def check_ports(
        self,
        run_id: RunId | None = None,
        notify: Callable[[Event], None] = lambda event: None,
        stopped: Callable[[], RunStatus | None] = lambda: None,
    ) -> CheckPorts:
        """What judging published data needs."""
        from forge.flows.quality.judge import CheckPorts

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
            declared=self.declared,
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
        from forge.flows.versioning.keys import DeclaredKeys
        from forge.flows.versioning.ports import VersionPorts
        from forge.versioning.resolution import standing_rules

        keys = self.settings.versioning
        return VersionPorts(
            metadata=self.metadata,
            lake=self.lake,
            tables_=self.tables,
            small=self._driver_rows,
            large=self._spark_rows,
            engine=lambda: self.engine,
            project=self.project,
            declared=self.declared,
            personal=self.personal_at,
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
