"""/api/v1/catalog/pii: findings of personal data and decisions about them. No answer holds a value of a table.

A scan and a decision need a token that may write."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import ThePrincipal
from forge.api.catalog.wire.pii import PiiFindingView, PiiReview, StateWord
from forge.api.paging import AWindow
from forge.api.runs.wire.runs import RunTicket
from forge.api.site import TheSite
from forge.api.wire import Page
from forge.catalog.pii.review import PiiRecord, ReviewState
from forge.flows.catalog.pii.reviews import find_finding, review_finding
from forge.flows.catalog.pii.scan import TableScan, find_scannable, follow_lineage, scan_table
from forge.flows.versioning.ports import VersionPorts
from forge.model.names import TableName

router = APIRouter(prefix="/api/v1/catalog", tags=["catalog personal data"])

Words = Annotated[tuple[Annotated[str, Query(max_length=64)], ...], Query(max_length=20)]
FindingIdentity = Annotated[str, Path(max_length=64)]


@router.post("/assets/{asset_id}/pii/scan", status_code=202)
def scan_asset(
    asset_id: Annotated[str, Path(max_length=300)],
    site: TheSite,
    caller: ThePrincipal,
    response: Response,
    force: Annotated[bool, Query(description="Also where nothing changed since the last scan.")] = False,
) -> RunTicket:
    """Look for personal data in a table or view. `Location` is where to follow it."""
    pii, table = site.wiring.catalog.pii, TableName.parse(asset_id)
    version = find_scannable(table, pii.scan_ports(caller.user))

    def work(versions: VersionPorts) -> TableScan:
        def begin() -> None:
            if versions.run_id is not None:
                site.wiring.engine.begin(versions.run_id, table)

        ports = pii.scan_ports(caller.user, begin)
        found = scan_table(table, ports, force=force)
        follow_lineage(ports)
        return found

    begun = site.executor.start("scan", work, caller, text=str(table), share=("scan", str(table), version, force))
    response.headers["Location"] = f"/api/v1/runs/{begun.run_id}"
    return RunTicket(run_id=begun.run_id, kind=begun.kind)


@router.get("/pii/findings")
def list_findings(
    site: TheSite,
    window: AWindow,
    state: Annotated[tuple[StateWord, ...], Query(max_length=3, description="Only these; repeated.")] = (),
    type: Words = (),
    table: Annotated[tuple[Annotated[str, Query(max_length=300)], ...], Query(max_length=20)] = (),
    closed: Annotated[bool, Query(description="Those whose column or evidence is gone, too.")] = False,
) -> Page[PiiFindingView]:
    """By table and column. Filters repeat: values of one are OR, different ones AND."""
    found = site.wiring.catalog.pii.findings.findings(
        tables=[str(TableName.parse(name)) for name in table] if table else None,
        states=[ReviewState(word) for word in state],
        types=type,
        closed=closed,
        limit=window.needed,
    )
    return window.page(found, _view)


@router.get("/pii/findings/{finding_id}")
def one_finding(finding_id: FindingIdentity, site: TheSite) -> PiiFindingView:
    return _view(find_finding(site.wiring.catalog.pii.findings, finding_id))


@router.patch("/pii/findings/{finding_id}")
def review(finding_id: FindingIdentity, body: PiiReview, site: TheSite, caller: ThePrincipal) -> PiiFindingView:
    """Confirm or reject a finding, or open it again. 409 where somebody else changed it meanwhile."""
    ports = site.wiring.catalog.pii.review_ports(caller.user)
    decided = review_finding(finding_id, ReviewState(body.state), ports, note=body.note, expected=body.expected_version)
    return _view(decided)


def _view(record: PiiRecord) -> PiiFindingView:
    return PiiFindingView.model_validate(record.to_dict())
