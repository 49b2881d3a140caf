"""`forge.contracts`, the namespace property that lists a namespace's contracts, in the rows of the catalog."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, select, union

from forge.contracts.registry import NAMESPACE_KEY, RegisteredContract, merged_entries, namespaces_of
from forge.stores.sql.statements import put
from forge.stores.sql.tables import CATALOG, iceberg_namespace_properties, iceberg_tables


def write_namespaces(connection: Connection, registered: Sequence[RegisteredContract]) -> None:
    """For existing namespaces: one without a table gets its list with the first."""
    wanted = {name for one in registered for name in namespaces_of(one.tables)}
    for namespace in sorted(wanted & _existing(connection, wanted)):
        own = [one for one in registered if namespace in namespaces_of(one.tables)]
        before = read_entries(connection, namespace)
        listed = merged_entries(before, own)
        if list(listed) == before:
            continue
        row = {
            "catalog_name": CATALOG,
            "namespace": namespace,
            "property_key": NAMESPACE_KEY,
            "property_value": entries_text(listed),
        }
        put(connection, iceberg_namespace_properties, [row])


def entries_text(entries: Sequence[object]) -> str:
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":"))


def entries_of(text: str | None) -> list[dict[str, object]]:
    """Anything but a list of objects was not written by Forge, and is replaced."""
    try:
        found = json.loads(text or "[]")
    except ValueError:
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def read_entries(connection: Connection, namespace: str) -> list[dict[str, object]]:
    p = iceberg_namespace_properties.c
    query = select(p.property_value).where(
        p.catalog_name == CATALOG, p.namespace == namespace, p.property_key == NAMESPACE_KEY
    )
    return entries_of(connection.execute(query).scalar())


def _existing(connection: Connection, names: set[str]) -> set[str]:
    p, i = iceberg_namespace_properties.c, iceberg_tables.c
    query = union(
        select(p.namespace).where(p.catalog_name == CATALOG, p.namespace.in_(names)),
        select(i.table_namespace).where(i.catalog_name == CATALOG, i.table_namespace.in_(names)),
    )
    return set(connection.execute(query).scalars()) if names else set()
