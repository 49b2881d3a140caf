"""What an asset's sheet is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from forge.catalog.profile import TableProfile
    from forge.flows.catalog.asset_sheet import AssetContract, AssetFacts, AssetSheetPorts
    from forge.flows.catalog.assets import AssetVersion
    from forge.flows.quality.health import CurrentChecksOf
    from forge.model.names import TableName
    from forge.wiring import Wiring


def asset_sheet_ports(wiring: Wiring, current: Callable[[], CurrentChecksOf] | None = None) -> AssetSheetPorts:
    """`current`: the checks in force, where who asks keeps them."""
    from forge.flows.catalog.asset_sheet import AssetSheetPorts
    from forge.flows.catalog.assets import asset_at
    from forge.flows.catalog.discovery.lineage import find_lineage
    from forge.flows.catalog.edit import lacks

    parts, branch = wiring.catalog, wiring.default_branch
    checks = current or wiring.quality.current_checks_of

    def version_at(table: TableName, at: str) -> AssetVersion:
        since = wiring.quality.monitors.standing
        return asset_at(wiring.metadata, wiring.lake, parts.personal_at, table, at, branch, since, checks())

    return AssetSheetPorts(
        store=parts.assets,
        lineage_of=lambda name: find_lineage(wiring.lineage.graph, name),
        look=parts.asset_files.look,
        version_at=version_at,
        has_commits=lambda: wiring.branch_head(branch) is not None,
        missing_of=lambda asset: lacks(asset, parts.edit_ports()),
        facts_of=lambda name, former, at: _facts(wiring, name, former, at),
        clock=wiring.clock,
    )


def _facts(wiring: Wiring, name: str, former_names: tuple[str, ...], at: str) -> AssetFacts:
    from forge.catalog.discovery.usage import UsagePeriod, total_usage
    from forge.flows.catalog.asset_sheet import AssetFacts

    parts, today = wiring.catalog, wiring.clock().date()
    found = parts.pii.types_of([name])
    counts = parts.discovery.usage.counts((name, *former_names), UsagePeriod.MONTH.since(today), today)
    return AssetFacts(
        usage=total_usage(name, counts),
        classified=parts.classifications([name], found)[name],
        contract=_contract(wiring, name),
        pii_types=found.get(name, {}),
        profile=_profile(wiring, name, at),
    )


def _contract(wiring: Wiring, name: str) -> AssetContract | None:
    from forge.flows.catalog.asset_sheet import AssetContract

    for head in wiring.contracts.registry.heads():
        if name.lower() in (table.lower() for table in head.newest.tables):
            return AssetContract(head.id, head.newest.version, head.state)
    return None


def _profile(wiring: Wiring, name: str, at: str) -> TableProfile | None:
    """None where its rows were not profiled, and where it is no table."""
    from forge.flows.catalog.asset_sheet import NOW
    from forge.flows.catalog.profiling.profile_table import stored_profile

    try:
        return stored_profile(name, wiring.catalog.profile_ports(), None if at == NOW else at)
    except ForgeError:
        return None
