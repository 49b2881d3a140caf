"""A remediation: what is proposed for failed checks of one table, who decided, and the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.check import Check
from forge.quality.remedy import Action, ActionKind, RemedyResult
from forge.quality.verdict import Outcome, Verdict


class RemedyStatus(StrEnum):
    PROPOSED = "proposed"  # its change is on a branch of its own and waits for a decision
    APPLIED = "applied"
    REJECTED = "rejected"
    REVERTED = "reverted"
    NOTHING = "nothing"  # there was nothing to change; see the results
    FAILED = "failed"  # it could not be worked out; nothing changed


_NEXT: Mapping[RemedyStatus, frozenset[RemedyStatus]] = {
    RemedyStatus.PROPOSED: frozenset(RemedyStatus) - {RemedyStatus.REVERTED},
    RemedyStatus.APPLIED: frozenset({RemedyStatus.REVERTED}),
}


def may_follow(old: RemedyStatus, new: RemedyStatus) -> bool:
    """Whether the state transition is allowed: nothing is decided twice."""
    return new in _NEXT.get(old, frozenset())


def decided_already(remediation_id: str, status: str) -> ForgeError:
    return ForgeError(
        "E746",
        f"Remediation {remediation_id} is {status}",
        why="It was decided before, or meanwhile by someone else. Nothing was changed.",
        fix=f"forge quality remediate show {remediation_id}",
    )


@dataclass(frozen=True, slots=True)
class RemedyStep:
    """One action, with the checks that requested it. Steps are executed in order, each on the result of the one
    before."""

    action: Action
    check_ids: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        options = {name: value for name, value in self.action.to_dict().items() if name != "action"}
        return {"action": str(self.action.kind), "options": options, "check_ids": list(self.check_ids)}


@dataclass(frozen=True, slots=True)
class TableCount:
    """Rows of one table that the remediation changes."""

    table: str
    added: int = 0
    changed: int = 0
    deleted: int = 0

    def to_dict(self) -> dict[str, object]:
        return {"table": self.table, "added": self.added, "changed": self.changed, "deleted": self.deleted}


@dataclass(frozen=True, slots=True)
class PreviewVerdict:
    """The verdict of a check on the preview."""

    check_id: str
    outcome: Outcome
    message: str

    def to_dict(self) -> dict[str, object]:
        return {"check_id": self.check_id, "outcome": str(self.outcome), "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remediation:
    """`base`: the commit it was computed on; `preview`: the commit on `preview_branch`; `commit`: the published one on
    `branch`. `run_id`: the run or judgement that found the failure."""

    id: str
    table: TableName
    branch: BranchName
    steps: tuple[RemedyStep, ...]
    status: RemedyStatus
    proposed_by: str
    proposed_at: datetime
    auto: bool = False
    note: str = ""  # why it waits, or what it did
    run_id: RunId | None = None
    monitor_id: str | None = None
    base: CommitId | None = None
    preview: CommitId | None = None
    commit: CommitId | None = None
    reverted_by_commit: CommitId | None = None
    results: tuple[RemedyResult, ...] = ()
    counts: tuple[TableCount, ...] = ()
    verdicts: tuple[PreviewVerdict, ...] = ()
    decided_by: str | None = None
    decided_at: datetime | None = None
    comment: str = ""  # of who decided

    @property
    def preview_branch(self) -> BranchName:
        return BranchName(f"remedy/{self.id}")

    @property
    def check_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(check_id for step in self.steps for check_id in step.check_ids))

    @property
    def is_open(self) -> bool:
        return self.status is RemedyStatus.PROPOSED

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "table": str(self.table),
            "branch": str(self.branch),
            "status": str(self.status),
            "auto": self.auto,
            "note": self.note,
            "steps": [step.to_dict() for step in self.steps],
            "check_ids": list(self.check_ids),
            "results": [result.to_dict() for result in self.results],
            "counts": [count.to_dict() for count in self.counts],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "proposed_by": self.proposed_by,
            "proposed_at": self.proposed_at,
            "decided_by": self.decided_by,
            "decided_at": self.decided_at,
            "comment": self.comment,
            "run_id": self.run_id,
            "monitor_id": self.monitor_id,
            "base": self.base,
            "preview": self.preview,
            "preview_branch": str(self.preview_branch) if self.is_open else None,
            "commit": self.commit,
            "reverted_by_commit": self.reverted_by_commit,
        }


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """Who may approve: every writer where `approvers` is empty. `own`: also the proposer."""

    approvers: tuple[str, ...] = ()
    own: bool = True


def why_not_approve(policy: ApprovalPolicy, remediation: Remediation, users: Iterable[str]) -> str | None:
    """The reason, or None where one of `users` (the caller's names) may approve."""
    names = {_key(user) for user in users}
    if policy.approvers and names.isdisjoint(map(_key, policy.approvers)):
        return f"Only {', '.join(policy.approvers)} may."
    if not policy.own and _key(remediation.proposed_by) in names:
        return "Whoever proposed it may not approve it."
    return None


def _key(user: str) -> str:
    """Case-folded, so that nobody impersonates another by capitals."""
    return user.strip().casefold()


@dataclass(frozen=True, slots=True)
class RemedyPlan:
    """Remediation of one judged table: actions to execute at once, and after approval. `notify` is always at once."""

    now: tuple[RemedyStep, ...] = ()
    later: tuple[RemedyStep, ...] = ()
    notify: tuple[RemedyStep, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.now or self.later or self.notify)


_ORDER = (
    ActionKind.ROLLBACK,
    ActionKind.CUSTOM,
    ActionKind.IMPUTE,
    ActionKind.DEDUPLICATE,
    ActionKind.QUARANTINE,
    ActionKind.NOTIFY,
)


def in_order(asked: Iterable[tuple[Action, str]]) -> tuple[RemedyStep, ...]:
    """Actions with the checks that request them, as steps in the least harmful order: repairs first, so that only what
    is still bad is quarantined; a rollback alone, as it would undo the others."""
    found: dict[Action, list[str]] = {}
    for action, check_id in asked:
        found.setdefault(action, []).append(check_id)
    ordered = sorted(found.items(), key=lambda item: _ORDER.index(item[0].kind))
    steps = tuple(RemedyStep(action, tuple(dict.fromkeys(ids))) for action, ids in ordered)
    rollbacks = tuple(step for step in steps if step.action.kind is ActionKind.ROLLBACK)
    return rollbacks or steps


def plan_remedies(checks: Sequence[Check], verdicts: Sequence[Verdict]) -> RemedyPlan:
    """For failed checks only: a check that was not measured says nothing about the rows."""
    now: list[tuple[Action, str]] = []
    later: list[tuple[Action, str]] = []
    notify: list[tuple[Action, str]] = []
    for check, verdict in zip(checks, verdicts, strict=True):
        if verdict.outcome is not Outcome.FAILED:
            continue
        for action in check.on_failure:
            chosen = (now if check.auto else later) if action.kind.changes_data else notify
            chosen.append((filled_in(action, check), verdict.check_id))
    return RemedyPlan(in_order(now), in_order(later), in_order(notify))


def filled_in(action: Action, check: Check) -> Action:
    """With the columns of the check where the action names none."""
    wanted = {ActionKind.IMPUTE: "columns", ActionKind.DEDUPLICATE: "key"}.get(action.kind)
    if wanted is None or action.names(wanted) or not check.targets():
        return action
    options: Mapping[str, object] = {**dict(action.options), wanted: check.targets()}
    return Action(action.kind, tuple(sorted(options.items())))
