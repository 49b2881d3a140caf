"""Tables of a child against its parent's."""

from __future__ import annotations

from collections.abc import Sequence

from forge.contracts.inherit.column import merge_named, merge_properties, paired
from forge.contracts.inherit.quality import merge_quality
from forge.contracts.tree import Findings, Node

_NAMED = {"tags": "", "customProperties": "property", "authoritativeDefinitions": "url", "relationships": ""}
_PLACES = ("forge.schema",)  # where a contract's own tables live; not a promise


def merge_schema(parent: Node | None, child: Node | None, findings: Findings) -> Node | None:
    """The child's tables with what they inherit, then the parent's others."""
    if parent is None:
        return child
    above = [node for node in _listed(parent) if isinstance(node.value, dict)]
    if child is None:
        return Node(parent.source, parent.path, [without_places(t) for t in above]) if above else None
    own = _listed(child)
    pairs = _tables(above, own)
    merged = []
    for node in own:
        other = pairs.get(id(node))
        merged.append(_merge_table(other, node, findings) if other else node)
    taken = {id(node) for node in pairs.values()}
    rest = [without_places(node) for node in above if id(node) not in taken]
    return Node(child.source, child.path, [*merged, *rest])


def shared_tables(contract: Node, below: Sequence[Node]) -> Node:
    """The contract less the tables that none of the contracts below has."""
    schema = contract.get("schema")
    if schema is None:
        return contract
    above = [node for node in _listed(schema) if isinstance(node.value, dict)]
    shared = {id(table) for other in below for table in _tables(above, list(other.items("schema"))).values()}
    kept = [table for table in above if id(table) in shared]
    return contract.with_({"schema": Node(schema.source, schema.path, kept) if kept else None})


def without_places(node: Node) -> Node:
    """A parent's table or contract, less what only says where the parent's own tables live."""
    custom = node.get("customProperties")
    if custom is None or not isinstance(custom.value, list):
        return node
    kept = [each for each in custom.value if each.text("property") not in _PLACES]
    return node.with_({"customProperties": Node(custom.source, custom.path, kept) if kept else None})


def bare(name: str) -> str:
    """`orders` of `core.orders`."""
    return name.rsplit(".", 1)[-1].strip("`\"' ").lower()


def _listed(node: Node) -> list[Node]:
    return list(node.value) if isinstance(node.value, list) else []


def _tables(above: list[Node], own: list[Node]) -> dict[int, Node]:
    """As columns are paired; then `orders` is `core.orders` where only one table can be meant."""
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


def _bare_names(node: Node) -> set[str]:
    return {bare(name) for name in (node.text("name"), node.text("physicalName")) if name}


def _could_be(one: Node, other: Node) -> bool:
    """Two full names that differ are two tables."""
    full = [
        next((n for n in (node.text("physicalName"), node.text("name")) if "." in n), "").lower()
        for node in (one, other)
    ]
    return not (all(full) and full[0] != full[1])


def _merge_table(parent: Node, child: Node, findings: Findings) -> Node:
    name = child.text("name") or "table"
    changes: dict[str, Node | None] = {}
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


def _merge_columns(parent: Node, child: Node, name: str, findings: Findings) -> Node:
    return _key_kept(parent, merge_properties(parent, child, name, findings), name, findings)


def _is_key(node: Node) -> bool:
    found = node.get("primaryKey")
    return found is not None and found.value is True


def _key_kept(parent: Node, merged: Node, name: str, findings: Findings) -> Node:
    """A column more in the key makes it say less: orders may then have one id twice. Unless that id is unique."""
    key = {node.text("name").lower(): node for node in _listed(parent) if _is_key(node)}
    if not key:
        return merged
    is_unique = any(node.text("name").lower() in key and _is_unique(node) for node in _listed(merged))
    columns = []
    for node in _listed(merged):
        said = node.get("primaryKey")
        written = node.text("name")
        if not _is_key(node) or written.lower() in key or is_unique or said is None:
            columns.append(node)
            continue
        told = next(iter(key.values())).get("primaryKey")
        findings.weaker(
            said,
            f"{name}.{written}: widens the primary key, which the parent has on {', '.join(key)} alone",
            told or next(iter(key.values())),
            f"Take primaryKey away from {written}, or make a column of the parent's key unique.",
        )
        columns.append(node.with_({"primaryKey": None, "primaryKeyPosition": None}))
    return Node(merged.source, merged.path, columns)


def _is_unique(node: Node) -> bool:
    found = node.get("unique")
    return found is not None and found.value is True
