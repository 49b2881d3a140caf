"""/api/v1/catalog/assets/{id}/profile: profiles of tables and views. To start one needs a token that may write."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import ThePrincipal
from forge.api.catalog.wire.profiles import ProfileDiffView, ProfileStart, ProfileSummary, ProfileView
from forge.api.paging import AWindow
from forge.api.runs.wire.runs import RunTicket
from forge.api.site import TheSite
from forge.api.wire import Page
from forge.catalog.profile import TableProfile
from forge.flows.catalog.profiling.profile_table import (
    compare_profiles,
    find_rows,
    profile_history,
    profile_table,
    stored_profile,
)
from forge.flows.versioning.ports import VersionPorts
from forge.model.names import TableName

router = APIRouter(prefix="/api/v1/catalog/assets/{asset_id}/profile", tags=["catalog profiles"])

AssetName = Annotated[str, Path(max_length=300, examples=["core.orders"])]
Revision = Annotated[str | None, Query(max_length=255, description="Branch, tag, commit, HEAD~2 or time.")]


@router.get("")
def one_profile(asset_id: AssetName, site: TheSite, at: Revision = None) -> ProfileView:
    """The stored profile of a revision. Without one: of the current rows, or else the newest there is."""
    table = str(TableName.parse(asset_id))
    return _view(stored_profile(table, site.wiring.catalog.profile_ports(), at))


@router.post("", status_code=202)
def start_profile(
    asset_id: AssetName, site: TheSite, caller: ThePrincipal, response: Response, body: ProfileStart | None = None
) -> RunTicket:
    """Profile it. The same rows are not profiled twice. `Location` is where to follow it."""
    asked = body or ProfileStart()
    table = str(TableName.parse(asset_id))
    target = find_rows(table, site.wiring.catalog.profile_ports(), asked.at)  # refused before anything is begun

    def work(versions: VersionPorts) -> TableProfile:
        ports = site.wiring.catalog.profile_ports(versions.run_id)
        return profile_table(table, ports, at=asked.at, sample=asked.sample, exact=asked.exact)

    share = ("profile", table, target.state, asked.sample, asked.exact)
    begun = site.executor.start("profile", work, caller, text=table, share=share)
    response.headers["Location"] = f"/api/v1/runs/{begun.run_id}"
    return RunTicket(run_id=begun.run_id, kind=begun.kind)


@router.get("/history")
def past_profiles(asset_id: AssetName, site: TheSite, window: AWindow) -> Page[ProfileSummary]:
    """Newest first."""
    table = TableName.parse(asset_id)
    found = profile_history(table, site.wiring.catalog.profile_ports(), limit=window.needed)
    return window.page(found, _summary)


@router.get("/diff")
def profile_changes(
    asset_id: AssetName, site: TheSite, a: Annotated[str, Query(max_length=255)], b: Revision = None
) -> ProfileDiffView:
    """What changed from one revision to another, by their stored profiles; without `b`, to the newest one."""
    table = str(TableName.parse(asset_id))
    found = compare_profiles(table, a, b, site.wiring.catalog.profile_ports(), measure=False)
    return ProfileDiffView.model_validate(found.to_dict())


def _view(profile: TableProfile) -> ProfileView:
    return ProfileView.model_validate(profile.to_dict())


def _summary(profile: TableProfile) -> ProfileSummary:
    return ProfileSummary.model_validate({k: v for k, v in profile.to_dict().items() if k != "columns"})
