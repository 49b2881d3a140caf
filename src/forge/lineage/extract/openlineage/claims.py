"""Claims of an OpenLineage event.

For each output the first available source counts: its `lineage` facet (of the dataset, else an entry of the job or the
run), its `columnLineage` facet, else every input. Table edges are added for inputs with a column in a facet, and for
inputs that could feed no other output.

DIRECT columns (and INDIRECT conditions and windows of a field) give edges from column to column; columns that affect
rows give edges from column to table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.openlineage.model import (
    EventDataset,
    EventSubject,
    InputTransformation,
    LineageEvent,
    LineageInput,
    NamespacedName,
    TargetInputs,
)
from forge.lineage.extract.openlineage.names import DatasetNaming, job_of, pipeline_of
from forge.lineage.extract.program import MAYBE
from forge.lineage.extract.value import SourceTrace, merge
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind, relationship_of
from forge.lineage.maker import CONSUMES, EXECUTES, PRODUCES
from forge.lineage.node import Entity, NodeType, column_of

EXTRACTOR = "openlineage"

_DIRECT = {
    "": Transformation.UNKNOWN,
    "IDENTITY": Transformation.IDENTITY,
    "TRANSFORMATION": Transformation.TRANSFORMATION,
    "AGGREGATION": Transformation.AGGREGATION,
    "CONDITIONAL": Transformation.CONDITIONAL,
    "WINDOW": Transformation.WINDOW,
    "UNION": Transformation.UNION,
    "GENERATOR": Transformation.GENERATOR,
}
_INDIRECT = {
    "JOIN": IndirectType.JOIN,
    "FILTER": IndirectType.FILTER,
    "GROUP_BY": IndirectType.GROUP_BY,
    "SORT": IndirectType.SORT,
    "WINDOW": IndirectType.WINDOW,
}
# Of one field the standard calls these indirect; here what decides on a value is part of it.
_IN_THE_VALUE = {"CONDITIONAL": Transformation.CONDITIONAL, "WINDOW": Transformation.WINDOW}


@dataclass(frozen=True, slots=True)
class UnclearPart:
    """A part of an event that has no place in the graph."""

    pointer: str
    reason: str


@dataclass(frozen=True, slots=True)
class OutputSources:
    """The sources of one output, and whether they are column-level."""

    by_column: bool
    sources: frozenset[str]


@dataclass(frozen=True, slots=True)
class EventClaims:
    edges: tuple[EdgeClaim, ...] = ()
    nodes: tuple[NodeClaim, ...] = ()
    outputs: Mapping[str, OutputSources] = field(default_factory=dict)  # by the id of the table
    unclear: tuple[UnclearPart, ...] = ()


def claims_of(event: LineageEvent, naming: DatasetNaming) -> EventClaims:
    work = _Claims(event, naming)
    for dataset in event.outputs:
        work.output(dataset)
    outputs = {dataset.name for dataset in event.outputs}
    for entry in event.entries:
        if entry.is_job:
            work.into_job(entry.target, entry.arrival)
        elif entry.target not in outputs and entry.target is not None:
            work.from_facet(work.table(entry.target), entry.arrival)
    work.one_sided()
    return EventClaims(tuple(work.claims()), tuple(work.nodes()), work.fed, tuple(work.unclear))


class _Claims:
    """Collects the edges of one event; duplicates are merged by the rules of `value.merge`."""

    def __init__(self, event: LineageEvent, naming: DatasetNaming) -> None:
        self._event, self._naming = event, naming
        self._datasets = {one.name: one for one in (*event.inputs, *event.outputs)}
        self._direct: dict[tuple[Entity, Entity], SourceTrace] = {}
        self._other: dict[tuple[Entity, Entity, EdgeKind], float | None] = {}
        self._tables: dict[NamespacedName, Entity] = {}
        self._columns: dict[str, set[str]] = {}
        for one in self._datasets.values():
            names = {part.path[0] for part in one.fields or () if len(part.path) == 1}
            self._columns.setdefault(self.table(one.name).id, set()).update(names)
        self.fed: dict[str, OutputSources] = {}
        self.unclear: list[UnclearPart] = []

    def table(self, name: NamespacedName) -> Entity:
        found = self._tables.get(name)
        if found is None:
            known = self._datasets.get(name)
            found = self._tables[name] = self._naming.table(name, known.links if known else ())
        return found

    def output(self, dataset: EventDataset) -> None:
        target = self.table(dataset.name)
        entries = [one.arrival for one in self._event.entries if not one.is_job and one.target == dataset.name]
        arrival = dataset.lineage or (entries[0] if entries else None) or dataset.column_lineage
        if arrival is None:
            self._by_table(target)
            return
        named = self.from_facet(target, arrival)
        if len(self._event.outputs) == 1:  # whatever is read goes there
            self._by_table(target, named=named, by_column=arrival.by_column)

    def _by_table(self, target: Entity, named: frozenset[str] = frozenset(), by_column: bool = False) -> None:
        """With more than one output it is unknown which input feeds which."""
        sure = None if len(self._event.outputs) == 1 or len(self._event.inputs) == 1 else MAYBE
        sources = {self.table(one.name) for one in self._event.inputs}
        for source in sorted(sources):
            self._from_table(source, target, sure)
        self.fed[target.id] = OutputSources(by_column, named | {source.id for source in sources})

    def from_facet(self, target: Entity, arrival: TargetInputs) -> frozenset[str]:
        """Adds the edges of a facet into one output; returns the tables it names."""
        named: set[str] = set()
        for name, inputs in arrival.fields.items():
            column = self._column(target, name)
            for one in inputs:
                named |= self._into_field(one, column, target)
        for one in arrival.whole:
            named |= self._into_table(one, target)
        self.fed[target.id] = OutputSources(arrival.by_column, frozenset(named))
        return self.fed[target.id].sources

    def _into_field(self, one: LineageInput, column: Entity, target: Entity) -> set[str]:
        if one.is_job:
            self._from_job(one, column)
            return set()
        assert one.name is not None
        table = self.table(one.name)
        self._from_table(table, target, None)
        if not one.field:
            self._other[table, column, EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)] = None
            return {table.id}
        source = self._column(table, one.field)
        for given in one.transformations or (InputTransformation(True),):
            if given.direct is not False:
                self._arrives(source, column, self._transformation(given, one), given)
                continue
            inside = _IN_THE_VALUE.get(given.subtype)
            if inside is not None:
                self._arrives(source, column, inside, given)
            if inside is not Transformation.CONDITIONAL:
                self._decides(source, target, given, one)
        return {table.id}

    def _into_table(self, one: LineageInput, target: Entity) -> set[str]:
        if one.is_job:
            self._from_job(one, target)
            return set()
        assert one.name is not None
        table = self.table(one.name)
        self._from_table(table, target, None)
        if one.field:
            source = self._column(table, one.field)
            for given in one.transformations or (InputTransformation(),):
                self._decides(source, target, given, one)
        return {table.id}

    def _arrives(self, source: Entity, target: Entity, how: Transformation, given: InputTransformation) -> None:
        if source.id == target.id and how is Transformation.IDENTITY:
            return  # what was there before stays: nothing arrives
        trace = SourceTrace(how, given.description, given.masking)
        known = self._direct.get((source, target))
        self._direct[source, target] = merge(known, trace) if known else trace

    def _transformation(self, given: InputTransformation, one: LineageInput) -> Transformation:
        found = _DIRECT.get(given.subtype)
        if found is None:
            self._unclear(one, f"DIRECT of the subtype {given.subtype} is not known; the way is recorded as unknown")
        return found or Transformation.UNKNOWN

    def _decides(self, source: Entity, target: Entity, given: InputTransformation, one: LineageInput) -> None:
        subtype = "FILTER" if given.subtype == "CONDITIONAL" else given.subtype
        found = _INDIRECT.get(subtype)
        if found is None:
            what = f"the subtype {given.subtype}" if given.subtype else "no subtype"
            self._unclear(one, f"a column that shapes the rows of a table, with {what}; its table is recorded")
            return
        self._other[source, target, indirect_kind(found)] = None

    def _from_table(self, source: Entity, target: Entity, sure: float | None) -> None:
        if source.id == target.id:
            return  # a table that is changed is read, too
        key = (source, target, EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED))
        if key not in self._other or sure is None:
            self._other[key] = sure

    def _from_job(self, one: LineageInput, target: Entity) -> None:
        job = self._job(one.name)
        if job is not None:
            self._other[job, target, EdgeKind(EdgeType.PRODUCES, None)] = None

    def into_job(self, target: NamespacedName | None, arrival: TargetInputs) -> None:
        job = self._job(target)
        for one in arrival.whole:
            if job is None or one.is_job or one.name is None:
                self._unclear(one, "data that flows from job to job without a dataset has no place in the graph")
                continue
            table = self.table(one.name)
            source = self._column(table, one.field) if one.field else table
            self._other[source, job, EdgeKind(EdgeType.CONSUMES, None)] = None

    def one_sided(self) -> None:
        """A job that only reads is a target; one that only writes is a source. One that does both is connected in
        parallel to the edges between its datasets."""
        event = self._event
        if event.job is None:
            return
        job = job_of(event.job)
        if event.inputs and event.outputs:
            for dataset in event.inputs:
                self._other[self.table(dataset.name), job, CONSUMES] = None
            for dataset in event.outputs:
                self._other[job, self.table(dataset.name), PRODUCES] = None
        if not event.entries and not (event.inputs and event.outputs):
            for dataset in event.inputs:
                self._other[self.table(dataset.name), job, EdgeKind(EdgeType.CONSUMES, None)] = None
            for dataset in event.outputs:
                if not self.fed[self.table(dataset.name).id].sources:
                    self._other[job, self.table(dataset.name), EdgeKind(EdgeType.PRODUCES, None)] = None
        if event.job.parent is not None and event.job.parent != event.job.name:
            self._other[pipeline_of(event.job.parent), job, EXECUTES] = None
        self.fed[job.id] = OutputSources(True, frozenset())  # its inputs are complete

    def _job(self, name: NamespacedName | None) -> Entity | None:
        if name is not None:
            return job_of(name)
        return job_of(self._event.job) if self._event.job is not None else None

    def _column(self, table: Entity, path: str) -> Entity:
        """`address.city` is a field of `address`, unless a column is called so."""
        first, dot, rest = path.partition(".")
        if not dot or not first or not rest or path in self._columns.get(table.id, ()):
            return column_of(table.id, path)
        return column_of(table.id, first, rest)

    def _unclear(self, one: LineageInput, reason: str) -> None:
        self.unclear.append(UnclearPart(one.pointer, reason))

    def claims(self) -> Iterable[EdgeClaim]:
        event = self._event
        basis = Basis.OBSERVED if event.about is EventSubject.RUN else Basis.DECLARED
        file = event.job.location if event.job else ""
        evidence = (Evidence(basis=basis, extractor=EXTRACTOR, file=file, run_id=event.run_id),)
        for (source, target), trace in self._direct.items():
            how, masked = trace.transformation, trace.masking
            kind = EdgeKind(EdgeType.DERIVES_FROM, relationship_of(how, masking=masked))
            yield EdgeClaim(
                source=source,
                target=target,
                kind=kind,
                transformation=how,
                expression=trace.expression,
                masking=masked,
                evidence=evidence,
            )
        for (source, target, kind), sure in self._other.items():
            yield EdgeClaim(source=source, target=target, kind=kind, confidence=sure, evidence=evidence)

    def nodes(self) -> Iterable[NodeClaim]:
        """Tables outside the lake with their columns, and the job. The lake itself knows its tables better."""
        if self._event.job is not None:
            details = {"transform_type": EXTRACTOR, **self._event.job.details}
            yield NodeClaim(job_of(self._event.job), details)
            parent = self._event.job.parent
            if parent is not None and parent != self._event.job.name:
                yield NodeClaim(pipeline_of(parent), {"transform_type": EXTRACTOR})
        for dataset in self._datasets.values():
            table = self.table(dataset.name)
            if table.type is NodeType.TABLE:
                continue
            where = {"namespace": dataset.name.namespace, "connector": dataset.name.namespace.partition(":")[0]}
            yield NodeClaim(table, {**where, **dataset.details})
            for one in dataset.fields or ():
                known = {"data_type": one.type, "description": one.description}
                details = {key: value for key, value in known.items() if value}
                yield NodeClaim(column_of(table.id, one.path[0], ".".join(one.path[1:])), details)
