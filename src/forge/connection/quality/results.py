"""Results of a judgement for Python and notebooks: one per check, with the fields of HTTP and `--json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from forge.connection.tabular import Row, TabularTuple
from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.monitors.scheduler import MonitorStatus, monitor_statuses
from forge.flows.runs.project import Project
from forge.model.errors import ForgeError, errors_of, raise_errors
from forge.quality.check import OnNotMeasured
from forge.quality.monitors.monitor import CheckResult, Monitor
from forge.quality.profile import Profile
from forge.quality.suggest import CheckSuggestion
from forge.quality.values import plain
from forge.quality.verdict import Outcome, Severity

if TYPE_CHECKING:
    from forge.flows.quality.monitors.run import FinishedRun
    from forge.wiring import Wiring

WORST_FIRST = (Severity.CRITICAL, Severity.ERROR, Severity.WARNING, Severity.INFO)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultItem:
    """`place`: where the check is defined. `lenient`: not measured does not count as a finding."""

    record: CheckResult
    id: str
    check_id: str
    type: str
    dataset: str
    branch: str | None
    commit: str | None
    verdict: str
    severity: str
    message: str
    columns: tuple[str, ...]
    blocks: bool
    details: Row
    executed_at: str
    execution_ms: float | None = None
    shared: bool = False
    monitor_id: str | None = None
    monitor_run_id: str | None = None
    run_id: str | None = None
    place: str | None = None
    lenient: bool = False

    @classmethod
    def of(cls, result: CheckResult) -> ResultItem:
        same = {one.name: getattr(result, one.name) for one in fields(cls) if hasattr(result, one.name)}
        other = {
            "record": result,
            "commit": result.commit_id,
            "verdict": str(result.verdict),
            "severity": str(result.severity),
            "details": plain_row(result.details),
            "executed_at": result.executed_at.isoformat(),
        }
        return cls(**{**same, **other})

    def to_dict(self) -> Row:
        return {**plain_row(self.record.to_dict()), "place": self.place}

    def counts(self, fail_on: Severity) -> bool:
        """Whether it is a finding of at least that severity: failed, or not measured unless lenient."""
        if WORST_FIRST.index(Severity(self.severity)) > WORST_FIRST.index(fail_on):
            return False
        return self.verdict == Outcome.FAILED or (self.verdict == Outcome.NOT_MEASURED and not self.lenient)


class CheckResults(TabularTuple[ResultItem]):
    """The results of all checks of one call: a tuple that is also a table. `notes`: remarks, such as an alert that
    could not be queued. `left_out`: why others could not be judged; these do not pass."""

    notes: tuple[str, ...] = ()
    left_out: tuple[ForgeError, ...] = ()

    @classmethod
    def of(
        cls,
        done: Sequence[FinishedRun],
        project: Project,
        notes: Iterable[str] = (),
        left_out: Iterable[ForgeError] = (),
    ) -> CheckResults:
        made = cls(view for one in done for view in _views(one, project))
        made.notes = (*(note for one in done for note in one.run.notes), *notes)
        made.left_out = tuple(one for error in left_out for one in errors_of(error))
        return made

    def to_dict(self) -> Row:
        return {"results": self.rows(), "notes": list(self.notes), "left_out": [e.to_dict() for e in self.left_out]}

    def findings(self, fail_on: Severity | str = Severity.ERROR) -> tuple[ResultItem, ...]:
        return tuple(view for view in self if view.counts(Severity(fail_on)))

    @property
    def passed(self) -> bool:
        """Whether there is no finding of severity error or critical, and all could be judged."""
        return not self.findings() and not self.left_out

    def raise_for_status(self, fail_on: Severity | str = Severity.ERROR) -> CheckResults:
        """These results; raises E702 with the findings, or the reason why something could not be judged."""
        found = self.findings(fail_on)
        if found:
            messages = "\n".join(view.message for view in found)
            raise ForgeError("E702", f"{len(found)} of {len(self)} checks did not pass", why=messages)
        raise_errors(self.left_out)
        return self


def _views(done: FinishedRun, project: Project) -> Iterable[ResultItem]:
    judged = done.judged
    places = _places(judged, project) if judged else ()
    for number, result in enumerate(done.results):
        view = ResultItem.of(result)
        if judged is not None:
            lenient = judged.checks[number].on_not_measured is OnNotMeasured.WARN
            view = replace(view, place=places[number] if places else None, lenient=lenient)
        yield view


def _places(judged: JudgedTable, project: Project) -> Sequence[str]:
    """Places of the checks; none where they are not the project's own."""
    places = project.places.get(judged.table, ())
    whole = (*places, *project.promise_places.get(judged.table, ()))
    return next((each for each in (places, whole) if len(each) == len(judged.checks)), ())


def plain_row(given: Mapping[str, object]) -> Row:
    found = plain(dict(given))
    assert isinstance(found, dict)
    return found


@dataclass(frozen=True, slots=True)
class SuggestionItem:
    """`check`: as it would be written in a project file."""

    check: Row
    reason: str
    confidence: float

    def to_dict(self) -> Row:
        return {"check": self.check, "reason": self.reason, "confidence": self.confidence}


class Suggestions(TabularTuple[SuggestionItem]):
    """Suggested checks for a table, most confident first."""

    profile: Profile

    @classmethod
    def of(cls, profile: Profile, suggestions: Iterable[CheckSuggestion]) -> Suggestions:
        made = cls(SuggestionItem(plain_row(one.spec), one.reason, one.confidence) for one in suggestions)
        made.profile = profile
        return made

    def to_dict(self) -> Row:
        return {"table": str(self.profile.table), "row_count": self.profile.rows, "suggestions": self.rows()}


@dataclass(frozen=True, slots=True)
class MonitorItem:
    """A monitor, as data."""

    standing: MonitorStatus

    @classmethod
    def of(cls, monitor: Monitor, wiring: Wiring) -> MonitorItem:
        return cls(*monitor_statuses([monitor], wiring.quality.monitors, wiring.clock()))

    @property
    def monitor(self) -> Monitor:
        return self.standing.monitor

    @property
    def id(self) -> str:
        return self.monitor.id

    def to_dict(self) -> Row:
        return plain_row(self.standing.to_dict())
