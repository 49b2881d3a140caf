"""Lineage that needs Spark: verification of code, captured scripts, query logs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forge.connection.lineage.code import OnProgress
    from forge.flows.lineage.capture import ScriptCapture
    from forge.flows.lineage.code.ingest import IngestReport
    from forge.flows.lineage.code.ports import IngestOptions
    from forge.flows.lineage.query_log import QueryLogResult
    from forge.lineage.agreement import SparkAgreement
    from forge.lineage.facts.claim import WriteCounts
    from forge.wiring import Wiring


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """A captured script: observed writes, and changes of the graph."""

    captured: ScriptCapture
    recorded: WriteCounts

    def to_dict(self) -> dict[str, object]:
        done = self.recorded
        recorded = {"added": done.added, "changed": done.changed, "closed": done.closed, "seen_again": done.extended}
        return {**self.captured.to_dict(), "recorded": recorded}


def verify_code(wiring: Wiring, paths: Sequence[str | Path], options: IngestOptions) -> SparkAgreement:
    """Every SQL statement of some files as it was read against Spark's own analyser, on empty tables. Nothing is
    written. E816, E822."""
    from forge.flows.lineage.code.extract import codebase_of
    from forge.flows.lineage.code.lake_definitions import definitions_in_lake
    from forge.flows.lineage.verify import verify
    from forge.lineage.agreement import SparkAgreement
    from forge.wiring.lineage import code_readers

    known = definitions_in_lake(wiring.lineage.graph)
    units, _, shared = codebase_of([Path(path) for path in paths], options, known)
    analysers = wiring.lineage.analysers()
    with code_readers() as readers:
        found = verify(units, shared, analysers, readers)
        return SparkAgreement(tuple(one for _, agreement in found for one in agreement.statements))


def capture_script(
    wiring: Wiring, script: str | Path, arguments: Sequence[str], options: IngestOptions
) -> CaptureResult:
    """Runs a script unchanged and records what it really read and wrote. E816."""
    from forge.flows.lineage.capture import record_captured
    from forge.lineage.extract.catalog import TableCatalog

    captured = wiring.lineage.capture(Path(script), arguments)
    catalog = TableCatalog((), options.db, options.default_schema)
    return CaptureResult(captured, record_captured(wiring.lineage.graph, captured, catalog, here=Path.cwd().as_posix()))


def ingest_on_spark(wiring: Wiring, path: str | Path, options: IngestOptions, on_progress: OnProgress) -> IngestReport:
    """A codebase that is read by the workers of a cluster."""
    from forge.connection.lineage.code import root_of
    from forge.flows.lineage.code.ingest import ingest

    place = Path(path)
    return ingest(
        wiring.lineage.ingest(wiring.lineage.spark_readers()),
        place,
        options,
        on_progress,
        root=root_of(wiring.root, place),
    )


def ingest_queries(wiring: Wiring, place: str, options: IngestOptions, column: str | None = None) -> QueryLogResult:
    """A table or file of query texts becomes edges by one Spark job. E816."""
    from forge.flows.lineage.code.ingest import catalog_of
    from forge.flows.lineage.query_log import record_log
    from forge.lineage.extract.codebase import read_sequentially

    edges_of = wiring.lineage.query_log(place, column)
    catalog = catalog_of(wiring.lineage.ingest(read_sequentially), options)
    return record_log(wiring.lineage.graph, place, edges_of(catalog, options.dialect))
