"""Wiring: reads settings, builds adapters, hands them to flows. It has no verbs of its own.

Adapters are built when first asked for, so that a command that only reads records starts no JVM."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from forge.model.secret import resolve_secret
from forge.wiring.compile import CompileWiring
from forge.wiring.foundation import FAULT as FAULT
from forge.wiring.foundation import fault_seam

if TYPE_CHECKING:
    from collections.abc import Callable

    from forge.flows.runs.build import Event
    from forge.flows.runs.plan import PlanPorts
    from forge.flows.runs.project import Project
    from forge.flows.runs.run import Ports
    from forge.model.names import RunId


class Wiring(CompileWiring):
    def ports(self, notify: Callable[[Event], None] = lambda event: None) -> Ports:
        from forge.engines.spark.lazy import LazyEngine
        from forge.flows.runs.run import Ports

        versions = self.versions()
        return Ports(
            metadata=self.metadata,
            lake=self.lake,
            engine=LazyEngine(lambda: self.engine, self.root),
            clock=self.clock,
            author=self.author,
            secrets=lambda reference: resolve_secret(reference, self.environ, "forge.yaml"),
            seam=fault_seam(self.environ),
            notify=notify,
            logger=logging.getLogger("forge.transform"),
            default_branch=self.default_branch,
            parallel=self.settings.parallel,
            publish_all=self.settings.run.publish == "all",
            protected=frozenset(self.settings.versioning.protected_branches),
            review=self.settings.versioning.require_review_for_protected,
            seals=self.seals,
            signer=self.signer,
            tell=self._tell(),
            observe=self.after_check(),
            settled=self._settle,
            history=self._history,
            tables=self.tables,
            repair=self._spark_repair if self.tables is not None else None,
            states=self._states,
            register=self._register,
            keys=versions.keys,
            key_check=versions.key_check if self.tables is not None else None,
            declared=self.declared,
            readers=self._refuse_new_readers,
        )

    def plan_ports(self) -> PlanPorts:
        """What a plan needs; nothing of what a run does is loaded."""
        from forge.engines.spark.lazy import LazyEngine
        from forge.flows.runs.plan import PlanPorts

        engine = LazyEngine(lambda: self.engine, self.root)
        return PlanPorts(self.metadata, self.lake, engine, self.default_branch, self._refuse_new_readers)

    def _tell(self) -> Callable[[RunId, Project], None]:
        """Of a run that has ended, to whom the settings name."""
        keys = self.settings.lineage.openlineage
        if keys.file is None and keys.url is None:
            return lambda run_id, project: None
        from importlib.metadata import version

        from forge.channels.openlineage import OpenLineageSink
        from forge.flows.lineage.openlineage.send import Emitter

        reference = keys.api_key
        sink = OpenLineageSink(
            self.root / ".forge" / "openlineage",
            file=self.root / Path(keys.file).expanduser() if keys.file else None,
            url=keys.url,
            key=(lambda: resolve_secret(reference, self.environ, "lineage.openlineage.api_key")) if reference else None,
        )
        return Emitter(self.metadata, sink, self.settings.project, keys.namespace, version("forge"))

    def close(self) -> None:
        if "session" in self.__dict__:
            self.session.stop()
        if "_lineage" in self.__dict__ and hasattr(self._lineage.answers, "close"):
            self._lineage.answers.close()
        if "lake" in self.__dict__:
            self.lake.close()
        if "database" in self.__dict__:
            self.database.dispose()
