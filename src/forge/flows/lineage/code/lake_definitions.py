"""Definitions of the lake's tables, against which names in code are resolved."""

from __future__ import annotations

from forge.flows.lineage.ports import LineagePorts
from forge.lineage.extract.definition import ColumnDefinition, TableDefinition


def definitions_in_lake(ports: LineagePorts) -> tuple[TableDefinition, ...]:
    """Of the default branch, as it is now."""
    branch = ports.metadata.branch(ports.default_branch)
    if branch is None or branch.head is None:
        return ()
    assets = {asset.table: asset for asset in ports.metadata.assets()}
    found = []
    for table, version in sorted(ports.metadata.tree(branch.head).items()):
        kind = "view" if version.kind == "view" else "physical"
        schema = ports.schema(version)
        if schema is not None:
            columns = tuple(ColumnDefinition(one.name, str(one.type), one.nullable) for one in schema.columns)
        elif (asset := assets.get(table)) is not None:
            columns = tuple(ColumnDefinition(str(one["name"]), str(one.get("type") or "")) for one in asset.columns)
        else:
            continue
        found.append(TableDefinition(name=str(table), columns=columns, kind=kind))
    return tuple(found)
