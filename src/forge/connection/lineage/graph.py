"""`forge.connect().lineage`: upstream, downstream and impact of tables and columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING, Unpack

from forge.connection.lineage.arguments import (
    EdgeArguments,
    LineageSubject,
    NodeDeclaration,
    WalkArguments,
    Words,
    read_edge,
    read_nodes,
    read_subject,
    read_words,
    walk_options,
)
from forge.connection.tabular import TabularTuple
from forge.flows.lineage.reader import GraphReader, open_graph, state_of
from forge.flows.quality.incidents.impact import lake_table
from forge.lineage.node import Node, NodeType
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from forge.connection.lineage.ingest_result import IngestResult
    from forge.connection.lineage.results import (
        DeclaredFile,
        DiffResult,
        EventFile,
        ImportedAssets,
        ImportedFile,
        OrderResult,
        PropagationResult,
    )
    from forge.connection.lineage.spark import CaptureResult
    from forge.flows.lineage.code.records import SourceRecord
    from forge.flows.lineage.ports import LineagePorts
    from forge.flows.lineage.query_log import QueryLogResult
    from forge.flows.lineage.records import RecordOrigin
    from forge.flows.lineage.write import ProcessDefinition
    from forge.lineage.agreement import SparkAgreement
    from forge.lineage.erd.diagram import Erd
    from forge.lineage.facts.claim import WriteCounts
    from forge.lineage.facts.fact import EdgeVersion
    from forge.lineage.graph.request import Direction, WalkDirection
    from forge.lineage.graph.store import Snapshot
    from forge.lineage.graph.traversal import Path, Traversal
    from forge.lineage.impact.report import ImpactReport
    from forge.lineage.stats import GraphStats
    from forge.wiring import Wiring


@dataclass(frozen=True, slots=True)
class ProjectLineage:
    """Names are ids (`core.orders.amount`) or their ends (`orders.amount`), and may say of when: `core.orders@HEAD~1`.
    `at` is a time, the name of a snapshot, a branch, a tag, a commit or HEAD~2; without it, now."""

    wiring: Wiring
    branch: BranchName

    @property
    def _ports(self) -> LineagePorts:
        return self.wiring.lineage.graph

    def look(self, at: str | None = None) -> GraphReader:
        """The graph of one time or commit."""
        return open_graph(self._ports, at, self.branch)

    def _at(self, name: str, at: str | None) -> tuple[GraphReader, str]:
        subject = read_subject(name)
        if subject.at and self._ports.store.numbers([name.strip()]):
            return self.look(at), name.strip()  # a dataset that was declared with its version
        return self.look(at or self._revision(subject) or None), subject.name

    def _revision(self, subject: LineageSubject) -> str:
        """`core.orders.amount@v12` is as of the commit that gave the table this version."""
        table = lake_table(".".join(subject.name.split(".")[:2]))
        if table is None or not re.fullmatch(r"v\d+", subject.at):
            return subject.at
        from forge.flows.versioning.read import commit_at

        return commit_at(self.wiring.metadata, subject.at, self.branch, table).id

    # walks

    def upstream(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkArguments]
    ) -> Traversal:
        """What it comes from."""
        return self._walk(table, column, "upstream", at, options)

    def downstream(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkArguments]
    ) -> Traversal:
        """What comes from it."""
        return self._walk(table, column, "downstream", at, options)

    def both(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkArguments]
    ) -> Traversal:
        """Both directions."""
        return self._walk(table, column, "both", at, options)

    def column(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkArguments]
    ) -> Traversal:
        """The columns it comes from and goes to, with how each hop is made."""
        return self._walk(table, column, "both", at, _with({"node_types": "column,field"}, options))

    def table(
        self, table: str, *, columns: bool = False, at: str | None = None, **options: Unpack[WalkArguments]
    ) -> Traversal:
        """The tables it comes from and goes to; with `columns`, their columns."""
        return self._walk(table, None, "both", at, _with({"level": "column" if columns else "table"}, options))

    def _walk(
        self, table: str, column: str | None, direction: WalkDirection, at: str | None, options: WalkArguments
    ) -> Traversal:
        view, name = self._at(table, at)
        return view.walk(name, column, direction=direction, **walk_options(**options))

    def explain(
        self,
        table: str,
        column: str | None = None,
        *,
        direction: WalkDirection = "upstream",
        at: str | None = None,
        **options: Unpack[WalkArguments],
    ) -> tuple[str, ...]:
        """The same in sentences: sources, the commits they were read at, outcomes of their checks, who owns them."""
        from forge.flows.lineage.explain import explain_walk

        view, name = self._at(table, at)
        return explain_walk(view, view.walk(name, column, direction=direction, **walk_options(**options)))

    def paths(
        self,
        source: str,
        target: str,
        count: int = 3,
        *,
        depth: int | None = None,
        min_confidence: float | None = None,
        indirect: bool = False,
        at: str | None = None,
    ) -> TabularTuple[Path]:
        """The most confident paths from one to the other, best first."""
        view, start = self._at(source, at)
        end = target.strip() if view.store.numbers([target.strip()]) else read_subject(target).name
        return TabularTuple(
            view.paths(start, end, count=count, depth=depth, min_confidence=min_confidence, indirect=indirect)
        )

    # single things

    def find(self, name: str, *, at: str | None = None) -> Node:
        view, known = self._at(name, at)
        return view.find(known)

    def search(self, text: str, types: Words = (), *, limit: int = 50, after: str = "") -> TabularTuple[Node]:
        """Entities whose name holds all words of the text."""
        kinds = read_words(NodeType, types, "type of node")
        return TabularTuple(self.look().search(text, kinds, limit=limit, after=after))

    def edge(self, edge_id: str, *, at: str | None = None) -> EdgeVersion:
        """With its evidence and who says it."""
        return self.look(at).edge(edge_id)

    def history(self, edge_id: str) -> TabularTuple[EdgeVersion]:
        """All that an edge ever was, oldest first."""
        return TabularTuple(self.look().lives(edge_id))

    # snapshots

    def snapshot(self, name: str, *, at: str | None = None, description: str = "") -> Snapshot:
        """Name the graph as it is now, or at a time. It costs a row, not a copy."""
        from forge.flows.lineage.snapshots import save_snapshot

        return save_snapshot(self._ports, name, at, description)

    def snapshots(self) -> TabularTuple[Snapshot]:
        from forge.flows.lineage.snapshots import list_snapshots

        return TabularTuple(list_snapshots(self._ports))

    def drop_snapshot(self, name: str) -> None:
        """The name only: what the lineage was then stays known."""
        from forge.flows.lineage.snapshots import drop_snapshot

        drop_snapshot(self._ports, name)

    def diff(self, a: str | None, b: str | None = None) -> DiffResult:
        """What changed from one time, snapshot, branch or commit to another (default: now)."""
        from forge.connection.lineage.results import DiffResult
        from forge.flows.lineage.snapshots import diff

        return DiffResult.of(diff(self._ports, a, b))

    # the whole graph

    def order(self, *, columns: bool = False, at: str | None = None) -> OrderResult:
        """What must be made before what; what depends on itself in a circle is one step."""
        from forge.connection.lineage.results import OrderResult
        from forge.lineage.graph.order import dependency_order

        state = state_of(self.look(at))
        lift = None if columns else (lambda name: state.nodes[name].table or name)
        return OrderResult.of(dependency_order(state.links(), lift=lift))

    def stats(self, *, at: str | None = None) -> GraphStats:
        """The graph in numbers."""
        from forge.lineage.stats import stats_of

        return stats_of(state_of(self.look(at)))

    def erd(self, schema: str | None = None, *, at: str | None = None) -> Erd:
        """The tables of a schema (or all), their columns and keys, and how they hang together: `.to_mermaid()`,
        `.to_dot()`, `.to_svg()`, a picture in a notebook."""
        from forge.flows.lineage.erd import find_erd

        return find_erd(self.look(at), schema)

    def propagate(
        self,
        *names: str,
        property: str = "",
        direction: Direction = "downstream",
        masking: bool = True,
        aggregation: bool = False,
        min_confidence: float | None = None,
        indirect: bool = False,
        at: str | None = None,
    ) -> PropagationResult:
        """Where a property (a tag, a class of personal data, an incident) goes along the edges. `masking` and
        `aggregation` say whether these stop it."""
        from forge.connection.lineage.results import PropagationResult
        from forge.lineage.graph.propagate import PropagationRule, propagate

        view = self.look(at)
        least = view.edges_taken(min_confidence).min_confidence
        state = state_of(view)
        tables = {node.id: node.table for node in state.nodes.values() if node.column is not None}
        starts = {view.find(name).id for name in names}
        origins = starts | {column for column, table in tables.items() if table in starts}
        rule = PropagationRule(masking, aggregation, least, indirect)
        return PropagationResult.of(
            propagate(state.links(), origins, property=property, direction=direction, rule=rule, tables=tables)
        )

    def impact(
        self,
        name: str,
        change: str = "drop",
        to: str | None = None,
        *,
        depth: int | None = None,
        min_confidence: float | None = None,
        at: str | None = None,
    ) -> ImpactReport:
        """What a change would break: drop, rename, type, add, drop-table, location, permission, format, schema or
        semantics; `to` is the new name or type."""
        from forge.flows.lineage.impact import report_impact
        from forge.lineage.impact.change import ProposedChange

        view, entity = self._at(name, at)
        return report_impact(view, ProposedChange.of(change, entity, to), depth=depth, min_confidence=min_confidence)

    def impact_schema(self, table: str, changes: Iterable[tuple[str, ...]], *, at: str | None = None) -> ImpactReport:
        """Changes of one table in one report: `[("drop", "note"), ("type", "amount", "bigint")]`."""
        from forge.flows.lineage.impact import report_schema
        from forge.lineage.impact.change import ProposedChange

        view, name = self._at(table, at)
        return report_schema(view, name, [ProposedChange.of(*change) for change in changes])

    def trace(
        self,
        table: str,
        where: Mapping[str, object],
        *,
        column: str | None = None,
        depth: int = 5,
        at: str | None = None,
    ) -> RecordOrigin:
        """Where one record came from: the rows of its sources with the values that were copied."""
        from forge.flows.lineage.records import trace_record

        subject = read_subject(table)
        values = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in where.items()}
        return trace_record(
            self.wiring.versioning.ports(),
            TableName.parse(subject.name),
            values,
            at=at or subject.at or "HEAD",
            column=column,
            depth=depth,
            current=self.branch,
        )

    # what is declared

    def record(
        self,
        source: str,
        target: str,
        *,
        nodes: Iterable[NodeDeclaration] = (),
        reason: str = "",
        actor: str | None = None,
        **attributes: Unpack[EdgeArguments],
    ) -> WriteCounts:
        """Declare an edge. Both ends must be known, or stand in `nodes` (`dashboard:revenue`). Its attributes:
        type="derives_from", relationship, transformation, indirect, expression, masking, confidence, valid_from,
        valid_to, metadata."""
        from forge.flows.lineage.write import record_edges

        ports = self._ports
        declared = read_nodes(nodes)
        claim = read_edge(open_graph(ports), source, target, declared, **attributes)
        return record_edges(ports, [claim], declared, actor=actor, reason=reason)

    def close(self, edge_id: str, *, reason: str = "", actor: str | None = None) -> WriteCounts:
        """Take back what was declared by hand. The edge stays in the history."""
        from forge.flows.lineage.write import close_edge

        return close_edge(self._ports, edge_id, actor=actor, reason=reason)

    def record_derivation(
        self,
        source: str,
        target: str,
        transformation: ProcessDefinition | str | Mapping[str, object],
        actor: str | None = None,
    ) -> WriteCounts:
        """`target` was made from `source` (each a dataset, `core.orders@v3` for one version of it, or a column) by a
        transformation: `dedupe@2`, or its name, version, parameters and code_hash."""
        from forge.flows.lineage.write import record_derivation

        return record_derivation(self._ports, source, target, transformation, actor)

    def record_anonymization(
        self, source: str, target: str, policy: ProcessDefinition | str | Mapping[str, object], actor: str | None = None
    ) -> WriteCounts:
        """`target` holds what is in `source`, made anonymous under a policy: what is personal ends there."""
        from forge.flows.lineage.write import record_anonymization

        return record_anonymization(self._ports, source, target, policy, actor)

    # code

    def ingest(
        self,
        path: str | File,
        *,
        db: str | None = None,
        default_schema: str | None = None,
        schema: str | File | Mapping[str, Mapping[str, str]] | None = None,
        dialect: str = "spark",
        again: bool = False,
    ) -> IngestResult:
        """Read code into the graph: a file, or a folder of SQL, Python, notebooks and dbt; and what lies there of YAML
        files of edges, OpenLineage events and exports. What did not change since the last time is not read again.
        E816, E817, E822."""
        from forge.connection.lineage.code import ingest_code, options_of
        from forge.connection.lineage.ingest_result import IngestResult

        done = ingest_code(self.wiring, path, options_of(db, default_schema, schema, dialect, again=again))
        return IngestResult.of(done)

    def sources(self) -> TabularTuple[SourceRecord]:
        """The files of code that were read, how much of each was understood, and what was not."""
        return TabularTuple(self.wiring.lineage.sources.sources())

    def ingest_queries(
        self,
        place: str,
        *,
        text: str | None = None,
        db: str | None = None,
        default_schema: str | None = None,
        schema: str | File | Mapping[str, Mapping[str, str]] | None = None,
        dialect: str = "spark",
    ) -> QueryLogResult:
        """A table or file of query texts becomes edges by one Spark job; `text` is the column of the texts. E816."""
        from forge.connection.lineage.code import options_of
        from forge.connection.lineage.spark import ingest_queries

        return ingest_queries(self.wiring, place, options_of(db, default_schema, schema, dialect), text)

    def verify(
        self,
        *paths: str | File,
        schema: str | File | Mapping[str, Mapping[str, str]] | None = None,
        dialect: str = "spark",
    ) -> SparkAgreement:
        """Every SQL statement of files, as it was read, against Spark's own analyser. Nothing is written. E816."""
        from forge.connection.lineage.code import options_of
        from forge.connection.lineage.spark import verify_code

        return verify_code(self.wiring, paths, options_of(schema=schema, dialect=dialect))

    def capture(self, script: str | File, *arguments: str) -> CaptureResult:
        """Run a PySpark script unchanged and record what it really read and wrote. E816."""
        from forge.connection.lineage.code import options_of
        from forge.connection.lineage.spark import capture_script

        return capture_script(self.wiring, script, arguments, options_of())

    # the record as a file

    def export_lines(self) -> Iterator[str]:
        """The whole record with its history, a JSON object a line."""
        from forge.lineage.exchange import write_export

        return write_export(self.look().ports.store)

    def export(self, file: str | File) -> int:
        """Write the whole record to a file, whole or not at all; how many lines it has."""
        target = File(file)
        draft = target.with_name(f".{target.name}.part")
        lines = 0
        try:
            with draft.open("w", encoding="utf-8") as out:
                for line in self.export_lines():
                    out.write(line + "\n")
                    lines += 1
            draft.replace(target)
        except OSError as error:
            why = f"{error.strerror or error}."
            raise ForgeError(
                "E813", f"{target} cannot be written", where=str(target), why=why, fix="Name a folder that exists."
            ) from error
        finally:
            draft.unlink(missing_ok=True)
        return lines

    def import_(self, file: str | File) -> ImportedFile:
        """Add what an export has and this record lacks. Again, it changes nothing."""
        from forge.connection.lineage.imports import import_export_file

        return import_export_file(self.wiring, file)

    # imports

    def import_declared(self, file: str | File) -> DeclaredFile:
        """Edges that people wrote into a YAML file, replacing its previous content. E820 with all its faults."""
        from forge.connection.lineage.imports import import_declared_file

        return import_declared_file(self.wiring, file)

    def import_events(self, file: str | File) -> EventFile:
        """Events of OpenLineage: one in each line, or one, or a list. One that is malformed keeps back no other."""
        from forge.connection.lineage.imports import import_event_file

        return import_event_file(self.wiring, file)

    def import_dagster(
        self, target: str | File, *, job: str | None = None, run_id: str | None = None
    ) -> ImportedAssets:
        """The assets of a Dagster instance (the folder DAGSTER_HOME), of one job or run of it; or those that a code
        location defines (a Python file, or a module by its name), whose code is then run. E819."""
        from forge.connection.lineage.imports import import_dagster

        return import_dagster(self.wiring, target, job=job, run_id=run_id)


def _with(first: WalkArguments, options: WalkArguments) -> WalkArguments:
    return {**first, **options}
