"""Health of a table at a version, of a branch now, and day by day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

from forge.flows.quality.incidents.open_incidents import ALL, HeldTables
from forge.flows.quality.ports import RunHistory, Verdicts
from forge.flows.quality.results import result_of, verdict_of
from forge.flows.runs.records import DatasetTally, RunRecord, VerdictTally
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, RunId, TableName
from forge.quality.monitors.monitor import CheckResult
from forge.quality.score import score_of
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Tree

AttemptVerdict = tuple[RunId, Verdict]
_OF_GATES = ("contract", "schema")


@dataclass(frozen=True, slots=True)
class CurrentChecks:
    """The current checks of a table. `made`: the project makes it, so that results of its runs belong to these or to
    deleted checks."""

    ids: frozenset[str]
    made: bool


CurrentChecksOf = Callable[[TableName], CurrentChecks | None]
"""None: not known, so all count."""


def all_count(table: TableName) -> CurrentChecks | None:
    return None


@dataclass(frozen=True, slots=True)
class Health:
    """`checks`: verdicts of the run that wrote the version; `since`: later results of monitors and people; `held_back`:
    results of the newest attempt, if it was blocked."""

    table: TableName
    checks: tuple[Verdict, ...]
    held_back: tuple[Verdict, ...]
    run: RunRecord | None  # the one that wrote the version
    attempt: RunRecord | None  # the one that was stopped
    since: tuple[CheckResult, ...] = field(default=())

    @property
    def results(self) -> tuple[CheckResult, ...]:
        """The latest result of each check on the version."""
        first = tuple(result_of(verdict, self.run) for verdict in self.checks) if self.run else ()
        later = {result.check_id: result for result in self.since}
        own = {result.check_id for result in first}
        return (
            *(later.get(result.check_id, result) for result in first),
            *(result for result in self.since if result.check_id not in own),
        )

    @property
    def checked_at(self) -> datetime | None:
        newest = self.run or self.attempt
        of_run = (newest.finished_at or newest.started_at) if newest else None
        times = [result.executed_at for result in self.since] + ([of_run] if of_run else [])
        return max(times, default=None)

    def count(self, outcome: Outcome) -> int:
        return sum(result.verdict is outcome for result in self.results)

    @property
    def score(self) -> float | None:
        """Percent of the checks that passed; None where there are none."""
        return score_of(result.verdict for result in self.results)


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    passed: int = 0
    failed: int = 0
    not_measured: int = 0
    runs: int = 0


def newest_attempts(tree: Tree, held: HeldTables) -> dict[TableName, RunId]:
    """For each table the run that attempted it last: the one that wrote its version, or a newer one that was
    blocked."""
    attempts = {table: RunId(version.run_id) for table, version in tree.items() if version.run_id}
    return attempts | {table: run.id for run, table in held}


def find_verdicts(
    metadata: Verdicts,
    attempts: Mapping[TableName, RunId],
    outcome: Outcome | None = None,
    since: Iterable[CheckResult] = (),
    held: HeldTables = (),
    current: CurrentChecksOf = all_count,
) -> tuple[AttemptVerdict, ...]:
    """The verdicts of these attempts. `since`: results of monitors and people on the published versions; they replace
    those of the run, except where a newer attempt was `held` back. Verdicts of deleted checks count only where they
    hold a table back."""
    found = metadata.verdicts(run_ids=set(attempts.values()), outcome=outcome, limit=ALL)
    wanted = {(run_id, str(table)) for table, run_id in attempts.items()}
    stopped = {str(table) for _, table in held}
    later = {(one.dataset, one.check_id): one for one in since if one.dataset not in stopped}
    now = {str(table): current(table) for table in attempts if str(table) not in stopped}
    verdicts = [
        (run_id, verdict)
        for run_id, verdict in found
        if (run_id, verdict.table) in wanted
        and (verdict.table, verdict.check_id) not in later
        and _counts(verdict, now.get(verdict.table))
    ]
    verdicts += [
        (RunId(one.monitor_run_id or one.run_id or ""), verdict_of(one))
        for one in later.values()
        if (outcome is None or one.verdict is outcome) and _is_current(one, now.get(one.dataset))
    ]
    return tuple(verdicts)


def failing_columns(verdicts: Iterable[AttemptVerdict]) -> frozenset[str]:
    """Full names of the columns with a failed check."""
    failed = (verdict for _, verdict in verdicts if verdict.outcome is Outcome.FAILED)
    return frozenset(f"{verdict.table}.{column}" for verdict in failed for column in verdict.columns)


def find_health(
    metadata: RunHistory,
    table: TableName,
    tree: Tree,
    held: HeldTables,
    since: Iterable[CheckResult] = (),
    current: CurrentChecks | None = None,
) -> Health:
    """`held` is empty for a past version: later attempts do not concern it. `since`: results of monitors and people on
    the versions of the tree. `current`: restricts results to these checks; None: all."""
    attempt = next((run for run, name in held if name == table), None)
    version = tree.get(table)
    if version is None and attempt is None:
        raise unknown_table(table, tree)
    writer = RunId(version.run_id) if version and version.run_id else None
    runs = {run_id for run_id in (writer, attempt.id if attempt else None) if run_id}
    found = metadata.verdicts(run_ids=runs, table=table, limit=ALL)
    return Health(
        table,
        tuple(v for run_id, v in found if run_id == writer and _counts(v, current)),
        tuple(verdict for run_id, verdict in found if attempt and run_id == attempt.id),
        metadata.run(writer) if writer else None,
        attempt,
        tuple(one for one in since if one.dataset == str(table) and _is_current(one, current)),
    )


def _counts(verdict: Verdict, current: CurrentChecks | None) -> bool:
    """Results of the contract gate always count, as they belong to no check that could be deleted."""
    known = current is None or not current.made or verdict.check_id in current.ids
    return known or is_of_gate(verdict)


def _is_current(result: CheckResult, current: CurrentChecks | None) -> bool:
    return current is None or result.check_id in current.ids


def is_of_gate(verdict: Verdict) -> bool:
    """Whether it is a verdict of the contract gate, not of a check."""
    return verdict.check_type in _OF_GATES


def broken_contracts(verdicts: Iterable[AttemptVerdict]) -> frozenset[str]:
    """The tables whose contract is violated by the gate's verdicts. A note is no violation."""
    failed = (v for _, v in verdicts if v.outcome is Outcome.FAILED and v.severity is not Severity.INFO)
    return frozenset(verdict.table for verdict in failed if is_of_gate(verdict))


def unknown_table(table: TableName | str, tree: Tree) -> ForgeError:
    return UnknownNameError(
        f"There is no table {table}",
        why=did_you_mean(str(table), map(str, tree)),
        fix="`forge show` lists the tables of the newest commit.",
    )


def find_trend(
    metadata: RunHistory,
    branch: BranchName,
    now: datetime,
    days: int,
    also: Callable[[datetime, datetime], Iterable[VerdictTally]] = lambda since, until: (),
) -> tuple[Day, ...]:
    """The last `days` days in UTC, oldest first. Where the newest run is outside of them, the days end with its day, so
    that old records can be shown. `also`: tallies of monitor runs."""
    dates = _last_days(metadata, branch, now, days)
    window = _window(dates)
    return _by_day(dates, (*metadata.tallies(branch, *window), *also(*window)))


def find_dataset_trends(
    metadata: RunHistory,
    branch: BranchName,
    now: datetime,
    days: int,
    also: Callable[[datetime, datetime], Iterable[DatasetTally]] = lambda since, until: (),
) -> dict[str, tuple[Day, ...]]:
    """As `find_trend`, by dataset; under the empty name, days without any check."""
    dates = _last_days(metadata, branch, now, days)
    window = _window(dates)
    of_table: dict[str, list[DatasetTally]] = {"": []}
    for tally in (*metadata.dataset_tallies(branch, *window), *also(*window)):
        of_table.setdefault(tally.table, []).append(tally)
    return {table: _by_day(dates, tallies) for table, tallies in of_table.items()}


def _last_days(metadata: RunHistory, branch: BranchName, now: datetime, days: int) -> list[date]:
    last = now.astimezone(UTC).date()
    newest = metadata.runs(limit=1, branch=branch)
    if newest:
        day = newest[0].started_at.astimezone(UTC).date()
        last = last if last - timedelta(days) < day <= last else day
    first = last - timedelta(days - 1)
    return [first + timedelta(number) for number in range(days)]


def _window(dates: Sequence[date]) -> tuple[datetime, datetime]:
    return _midnight(dates[0]), _midnight(dates[-1] + timedelta(1))


def _by_day(dates: Sequence[date], tallies: Iterable[VerdictTally | DatasetTally]) -> tuple[Day, ...]:
    by_day: dict[date, list[VerdictTally | DatasetTally]] = {}
    for tally in tallies:
        by_day.setdefault(tally.time.astimezone(UTC).date(), []).append(tally)
    return tuple(_day(day, by_day.get(day, ())) for day in dates)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _day(day: date, tallies: Sequence[VerdictTally | DatasetTally]) -> Day:
    return Day(
        day,
        sum(tally.passed for tally in tallies),
        sum(tally.failed for tally in tallies),
        sum(tally.not_measured for tally in tallies),
        len(tallies),
    )
