"""Decisions about a recorded merge: resolve conflicts, continue, abort, approve, reject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.pick import cherry_pick, revert
from forge.flows.versioning.merge.record import Approval, MergeRecord
from forge.flows.versioning.merge.result import MergeResult
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.record_ports import Merges
from forge.flows.versioning.revisions import find_commit
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import CommitId, TableName
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.merge import OPEN_MERGES, MergeStatus
from forge.versioning.protection import may_approve


def find_merge(metadata: Merges, merge_id: str, *, is_open: bool = False) -> MergeRecord:
    """By its id or a prefix of it; E616 unknown, E618 closed where an open one is required."""
    found = metadata.merge(merge_id)
    if found is None:
        known = metadata.merges(limit=1000)
        alike = [m for m in known if m.id.startswith(merge_id)] if len(merge_id) >= 4 else []
        waiting = [m for m in alike if m.status in OPEN_MERGES]
        alike = waiting if len(waiting) == 1 else alike  # closed ones are rarely meant
        if len(alike) != 1:
            near = f"{len(alike)} merges begin so." if alike else did_you_mean(merge_id, (m.id for m in known))
            raise ForgeError(
                "E616", f"There is no merge '{merge_id}'", why=near, fix="`forge conflicts list` lists them."
            )
        found = alike[0]
    if is_open and found.status not in OPEN_MERGES:
        raise ForgeError("E618", f"Merge {found.id} is {found.status}", fix="Nothing is left to decide.")
    return found


@dataclass(frozen=True, slots=True)
class Resolution:
    """How to resolve conflicts: some by id, those of a column, of a table, or all."""

    take: ResolutionChoice
    ids: tuple[str, ...] = ()
    table: str | None = None
    column: str | None = None
    key: Mapping[str, object] | None = None  # of one row
    value: object = None


def resolve(merge_id: str, resolutions: Iterable[Resolution], ports: VersionPorts) -> MergeRecord:
    """Resolutions are recorded at once; nothing else moves. All are validated before any is recorded."""
    metadata = ports.metadata
    found = find_merge(metadata, merge_id, is_open=True)
    rules, answers = list(found.rules), dict[str, ResolutionRule]()
    for resolution in resolutions:
        _refuse_bad(resolution)
        chosen = _chosen(metadata, found, resolution)
        rule = ResolutionRule(resolution.take, resolution.table, resolution.column, resolution.value)
        for conflict in chosen:
            _refuse_misfit(conflict, resolution)
            answers[conflict.id] = rule
        if not resolution.ids and resolution.key is None:
            rules.append(rule)
    now = ports.clock()
    detail: dict[str, object] = {"conflicts": len(answers), "rules": len(rules) - len(found.rules)}
    audit = AuditRecord(now, ports.author.email, "merge.resolve", found.id, detail)
    if len(rules) != len(found.rules):
        metadata.put_merge(replace(found, rules=tuple(rules), updated_at=now), None, audit)
    if answers:
        metadata.answer(found.id, answers, audit)
    return find_merge(metadata, found.id)


def _chosen(metadata: Merges, found: MergeRecord, resolution: Resolution) -> tuple[Conflict, ...]:
    if resolution.ids:
        known = metadata.conflicts(found.id, ids=resolution.ids)
        missing = [i for i in resolution.ids if i not in {c.id for c in known}]
        if missing:
            raise ForgeError(
                "E616", f"Merge {found.id} has no conflict '{missing[0]}'", fix=f"forge conflicts show {found.id}"
            )
        return known
    table = TableName.parse(resolution.table) if resolution.table else None
    known = metadata.conflicts(found.id, table=table, column=resolution.column)
    if not known:
        _refuse_unknown(metadata, found, resolution)
    if resolution.key is not None:
        wanted = {name: str(value) for name, value in resolution.key.items()}
        known = tuple(c for c in known if c.key and {n: str(v) for n, v in c.key.items()} == wanted)
        if not known:
            shown = ", ".join(f"{name}={value}" for name, value in wanted.items())
            fix = f"forge conflicts show {found.id}"
            raise ForgeError("E616", f"Merge {found.id} has no conflict at {shown}", fix=fix)
    fitting = tuple(c for c in known if _fits(c, resolution))
    if known and not fitting:
        raise ForgeError(
            "E619",
            f"Conflicts of whole rows cannot be resolved by '{resolution.take}'",
            fix="Take ours, theirs or base, or give one of them a whole row by its id.",
        )
    return fitting


def _refuse_unknown(metadata: Merges, found: MergeRecord, resolution: Resolution) -> None:
    """A resolution for a table or column without a conflict is a mistake, unless not all conflicts were recorded."""
    every = metadata.conflicts(found.id)
    if len(every) < found.conflict_count or (resolution.table is None and resolution.column is None):
        return
    places = {c.table or "" for c in every}
    word, names = resolution.table or "", places
    if resolution.column is not None and (resolution.table is None or resolution.table in places):
        word, names = resolution.column, {c.column or "" for c in every}
    raise ForgeError(
        "E616",
        f"Merge {found.id} has no conflict of {word}",
        why=did_you_mean(word, names),
        fix=f"forge conflicts show {found.id}",
    )


def _fits(conflict: Conflict, resolution: Resolution) -> bool:
    """A resolution of many conflicts applies to those it is valid for."""
    if conflict.column is not None or resolution.take not in (ResolutionChoice.MANUAL, ResolutionChoice.EXPRESSION):
        return True
    return (
        resolution.take is ResolutionChoice.MANUAL
        and resolution.key is not None
        and not isinstance(resolution.value, str)
    )


def _refuse_bad(resolution: Resolution) -> None:
    if resolution.take is ResolutionChoice.EXPRESSION:
        from forge.versioning.expression.parse import parse_expression

        parse_expression(str(resolution.value))
    if resolution.take is ResolutionChoice.EXPRESSION and not isinstance(resolution.value, str):
        raise ForgeError("E619", "An expression is a text", fix="Write it like greatest(ours, theirs).")


def _refuse_misfit(conflict: Conflict, resolution: Resolution) -> None:
    whole = conflict.kind is ConflictKind.SCHEMA_CHANGE or (conflict.column is None and conflict.key is None)
    if (
        whole
        and resolution.take not in (ResolutionChoice.OURS, ResolutionChoice.THEIRS)
        and conflict.kind is not ConflictKind.CONSTRAINT
    ):
        raise ForgeError(
            "E619",
            f"Conflict {conflict.id} cannot be resolved by '{resolution.take}'",
            why="It is about a column or a whole table, not about a value.",
            fix="Take ours or theirs.",
        )
    if (
        resolution.take is ResolutionChoice.MANUAL
        and isinstance(resolution.value, str)
        and not _is_number(resolution.value)
    ):
        sides = [v for v in (conflict.base, conflict.ours, conflict.theirs) if v is not None]
        if sides and all(isinstance(v, int | float | Decimal) and not isinstance(v, bool) for v in sides):
            where = f"{conflict.table}.{conflict.column}"
            raise ForgeError("E619", f"'{resolution.value}' is no number", where=where, fix="Give a number.")


def _is_number(text: str) -> bool:
    try:
        Decimal(text.strip())
    except InvalidOperation:
        return False
    return True


def answers_of(metadata: Merges, found: MergeRecord) -> Answers:
    kept = metadata.conflicts(found.id)
    given = {c.id: ResolutionRule(c.resolution, value=c.resolved_value) for c in kept if c.resolution is not None}
    return Answers(found.rules, given)


def continue_merge(merge_id: str, ports: VersionPorts) -> MergeResult:
    """Recomputed with the resolutions, on the current branches. E617 while one is missing."""
    found = find_merge(ports.metadata, merge_id, is_open=True)
    answers = answers_of(ports.metadata, found)
    left = [c for c in ports.metadata.conflicts(found.id, open_only=True) if _needs_answer(c, answers)]
    if left:
        word = "conflict is" if len(left) == 1 else "conflicts are"
        raise ForgeError(
            "E617",
            f"{len(left)} {word} not resolved yet",
            where=f"merge {found.id}",
            fix=f"forge conflicts show {found.id}, then forge conflicts resolve {found.id} --take ours|theirs",
        )
    keys = {TableName.parse(table): tuple(key) for table, key in found.keys.items()}
    if found.kind == "merge":
        request = MergeRequest(
            source=found.source,
            target=str(found.target),
            strategy=found.strategy,
            message=found.message,
            no_ff=True,
            keys=keys,
            rules=found.rules,
        )
        if found.strategy.value == "ff":
            request = replace(request, no_ff=False)
        return merge(request, ports, merge_id=found.id, answers=answers)
    go = cherry_pick if found.kind == "cherry-pick" else revert
    return go(
        found.source, str(found.target), ports, message=found.message, keys=keys, merge_id=found.id, answers=answers
    )


def _needs_answer(conflict: Conflict, answers: Answers) -> bool:
    """A check that failed on the preview is resolved by fixing the data: the next attempt shows whether it was."""
    is_fixed_in_data = conflict.kind is ConflictKind.CONSTRAINT and conflict.key is None
    return not is_fixed_in_data and answers.find(conflict) is None


def abort_merge(merge_id: str, ports: VersionPorts) -> MergeRecord:
    """Abandon the merge; both branches stay where they are."""
    return _close(merge_id, MergeStatus.ABORTED, ports)


def _close(merge_id: str, status: MergeStatus, ports: VersionPorts, approval: Approval | None = None) -> MergeRecord:
    found = find_merge(ports.metadata, merge_id, is_open=True)
    now = ports.clock()
    given = (*found.approvals, approval) if approval else found.approvals
    closed = replace(found, status=status, updated_at=now, approvals=given)
    ports.metadata.put_merge(closed, None, AuditRecord(now, ports.author.email, f"merge.{status}", found.id))
    return closed


def approve_merge(merge_id: str, ports: VersionPorts, *, comment: str = "", expected: str | None = None) -> MergeResult:
    """Approve the current head of the source; the merge then continues. `expected` is the commit that was reviewed,
    or a prefix of its id: E632 where the source has moved."""
    found = find_merge(ports.metadata, merge_id, is_open=True)
    _refuse_own(found, ports)
    source = _reviewed_head(found, ports, expected)
    now = ports.clock()
    given = Approval(ports.author.email, now, source, True, comment)
    detail = {"source_commit": source, "comment": comment}
    audit = AuditRecord(now, ports.author.email, "merge.approve", found.id, detail)
    ports.metadata.put_merge(replace(found, approvals=(*found.approvals, given), updated_at=now), None, audit)
    return continue_merge(found.id, ports)


def _reviewed_head(found: MergeRecord, ports: VersionPorts, expected: str | None) -> CommitId:
    """The current head of the source."""
    source = find_commit(ports.metadata, found.source, ports.default_branch).id
    if expected is None:
        return source
    seen = find_commit(ports.metadata, expected, ports.default_branch).id
    if seen != source:
        raise ForgeError(
            "E632",
            f"'{found.source}' is not at {seen[:12]} any more",
            where=f"merge {found.id}",
            why=f"It stands at {source[:12]}, which you have not looked at. Nothing was decided.",
            fix=f"forge diff {found.target}...{found.source} shows it; then expect {source[:12]}.",
        )
    return source


def reject_merge(merge_id: str, ports: VersionPorts, *, comment: str = "", expected: str | None = None) -> MergeRecord:
    found = find_merge(ports.metadata, merge_id, is_open=True)
    _refuse_own(found, ports)
    _reviewed_head(found, ports, expected)
    given = Approval(ports.author.email, ports.clock(), found.source_commit, False, comment)
    return _close(found.id, MergeStatus.REJECTED, ports, given)


def _refuse_own(found: MergeRecord, ports: VersionPorts) -> None:
    if not may_approve(found.author.email, ports.author.email):
        raise ForgeError(
            "E620",
            f"{ports.author.email} asked for merge {found.id} and cannot approve it",
            why="A merge into a protected branch is looked at by someone else.",
            fix=f"Ask someone else to run `forge approve {found.id}`, or `forge conflicts abort {found.id}`.",
        )
