"""Whether a version of a table is fit for a use, with the commit it refers to and the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from forge.flows.catalog.personal_data import PersonalAt
from forge.flows.ports import Lake, Metadata
from forge.flows.quality.health import CurrentChecks, Health, find_health, unknown_table
from forge.flows.versioning.read import commit_at
from forge.model.duration import duration_text
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.model.time import Clock, as_utc
from forge.quality.fitness import FitnessCondition, Requirements
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome
from forge.versioning.commit import Commit, TableVersion

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FitnessPorts:
    """`standing`: results of monitors and people on these versions. `personal`: columns that the contract classifies as
    personal, None without a contract. `personal_at`: all personal columns. `found`: those that a scan found or a person
    confirmed."""

    metadata: Metadata
    lake: Lake
    clock: Clock
    default_branch: BranchName
    standing: Callable[[Mapping[TableName, TableVersion]], Iterable[CheckResult]]
    personal: Callable[[TableName], frozenset[str] | None]
    personal_at: PersonalAt
    found: Callable[[TableName], frozenset[str]] = lambda table: frozenset()
    current: Callable[[TableName], CurrentChecks | None] = lambda table: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitness:
    """`commit_id`: the resolved revision, at which every reader sees the same data. `written`: when the version was
    made."""

    table: TableName
    at: str
    commit_id: CommitId
    version: TableVersion
    written: Commit | None
    conditions: tuple[FitnessCondition, ...]
    judged_at: datetime

    @property
    def failed(self) -> tuple[FitnessCondition, ...]:
        return tuple(condition for condition in self.conditions if not condition.passed)

    @property
    def is_fit(self) -> bool:
        return not self.failed

    def to_dict(self) -> dict[str, object]:
        return {
            "dataset_id": str(self.table),
            "at": self.at,
            "commit": self.commit_id,
            "version": self.version.number,
            "snapshot_id": self.version.snapshot_id,
            "written_by": self.written.id if self.written else None,
            "fit": self.is_fit,
            "judged_at": self.judged_at,
            "conditions": [condition.to_dict() for condition in self.conditions],
        }


def judge_fitness(
    dataset: str, at: str | None, required: Requirements, ports: FitnessPorts, *, branch: BranchName | None = None
) -> Fitness:
    """`dataset` is `core.orders`, or `core.orders@REF` where no `at` is given: a branch, tag, commit, HEAD~2, time or
    version."""
    name, _, inline = dataset.partition("@")
    table, revision, now = TableName.parse(name), at or inline or "HEAD", ports.clock()
    current = branch or ports.default_branch
    commit = commit_at(ports.metadata, revision, current, table)
    tree = ports.metadata.tree(commit.id)
    version = tree.get(table)
    if version is None:
        raise unknown_table(table, tree)
    written = next(iter(ports.metadata.log(commit.id, table=table, limit=1)), None)
    conditions = []
    if required.min_score is not None:
        standing = ports.standing({table: version})
        checks = ports.current(table) if revision == "HEAD" else None
        conditions.append(_score(find_health(ports.metadata, table, tree, (), standing, checks), required.min_score))
    if required.max_age_hours is not None:
        conditions.append(_age(written, required.max_age_hours, now))
    if required.no_pii:
        conditions.append(_personal(ports, table, version, commit.id))
    return Fitness(
        table=table,
        at=revision,
        commit_id=commit.id,
        version=version,
        written=written,
        conditions=tuple(conditions),
        judged_at=now,
    )


def _score(health: Health, required: float) -> FitnessCondition:
    results, score = health.results, health.score
    details: dict[str, object] = {
        "passed": health.count(Outcome.PASSED),
        "failed": health.count(Outcome.FAILED),
        "not_measured": health.count(Outcome.NOT_MEASURED),
        "checked_at": health.checked_at,
        "checks": [
            {"check_id": r.check_id, "verdict": str(r.verdict), "message": r.message, "executed_at": r.executed_at}
            for r in results
        ],
    }
    if score is None:
        message = "no check has judged this version, so there is no score; run some: forge quality run"
        return FitnessCondition("min_score", False, required, None, message, details)
    bad = [result for result in results if result.verdict is not Outcome.PASSED]
    message = f"{len(results) - len(bad)} of {len(results)} checks passed: {score:g}%, {required:g}% is required"
    if bad:
        more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
        message += f"; not passed: {'; '.join(f'{r.check_id} ({r.message})' for r in bad[:_SHOWN])}{more}"
    return FitnessCondition("min_score", score >= required, required, score, message, details)


def _age(written: Commit | None, required: float, now: datetime) -> FitnessCondition:
    if written is None:
        return FitnessCondition("max_age", False, required, None, "no commit says when this version was written")
    hours = max((as_utc(now) - as_utc(written.time)).total_seconds() / 3600, 0.0)
    message = (
        f"written {duration_text(hours * 3600)} ago, at {as_utc(written.time):%Y-%m-%d %H:%M} UTC "
        f"by commit {written.id[:12]}; {duration_text(required * 3600)} is allowed"
    )
    details: dict[str, object] = {"written_at": written.time, "commit": written.id}
    return FitnessCondition("max_age", hours <= required, required, round(hours, 3), message, details)


def _personal(ports: FitnessPorts, table: TableName, version: TableVersion, commit: CommitId) -> FitnessCondition:
    """By the contract, the catalog, scans, and propagation along lineage."""
    declared = ports.personal(table)
    own = {column.lower() for column in declared or ()}
    scanned = ports.found(table) - own
    derived = ports.personal_at(commit).of(table) - own - scanned
    here = _columns(ports, version)
    known = own | scanned | derived
    found = sorted(known) if here is None else [name for name in here if name.lower() in known]
    looked = "its contract, the catalog and its lineage" if declared is not None else "the catalog and its lineage"
    details: dict[str, object] = {
        "by_contract": sorted(own),
        "by_scan": sorted(scanned),
        "by_lineage": sorted(derived),
        "has_contract": declared is not None,
    }
    if not found and declared is None:
        message = f"it has no contract that says which columns are personal; {looked} know of none"
        return FitnessCondition("no_pii", False, True, None, message, details)
    if not found:
        return FitnessCondition("no_pii", True, True, [], f"no column is personal by {looked}", details)
    ways = {**dict.fromkeys(derived, "lineage"), **dict.fromkeys(scanned, "scan"), **dict.fromkeys(own, "contract")}
    shown = ", ".join(f"{name} ({ways[name.lower()]})" for name in found[:20])
    more = f" and {len(found) - 20} more" if len(found) > 20 else ""
    return FitnessCondition("no_pii", False, True, list(found), f"personal data in {shown}{more}", details)


def _columns(ports: FitnessPorts, version: TableVersion) -> tuple[str, ...] | None:
    """None: a view, or an expired snapshot; then all known columns count."""
    if version.snapshot_id is None:
        return None
    state = ports.lake.snapshot(version.catalog, version.snapshot_id)
    return state.schema.names if state else None


def refuse_unfit(fitness: Fitness) -> None:
    """E743 with the conditions that failed."""
    if fitness.is_fit:
        return
    failed = fitness.failed
    what = f"{fitness.table} at {fitness.at} is not fit: {', '.join(c.name for c in failed)} failed"
    why = "\n".join(f"{condition.name}: {condition.evidence}" for condition in failed)
    fix = f"See all of it: forge quality gate {fitness.table}@{fitness.commit_id[:12]} with the same conditions."
    raise ForgeError("E743", what, where=f"{fitness.table}@{fitness.commit_id[:12]}", why=why, fix=fix)
