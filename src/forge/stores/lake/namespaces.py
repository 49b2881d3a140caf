"""`forge.contracts` in the namespaces of an external catalog, which no transaction of Forge's database reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.contracts.registry import NAMESPACE_KEY, Registered, merged_entries, namespaces_of
from forge.stores.lake.external import ExternalLake
from forge.stores.sql.contract_namespaces import entries_of, entries_text


def write_external(lake: ExternalLake, registered: Sequence[Registered]) -> None:
    """Again with each registration, so that what was missed once is there the next time."""
    for namespace in sorted({name for one in registered for name in namespaces_of(one.tables)}):
        own = [one for one in registered if namespace in namespaces_of(one.tables)]

        def change(kept: Mapping[str, str], own: Sequence[Registered] = own) -> dict[str, str]:
            listed = merged_entries(entries_of(kept.get(NAMESPACE_KEY)), own)
            return {NAMESPACE_KEY: entries_text(listed)}

        lake.change_namespace(namespace, change)
