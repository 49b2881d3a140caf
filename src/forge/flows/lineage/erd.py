"""Tables of a schema with columns and keys. Keys come from code and declarations; for the project's own tables from
settings, transforms, contracts and checks, else from Iceberg's identifier fields. Foreign keys come from contracts and
checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from forge.flows.lineage.reader import GraphReader, state_of
from forge.flows.quality.incidents.impact import lake_table
from forge.lineage.erd.diagram import Erd, erd_of
from forge.lineage.node import TABLE_LIKE, Node


def find_erd(view: GraphReader, schema: str | None) -> Erd:
    state = state_of(view)
    return erd_of(_with_keys(view, state.nodes.values()), state.links(), schema)


def _with_keys(view: GraphReader, nodes: Iterable[Node]) -> Iterable[Node]:
    metadata = view.ports.metadata
    branch = metadata.branch(view.ports.default_branch)
    head = view.commit.id if view.commit else branch.head if branch else None
    tree = metadata.tree(head) if head else {}
    key_of, references = view.ports.keys(), view.ports.references()
    for node in nodes:
        table = lake_table(node.id) if node.type in TABLE_LIKE else None
        if table is None:
            yield node
            continue
        details = dict(node.details)
        key = key_of(table, tree.get(table)) if "primary_key" not in details else ()
        if key:
            details["primary_key"] = list(key)
        declared = references.get(table, ())
        if declared:
            existing = details.get("foreign_keys")
            before = list(existing) if isinstance(existing, list | tuple) else []
            details["foreign_keys"] = [*before, *(one.to_dict() for one in declared)]
        yield replace(node, details=details) if key or declared else node
