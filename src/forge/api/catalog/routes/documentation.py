"""/api/v1/catalog/assets: register, show and document assets. A change needs a token that may write."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import ThePrincipal
from forge.api.catalog.asset_views import asset_detail
from forge.api.catalog.wire.assets import AssetDetail
from forge.api.catalog.wire.documentation import (
    AssetBatch,
    AssetChange,
    AssetLineView,
    EditOutcomeView,
    EditView,
    LabelCountView,
    NewAsset,
    ProposalDecision,
    ProposalView,
    ScanRequest,
    UndoRequest,
)
from forge.api.paging import AWindow
from forge.api.runs.wire.runs import RunTicket
from forge.api.site import Site, TheSite
from forge.api.wire import Page
from forge.catalog.approval import ProposalState
from forge.catalog.asset_view import asset_summary
from forge.catalog.discovery.usage import UsageKind
from forge.flows.catalog.asset_sheet import find_asset_sheet
from forge.flows.catalog.crawl import SourceCrawl, crawl
from forge.flows.catalog.edit import EditOutcome, decide_proposal, edit_asset, find_asset, undo_edit
from forge.flows.catalog.register import register_assets
from forge.flows.versioning.ports import VersionPorts
from forge.wiring.asset_sheets import asset_sheet_ports

router = APIRouter(prefix="/api/v1/catalog", tags=["catalog"])
# The name of an asset may hold slashes, like the path of a file: these come after all other routes of the catalog.
of_names = APIRouter(prefix="/api/v1/catalog", tags=["catalog"])

AssetIdentity = Annotated[
    str, Path(max_length=1000, examples=["core.orders"], description="Its qualified name, or one that it had before.")
]
ProposalIdentity = Annotated[str, Path(max_length=32)]


@router.post("/assets", status_code=201, responses={200: {"model": EditOutcomeView, "description": "Known already"}})
def register_asset(body: NewAsset, site: TheSite, caller: ThePrincipal, response: Response) -> EditOutcomeView:
    """Register an asset that no crawler sees; 200 where the name is known. Its address is in `Location`."""
    (made,) = _register(site, caller.user, [body])
    response.status_code = 201 if made[1] else 200
    response.headers["Location"] = f"{router.prefix}/assets/{quote(made[0].asset.qualified_name, safe=':')}"
    return _outcome(made[0])


@router.post("/assets/batch")
def register_batch(body: AssetBatch, site: TheSite, caller: ThePrincipal) -> list[EditOutcomeView]:
    """Upsert by qualified name, in the order of the batch. One that is wrong refuses all."""
    return [_outcome(outcome) for outcome, _ in _register(site, caller.user, body.assets)]


@router.get("/domains")
def list_asset_domains(site: TheSite, window: AWindow) -> Page[LabelCountView]:
    """With the number of their assets."""
    found = site.wiring.catalog.assets.domains()
    return window.page(found, LabelCountView.of, total=len(found))


@router.get("/tags")
def list_asset_tags(
    site: TheSite, window: AWindow, prefix: Annotated[str, Query(max_length=200)] = ""
) -> Page[LabelCountView]:
    """The most used first, of assets and their columns."""
    return window.page(site.wiring.catalog.assets.tags(prefix, window.needed), LabelCountView.of)


@router.get("/proposals")
def list_proposals(
    site: TheSite, window: AWindow, state: Literal["open", "approved", "rejected"] | None = "open"
) -> Page[ProposalView]:
    """Edits that wait for someone else, newest first."""
    wanted = ProposalState(state) if state else None
    found = site.wiring.catalog.assets.proposals(state=wanted, limit=window.needed)
    return window.page(found, lambda one: ProposalView.model_validate(one.to_dict()))


@router.post("/proposals/{proposal_id}/approve")
def approve_proposal(
    proposal_id: ProposalIdentity, site: TheSite, caller: ThePrincipal, body: ProposalDecision | None = None
) -> EditOutcomeView:
    """Not by who proposed it (403)."""
    return _decide(site, caller.user, proposal_id, body, approve=True)


@router.post("/proposals/{proposal_id}/reject")
def reject_proposal(
    proposal_id: ProposalIdentity, site: TheSite, caller: ThePrincipal, body: ProposalDecision | None = None
) -> EditOutcomeView:
    return _decide(site, caller.user, proposal_id, body, approve=False)


@router.post("/scan", status_code=202)
def scan_sources(site: TheSite, caller: ThePrincipal, response: Response, body: ScanRequest | None = None) -> RunTicket:
    """Crawl sources. `Location` is where to follow it."""
    sources = tuple(body.sources) if body else ()

    def work(versions: VersionPorts) -> tuple[SourceCrawl, ...]:
        return crawl(site.wiring.catalog.crawl_ports(), sources)

    begun = site.executor.start(
        "scan", work, caller, text=", ".join(sources) or "all sources", share=("crawl", sources)
    )
    response.headers["Location"] = f"/api/v1/runs/{begun.run_id}"
    return RunTicket(run_id=begun.run_id, kind=begun.kind)


@of_names.get("/assets/{asset_id:path}/history")
def asset_history(asset_id: AssetIdentity, site: TheSite, window: AWindow) -> Page[EditView]:
    """Who changed its documentation, when, and what; newest first."""
    store = site.wiring.catalog.assets
    found = store.history(find_asset(store, asset_id).uid, window.needed)
    return window.page(found, lambda one: EditView.model_validate(one.to_dict()))


@of_names.post("/assets/{asset_id:path}/undo")
def undo_asset_edit(
    asset_id: AssetIdentity, site: TheSite, caller: ThePrincipal, body: UndoRequest | None = None
) -> EditOutcomeView:
    """Take an edit back: a new one that restores what was before it."""
    asked = body or UndoRequest()
    ports = site.wiring.catalog.edit_ports(caller.user)
    version, expected = asked.documentation_version, asked.expected_version
    return _outcome(undo_edit(asset_id, ports, version=version, expected_version=expected))


@of_names.patch("/assets/{asset_id:path}")
def change_asset(asset_id: AssetIdentity, body: AssetChange, site: TheSite, caller: ThePrincipal) -> EditOutcomeView:
    """Change what the body has; the rest stays. In a domain that asks for approval it is proposed. 409 where the
    documentation is not at `expected_version`, and for a field that a file of the project sets."""
    fields = _fields_of(body)
    expected = fields.pop("expected_version", None)
    ports = site.wiring.catalog.edit_ports(caller.user)
    return _outcome(edit_asset(asset_id, fields, ports, expected_version=expected))


@of_names.get("/assets/{asset_id:path}")
def one_asset(
    asset_id: AssetIdentity,
    site: TheSite,
    caller: ThePrincipal,
    at: Annotated[str, Query(max_length=255, description="Branch, commit, HEAD~2 or time.")] = "HEAD",
) -> AssetDetail:
    """A table or view as a commit has it, with what the catalog says of it now; or an asset outside the lake."""
    sheet = find_asset_sheet(asset_id, asset_sheet_ports(site.wiring, site.current_checks), at=at)
    site.wiring.catalog.discovery.recorder.record(UsageKind.VIEW, [sheet.name], caller.user)
    return asset_detail(sheet)


def _register(site: Site, user: str, items: list[NewAsset]) -> list[tuple[EditOutcome, bool]]:
    parts = site.wiring.catalog
    found = register_assets([_fields_of(one) for one in items], parts.register_ports(), parts.edit_ports(user))
    return [(one.outcome, one.is_new) for one in found]


def _decide(
    site: Site, user: str, proposal_id: str, body: ProposalDecision | None, *, approve: bool
) -> EditOutcomeView:
    ports = site.wiring.catalog.edit_ports(user)
    return _outcome(decide_proposal(proposal_id, ports, approve=approve, comment=body.comment if body else ""))


def _fields_of(body: AssetChange | NewAsset) -> dict[str, Any]:
    return body.model_dump(exclude_unset=True, by_alias=True)


def _outcome(outcome: EditOutcome) -> EditOutcomeView:
    edit, proposal = outcome.edit, outcome.proposal
    return EditOutcomeView(
        asset=AssetLineView.model_validate(asset_summary(outcome.asset)),
        edit=EditView.model_validate(edit.to_dict()) if edit else None,
        proposal=ProposalView.model_validate(proposal.to_dict()) if proposal else None,
    )
