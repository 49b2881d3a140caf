"""What comes after an asset: by lineage, and what reads it by its own account, like dashboards and metrics."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice

from forge.catalog.asset import AssetState
from forge.flows.catalog.asset_store import AssetFilter, AssetStore

_AT_ONCE, _MOST = 500, 10_000


@dataclass(frozen=True, slots=True)
class AssetLineage:
    """`upstream` and `downstream`: one step away; `reached`: downstream over any number of steps."""

    upstream: tuple[str, ...] = ()
    downstream: tuple[str, ...] = ()
    reached: frozenset[str] = frozenset()


def find_readers(store: AssetStore, names: Collection[str]) -> frozenset[str]:
    """Active dashboards, metrics, models and features that read one of these, over any number of steps."""
    seen, new = set(names), set(names)
    while new:
        found: set[str] = set()
        rest = iter(sorted(new))
        while some := tuple(islice(rest, _AT_ONCE)):
            wanted = AssetFilter(backed_by=some, states=(AssetState.ACTIVE,))
            found |= {asset.qualified_name for asset in store.assets(wanted, limit=_MOST)}
        new = found - seen
        seen |= new
    return frozenset(seen.difference(names))
