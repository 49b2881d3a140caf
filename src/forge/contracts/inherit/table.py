"""Merges tables of a child with its parent's."""

from __future__ import annotations

from collections.abc import Sequence

from forge.contracts.inherit.column import merge_named, merge_properties, paired
from forge.contracts.inherit.quality import merge_quality
from forge.contracts.tree import InheritanceFindings, TreeNode

_NAMED = {"tags": "", "customProperties": "property", "authoritativeDefinitions": "url", "relationships": ""}
_PLACES = ("forge.schema",)  # where a contract's own tables live; not a promise


def merge_schema(parent: TreeNode | None, child: TreeNode | None, findings: InheritanceFindings) -> TreeNode | None:
    """The child's tables with inherited terms, then the parent's others."""
    if parent is None:
        return child
    above = [node for node in _listed(parent) if isinstance(node.value, dict)]
    if child is None:
        return TreeNode(parent.source, parent.path, [without_places(t) for t in above]) if above else None
    own = _listed(child)
    pairs = _tables(above, own)
    merged = []
    for node in own:
        other = pairs.get(id(node))
        merged.append(_merge_table(other, node, findings) if other else node)
    taken = {id(node) for node in pairs.values()}
    rest = [without_places(node) for node in above if id(node) not in taken]
    return TreeNode(child.source, child.path, [*merged, *rest])


def shared_tables(contract: TreeNode, below: Sequence[TreeNode]) -> TreeNode:
    """The contract without tables that no contract below has."""
    schema = contract.get("schema")
    if schema is None:
        return contract
    above = [node for node in _listed(schema) if isinstance(node.value, dict)]
    shared = {id(table) for other in below for table in _tables(above, list(other.items("schema"))).values()}
    kept = [table for table in above if id(table) in shared]
    return contract.with_({"schema": TreeNode(schema.source, schema.path, kept) if kept else None})


def without_places(node: TreeNode) -> TreeNode:
    """A parent's table or contract without the location of its own tables."""
    custom = node.get("customProperties")
    if custom is None or not isinstance(custom.value, list):
        return node
    kept = [each for each in custom.value if each.text("property") not in _PLACES]
    return node.with_({"customProperties": TreeNode(custom.source, custom.path, kept) if kept else None})


def bare(name: str) -> str:
    """`orders` of `core.orders`."""
    return name.rsplit(".", 1)[-1].strip("`\"' ").lower()


def _listed(node: TreeNode) -> list[TreeNode]:
    return list(node.value) if isinstance(node.value, list) else []


def _tables(above: list[TreeNode], own: list[TreeNode]) -> dict[int, TreeNode]:
    """Matched as columns are; then `orders` is `core.orders` where unambiguous."""
    pairs = paired(above, own)
    taken = {id(node) for node in pairs.values()}
    for node in own:
        if id(node) in pairs:
            continue
        names = {bare(name) for name in (node.text("name"), node.text("physicalName")) if name}
        found = [o for o in above if id(o) not in taken and _could_be(o, node) and names & _bare_names(o)]
        if len(found) == 1:
            pairs[id(node)] = found[0]
            taken.add(id(found[0]))
    return pairs


def _bare_names(node: TreeNode) -> set[str]:
    return {bare(name) for name in (node.text("name"), node.text("physicalName")) if name}


def _could_be(one: TreeNode, other: TreeNode) -> bool:
    """Different full names are different tables."""
    full = [
        next((n for n in (node.text("physicalName"), node.text("name")) if "." in n), "").lower()
        for node in (one, other)
    ]
    return not (all(full) and full[0] != full[1])


def _merge_table(parent: TreeNode, child: TreeNode, findings: InheritanceFindings) -> TreeNode:
    name = child.text("name") or "table"
    changes: dict[str, TreeNode | None] = {}
    for key, part in without_places(parent).parts.items():
        own = child.get(key)
        if own is None:
            changes[key] = part
        elif key in _NAMED:
            changes[key] = merge_named(part, own, _NAMED[key])
    before, after = parent.get("properties"), child.get("properties")
    if before and after:
        changes["properties"] = _merge_columns(before, after, name, findings)
    rules = merge_quality(parent, child, name, "", findings)
    changes["quality"] = child.listing("quality", rules) if rules else None
    return child.with_(changes)


def _merge_columns(parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings) -> TreeNode:
    return _key_kept(parent, merge_properties(parent, child, name, findings), name, findings)


def _is_key(node: TreeNode) -> bool:
    found = node.get("primaryKey")
    return found is not None and found.value is True


def _key_kept(parent: TreeNode, merged: TreeNode, name: str, findings: InheritanceFindings) -> TreeNode:
    """An additional key column weakens the key: one id may then occur twice. Unless that id is unique."""
    key = {node.text("name").lower(): node for node in _listed(parent) if _is_key(node)}
    if not key:
        return merged
    is_unique = any(node.text("name").lower() in key and _is_unique(node) for node in _listed(merged))
    columns = []
    for node in _listed(merged):
        own = node.get("primaryKey")
        written = node.text("name")
        if not _is_key(node) or written.lower() in key or is_unique or own is None:
            columns.append(node)
            continue
        inherited = next(iter(key.values())).get("primaryKey")
        findings.weaker(
            own,
            f"{name}.{written}: widens the primary key, which the parent has on {', '.join(key)} alone",
            inherited or next(iter(key.values())),
            f"Take primaryKey away from {written}, or make a column of the parent's key unique.",
        )
        columns.append(node.with_({"primaryKey": None, "primaryKeyPosition": None}))
    return TreeNode(merged.source, merged.path, columns)


def _is_unique(node: TreeNode) -> bool:
    found = node.get("unique")
    return found is not None and found.value is True
