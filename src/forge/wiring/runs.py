"""The parts of runs and plans."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from forge.model.secret import resolve_secret
from forge.wiring.fault import fault_point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forge.flows.lineage.openlineage.send import EventEmitter
    from forge.flows.runs.build import StepEvent
    from forge.flows.runs.events import RunListeners
    from forge.flows.runs.facts import PlanPorts
    from forge.flows.runs.run import RunPorts
    from forge.flows.runs.source_rows import SourceLoads
    from forge.model.names import BranchName, RunId, TableName
    from forge.stores.sql.runs.jobs import SqlJobs
    from forge.transforms.params import Param
    from forge.wiring import Wiring


@dataclass(frozen=True)
class RunParts:
    wiring: Wiring

    def ports(self, notify: Callable[[StepEvent], None] = lambda event: None) -> RunPorts:
        from forge.engines.spark.lazy_engine import LazyEngine
        from forge.flows.runs.run import RunPorts

        versions = self.wiring.versioning.ports()
        return RunPorts(
            metadata=self.wiring.metadata,
            lake=self.wiring.lake,
            engine=LazyEngine(lambda: self.wiring.engine, self.wiring.root),
            clock=self.wiring.clock,
            author=self.wiring.author,
            secrets=lambda reference: resolve_secret(reference, self.wiring.environ, "forge.yaml"),
            fault_point=fault_point(self.wiring.environ),
            events=self._events(notify),
            logger=logging.getLogger("forge.transform"),
            default_branch=self.wiring.default_branch,
            parallel=self.wiring.settings.parallel,
            publish_all=self.wiring.settings.run.publish == "all",
            protected=frozenset(self.wiring.settings.versioning.protected_branches),
            review=self.wiring.settings.versioning.require_review_for_protected,
            hasher=self.wiring.versioning.hasher,
            signer=self.wiring.versioning.signer,
            history=self.wiring.quality.history,
            tables=self.wiring.versioning.tables,
            repair=self.wiring.quality.spark_repair if self.wiring.versioning.tables is not None else None,
            states=self.wiring.quality.states,
            loads=self.loads,
            register=self.wiring.contracts.register,
            keys=versions.keys,
            key_check=versions.key_check if self.wiring.versioning.tables is not None else None,
            declared=self.wiring.catalog.personal,
            readers=self.wiring.contracts.refuse_new_readers,
        )

    def plan_ports(self) -> PlanPorts:
        """The ports of a plan; nothing that only a run needs is loaded."""
        from forge.engines.spark.lazy_engine import LazyEngine
        from forge.flows.runs.facts import PlanPorts

        wiring = self.wiring
        engine = LazyEngine(lambda: wiring.engine, wiring.root)
        return PlanPorts(
            wiring.metadata, wiring.lake, engine, wiring.default_branch, wiring.contracts.refuse_new_readers, self.loads
        )

    @cached_property
    def loads(self) -> SourceLoads:
        from forge.stores.connectors.loads import ConnectorLoads

        return ConnectorLoads(
            self.wiring.root, lambda reference, where: resolve_secret(reference, self.wiring.environ, where)
        )

    @cached_property
    def jobs(self) -> SqlJobs:
        """The job queue of a server."""
        from forge.stores.sql.runs.jobs import SqlJobs

        return SqlJobs(self.wiring.database)

    def params(self) -> dict[str, Param]:
        from forge.transforms.params import declare_params

        return declare_params({name: keys.model_dump() for name, keys in self.wiring.settings.params.items()})

    def bind(self, given: Mapping[str, str]) -> dict[str, object]:
        """The parameters of a run: the given values, else the declared defaults, in the declared types."""
        from forge.transforms.params import bind_params

        return bind_params(self.params(), given, needed=())

    def _settle(self, branch: BranchName, run_id: RunId, outputs: Mapping[TableName, bool]) -> None:
        """Alerts of an ended run, and the contracts of its tables in an external catalog."""
        self.wiring.quality.settle_alerts(branch, run_id, outputs)
        self.wiring.contracts.list_outputs(run_id)

    def _events(self, notify: Callable[[StepEvent], None]) -> RunListeners:
        """All listeners of a run, in this order."""
        from forge.flows.quality.judge import JudgedTable
        from forge.flows.quality.observers import after_run
        from forge.flows.runs.build import StepEvent
        from forge.flows.runs.events import RunEnded, RunListeners, RunSettled, on

        emitter, observers = self._emitter(), self.wiring.quality.observers
        return RunListeners(
            (
                on(StepEvent, notify),
                *((on(RunEnded, emitter),) if emitter else ()),
                on(RunEnded, lambda ended: self.wiring.catalog.discovery.record_run(ended.run_id)),
                on(JudgedTable, lambda judged: after_run(judged, observers)),
                on(RunSettled, lambda settled: self._settle(settled.branch, settled.run_id, settled.outputs)),
            )
        )

    def _emitter(self) -> EventEmitter | None:
        """Sends OpenLineage events to the targets of the settings."""
        keys = self.wiring.settings.lineage.openlineage
        if keys.file is None and keys.url is None:
            return None
        from importlib.metadata import version

        from forge.channels.openlineage import OpenLineageSink
        from forge.flows.lineage.openlineage.send import EventEmitter

        reference = keys.api_key
        sink = OpenLineageSink(
            self.wiring.root / ".forge" / "openlineage",
            file=self.wiring.root / Path(keys.file).expanduser() if keys.file else None,
            url=keys.url,
            key=(lambda: resolve_secret(reference, self.wiring.environ, "lineage.openlineage.api_key"))
            if reference
            else None,
        )
        return EventEmitter(self.wiring.metadata, sink, self.wiring.settings.project, keys.namespace, version("forge"))
