"""Records lineage declared in YAML files. A file replaces what it declared before; a deleted file closes its edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.flows.lineage.reader import GraphReader, open_graph
from forge.flows.lineage.versions import with_versions
from forge.flows.runs.records import AuditRecord
from forge.lineage.edge import Gap
from forge.lineage.extract.manual import DECLARED, LineageDeclaration, claims_of_declared, read_declared
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim, WriteCounts
from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forge.flows.lineage.ports import LineagePorts
    from forge.lineage.node import Entity


@dataclass(frozen=True, slots=True)
class DeclarationResult:
    """`unknown`: names that occur only in these files, with their places; recorded as unresolved."""

    recorded: WriteCounts
    files: int
    edges: int
    unknown: tuple[Gap, ...] = ()


def record_declared(
    ports: LineagePorts, files: Mapping[str, str], *, gone: Iterable[str] = (), actor: str | None = None
) -> DeclarationResult:
    """`files`: path → text. `gone`: paths of files that are no more. E820 with all faults of all files; nothing is
    written then."""
    declared = _read(files)
    view, now, who = open_graph(ports), ports.clock(), actor or ports.actor
    batches: list[ClaimBatch] = []
    unknown: list[Gap] = []
    for one in declared:
        edges, nodes = claims_of_declared(one, lambda name: _known(view, name))
        claims = with_versions(ports.store, edges)
        batches.append(
            ClaimBatch(producer=f"{DECLARED}{one.file}", at=now, edges=claims, nodes=nodes, actor=one.author or who)
        )
        unknown += _unknown(view, one.file, edges, nodes)
    known = frozenset(ports.store.producers())
    batches += [
        ClaimBatch(producer=f"{DECLARED}{path}", at=now, actor=who) for path in gone if f"{DECLARED}{path}" in known
    ]
    recorded = ports.store.record(batches)
    edges_in_all = sum(len(batch.edges) for batch in batches)
    detail = {"files": sorted(files), "gone": sorted(gone), "edges": edges_in_all}
    ports.metadata.note(AuditRecord(now, who, "lineage.declare", ", ".join(sorted(files))[:200], detail))
    return DeclarationResult(recorded, len(declared), edges_in_all, tuple(unknown))


def _read(files: Mapping[str, str]) -> Sequence[LineageDeclaration]:
    found, errors = [], []
    for file, text in files.items():
        try:
            found.append(read_declared(text, file))
        except ForgeError as error:
            errors.append(error)
    raise_errors(errors)
    return found


def _known(view: GraphReader, name: str) -> Entity | None:
    """By its whole name only: a file is read the same whatever else is in the graph."""
    for one in dict.fromkeys((name, name.lower())):
        number = view.store.numbers([one]).get(one)
        if number is not None:
            return view.store.nodes([number])[number].entity
    return None


def _unknown(view: GraphReader, file: str, edges: Sequence[EdgeClaim], nodes: Sequence[NodeClaim]) -> Iterable[Gap]:
    declared = {node.entity.id for node in nodes}
    lines: dict[str, int] = {}
    for claim in edges:
        for end in (claim.source, claim.target):
            lines.setdefault(end.id, claim.evidence[0].line)
    numbers = view.store.numbers([name for name in lines if name not in declared])
    resolved = view.store.nodes(list(numbers.values()))
    mine = f"{DECLARED}{file}"
    for name, line in lines.items():
        node = resolved.get(numbers.get(name, -1))
        if name in declared or (node is not None and not node.unresolved):
            continue
        near = did_you_mean(name, [one for one in view.store.near(name) if one != name])
        reason = f"{name} is known from {mine} alone; declare it under nodes, or correct the name"
        yield Gap(file, line, f"{reason}. {near}" if near else reason)
