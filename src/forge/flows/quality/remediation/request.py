"""Remediation requested by a person: which steps are meant, and what is started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.proposal import RemedyOrder, start
from forge.flows.quality.remediation.steps import checks_by_id
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, TableName
from forge.quality.remediation import Remediation, RemedyStep, filled_in, in_order, plan_remedies
from forge.quality.remedy import Action, ActionKind, InvalidActions, load_actions
from forge.quality.verdict import Outcome

_BY_CHECK = (ActionKind.QUARANTINE, ActionKind.ROLLBACK)  # rows or commit are known to a check only


@dataclass(frozen=True, slots=True)
class RemedyRequest:
    """Without actions, those of the checks' `on_failure`; without checks, all that fail now. `auto`: apply at once
    where it fixes them."""

    table: TableName
    branch: BranchName
    actions: tuple[Action, ...] = ()
    check_ids: tuple[str, ...] = ()
    auto: bool = False


def read_actions(items: Sequence[object]) -> tuple[Action, ...]:
    """E748 with all errors."""
    if not items:
        return ()
    try:
        return load_actions(list(items))
    except InvalidActions as wrong:
        raise ForgeError(
            "E748",
            f"The action cannot be read: {wrong.errors[0]}" if len(wrong.errors) == 1 else "The actions are wrong",
            why="\n".join(wrong.errors),
            fix="Write it as in on_failure: quarantine, or {action: impute, method: median, columns: [amount]}.",
        ) from None


def request_remedy(asked: RemedyRequest, ports: RemedyPorts, judge: Callable[[str], JudgedTable]) -> Remediation:
    """`judge` judges the dataset as it is now; called only where the failing checks must be known."""
    steps = _steps(asked, ports, judge)
    return start(RemedyOrder(asked.table, asked.branch, steps), ports, auto=asked.auto)


def _steps(asked: RemedyRequest, ports: RemedyPorts, judge: Callable[[str], JudgedTable]) -> tuple[RemedyStep, ...]:
    known = checks_by_id(asked.table, ports.versions.project().checks_of(asked.table))
    for check_id in asked.check_ids:
        if check_id not in known:
            near = did_you_mean(check_id, known) or f"Its checks are {', '.join(known) or 'none'}."
            raise ForgeError("E749", f"{asked.table} has no check {check_id}", why=near, fix="forge quality run")
    if any(action.kind is ActionKind.NOTIFY for action in asked.actions):
        raise ForgeError("E749", "To notify changes no data", fix="Put it into on_failure of a check, or of a monitor.")
    if asked.actions and asked.check_ids:
        return in_order(
            (filled_in(action, known[check_id]), check_id) for action in asked.actions for check_id in asked.check_ids
        )
    if asked.actions and not any(action.kind in _BY_CHECK for action in asked.actions):
        return tuple(RemedyStep(action, ()) for action in asked.actions)
    judged = judge(f"{asked.table}@{asked.branch}")
    failing = {v.check_id for v in judged.verdicts if v.outcome is Outcome.FAILED}
    chosen = failing & set(asked.check_ids) if asked.check_ids else failing
    if not chosen:
        raise ForgeError(
            "E749",
            f"No check of {asked.table} fails on '{asked.branch}'",
            why="There is nothing to remedy.",
            fix="Name a check and an action to do it all the same.",
        )
    if asked.actions:
        by_id = checks_by_id(asked.table, judged.checks)
        return in_order((filled_in(a, by_id[c]), c) for a in asked.actions for c in sorted(chosen))
    verdicts = [v for v in judged.verdicts if v.check_id in chosen]
    checks = [c for c, v in zip(judged.checks, judged.verdicts, strict=True) if v.check_id in chosen]
    plan = plan_remedies(checks, verdicts)
    if not (plan.now or plan.later):
        raise ForgeError(
            "E749",
            f"The failing checks of {asked.table} name nothing to be done",
            why=", ".join(sorted(chosen)),
            fix="Give an action: --action quarantine, or on_failure: [quarantine] in the check.",
        )
    return in_order((s.action, c) for s in (*plan.now, *plan.later) for c in s.check_ids)
