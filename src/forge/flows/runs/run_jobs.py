"""Runs as jobs: validated before they are queued, executed in turn, always ended in the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime

from forge.flows.ports import Lake, Metadata
from forge.flows.runs.build import StepEvent
from forge.flows.runs.engine import Engine, JobProgress, TimeRange
from forge.flows.runs.jobs import OPEN, JobRecord
from forge.flows.runs.order import plan_order
from forge.flows.runs.plan import plan
from forge.flows.runs.ports import Runs
from forge.flows.runs.processes import begin_run, is_alive
from forge.flows.runs.project import Project
from forge.flows.runs.records import AuditRecord, RunRecord, RunStatus
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.upkeep.maintenance import dead_runs, repair
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import ForgeError, UnknownNameError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, RunId, TableName
from forge.model.time import Clock, as_utc
from forge.transforms.transform import TransformKind
from forge.versioning.commit import Author
from forge.versioning.naming import parse_branch


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """A run request as text values: it can be stored in a row and submitted again."""

    branch: str
    selection: tuple[str, ...] = ()
    params: Mapping[str, str] = field(default_factory=dict)
    start: datetime | None = None
    end: datetime | None = None
    message: str | None = None
    force: bool = False

    @classmethod
    def of(cls, request: Mapping[str, object]) -> RunSpec:
        values = dict(request)
        times = {key: _moment(values.pop(key, None)) for key in ("start", "end")}
        selection, params = values.pop("selection", ()), values.pop("params", {})
        assert isinstance(selection, list | tuple)
        assert isinstance(params, Mapping)
        return cls(selection=tuple(selection), params=dict(params), **times, **values)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, object]:
        times = {key: value and value.isoformat() for key, value in (("start", self.start), ("end", self.end))}
        return {**asdict(self), "selection": list(self.selection), **times}

    @property
    def texts(self) -> dict[str, str]:
        """Parameters as given on the command line, including the time range."""
        times = {key: value for key, value in (("start", self.start), ("end", self.end)) if value is not None}
        return {**self.params, **{key: value.isoformat() for key, value in times.items()}}


def _moment(value: object) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value and as_utc(value)
    return as_utc(datetime.fromisoformat(str(value)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJobHandler:
    """Executes run jobs. Callables are dependencies that are built on first use."""

    metadata: Metadata
    lake: Callable[[], Lake]
    engine: Callable[[], Engine]
    author: Author
    clock: Clock
    project: Callable[[], Project]
    bind: Callable[[Mapping[str, str]], Mapping[str, object]]
    ports: Callable[[Callable[[StepEvent], None]], RunPorts]

    def plan(self, request: Mapping[str, object]) -> tuple[str, ...]:
        order = RunSpec.of(request)
        errors: list[ForgeError] = []
        tables: tuple[str, ...] = ()

        def made() -> None:
            nonlocal tables
            tables = tuple(str(t.output) for t in plan_order(self.project(), order.selection))

        checks: tuple[Callable[[], object], ...] = (
            lambda: find_branch(self.metadata, parse_branch(order.branch)),
            lambda: self.bind(order.texts),
            lambda: _refuse_half_a_range(order),
            lambda: _refuse_nul(order),
            made,
        )
        for check in checks:
            try:
                check()
            except ForgeError as error:
                errors.append(error)
        raise_errors(errors)
        self._refuse_missing_range(order)
        return tables

    def _refuse_missing_range(self, order: RunSpec) -> None:
        """Reported now, and not after Spark has started."""
        project = self.project()
        chosen = plan_order(project, order.selection)
        if order.start is None and any(one.kind is TransformKind.BY_TIME_RANGE for one in chosen):
            raise_errors(plan(self._request(order), project, self.ports(lambda event: None)).missing_ranges)

    def execute(
        self, job: JobRecord, notify: Callable[[StepEvent], None], stopped: Callable[[], RunStatus | None]
    ) -> None:
        request = replace(self._request(RunSpec.of(job.request)), run_id=RunId(job.id))
        run(request, self.project(), replace(self.ports(notify), stopped=stopped))

    def _request(self, order: RunSpec) -> RunRequest:
        return RunRequest(
            branch=BranchName(order.branch),
            selection=order.selection,
            params=self.bind(order.texts),
            time_range=TimeRange(order.start, order.end) if order.start and order.end else None,
            message=order.message,
            force=order.force,
        )

    def cancel(self, job_id: str) -> None:
        self.engine().cancel(RunId(job_id))

    def progress(self, job_id: str, table: str) -> JobProgress:
        schema, _, name = table.partition(".")
        return self.engine().progress(RunId(job_id), TableName(schema, name))

    def settle(self, job: JobRecord, status: RunStatus, error: ForgeError) -> RunStatus:
        known = self.metadata.run(RunId(job.id))
        if known is not None and known.status is not RunStatus.RUNNING:
            return known.status
        begun = known or self._never_begun(job)
        ended = replace(begun, status=status, finished_at=self.clock(), error=error.to_dict())
        audit = AuditRecord(self.clock(), begun.user, f"run.{status}", begun.id)
        self.metadata.finish_run(ended, (), (audit,))
        if known is not None:
            self.lake().drop_stages(known.id)
        return status

    def _never_begun(self, job: JobRecord) -> RunRecord:
        """A run that failed before its first step: a file broken while it was queued, a deleted branch."""
        order, began = RunSpec.of(job.request), job.started_at or job.created_at
        run = begin_run(RunId(job.id), BranchName(order.branch), self.author.email, began, job.server)
        return replace(run, selection=order.selection, params=order.texts, start=order.start, end=order.end)

    def never_began(self, job: JobRecord) -> None:
        """The job itself is the record of it."""

    def status_of(self, job_id: str) -> RunStatus | None:
        known = self.metadata.run(RunId(job_id))
        return known.status if known else None

    def repair(self, *, thorough: bool) -> None:
        if thorough or dead_runs(self.metadata):
            repair(self.metadata, self.lake(), author=self.author, now=self.clock())

    def not_ours(self, job_id: str, job: JobRecord | None) -> ForgeError:
        known = self.metadata.run(RunId(job_id))
        if known is None and job is None:
            return no_such_run(self.metadata, job_id)
        if known is not None and known.status is not RunStatus.RUNNING:
            return _has_ended(job_id, str(known.status))
        if job is not None and job.status not in OPEN:
            return _has_ended(job_id, str(job.status))
        where = job.server if job is not None else known
        assert where is not None
        return ForgeError(
            "E907",
            f"Run {job_id} works in another process",
            where=f"{where.host}, process {where.pid}",
            why=None if is_alive(where) else "That process has died; the run will be marked as interrupted.",
            fix="Cancel it in the server that runs it." if job is not None else "Press Ctrl-C there.",
        )


def _refuse_half_a_range(order: RunSpec) -> None:
    if (order.start is None) != (order.end is None):
        raise ForgeError("E105", "start and end go together", fix="Give both, or neither.")


def _refuse_nul(order: RunSpec) -> None:
    if "\x00" in (order.message or ""):
        raise ForgeError("E105", "The message holds a character that is no text", fix="Leave out the NUL character.")


def _has_ended(job_id: str, status: str) -> ForgeError:
    return ForgeError("E909", f"Run {job_id} has ended: {status}", fix="There is nothing to cancel.")


def no_such_run(metadata: Runs, run_id: str) -> ForgeError:
    near = did_you_mean(run_id, (known.id for known in metadata.runs(limit=1000)))
    return UnknownNameError(f"There is no run '{run_id}'", why=near, fix="`forge runs` lists them.")
