"""Lineage that YAML files declare comes into the graph. What a file says replaces what it said before; one that is gone
takes back what it said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.flows.lineage.versions import with_versions
from forge.flows.lineage.view import Look, look
from forge.flows.runs.records import AuditRecord
from forge.lineage.edge import Gap
from forge.lineage.extract.manual import DECLARED, Declared, claims_of_declared, read_declared
from forge.lineage.facts.claim import Batch, EdgeClaim, NodeClaim, Recorded
from forge.model.errors import ForgeError, raise_errors
from forge.model.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forge.flows.lineage.ports import LineagePorts
    from forge.lineage.node import Entity


@dataclass(frozen=True, slots=True)
class DeclaredResult:
    """`unknown`: names that only these files tell of, each with its place; they are in the graph now, unresolved."""

    recorded: Recorded
    files: int
    edges: int
    unknown: tuple[Gap, ...] = ()


def record_declared(
    ports: LineagePorts, files: Mapping[str, str], *, gone: Iterable[str] = (), actor: str | None = None
) -> DeclaredResult:
    """`files`: path → text. `gone`: paths of files that are no more. E820 with all faults of all files; nothing is
    written then."""
    declared = _read(files)
    view, now, who = look(ports), ports.clock(), actor or ports.actor
    batches: list[Batch] = []
    unknown: list[Gap] = []
    for one in declared:
        edges, nodes = claims_of_declared(one, lambda name: _known(view, name))
        claims = with_versions(ports.store, edges)
        batches.append(
            Batch(producer=f"{DECLARED}{one.file}", at=now, edges=claims, nodes=nodes, actor=one.author or who)
        )
        unknown += _unknown(view, one.file, edges, nodes)
    known = frozenset(ports.store.producers())
    batches += [Batch(producer=f"{DECLARED}{path}", at=now, actor=who) for path in gone if f"{DECLARED}{path}" in known]
    recorded = ports.store.record(batches)
    edges_in_all = sum(len(batch.edges) for batch in batches)
    detail = {"files": sorted(files), "gone": sorted(gone), "edges": edges_in_all}
    ports.metadata.note(AuditRecord(now, who, "lineage.declare", ", ".join(sorted(files))[:200], detail))
    return DeclaredResult(recorded, len(declared), edges_in_all, tuple(unknown))


def _read(files: Mapping[str, str]) -> Sequence[Declared]:
    found, errors = [], []
    for file, text in files.items():
        try:
            found.append(read_declared(text, file))
        except ForgeError as error:
            errors.append(error)
    raise_errors(errors)
    return found


def _known(view: Look, name: str) -> Entity | None:
    """By its whole name only: a file is read the same whatever else is in the graph."""
    for one in dict.fromkeys((name, name.lower())):
        number = view.store.numbers([one]).get(one)
        if number is not None:
            return view.store.nodes([number])[number].entity
    return None


def _unknown(view: Look, file: str, edges: Sequence[EdgeClaim], nodes: Sequence[NodeClaim]) -> Iterable[Gap]:
    told = {node.entity.id for node in nodes}
    lines: dict[str, int] = {}
    for claim in edges:
        for end in (claim.source, claim.target):
            lines.setdefault(end.id, claim.evidence[0].line)
    numbers = view.store.numbers([name for name in lines if name not in told])
    resolved = view.store.nodes(list(numbers.values()))
    mine = f"{DECLARED}{file}"
    for name, line in lines.items():
        node = resolved.get(numbers.get(name, -1))
        if name in told or (node is not None and not node.unresolved):
            continue
        near = did_you_mean(name, [one for one in view.store.near(name) if one != name])
        reason = f"{name} is known from {mine} alone; declare it under nodes, or correct the name"
        yield Gap(file, line, f"{reason}. {near}" if near else reason)
