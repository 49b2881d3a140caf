"""`forge.connect().quality`: judge tables, query results, suggest checks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.connection.quality.items import Baseline, GateResult, IncidentItem
from forge.connection.quality.management import QualityManagement
from forge.connection.quality.results import CheckResults, MonitorItem, ResultItem, Suggestions
from forge.connection.tabular import TabularTuple
from forge.flows.quality.judge import find_unjudged, tables_with_checks
from forge.flows.quality.monitors.scheduler import monitor_statuses
from forge.flows.runs.build import StepEvent
from forge.flows.runs.project import Project
from forge.model.errors import CancellationError, ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.quality.verdict import Outcome

if TYPE_CHECKING:
    from forge.flows.quality.monitors.run import FinishedRun
    from forge.quality.check import Check

_log = logging.getLogger("forge.quality")
Notify = Callable[[StepEvent], None]


def _quiet(event: StepEvent) -> None:
    """No observer of progress."""


@dataclass(frozen=True, slots=True)
class QualityView(QualityManagement):
    """`dataset` is a table or view: `core.orders`, or `core.orders@dev` on a branch. `at` is a branch, a tag, a commit,
    HEAD~2, a time or a version (`v12`)."""

    # judging

    def run(
        self,
        *datasets: str,
        at: str | None = None,
        since: str | None = None,
        checks: Sequence[Check] | None = None,
        keep_failing: bool = False,
        notify: Notify = _quiet,
        absent: Callable[[TableName], None] = lambda table: None,
    ) -> CheckResults:
        """Judges tables and stores the results. Without a dataset: all with checks; unpublished ones are passed to
        `absent`, and those that cannot be judged are in `left_out`. E715 without checks. `keep_failing`: writes all
        failing rows to `<table>_failing`, as a commit."""
        from forge.flows.quality.monitors.run import judge_by_hand

        if keep_failing and since is not None:
            raise ForgeError("E105", "Failing rows are kept of whole tables", fix="Leave out `since`.")
        project, ports = self.wiring.project(), self.wiring.quality.judge_ports()
        done: list[FinishedRun] = []
        left_out = [] if datasets else list(find_unjudged(project))
        for dataset in self._datasets(project, datasets, checks):
            try:
                done.append(judge_by_hand(dataset, ports, checks=checks, at=at, since=since, notify=notify))
            except ForgeError as error:
                if datasets or isinstance(error, CancellationError):
                    raise
                if not isinstance(error, UnknownNameError):
                    left_out.append(error)
                    continue
                absent(TableName.parse(dataset.partition("@")[0]))
        kept = [note for one in done for note in self._kept(one)] if keep_failing else []
        return CheckResults.of(done, project, kept, left_out)

    def _kept(self, done: FinishedRun) -> list[str]:
        """Writes the failing rows of one table; the outcome in words."""
        from forge.flows.quality.keep_failing import keep_failing

        if done.judged is None:
            return []
        kept = keep_failing(done.judged, self.wiring.quality.check_ports(), self.wiring.versioning.ports())
        notes = [f"No row can be named for {', '.join(kept.without_rows)}"] if kept.without_rows else []
        if kept.commit_id is not None:
            notes.append(f"{kept.rows:,} failing rows are in {kept.table}, commit {kept.commit_id[:12]}")
        return notes

    def run_monitor(self, monitor: str, *, notify: Notify = _quiet) -> CheckResults:
        """Runs a monitor now, by id or name. E721."""
        from forge.flows.quality.monitors.run import carry_out, new_run
        from forge.flows.quality.monitors.store import find_monitor
        from forge.quality.monitors.monitor import Trigger

        self._sync()
        ports = self.wiring.quality.judge_ports()
        found = find_monitor(ports.store, monitor)
        run = new_run(found, found.dataset, Trigger.MANUAL, ports)
        ports.store.claim(run)
        done = carry_out(found, run, ports, notify)
        if done.run.error is not None and not done.results:
            error = done.run.error
            raise ForgeError(
                str(error["code"]).removeprefix("FORGE-"), str(error["what"]), why=error["why"], fix=error["fix"]
            )
        return CheckResults.of([done], self.wiring.project())

    def suggest(self, dataset: str, *, at: str | None = None, min_confidence: float = 0.5) -> Suggestions:
        """Suggested checks that a table does not have yet, each with its reason."""
        from forge.flows.catalog.profile import suggest_for

        profile, found = suggest_for(self._on_branch(dataset.strip()), self.wiring.quality.check_ports(), at=at)
        return Suggestions.of(profile, (one for one in found if one.confidence >= min_confidence))

    # results

    def results(
        self,
        dataset: str | None = None,
        *,
        monitor: str | None = None,
        check: str | None = None,
        run: str | None = None,
        verdict: str | None = None,
        limit: int = 100,
    ) -> CheckResults:
        """Check results of runs, monitors and people, newest first. `run`: of a governed run, or of a monitor's.
        `verdict`: passed, failed or `not measured`."""
        from forge.flows.quality.monitors.store import find_monitor
        from forge.flows.quality.results import find_results

        table = TableName.parse(dataset.partition("@")[0]) if dataset else None
        store = self.wiring.quality.monitors
        chosen = find_monitor(store, monitor).id if monitor else None
        found = find_results(
            self.wiring.metadata,
            store,
            table=table,
            monitor_id=chosen,
            check_id=check,
            run_id=run,
            verdict=_outcome(verdict),
            limit=limit,
        )
        if not found and table is not None:
            self._known(table)
        return CheckResults(ResultItem.of(one) for one in found)

    def monitors(self, dataset: str | None = None) -> TabularTuple[MonitorItem]:
        """The monitors of the project, or of one table, by name."""
        self._sync()
        table = TableName.parse(dataset.partition("@")[0]) if dataset else None
        found = self.wiring.quality.monitors.monitors(table=table)
        return TabularTuple(
            map(MonitorItem, monitor_statuses(found, self.wiring.quality.monitors, self.wiring.clock()))
        )

    def incidents(self, dataset: str | None = None, *, resolved: bool = False) -> TabularTuple[IncidentItem]:
        """Open incidents of this branch, the worst first; with `resolved`, also resolved ones."""
        from forge.flows.quality.incidents.listing import list_incidents, opened_on
        from forge.quality.alerts.incident import IncidentStatus

        table = str(TableName.parse(dataset)) if dataset else None
        ports = self.wiring.quality.alerts
        statuses = [one for one in IncidentStatus if resolved or one is not IncidentStatus.RESOLVED]
        found = list_incidents(ports, opened_on(ports, self.branch), statuses, self.branch)
        return TabularTuple(IncidentItem(one) for one in found if table is None or one.table == table)

    def incident(self, incident: str) -> IncidentItem:
        """One, open or resolved, by either of its ids. E730."""
        from forge.flows.quality.incidents.tracker import find_incident

        for one in self.incidents(resolved=True):
            if incident in (one.id, one.listed.id):
                return one
        from forge.flows.quality.incidents.listed_incident import ListedIncident

        return IncidentItem(ListedIncident(None, find_incident(self.wiring.quality.alerts, incident)))

    def baseline(
        self,
        dataset: str,
        metric: str = "row_count",
        *,
        method: str | None = None,
        threshold: float | None = None,
        limit: int = 90,
    ) -> Baseline:
        """A metric (`row_count`, `mean(amount)`) over time, each value with its expected band. E742."""
        from forge.flows.quality.metrics.anomalies import find_series
        from forge.quality.anomaly.methods import DEFAULT

        ports, (table, branch) = self.wiring.quality.metric_ports(), self._place(dataset)
        chosen = method or DEFAULT
        return Baseline.of(find_series(ports, table, metric, branch, method=chosen, threshold=threshold, limit=limit))

    def gate(self, dataset: str, *, at: str | None = None, **require: object) -> GateResult:
        """Whether a version is fit for a use: `gate("core.orders@v12", min_score=95, max_age=24, no_pii=True)`."""
        from forge.flows.quality.fitness import judge_fitness
        from forge.quality.fitness import read_requirements

        required = read_requirements(require)
        return GateResult(judge_fitness(dataset, at, required, self.wiring.quality.fitness(), branch=self.branch))

    def _sync(self) -> None:
        """Syncs monitors of quality/*.yaml first; errors of a file are reported, and affect no monitor of another."""
        from forge.flows.quality.monitors.files import sync_monitors

        for error in sync_monitors(self.wiring.root, self.wiring.quality.monitor_ports()).errors:
            _log.warning("%s", error)

    # names

    def _datasets(self, project: Project, asked: Sequence[str], checks: Sequence[Check] | None) -> tuple[str, ...]:
        """What to judge, each with its branch. Names are validated before anything is read."""
        if not asked:
            named = tuple(self._on_branch(str(t)) for t in tables_with_checks(project, promises=True))
            if not named and not project.faults:
                raise ForgeError(
                    "E715",
                    "The project has no checks",
                    fix="forge quality suggest core.orders shows which would fit a table.",
                )
            return named
        found = tuple(dict.fromkeys(self._on_branch(text.strip()) for text in asked))
        for dataset in found:
            table = TableName.parse(dataset.partition("@")[0])
            if checks is None and not (project.checks_of(table) or project.promises.get(table)):
                self._known(table)
                raise ForgeError(
                    "E715",
                    f"{table} has no checks",
                    why="Nothing to judge it by is no pass.",
                    fix=f"forge quality suggest {table} shows which would fit it.",
                )
        return found

    def _on_branch(self, dataset: str) -> str:
        if "@" in dataset or self.branch == self.wiring.default_branch:
            return dataset
        return f"{dataset}@{self.branch}"

    def _known(self, table: TableName) -> None:
        """E108 with the nearest names for a table that neither the project nor the lake has."""
        project = self.wiring.project()
        known = {*project.transforms, *project.checks, *self.wiring.metadata.tree(self.wiring.branch_head(self.branch))}
        if table not in known:
            near = did_you_mean(str(table), map(str, sorted(known)))
            raise UnknownNameError(f"There is no table {table}", why=near, fix="`forge show` lists the tables.")


def _outcome(word: str | None) -> Outcome | None:
    if word is None:
        return None
    try:
        return Outcome(word.replace("_", " ").lower())
    except ValueError:
        near = did_you_mean(word, [str(one) for one in Outcome])
        words = ", ".join(str(one) for one in Outcome)
        raise ForgeError("E105", f"There is no verdict '{word}'", why=near, fix=f"Verdicts are {words}.") from None
