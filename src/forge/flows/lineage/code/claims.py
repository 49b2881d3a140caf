"""Claims from one source file: edges from table to table, and the intermediate relations (CTEs, temporary views,
DataFrame variables), which are hidden by default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from forge.flows.lineage.code.records import file_id
from forge.lineage.edge import Edge
from forge.lineage.extract.definition import TableDefinition
from forge.lineage.extract.flatten import FlatStep, edges_of, flatten_steps, table_edges_of
from forge.lineage.extract.program import RESOLVED, OutputKind, Program, ProgramStep
from forge.lineage.extract.value import ColumnValue, SourceTrace
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import CONFIDENCE, Basis, Evidence
from forge.lineage.facts.fact import EdgeKey
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind, relationship_of
from forge.lineage.maker import maker_edges, transform_of
from forge.lineage.node import Entity, NodeType, column_of, table_of
from forge.model.names import ColumnName

INSIDE = "code:"  # before the names of what exists only inside a file
_CATALOGS = ("forge.", "spark_catalog.")
_TEXT = 500  # characters of a statement that are kept


@dataclass(frozen=True, slots=True)
class CodeClaims:
    nodes: tuple[NodeClaim, ...]
    edges: tuple[EdgeClaim, ...]
    direct: int  # edges from column to column


def claims_of_program(program: Program, root: str = "") -> CodeClaims:
    """`root`: prefix of file names in the graph."""
    claims = _Claims(program, root)
    for definition in program.definitions:
        claims.define(definition)
    for step in program.steps:
        claims.between(step)
    for step, joined in flatten_steps(program.steps):
        claims.made(step, joined)
    for edge in program.edges:
        claims.edge(edge)
    for node in program.nodes:
        claims.node(node.entity, dict(node.details))
    return claims.finish()


def name_in_lake(name: str) -> str:
    """Spark writes its catalog before the names of tables, the lake does not."""
    for before in _CATALOGS:
        if name.startswith(before):
            return name.removeprefix(before)
    return name


class _Claims:
    def __init__(self, program: Program, root: str) -> None:
        self.program = program
        self.root = root
        self.hidden = {step.target for step in program.steps if not step.made.real}
        self.nodes: dict[str, NodeClaim] = {}
        self.edges: dict[EdgeKey, EdgeClaim] = {}

    def finish(self) -> CodeClaims:
        direct = sum(c.kind.type is EdgeType.DERIVES_FROM and bool(c.target.owner) for c in self.edges.values())
        return CodeClaims(tuple(self.nodes.values()), tuple(self.edges.values()), direct)

    def define(self, one: TableDefinition) -> None:
        name = name_in_lake(one.name)
        kind = NodeType.VIEW if one.kind == "view" else NodeType.TABLE
        details: dict[str, object] = {"kind": one.kind, "source_file": self._file(one.file)}
        if one.line:
            details["source_line"] = one.line
        if one.primary_key:
            details["primary_key"] = list(one.primary_key)
        if one.foreign_keys:
            details["foreign_keys"] = [
                {
                    "columns": list(key.columns),
                    "table": name_in_lake(key.table),
                    "references": list(key.references),
                    "places": [f"{self._file(one.file)}:{one.line}" if one.line else self._file(one.file)],
                }
                for key in one.foreign_keys
            ]
        self.node(table_of(name, kind), details)
        for column in one.columns:
            known: dict[str, object] = {"data_type": column.type} if column.type else {}
            if not one.inferred:
                known["nullable"] = column.nullable
            self.node(column_of(name, column.name), known)

    def between(self, step: ProgramStep) -> None:
        """A step that makes something in between, or reads it."""
        if not step.made.real:
            details = {
                "kind": str(step.made),
                "label": step.label or step.target,
                "source_file": self._file(step.file),
                "source_line": step.line,
            }
            self.node(self._table(step.target), details)
        for name, value in step.columns.items():
            if not step.made.real:
                self.node(column_of(self._name(step.target), name), {})
            for source, trace in _leaves(value):
                if source.table in self.hidden or not step.made.real:
                    self._pass(step, source, name, trace)

    def _pass(self, step: ProgramStep, source: ColumnName, name: str, trace: SourceTrace) -> None:
        self.edge(
            EdgeClaim(
                source=self._column(source),
                target=column_of(self._name(step.target), name),
                kind=EdgeKind(EdgeType.PASSES, None),
                transformation=trace.transformation,
                expression=trace.expression,
                masking=trace.masking,
                confidence=min(trace.confidence, RESOLVED),
                evidence=(self._evidence(step, trace.confidence),),
            )
        )

    def made(self, step: ProgramStep, joined: FlatStep) -> None:
        """A step that makes something real, in terms of tables."""
        if step.made in (OutputKind.VIEW, OutputKind.FILE):
            self.node(
                self._table(step.target, step.made), {"kind": str(step.made), "source_file": self._file(step.file)}
            )
        for table in joined.reads:
            if _is_outside(table):
                self.node(self._table(table, OutputKind.FILE), {})
        linked: set[str] = set()
        for edge in edges_of(step, joined):
            linked.add(edge.source.table)
            self._direct(step, edge)
        for source, subtype in joined.shaped:
            linked.add(source.table)
            evidence = (self._evidence(step, RESOLVED),)
            target = self._table(step.target, step.made)
            self.edge(
                EdgeClaim(
                    source=self._column(source),
                    target=target,
                    kind=indirect_kind(subtype),
                    confidence=RESOLVED,
                    evidence=evidence,
                )
            )
        for one in table_edges_of(step, joined):
            if one.source not in linked and one.source != one.target:
                self._of_tables(step, one.source, one.confidence)
        self._made_by(step, {*linked, *joined.reads} - self.hidden)

    def _made_by(self, step: ProgramStep, reads: set[str]) -> None:
        """The transform of one table, and the file, which runs all of its transforms."""
        file, table = self._file(step.file), self._table(step.target, step.made)
        evidence = (self._evidence(step, RESOLVED),)
        tables = (
            self._table(name, OutputKind.FILE if _is_outside(name) else None) for name in reads if name != step.target
        )
        maker = transform_of(
            name_in_lake(step.transform) or f"{file}#{table.id}", table, tables, file, step.line, evidence
        )
        pipeline = NodeClaim(Entity(NodeType.PIPELINE, file), {"transform_type": self.program.language, **_in(file)})
        for claim in maker_edges(replace(maker, pipeline=None if step.transform else pipeline)):
            self.edge(claim)
        self.node(maker.entity, dict(maker.details))
        if not step.transform:
            self.node(pipeline.entity, dict(pipeline.details))

    def _direct(self, step: ProgramStep, edge: Edge) -> None:
        self.edge(
            EdgeClaim(
                source=self._column(edge.source),
                target=self._column(edge.target),
                kind=EdgeKind(EdgeType.DERIVES_FROM, relationship_of(edge.transformation, masking=edge.masking)),
                transformation=edge.transformation,
                expression=edge.expression,
                masking=edge.masking,
                confidence=edge.confidence,
                evidence=(self._evidence(step, edge.confidence),),
            )
        )

    def _of_tables(self, step: ProgramStep, source: str, confidence: float) -> None:
        kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)
        self.edge(
            EdgeClaim(
                source=self._table(source),
                target=self._table(step.target, step.made),
                kind=kind,
                confidence=confidence,
                evidence=(self._evidence(step, confidence),),
            )
        )

    def _evidence(self, step: ProgramStep, confidence: float) -> Evidence:
        basis = next((one for one in (Basis.RESOLVED, Basis.POSITION) if confidence >= CONFIDENCE[one]), Basis.GUESSED)
        return Evidence(
            basis=basis,
            extractor=self.program.language,
            file=self._file(step.file),
            line=step.line,
            statement=_short(step.statement),
        )

    def edge(self, claim: EdgeClaim) -> None:
        """The same edge seen at two places has the evidence of both."""
        before = self.edges.get(claim.key)
        if before is not None:
            best, other = (before, claim) if before.sure >= claim.sure else (claim, before)
            places = tuple(dict.fromkeys((*best.evidence, *other.evidence)))
            claim = replace(best, evidence=places)
        self.edges[claim.key] = claim

    def node(self, entity: Entity, details: dict[str, object]) -> None:
        before = self.nodes.get(entity.id)
        if before is None or len(before.details) < len(details):
            self.nodes[entity.id] = NodeClaim(entity, details)

    def _file(self, file: str) -> str:
        return file_id(self.root, file)

    def _name(self, table: str) -> str:
        return f"{INSIDE}{self._file(self.program.file)}#{table}" if table in self.hidden else name_in_lake(table)

    def _table(self, table: str, made: OutputKind | None = None) -> Entity:
        if made is OutputKind.VIEW:
            return table_of(self._name(table), NodeType.VIEW)
        outside = made is OutputKind.FILE or (table not in self.hidden and _is_outside(table))
        return table_of(self._name(table), NodeType.EXTERNAL if outside else NodeType.TABLE)

    def _column(self, column: ColumnName) -> Entity:
        return column_of(self._name(column.table), column.column, column.field)


def _leaves(value: ColumnValue) -> Iterator[tuple[ColumnName, SourceTrace]]:
    yield from value.sources.items()
    for member in value.members.values():
        yield from _leaves(member)


def _in(file: str) -> dict[str, object]:
    return {"source_file": file} if file else {}


def _is_outside(table: str) -> bool:
    return "/" in table or ":" in table


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT else f"{line[: _TEXT - 1]}…"
