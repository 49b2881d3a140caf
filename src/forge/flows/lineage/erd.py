"""Tables of a schema with columns and keys. Keys come from code and declarations; for the project's own tables from
settings, transforms, contracts and checks, else from Iceberg's identifier fields. Foreign keys come from contracts and
checks; where none is declared, joins are inferred from what code and runs join by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from forge.flows.lineage.reader import GraphReader, state_of
from forge.flows.quality.incidents.impact import lake_table
from forge.lineage.edge import IndirectType
from forge.lineage.erd.diagram import Erd, erd_of
from forge.lineage.erd.join import JoinEvidence, JoinSighting
from forge.lineage.facts.evidence import Evidence
from forge.lineage.graph.state import GraphState
from forge.lineage.node import TABLE_LIKE, Node, NodeType

_CUT = 490  # characters: a longer statement may have been cut where it was kept
_MOST_FILES = 2000
_JOINING = (IndirectType.JOIN, IndirectType.FILTER)
_EdgeSighting = tuple[str, Evidence]  # in what makes a table


def find_erd(view: GraphReader, schema: str | None) -> Erd:
    state = state_of(view)
    sightings = find_sightings(state, view.ports.code)
    return erd_of(_with_keys(view, state.nodes.values()), state.links(), schema, sightings)


def find_sightings(state: GraphState, code: Callable[[str], str | None]) -> Iterator[JoinSighting]:
    """The columns by which each statement or run joins, with its text: what was kept of it, or the whole file."""
    columns: dict[_EdgeSighting, dict[IndirectType, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
    confidences: dict[_EdgeSighting, float] = {}
    for edge in state.edges.values():
        source, kind = state.nodes.get(edge.key.source), edge.key.kind.indirect
        if kind not in _JOINING or source is None or source.type is not NodeType.COLUMN:
            continue
        for fact in edge.facts:
            for one in fact.evidence:
                key = (edge.key.target, replace(one, seen_at=None, times=1))
                columns[key][kind].add((source.table, source.name))
                confidences[key] = max(confidences.get(key, 0.0), fact.confidence)
    texts: dict[str, str] = {}
    for key, found in columns.items():
        if len({table for some in found.values() for table, _ in some}) == 1 and IndirectType.JOIN not in found:
            continue  # a filter of one table
        text, evidence = _text_of(key[1], code, texts), key[1]
        seen = JoinEvidence(evidence.file, evidence.line, evidence.run_id)
        joined, filtered = (frozenset(found.get(kind, ())) for kind in _JOINING)
        yield JoinSighting(joined, seen, text, confidences[key], filtered)


def _text_of(evidence: Evidence, code: Callable[[str], str | None], texts: dict[str, str]) -> str:
    """The whole statement, or of a long one, and of what a run did, its file."""
    text = evidence.statement
    if evidence.file and (not text or len(text) >= _CUT):
        if evidence.file not in texts and len(texts) < _MOST_FILES:
            texts[evidence.file] = code(evidence.file) or ""
        text = texts.get(evidence.file) or text
    return text


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
