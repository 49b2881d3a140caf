"""`forge.contracts` in the namespaces of an external catalog, outside any transaction of Forge's database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from forge.contracts.registry import NAMESPACE_KEY, RegisteredContract, merged_entries, namespaces_of
from forge.model.retry import attempts
from forge.stores.lake.external_lake import ExternalLake
from forge.stores.sql.contracts.namespaces import entries_of, entries_text

_MOST_TRIES = 5


def write_external(
    lake: ExternalLake, namespaces: Iterable[str], registered: Callable[[], Sequence[RegisteredContract]]
) -> None:
    """Writes all registered contracts of these namespaces, so that missed ones are added the next time. A catalog
    has no lock for properties: after a write both sides are read again, until nothing that another server wrote is
    missing."""
    left = sorted(set(namespaces))
    for _ in attempts(_MOST_TRIES):
        if not left:
            return
        every = registered()
        left = [one for one in left if _write(lake, one, every)]


def _write(lake: ExternalLake, namespace: str, registered: Sequence[RegisteredContract]) -> bool:
    """Whether something was missing."""
    own = [one for one in registered if namespace in namespaces_of(one.tables)]

    def change(kept: Mapping[str, str]) -> dict[str, str]:
        return {NAMESPACE_KEY: entries_text(merged_entries(entries_of(kept.get(NAMESPACE_KEY)), own))}

    return lake.change_namespace(namespace, change)
