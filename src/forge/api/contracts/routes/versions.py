"""/api/v1/contracts/{id}: versions and their changes, the effective contract, drift and consumers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from forge.api.contracts.routes.registry import AskedVersion, ContractIdentity
from forge.api.contracts.views import (
    change_view,
    consumer_view,
    drift_view,
    parent_view,
    plain,
    version_facts,
    violation_views,
)
from forge.api.contracts.wire.registry import (
    ComparisonView,
    ConsumerView,
    ContractVersionDetail,
    ContractVersionView,
    DriftView,
    EffectiveView,
)
from forge.api.paging import AWindow
from forge.api.site import TheSite
from forge.api.versioning.paths import EncodedSlashes
from forge.api.wire import Page
from forge.contracts.canonical import data_of
from forge.contracts.compare.changelog import changelog_markdown
from forge.contracts.compare.versions import ContractComparison, find_breaking_changes
from forge.contracts.registry import RegisteredContract, unknown_version
from forge.contracts.semver import predecessor
from forge.flows.contracts.consumers import Consumer, find_consumers
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import (
    FILE,
    ContractText,
    ancestry_of,
    columns_of,
    contract_text,
    find_known,
    newest_text,
    pair,
    reader_of,
)
from forge.flows.contracts.registration import read_registered
from forge.flows.contracts.versions import find_affected

router = APIRouter(prefix="/api/v1/contracts", tags=["contracts"], route_class=EncodedSlashes)

Version = Annotated[str, Path(max_length=100, examples=["1.2.0"])]


@router.get("/{contract_id}/versions")
def contract_versions(contract_id: ContractIdentity, site: TheSite, window: AWindow) -> Page[ContractVersionView]:
    """Registered versions, the highest first."""
    ports = site.wiring.contracts.ports()
    known = find_known(ports, contract_id)
    versions = ports.store.versions(known.id)
    return window.page(
        versions,
        lambda one: ContractVersionView.of(
            one, **version_facts(_against_before(one, versions), current=one.version == known.version)
        ),
        total=len(versions),
    )


@router.get("/{contract_id}/versions/{version}")
def contract_version(contract_id: ContractIdentity, version: Version, site: TheSite) -> ContractVersionDetail:
    ports = site.wiring.contracts.ports()
    known = find_known(ports, contract_id)
    versions = ports.store.versions(known.id)
    one = next((each for each in versions if each.version == version), None)
    if one is None:
        raise unknown_version(known.id, version, [each.version for each in versions])
    facts = version_facts(_against_before(one, versions), current=version == known.version)
    return ContractVersionDetail.of(one, document=plain(data_of(read_registered(one))), **facts)


def _against_before(one: RegisteredContract, versions: tuple[RegisteredContract, ...]) -> ContractComparison | None:
    older = {each.version: each for each in versions}
    before = predecessor(one.version, older)
    if before is None or versions[-1].version == one.version:
        return None
    return find_breaking_changes(read_registered(older[before]), read_registered(one))


@router.get("/{contract_id}/diff")
def compare_versions(
    contract_id: ContractIdentity,
    site: TheSite,
    old: Annotated[str | None, Query(max_length=100, description="Default: the one before `new`.")] = None,
    new: Annotated[str | None, Query(max_length=100, description="Default: the file, or the newest version.")] = None,
) -> ComparisonView:
    """What changed, the bump it needs, and who is hit. `file` names the project's file as it is now."""
    ports = site.wiring.contracts.ports()
    known = find_known(ports, contract_id)
    before, after = pair(known, ports, old, new)
    found = find_breaking_changes(before.contract, after.contract)
    return ComparisonView.of(
        found,
        id=known.id,
        old=before.version,
        new=after.version,
        new_source="file" if after.source == FILE else "registered",
        changes=[change_view(change) for change in found.changes],
        violations=violation_views(found.violations, "version", known.id),
        consumers=_hit(found, before, ports),
        changelog=changelog_markdown(found),
    )


def _hit(found: ContractComparison, before: ContractText, ports: ContractPorts) -> list[ConsumerView]:
    lineage = ports.lineage()
    if lineage is None or not found.breaking:
        return []
    hits = find_affected(found, before.contract, lineage, owner=ports.owner)
    return [consumer_view(one.consumer, one.breaks) for one in hits]


def _consumers(shown: ContractText, ports: ContractPorts) -> tuple[Consumer, ...]:
    lineage = ports.lineage()
    return find_consumers(lineage, columns_of(shown.contract), owner=ports.owner) if lineage is not None else ()


@router.get("/{contract_id}/effective")
def effective_contract(contract_id: ContractIdentity, site: TheSite, version: AskedVersion = None) -> EffectiveView:
    """The contract with what its parents demand, and which of them brought what. Without a version: the project's file,
    else the newest registered one."""
    import yaml

    ports = site.wiring.contracts.ports()
    known = find_known(ports, contract_id)
    shown = contract_text(known, ports, version) if version else newest_text(known, ports)
    found = ancestry_of(shown.contract, ports)
    document = plain(data_of(found.standing.effective))
    return EffectiveView(
        id=known.id,
        version=shown.version,
        chain=[parent_view(one) for one in found.chain],
        mode="permissive" if ports.governance.inheritance == "permissive" else "strict",
        effective=document,
        text=yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120),
        origins=dict(found.standing.origins),
        violations=violation_views(found.standing.violations, "inheritance", known.id),
    )


@router.get("/{contract_id}/drift")
def contract_drift(
    contract_id: ContractIdentity,
    site: TheSite,
    at: Annotated[str | None, Query(max_length=255, description="A branch, a tag, a commit. Default: main.")] = None,
    table: Annotated[str | None, Query(max_length=300, description="Only this one: schema.table")] = None,
) -> DriftView:
    """The contract, with what binds it, against its tables; from their metadata alone."""
    from forge.flows.contracts.drift import find_live_drift

    ports = site.wiring.contracts.ports()
    known = find_known(ports, contract_id)
    shown = newest_text(known, ports)
    contract = ancestry_of(shown.contract, ports).standing.effective
    found = find_live_drift(contract, reader_of(ports), at or None)
    tables = [drift_view(one, known.id) for one in found if table is None or one.table == table.lower()]
    return DriftView(
        id=known.id,
        version=shown.version,
        at=at or str(ports.default_branch),
        tables=tables,
        violations=[violation for one in tables for violation in one.violations],
    )


@router.get("/{contract_id}/consumers")
def contract_consumers(contract_id: ContractIdentity, site: TheSite, window: AWindow) -> Page[ConsumerView]:
    """Who reads its tables, nearest first."""
    ports = site.wiring.contracts.ports()
    found = _consumers(newest_text(find_known(ports, contract_id), ports), ports)
    return window.page(found, consumer_view, total=len(found))
