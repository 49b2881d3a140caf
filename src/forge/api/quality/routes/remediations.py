"""/api/v1/quality/remediations: proposals for failed checks, their previews and decisions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from forge.api.auth import Principal, ThePrincipal
from forge.api.catalog.masks import Masks
from forge.api.executor import LONG, respond
from forge.api.paging import MOST, AWindow
from forge.api.quality.wire.remediations import (
    RemediationStart,
    RemediationView,
    RemedyDecision,
    RemedyPreview,
    RemedyWord,
)
from forge.api.rows import plain
from forge.api.site import Site, TheSite
from forge.api.versioning.commit_views import commit_view
from forge.api.versioning.diff_views import diff_view
from forge.api.versioning.paths import AskedTable
from forge.api.wire import Page, Wire
from forge.flows.quality.judge import JudgedTable, judge_dataset
from forge.flows.quality.remediation import decision as remediate_decide
from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.proposal import find_remediation, preview_diff, refuse_code
from forge.flows.quality.remediation.request import RemedyRequest, read_actions, request_remedy
from forge.flows.runs.jobs import JobKind
from forge.flows.versioning.diff import DiffPage
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.revisions import find_branch
from forge.model.names import BranchName, TableName
from forge.quality.remediation import Remediation, RemedyStatus
from forge.versioning.changes import TableDiff
from forge.versioning.commit import Author

router = APIRouter(prefix="/api/v1/quality/remediations", tags=["quality"])

Identity = Annotated[str, Path(max_length=64, examples=["q20261115_061000_4f9a1c"])]


@router.get("")
def list_remediations(
    site: TheSite,
    caller: ThePrincipal,
    window: AWindow,
    dataset_id: AskedTable = None,
    status: RemedyWord | None = None,
    branch: Annotated[str | None, Query(max_length=255)] = None,
) -> Page[RemediationView]:
    """Newest first."""
    ports = _ports(site, caller)
    found = ports.store.find(
        table=TableName.parse(dataset_id) if dataset_id else None,
        branch=BranchName(branch) if branch else None,
        status=RemedyStatus(status) if status else None,
        limit=window.needed,
    )
    return window.page(found, partial(_view, ports))


@router.post("", status_code=201, response_model=RemediationView, responses=LONG)
def propose(body: RemediationStart, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """Propose it on a branch of its own or, with `auto`, do it at once. Nothing to do is a result, not an error."""
    wiring = site.wiring
    name, _, at = body.dataset_id.partition("@")
    branch = find_branch(wiring.metadata, BranchName(body.branch or at or wiring.default_branch)).name
    actions = read_actions(body.actions)
    refuse_code(actions)
    asked = RemedyRequest(TableName.parse(name), branch, actions, tuple(body.check_ids), body.auto)

    def judge(dataset: str) -> JudgedTable:
        return judge_dataset(dataset, wiring.quality.check_ports())

    return _do(site, caller, "remediate", branch, lambda ports: request_remedy(asked, ports, judge))


@router.get("/{remediation_id}")
def one_remediation(remediation_id: Identity, site: TheSite, caller: ThePrincipal) -> RemediationView:
    ports = _ports(site, caller)
    return _view(ports, find_remediation(remediation_id, ports))


@router.get("/{remediation_id}/preview", response_model=RemedyPreview, responses=LONG)
def preview(
    remediation_id: Identity,
    site: TheSite,
    caller: ThePrincipal,
    table: AskedTable = None,
    limit: Annotated[int, Query(ge=0, le=MOST)] = 20,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> Wire | Response:
    """The rows it changes, table by table; personal data is masked."""
    metadata = site.wiring.metadata
    ports = _ports(site, caller)
    record = find_remediation(remediation_id, ports)
    tables = [TableName.parse(table)] if table else None
    page = DiffPage(limit=limit, offset=offset)

    def work(versions: VersionPorts) -> tuple[TableDiff, ...]:
        return preview_diff(record, site.wiring.quality.remedies(versions=versions), tables=tables, page=page)

    def shown_of(found: tuple[TableDiff, ...]) -> RemedyPreview:
        after = record.commit or record.preview
        base = metadata.commit(record.base) if record.base else None
        masks = Masks(site.wiring.catalog.hidden_at(record.base, after))
        shown = diff_view(base.id, after, found, masks, limit=limit, offset=offset).tables if base and after else []
        return RemedyPreview(remediation=_view(ports, record), base=commit_view(base) if base else None, tables=shown)

    share = ("remedy preview", record.id, str(record.status), table, limit, offset)
    outcome = site.executor.do("diff", work, caller, branch=str(record.branch), share=share)
    return respond(outcome, shown_of)


@router.post("/{remediation_id}/approve", response_model=RemediationView, responses=LONG)
def approve(
    remediation_id: Identity, site: TheSite, caller: ThePrincipal, body: RemedyDecision | None = None
) -> Wire | Response:
    """Land it on its branch as one commit. Where the branch moved since, it is calculated again."""
    comment = body.comment if body else ""
    return _decide(site, caller, remediation_id, partial(remediate_decide.approve, comment=comment))


@router.post("/{remediation_id}/reject", response_model=RemediationView, responses=LONG)
def reject(
    remediation_id: Identity, site: TheSite, caller: ThePrincipal, body: RemedyDecision | None = None
) -> Wire | Response:
    """Say no to it; its branch is deleted."""
    comment = body.comment if body else ""
    return _decide(site, caller, remediation_id, partial(remediate_decide.reject, comment=comment))


@router.post("/{remediation_id}/revert", response_model=RemediationView, responses=LONG)
def revert_remediation(
    remediation_id: Identity, site: TheSite, caller: ThePrincipal, body: RemedyDecision | None = None
) -> Wire | Response:
    """A new commit that takes back what it did."""
    comment = body.comment if body else ""
    return _decide(site, caller, remediation_id, partial(remediate_decide.revert, comment=comment))


def _ports(site: Site, caller: Principal) -> RemedyPorts:
    return site.wiring.quality.remedies(author=Author(caller.user, caller.user))


def _decide(
    site: Site, caller: Principal, remediation_id: str, decide: Callable[[str, RemedyPorts], Remediation]
) -> Wire | Response:
    record = find_remediation(remediation_id, _ports(site, caller))
    return _do(site, caller, "remediate", record.branch, lambda ports: decide(remediation_id, ports))


def _do(
    site: Site, caller: Principal, kind: JobKind, branch: BranchName, act: Callable[[RemedyPorts], Remediation]
) -> Wire | Response:
    outcome = site.executor.do(
        kind, lambda versions: act(site.wiring.quality.remedies(versions=versions)), caller, branch=str(branch)
    )
    return respond(outcome, partial(_view, _ports(site, caller)))


def _view(ports: RemedyPorts, record: Remediation) -> RemediationView:
    reason = _why_not(ports, record)
    facts = {**record.to_dict(), "can_approve": record.is_open and reason is None, "why_not": reason}
    return RemediationView.model_validate(plain(facts))


def _why_not(ports: RemedyPorts, record: Remediation) -> str | None:
    if not record.is_open:
        return f"It is {record.status}."
    if ports.versions.metadata.branch(record.branch) is None:
        return f"There is no branch {record.branch} any more."
    return remediate_decide.why_not(record, ports)
