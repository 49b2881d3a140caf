"""`forge lineage capture`: records the reads and writes observed while a script ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from forge.flows.lineage.feed import claims_of
from forge.flows.lineage.ports import LineagePorts
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.observation import ObservedWrite, renamed, tables_of
from forge.lineage.extract.program import OutputKind
from forge.lineage.facts.claim import ClaimBatch, NodeClaim, WriteCounts
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.node import NodeType, table_of
from forge.model.errors import ForgeError

PRODUCER = "capture:"
_TYPES = {OutputKind.VIEW: NodeType.VIEW, OutputKind.FILE: NodeType.EXTERNAL}
_EXTRACTOR = "spark-plan"
_SPARKS_OWN = "default"  # the schema Spark puts tables into that name none


@dataclass(frozen=True, slots=True)
class ScriptCapture:
    """`exit_code`: of the script. `lost`: observed writes that could not be parsed."""

    script: str
    seen: tuple[ObservedWrite, ...]
    exit_code: int = 0
    lost: tuple[str, ...] = ()

    @property
    def edges(self) -> int:
        return sum(len(one.extraction.edges) for one in self.seen)

    @property
    def gaps(self) -> tuple[str, ...]:
        found = (f"{one.target}: {gap.reason}" for one in self.seen for gap in one.extraction.gaps)
        return (*dict.fromkeys(found), *self.lost)

    def to_dict(self) -> dict[str, object]:
        return {
            "script": self.script,
            "exit_code": self.exit_code,
            "writes": [{"target": one.target, "kind": str(one.made), **one.extraction.to_dict()} for one in self.seen],
            "gaps": list(self.gaps),
        }


def record_captured(
    ports: LineagePorts, captured: ScriptCapture, catalog: TableCatalog, run_id: str = "", here: str = ""
) -> WriteCounts:
    """One batch, of the script as producer. A script that failed may have written less than it does otherwise, so
    nothing is closed then. `here`: the folder it ran in; files below it are called as code calls them."""
    seen = in_catalog(captured.seen, catalog, here)
    evidence = Evidence(
        basis=Basis.OBSERVED, extractor=_EXTRACTOR, file=captured.script, run_id=run_id, seen_at=ports.clock()
    )
    return ports.store.record([_batch(captured, seen, evidence, ports.clock(), ports.actor)])


def in_catalog(seen: tuple[ObservedWrite, ...], catalog: TableCatalog, here: str = "") -> tuple[ObservedWrite, ...]:
    """With the names that the catalog completes, as those of code are."""
    names = {}
    for name in tables_of(seen):
        if "/" in name or ":" in name:
            names[name] = name.removeprefix(f"{here}/") if here else name
            continue
        parts = name.split(".")
        if len(parts) == 2 and parts[0] == _SPARKS_OWN:
            parts = parts[1:]
        names[name] = catalog.find(parts).name
    return tuple(renamed(one, names) for one in seen)


def fail_if_failed(captured: ScriptCapture) -> None:
    if captured.exit_code:
        raise ForgeError(
            "E821",
            f"The script ended with {captured.exit_code}",
            where=captured.script,
            why="What it read and wrote before that is recorded.",
            fix="Read its output above.",
        )


def producer_of(script: str) -> str:
    return f"{PRODUCER}{PurePath(script).as_posix()}"


def _batch(
    captured: ScriptCapture, seen: tuple[ObservedWrite, ...], evidence: Evidence, at: datetime, actor: str
) -> ClaimBatch:
    edges = tuple(claim for one in seen for claim in claims_of(one.extraction, evidence))
    complete = captured.exit_code == 0
    return ClaimBatch(
        producer=producer_of(captured.script),
        at=at,
        edges=edges,
        nodes=tuple(_nodes(captured, seen)),
        complete=complete,
        actor=actor,
    )


def _nodes(captured: ScriptCapture, seen: tuple[ObservedWrite, ...]) -> Iterator[NodeClaim]:
    for one in seen:
        kind = _TYPES.get(one.made, NodeType.TABLE)
        yield NodeClaim(table_of(one.target, kind), {"kind": str(one.made), "source_file": captured.script})
