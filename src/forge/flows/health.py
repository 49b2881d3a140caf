"""How the checks stand: of one table at a version, of a branch now, and day by day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from forge.flows.incidents import ALL, Held
from forge.flows.ports import Metadata
from forge.flows.records import RunRecord, Tally
from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.model.nearest import did_you_mean
from forge.quality.verdict import Outcome, Verdict
from forge.versioning.commit import Tree

Said = tuple[RunId, Verdict]


@dataclass(frozen=True, slots=True)
class Health:
    """`checks` are the verdicts behind the version; `held_back` what the newest attempt said, if it was stopped."""

    table: TableName
    checks: tuple[Verdict, ...]
    held_back: tuple[Verdict, ...]
    run: RunRecord | None  # the one that wrote the version
    attempt: RunRecord | None  # the one that was stopped

    def count(self, outcome: Outcome) -> int:
        return sum(verdict.outcome is outcome for verdict in self.checks)

    @property
    def score(self) -> float | None:
        """Percent of the checks that passed; None where there are none."""
        return percent(self.count(Outcome.PASSED), len(self.checks))


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    passed: int = 0
    failed: int = 0
    not_measured: int = 0
    runs: int = 0


def percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def newest_attempts(tree: Tree, held: Held) -> dict[TableName, RunId]:
    """For each table the run that tried it last: the one that wrote its version, or a newer one that was stopped."""
    attempts = {table: RunId(version.run_id) for table, version in tree.items() if version.run_id}
    return attempts | {table: run.id for run, table in held}


def find_said(
    metadata: Metadata, attempts: Mapping[TableName, RunId], outcome: Outcome | None = None
) -> tuple[Said, ...]:
    """The verdicts of these attempts."""
    found = metadata.verdicts(run_ids=set(attempts.values()), outcome=outcome, limit=ALL)
    wanted = {(run_id, str(table)) for table, run_id in attempts.items()}
    return tuple((run_id, verdict) for run_id, verdict in found if (run_id, verdict.table) in wanted)


def failing_columns(said: Iterable[Said]) -> frozenset[str]:
    """Columns, by their full name, of which a check failed."""
    failed = (verdict for _, verdict in said if verdict.outcome is Outcome.FAILED)
    return frozenset(f"{verdict.table}.{column}" for verdict in failed for column in verdict.columns)


def find_health(metadata: Metadata, table: TableName, tree: Tree, held: Held) -> Health:
    """`held` is empty for a version of the past: what was tried later is no matter of it."""
    attempt = next((run for run, name in held if name == table), None)
    version = tree.get(table)
    if version is None and attempt is None:
        raise unknown_table(table, tree)
    writer = RunId(version.run_id) if version and version.run_id else None
    runs = {run_id for run_id in (writer, attempt.id if attempt else None) if run_id}
    found = metadata.verdicts(run_ids=runs, table=table, limit=ALL)
    return Health(
        table,
        tuple(verdict for run_id, verdict in found if run_id == writer),
        tuple(verdict for run_id, verdict in found if attempt and run_id == attempt.id),
        metadata.run(writer) if writer else None,
        attempt,
    )


def unknown_table(table: TableName | str, tree: Tree) -> ForgeError:
    return ForgeError(
        "E108",
        f"There is no table {table}",
        why=did_you_mean(str(table), map(str, tree)),
        fix="`forge show` lists the tables of the newest commit.",
    )


def find_trend(metadata: Metadata, branch: BranchName, now: datetime, days: int) -> tuple[Day, ...]:
    """The last `days` days in UTC, oldest first. Where the newest run lies outside of them, before or after, the days
    end with its own: records of another time are worth seeing too."""
    last = now.astimezone(UTC).date()
    newest = metadata.runs(limit=1, branch=branch)
    if newest:
        day = newest[0].started_at.astimezone(UTC).date()
        last = last if last - timedelta(days) < day <= last else day
    first = last - timedelta(days - 1)
    tallies = metadata.tallies(branch, _midnight(first), _midnight(last + timedelta(1)))
    by_day: dict[date, list[Tally]] = {}
    for tally in tallies:
        by_day.setdefault(tally.time.astimezone(UTC).date(), []).append(tally)
    dates = (first + timedelta(number) for number in range(days))
    return tuple(_day(day, by_day.get(day, ())) for day in dates)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _day(day: date, tallies: Sequence[Tally]) -> Day:
    return Day(
        day,
        sum(tally.passed for tally in tallies),
        sum(tally.failed for tally in tallies),
        sum(tally.not_measured for tally in tallies),
        len(tallies),
    )
