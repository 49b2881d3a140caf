"""Merges, conflicts and results as JSON, and request bodies as the flows take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from forge.api.catalog.masks import Masks
from forge.api.runs.wire.runs import VerdictView
from forge.api.versioning.commit_views import commit_view
from forge.api.versioning.wire.merges import (
    CommitResultView,
    ConflictGroup,
    ConflictSet,
    ConflictView,
    MergeResultView,
    MergeStart,
    MergeView,
    ResolutionBody,
    ResolveStart,
    RuleBody,
)
from forge.api.views import verdict_view
from forge.api.wire import Page
from forge.flows.versioning.data.commit import CommitResult
from forge.flows.versioning.merge.merge import MergeRequest
from forge.flows.versioning.merge.record import MergeRecord
from forge.flows.versioning.merge.resolve import Resolution
from forge.flows.versioning.merge.result import MergeResult, commit_of, conflicts_of
from forge.flows.versioning.record_ports import Refs
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.verdict import Verdict
from forge.versioning.conflict import Conflict, ResolutionChoice, ResolutionRule, location_of
from forge.versioning.merge import OPEN_MERGES, parse_strategy
from forge.versioning.resolution import UNSET, parse_rule
from forge.wiring import Wiring

SHOWN = 100  # conflicts of a result; a merge that is kept has pages of them


def conflict_view(conflict: Conflict, masks: Masks) -> ConflictView:
    table, column = conflict.table, conflict.column
    sides = (conflict.base, conflict.ours, conflict.theirs, conflict.resolved_value)
    names = [column] if column is not None else []
    names += [str(name) for side in (conflict.key, *sides) if isinstance(side, Mapping) for name in side]
    # The message of a failed check holds no values of the column.
    shown = Masks() if conflict.key is None else masks
    base, ours, theirs, resolved = (shown.value(table, column, side) for side in sides)
    key = masks.row(table, conflict.key) if conflict.key is not None else None
    return ConflictView.model_validate(
        {
            **conflict.to_dict(),
            "key": key,
            "base": base,
            "ours": ours,
            "theirs": theirs,
            "location": location_of(conflict, key),
            "resolved_value": resolved,
            "masked": shown.touches(table, names),
        }
    )


def result_view(wiring: Wiring, result: MergeResult) -> MergeResultView:
    merge, commit = result.merge, commit_of(result)
    conflicts, _ = conflicts_of(result)
    head = wiring.branch_head(BranchName(result.target))
    sides = (merge.source_commit, merge.target_commit) if merge else (result.base, head)
    masks = Masks(wiring.catalog.hidden_at(*sides)) if conflicts else Masks()
    return MergeResultView.model_validate(
        {
            **result.to_dict(),
            "commit": commit_view(commit) if commit else None,
            "conflicts": [conflict_view(conflict, masks) for conflict in conflicts[:SHOWN]],
            "verdicts": verdict_views(wiring, result.verdicts, result.run_id),
        }
    )


def verdict_views(wiring: Wiring, verdicts: Sequence[Verdict], run_id: str | None) -> list[VerdictView]:
    run = wiring.metadata.run(RunId(run_id)) if run_id and verdicts else None
    if run is None:
        return []
    personal = wiring.catalog.hidden_at()
    return [verdict_view(verdict, run, personal) for verdict in verdicts]


def merge_view(metadata: Refs, merge: MergeRecord) -> MergeView:
    return MergeView.model_validate(_facts(metadata, merge))


def conflict_set(
    wiring: Wiring, merge: MergeRecord, page: Page[ConflictView], every: Sequence[Conflict]
) -> ConflictSet:
    """`every`: all recorded conflicts of the merge."""
    metadata = wiring.metadata
    verdicts = metadata.verdicts(run_id=RunId(merge.run_id), limit=10_000) if merge.run_id else ()
    return ConflictSet.model_validate(
        {
            **_facts(metadata, merge),
            "conflicts": page.items,
            "next_cursor": page.next_cursor,
            "has_more": page.has_more,
            "groups": _groups(every),
            "verdicts": verdict_views(wiring, [verdict for _, verdict in verdicts], merge.run_id),
        }
    )


def _facts(metadata: Refs, merge: MergeRecord) -> dict[str, object]:
    source = _source_head(metadata, merge)
    return {
        **merge.to_dict(),
        "source_head": source,
        # One that was given for an older state of the source does not count any more.
        "approvals": [{**one.to_dict(), "is_current": one.source_commit == source} for one in merge.approvals],
    }


def _source_head(metadata: Refs, merge: MergeRecord) -> CommitId | None:
    """The current head of the source of an open merge; of a closed one, the head it had."""
    if merge.kind != "merge" or merge.status not in OPEN_MERGES:
        return merge.source_commit
    branch = metadata.branch(BranchName(merge.source))
    return branch.head if branch is not None else merge.source_commit


def _groups(conflicts: Iterable[Conflict]) -> list[ConflictGroup]:
    found: dict[tuple[str | None, str | None], ConflictGroup] = {}
    for conflict in conflicts:
        where = (conflict.table, conflict.column)
        group = found.setdefault(where, ConflictGroup(table=where[0], column=where[1], total=0, open=0))
        group.total += 1
        group.open += conflict.resolution is None
    return list(found.values())


def commit_result(wiring: Wiring, done: CommitResult, branch: str, mode: str) -> CommitResultView:
    return CommitResultView.model_validate(
        {
            **done.to_dict(),
            "branch": branch,
            "mode": mode,
            "commit": commit_view(done.commit) if done.commit else None,
            "verdicts": verdict_views(wiring, done.verdicts, done.run_id),
        }
    )


# what people send


def merge_request(body: MergeStart, default: str) -> MergeRequest:
    return MergeRequest(
        source=body.source_branch,
        target=body.target_branch or default,
        strategy=parse_strategy(body.strategy),
        message=body.message,
        no_ff=body.no_ff,
        keys=keys_of(body.keys),
        rules=rules_of(body.rules),
    )


def keys_of(given: Mapping[str, Sequence[str]]) -> dict[TableName, tuple[str, ...]]:
    return {TableName.parse(table): tuple(columns) for table, columns in given.items()}


def rules_of(given: Iterable[RuleBody]) -> tuple[ResolutionRule, ...]:
    return tuple(parse_rule(rule.take, rule.table, rule.column, value=_given(rule, "value")) for rule in given)


def _given(body: RuleBody | ResolutionBody, name: str) -> object:
    return getattr(body, name) if name in body.model_fields_set else UNSET


def resolutions_of(body: ResolveStart, table: TableName | None = None) -> tuple[Resolution, ...]:
    """`table`: the default for resolutions that name no table; any other table is refused."""
    single = body.model_dump(exclude={"resolutions"}, exclude_unset=True)
    given = [ResolutionBody.model_validate(single)] if body.resolution is not None else []
    if bool(given) == bool(body.resolutions) or (single and not given):
        raise ForgeError(
            "E619",
            "Say what to do with the conflicts" if not given else "Send one resolution, or a list of them",
            where="body.resolution",
            fix='Like {"conflict_id": "…", "resolution": "theirs"}, or {"resolutions": […]}.',
        )
    return tuple(_resolution(one, table) for one in given or body.resolutions)


def _resolution(body: ResolutionBody, table: TableName | None) -> Resolution:
    named = str(TableName.parse(body.table)) if body.table is not None else None
    if table is not None and named not in (None, str(table)):
        raise ForgeError("E619", f"The conflicts of {named} are not of {table}", fix="Leave out `table`.")
    is_expression = body.resolution.strip().lower() == ResolutionChoice.EXPRESSION
    rule = parse_rule(body.resolution, value=_given(body, "expression" if is_expression else "manual_value"))
    ids = (body.conflict_id,) if body.conflict_id is not None else ()
    if ids and (body.column is not None or body.key is not None):
        raise ForgeError("E619", "A conflict is named by its id alone", fix="Leave out column and key.")
    return Resolution(
        rule.take,
        ids,
        named or (str(table) if table else None),
        body.column,
        body.key,
        rule.value,
    )
