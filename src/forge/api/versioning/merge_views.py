"""Merges, conflicts and results as HTTP shows them, and what people send about them as flows take it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from forge.api.catalog.masks import Masks
from forge.api.commit_views import author_view, commit_view
from forge.api.runs.wire.runs import VerdictView
from forge.api.shape import Page
from forge.api.versioning.wire.merges import (
    ApprovalView,
    CommitResultView,
    ConflictGroup,
    ConflictSet,
    ConflictView,
    MergeResultView,
    MergeStart,
    MergeStatistics,
    MergeView,
    ResolutionBody,
    ResolveStart,
    RuleBody,
    TallyView,
)
from forge.api.views import verdict_view
from forge.flows.ports import Metadata
from forge.flows.versioning.data.commit import CommitResult
from forge.flows.versioning.merge.merge import MergeRequest, MergeResult
from forge.flows.versioning.merge.record import MergeRecord, TableTally
from forge.flows.versioning.merge.resolve import Resolution
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.verdict import Verdict
from forge.versioning.conflict import Conflict, Rule, Take, location_of
from forge.versioning.merge import OPEN_MERGES, parse_strategy
from forge.versioning.resolution import UNSAID, parse_rule
from forge.wiring import Wiring

SHOWN = 100  # conflicts of a result; a merge that is kept has pages of them


def conflict_view(conflict: Conflict, masks: Masks) -> ConflictView:
    table, column = conflict.table, conflict.column
    sides = (conflict.base, conflict.ours, conflict.theirs, conflict.resolved_value)
    names = [column] if column is not None else []
    names += [str(name) for side in (conflict.key, *sides) if isinstance(side, Mapping) for name in side]
    # A failed check is told in words, which hold no values of the column.
    shown = Masks() if conflict.key is None else masks
    base, ours, theirs, resolved = (shown.value(table, column, side) for side in sides)
    key = masks.row(table, conflict.key) if conflict.key is not None else None
    return ConflictView.model_validate(
        {
            "id": conflict.id,
            "kind": str(conflict.kind),
            "table": table,
            "key": key,
            "column": column,
            "base": base,
            "ours": ours,
            "theirs": theirs,
            "location": location_of(conflict, key),
            "resolution": str(conflict.resolution) if conflict.resolution else None,
            "resolved_value": resolved,
            "masked": shown.touches(table, names),
        }
    )


def tally_view(tally: TableTally) -> TallyView:
    return TallyView.model_validate(tally)


def result_view(wiring: Wiring, result: MergeResult) -> MergeResultView:
    merge = result.merge
    head = wiring.branch_head(BranchName(result.target))
    sides = (merge.source_commit, merge.target_commit) if merge else (result.base, head)
    masks = Masks(wiring.personal_at(*sides)) if result.conflicts else Masks()
    return MergeResultView.model_validate(
        {
            "type": str(result.type),
            "merge_id": result.merge.id if result.merge else None,
            "merge_commit": result.commit.id if result.commit else None,
            "commit": commit_view(result.commit) if result.commit else None,
            "source_branch": result.source,
            "target_branch": result.target,
            "base": result.base,
            "other_bases": list(result.other_bases),
            "conflicts": [conflict_view(conflict, masks) for conflict in result.conflicts[:SHOWN]],
            "conflict_count": result.conflict_count,
            "tables": [tally_view(tally) for tally in result.tables],
            "statistics": _statistics(result.tables),
            "verdicts": verdict_views(wiring, result.verdicts, result.run_id),
            "run_id": result.run_id,
        }
    )


def verdict_views(wiring: Wiring, verdicts: Sequence[Verdict], run_id: str | None) -> list[VerdictView]:
    run = wiring.metadata.run(RunId(run_id)) if run_id and verdicts else None
    if run is None:
        return []
    personal = wiring.personal_at()
    return [verdict_view(verdict, run, personal) for verdict in verdicts]


def _statistics(tallies: Sequence[TableTally]) -> MergeStatistics:
    return MergeStatistics(
        tables=sum(tally.how != "unchanged" for tally in tallies),
        inserted=sum(tally.inserted for tally in tallies),
        updated=sum(tally.updated for tally in tallies),
        deleted=sum(tally.deleted for tally in tallies),
        conflicts=sum(tally.conflicts for tally in tallies),
        resolved=sum(tally.resolved for tally in tallies),
        bytes_read=sum(tally.bytes_read for tally in tallies),
    )


def merge_view(metadata: Metadata, merge: MergeRecord) -> MergeView:
    return MergeView.model_validate(_facts(metadata, merge))


def conflict_set(
    wiring: Wiring, merge: MergeRecord, page: Page[ConflictView], every: Sequence[Conflict]
) -> ConflictSet:
    """`every` are all that are kept of the merge."""
    metadata = wiring.metadata
    said = metadata.verdicts(run_id=RunId(merge.run_id), limit=10_000) if merge.run_id else ()
    return ConflictSet.model_validate(
        {
            **_facts(metadata, merge),
            "conflicts": page.items,
            "next_cursor": page.next_cursor,
            "has_more": page.has_more,
            "groups": _groups(every),
            "verdicts": verdict_views(wiring, [verdict for _, verdict in said], merge.run_id),
        }
    )


def _facts(metadata: Metadata, merge: MergeRecord) -> dict[str, object]:
    source = _source_head(metadata, merge)
    return {
        "merge_id": merge.id,
        "kind": merge.kind,
        "source_branch": merge.source,
        "target_branch": str(merge.target),
        "source_commit": merge.source_commit,
        "source_head": source,
        "target_commit": merge.target_commit,
        "base_commit": merge.base_commit,
        "other_bases": list(merge.other_bases),
        "strategy": str(merge.strategy),
        "status": str(merge.status),
        "message": merge.message,
        "author": author_view(merge.author),
        "created_at": merge.created_at,
        "updated_at": merge.updated_at,
        "commit": merge.commit_id,
        "run_id": merge.run_id,
        "total_count": merge.conflict_count,
        "resolved_count": merge.resolved_count,
        "fully_resolved": merge.fully_resolved,
        "approvals": _approvals(merge, source),
        "tables": [tally_view(tally) for tally in merge.tables],
        "rules": [RuleBody(take=str(r.take), table=r.table, column=r.column, value=r.value) for r in merge.rules],
        "keys": {table: list(key) for table, key in merge.keys.items()},
    }


def _source_head(metadata: Metadata, merge: MergeRecord) -> CommitId | None:
    """Where the source of a merge that waits stands now; of another, where it stood."""
    if merge.kind != "merge" or merge.status not in OPEN_MERGES:
        return merge.source_commit
    branch = metadata.branch(BranchName(merge.source))
    return branch.head if branch is not None else merge.source_commit


def _approvals(merge: MergeRecord, source: CommitId | None) -> list[ApprovalView]:
    """One that was given for an older state of the source does not count any more."""
    return [
        ApprovalView(
            user=given.user,
            time=given.time,
            source_commit=given.source_commit,
            approved=given.approved,
            comment=given.comment,
            is_current=given.source_commit == source,
        )
        for given in merge.approvals
    ]


def _groups(conflicts: Iterable[Conflict]) -> list[ConflictGroup]:
    found: dict[tuple[str | None, str | None], ConflictGroup] = {}
    for conflict in conflicts:
        where = (conflict.table, conflict.column)
        group = found.setdefault(where, ConflictGroup(table=where[0], column=where[1], total=0, open=0))
        group.total += 1
        group.open += conflict.resolution is None
    return list(found.values())


def commit_result(wiring: Wiring, done: CommitResult, branch: str, mode: str) -> CommitResultView:
    return CommitResultView(
        type="committed" if done.commit else "blocked",
        table=str(done.table),
        branch=branch,
        mode=mode,
        commit=commit_view(done.commit) if done.commit else None,
        rows_added=done.statistics.rows_added,
        rows_modified=done.statistics.rows_modified,
        rows_deleted=done.statistics.rows_deleted,
        verdicts=verdict_views(wiring, done.verdicts, done.run_id),
        run_id=done.run_id,
    )


# what people send


def merge_request(body: MergeStart, default: str) -> MergeRequest:
    return MergeRequest(
        body.source_branch,
        body.target_branch or default,
        parse_strategy(body.strategy),
        body.message,
        body.no_ff,
        keys_of(body.keys),
        rules_of(body.rules),
    )


def keys_of(given: Mapping[str, Sequence[str]]) -> dict[TableName, tuple[str, ...]]:
    return {TableName.parse(table): tuple(columns) for table, columns in given.items()}


def rules_of(given: Iterable[RuleBody]) -> tuple[Rule, ...]:
    return tuple(parse_rule(rule.take, rule.table, rule.column, value=_said(rule, "value")) for rule in given)


def _said(body: RuleBody | ResolutionBody, name: str) -> object:
    return getattr(body, name) if name in body.model_fields_set else UNSAID


def resolutions_of(body: ResolveStart, table: TableName | None = None) -> tuple[Resolution, ...]:
    """`table`: what names no table is meant for this one, and nothing else is taken."""
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
    named = body.table
    if named is not None:
        named = str(TableName.parse(named))
    if table is not None and named not in (None, str(table)):
        raise ForgeError("E619", f"The conflicts of {named} are not of {table}", fix="Leave out `table`.")
    is_expression = body.resolution.strip().lower() == Take.EXPRESSION
    rule = parse_rule(body.resolution, value=_said(body, "expression" if is_expression else "manual_value"))
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
