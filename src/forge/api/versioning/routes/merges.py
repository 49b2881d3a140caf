"""/api/v1/branches/merge and /merges: merging, and what people decide about merges. Ours is the target.

The routes of a dataset take a merge only where the source changes nothing else, for a branch is the project's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from forge.api.auth import Principal, ThePrincipal
from forge.api.catalog.masks import Masks
from forge.api.executor import LONG, respond
from forge.api.paging import FARTHEST, MOST, AWindow, Window
from forge.api.site import Site, TheSite
from forge.api.versioning.branch_views import branch_view
from forge.api.versioning.commit_views import commit_view
from forge.api.versioning.merge_views import (
    SHOWN,
    conflict_set,
    conflict_view,
    keys_of,
    merge_request,
    merge_view,
    resolutions_of,
    result_view,
    rules_of,
)
from forge.api.versioning.paths import PREFIX, AskedTable, Dataset, MergeIdentity, branch_router, find_dataset
from forge.api.versioning.wire.merges import (
    ConflictSet,
    JudgeStart,
    MergeResultView,
    MergeStart,
    MergeView,
    PickStart,
    ResolveStart,
    StatusWord,
)
from forge.api.versioning.wire.refs import ResetStart, ResetView
from forge.api.wire import Page, Wire
from forge.flows.versioning import reset as flow_reset
from forge.flows.versioning.branches import changed_tables, compare_branches, view_branch
from forge.flows.versioning.merge import pick
from forge.flows.versioning.merge import resolve as decide
from forge.flows.versioning.merge.merge import merge
from forge.flows.versioning.merge.record import MergeKind, MergeRecord
from forge.flows.versioning.merge.result import MergeResult
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.record_ports import Commits
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.versioning.commit import Author
from forge.versioning.merge import MergeStatus

router = branch_router("merges")

Statuses = Annotated[tuple[StatusWord, ...], Query(max_length=10, description="Only these; repeated.")]
Force = Annotated[bool, Query(description="Merge what the source changed in other tables, too.")]
AskedColumn = Annotated[str | None, Query(max_length=255)]
OnlyOpen = Annotated[bool, Query(alias="open", description="Only what nobody has resolved.")]


@router.post("/merge", response_model=MergeResultView, responses=LONG)
def start_merge(body: MergeStart, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """Merge a branch into another. Conflicted, blocked, pending and up to date are results, not errors."""
    request = merge_request(body, site.wiring.default_branch)
    outcome = site.executor.do("merge", lambda ports: merge(request, ports), caller, branch=request.target)
    return respond(outcome, partial(result_view, site.wiring))


@router.post("/datasets/{dataset_id}/merge", response_model=MergeResultView, responses=LONG)
def start_dataset_merge(
    dataset_id: Dataset, body: MergeStart, site: TheSite, caller: ThePrincipal, force: Force = False
) -> Wire | Response:
    """Merge a branch that changes this dataset alone; refused (409) where it changes others, unless `force`."""
    table = find_dataset(site.wiring, dataset_id)
    if not force:
        _refuse_others(site, body, table)
    return start_merge(body, site, caller)


@router.post("/cherry-pick", response_model=MergeResultView, responses=LONG)
def cherry_pick(body: PickStart, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """What one commit changed, on top of a branch."""
    return _pick("cherry-pick", pick.cherry_pick, body, site, caller)


@router.post("/revert", response_model=MergeResultView, responses=LONG)
def revert(body: PickStart, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """A new commit that takes back what one commit changed."""
    return _pick("revert", pick.revert, body, site, caller)


@router.post("/reset", response_model=ResetView, responses=LONG)
def reset(body: ResetStart, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """A branch goes to a commit that exists. No data is read, written or deleted."""
    metadata = site.wiring.metadata
    outcome = site.executor.do(
        "reset", lambda ports: flow_reset.reset(body.branch, body.commit, ports), caller, branch=body.branch
    )

    def shown(done: flow_reset.Reset) -> ResetView:
        branch = view_branch(metadata, find_branch(metadata, done.branch), site.wiring.default_branch)
        return ResetView(
            branch=branch_view(branch, site.wiring.settings.versioning),
            before=done.before,
            commit=commit_view(done.commit),
            tables=[str(table) for table in done.tables],
        )

    return respond(outcome, shown)


@router.get("/merges")
def list_merges(
    site: TheSite,
    window: AWindow,
    status: Statuses = (),
    branch: Annotated[str | None, Query(max_length=255, description="Source or target.")] = None,
) -> Page[MergeView]:
    """Newest first."""
    return _merges(site, window, status, branch=branch)


@router.get("/datasets/{dataset_id}/merges")
def dataset_merges(dataset_id: Dataset, site: TheSite, window: AWindow, status: Statuses = ()) -> Page[MergeView]:
    """Those that change the dataset, newest first."""
    return _merges(site, window, status, table=find_dataset(site.wiring, dataset_id))


@router.get("/merges/{merge_id}")
def one_merge(
    merge_id: MergeIdentity,
    site: TheSite,
    caller: ThePrincipal,
    window: AWindow,
    table: AskedTable = None,
    column: AskedColumn = None,
    only_open: OnlyOpen = False,
) -> ConflictSet:
    """A merge with one page of its conflicts."""
    return _set(site, caller, merge_id, window, table, column, only_open)


@router.get("/datasets/{dataset_id}/merges/{merge_id}")
def one_dataset_merge(
    dataset_id: Dataset,
    merge_id: MergeIdentity,
    site: TheSite,
    caller: ThePrincipal,
    window: AWindow,
    column: AskedColumn = None,
    only_open: OnlyOpen = False,
) -> ConflictSet:
    """A merge with one page of its conflicts in the dataset."""
    return _set(site, caller, merge_id, window, str(find_dataset(site.wiring, dataset_id)), column, only_open)


@router.post("/merges/{merge_id}/resolve")
def resolve_merge(merge_id: MergeIdentity, body: ResolveStart, site: TheSite, caller: ThePrincipal) -> ConflictSet:
    """Say what to do with conflicts: one, those of a row, a column or a table, or all. Nothing else moves."""
    return _resolve(merge_id, body, site, caller)


@router.post("/datasets/{dataset_id}/merges/{merge_id}/resolve")
def resolve_dataset_merge(
    dataset_id: Dataset, merge_id: MergeIdentity, body: ResolveStart, site: TheSite, caller: ThePrincipal
) -> ConflictSet:
    """As without the dataset; what names no table is meant for this one."""
    return _resolve(merge_id, body, site, caller, find_dataset(site.wiring, dataset_id))


@router.post("/merges/{merge_id}/continue", response_model=MergeResultView, responses=LONG)
def continue_merge(merge_id: MergeIdentity, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """Work the merge out again, with the answers. 409 while a conflict is open."""
    return _go_on(merge_id, site, caller, decide.continue_merge)


@router.post("/datasets/{dataset_id}/merges/{merge_id}/continue", response_model=MergeResultView, responses=LONG)
def continue_dataset_merge(
    dataset_id: Dataset, merge_id: MergeIdentity, site: TheSite, caller: ThePrincipal
) -> Wire | Response:
    """Work the merge out again, with the answers. 409 while a conflict is open."""
    find_dataset(site.wiring, dataset_id)
    return continue_merge(merge_id, site, caller)


@router.post("/merges/{merge_id}/abort")
def abort_merge(merge_id: MergeIdentity, site: TheSite, caller: ThePrincipal) -> MergeView:
    """Give it up; both branches stay where they are."""
    return merge_view(site.wiring.metadata, decide.abort_merge(merge_id, _ports(site, caller)))


@router.post("/datasets/{dataset_id}/merges/{merge_id}/abort")
def abort_dataset_merge(dataset_id: Dataset, merge_id: MergeIdentity, site: TheSite, caller: ThePrincipal) -> MergeView:
    """Give it up; both branches stay where they are."""
    find_dataset(site.wiring, dataset_id)
    return abort_merge(merge_id, site, caller)


@router.post("/merges/{merge_id}/approve", response_model=MergeResultView, responses=LONG)
def approve_merge(
    merge_id: MergeIdentity, site: TheSite, caller: ThePrincipal, body: JudgeStart | None = None
) -> Wire | Response:
    """Approve the source as it stands now, or at the `expected` commit alone (409); the merge then goes on. Not by who
    asked for it."""
    judgement = body or JudgeStart()
    act = partial(decide.approve_merge, comment=judgement.comment, expected=judgement.expected)
    return _go_on(merge_id, site, caller, act)


@router.post("/datasets/{dataset_id}/merges/{merge_id}/approve", response_model=MergeResultView, responses=LONG)
def approve_dataset_merge(
    dataset_id: Dataset,
    merge_id: MergeIdentity,
    site: TheSite,
    caller: ThePrincipal,
    body: JudgeStart | None = None,
) -> Wire | Response:
    """Approve the source as it stands now; the merge then goes on. Not by who asked for it."""
    find_dataset(site.wiring, dataset_id)
    return approve_merge(merge_id, site, caller, body)


@router.post("/merges/{merge_id}/reject")
def reject_merge(
    merge_id: MergeIdentity, site: TheSite, caller: ThePrincipal, body: JudgeStart | None = None
) -> MergeView:
    """Say no to it; both branches stay where they are."""
    judgement = body or JudgeStart()
    ports = _ports(site, caller)
    rejected = decide.reject_merge(merge_id, ports, comment=judgement.comment, expected=judgement.expected)
    return merge_view(site.wiring.metadata, rejected)


@router.post("/datasets/{dataset_id}/merges/{merge_id}/reject")
def reject_dataset_merge(
    dataset_id: Dataset,
    merge_id: MergeIdentity,
    site: TheSite,
    caller: ThePrincipal,
    body: JudgeStart | None = None,
) -> MergeView:
    """Say no to it; both branches stay where they are."""
    find_dataset(site.wiring, dataset_id)
    return reject_merge(merge_id, site, caller, body)


def _ports(site: Site, caller: Principal) -> VersionPorts:
    return site.wiring.versioning.ports(author=Author(caller.user, caller.user))


def _refuse_others(site: Site, body: MergeStart, table: TableName) -> None:
    """A branch is the project's: what it changed elsewhere would be merged, too."""
    default = site.wiring.default_branch
    lines = compare_branches(site.wiring.metadata, body.target_branch or default, body.source_branch, default)
    others = [str(name) for name in lines.compare_tables if name != table]
    if others:
        raise ForgeError(
            "E607",
            f"'{body.source_branch}' holds changes to {', '.join(others)}, too",
            why="A merge takes all that a branch changed.",
            fix=f"Merge all of it: POST {PREFIX}/merge, or say force=true.",
        )


def _pick(
    kind: MergeKind, act: Callable[..., MergeResult], body: PickStart, site: Site, caller: Principal
) -> Wire | Response:
    branch, keys, rules = body.branch or site.wiring.default_branch, keys_of(body.keys), rules_of(body.rules)

    def work(ports: VersionPorts) -> MergeResult:
        return act(body.commit, branch, ports, message=body.message, keys=keys, rules=rules)

    return respond(site.executor.do(kind, work, caller, branch=branch), partial(result_view, site.wiring))


def _merges(
    site: Site,
    window: Window,
    statuses: tuple[StatusWord, ...],
    *,
    branch: str | None = None,
    table: TableName | None = None,
) -> Page[MergeView]:
    metadata = site.wiring.metadata
    found = metadata.merges(
        statuses=[MergeStatus(status) for status in statuses] or None,
        branch=BranchName(branch) if branch is not None else None,
        limit=window.needed if table is None else FARTHEST + MOST + 1,
    )
    kept = [one for one in found if table is None or _touches(metadata, one, table)]
    return window.page(kept, partial(merge_view, metadata))


def _touches(metadata: Commits, merge: MergeRecord, table: TableName) -> bool:
    if merge.tables:
        return str(table) in {tally.table for tally in merge.tables}
    # One that waits for an approval was not worked out yet.
    return table in changed_tables(metadata.tree(merge.base_commit), metadata.tree(merge.source_commit))


def _set(
    site: Site,
    caller: Principal,
    merge_id: str,
    window: Window,
    table: str | None,
    column: str | None,
    only_open: bool,
) -> ConflictSet:
    metadata = site.wiring.metadata
    merge = decide.find_merge(metadata, merge_id)
    every = metadata.conflicts(merge.id)
    named = str(TableName.parse(table)) if table is not None else None
    wanted = [
        conflict
        for conflict in every
        if named in (None, conflict.table)
        and column in (None, conflict.column)
        and not (only_open and conflict.resolution is not None)
    ]
    hidden_from = site.wiring.catalog.hidden_from(caller.user)
    masks = Masks(hidden_from(merge.source_commit, merge.target_commit)) if wanted else Masks()
    page = window.page(wanted, lambda conflict: conflict_view(conflict, masks), total=len(wanted))
    return conflict_set(site.wiring, merge, page, every)


def _resolve(
    merge_id: str, body: ResolveStart, site: Site, caller: Principal, table: TableName | None = None
) -> ConflictSet:
    done = decide.resolve(merge_id, resolutions_of(body, table), _ports(site, caller))
    return _set(site, caller, done.id, Window(SHOWN, 0), str(table) if table else None, None, False)


def _go_on(
    merge_id: str, site: Site, caller: Principal, act: Callable[[str, VersionPorts], MergeResult]
) -> Wire | Response:
    merge = decide.find_merge(site.wiring.metadata, merge_id, is_open=True)
    outcome = site.executor.do(merge.kind, lambda ports: act(merge.id, ports), caller, branch=merge.target)
    return respond(outcome, partial(result_view, site.wiring))
