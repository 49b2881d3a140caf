"""OpenLineage events of a Forge run, as JSON values.

A run is one job, named after the project; each table is a child job named after it, and its checks another. The lake's
datasets have the namespace of the settings; external ones that of their system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.model.errors import ForgeError
from forge.model.names import ColumnName, TableName

Json = dict[str, object]
End = Literal["COMPLETE", "FAIL", "ABORT"]

_SPEC = "https://openlineage.io/spec"
_EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_FACETS = {
    "schema": "1-2-0/SchemaDatasetFacet",
    "columnLineage": "1-2-0/ColumnLineageDatasetFacet",
    "documentation": "1-1-0/DocumentationDatasetFacet",
    "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
    "dataQualityAssertions": "1-1-0/DataQualityAssertionsDatasetFacet",
    "sql": "1-1-0/SQLJobFacet",
    "sourceCodeLocation": "1-1-0/SourceCodeLocationJobFacet",
    "jobType": "2-0-4/JobTypeJobFacet",
    "parent": "1-2-0/ParentRunFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet",
}
# The spec has three direct subtypes; any other is a transformation, and unknown has no subtype.
_DIRECT = {
    Transformation.IDENTITY: "IDENTITY",
    Transformation.AGGREGATION: "AGGREGATION",
    Transformation.UNKNOWN: None,
}
_INDIRECT = {subtype: subtype.name for subtype in IndirectType}


@dataclass(frozen=True, slots=True)
class EventColumn:
    name: str
    type: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class CheckAssertion:
    """A verdict. `success` is None if not measured, which is no success."""

    name: str
    type: str
    success: bool
    column: str = ""
    severity: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSummary:
    """One table of a run. `end`: COMPLETE if published, ABORT if made but held back with others, FAIL if it or its
    checks failed."""

    name: str
    end: End
    edges: tuple[Edge, ...] = ()
    indirect: tuple[IndirectEdge, ...] = ()
    table_edges: tuple[TableEdge, ...] = ()
    inputs: tuple[str, ...] = ()
    columns: tuple[EventColumn, ...] = ()
    rows: int | None = None
    sql: str = ""
    file: str = ""
    description: str = ""
    error: str = ""
    assertions: tuple[CheckAssertion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    id: str
    project: str
    started_at: datetime
    finished_at: datetime
    end: End
    error: str = ""
    tables: tuple[TableSummary, ...] = ()
    columns: Mapping[str, tuple[EventColumn, ...]] = field(default_factory=dict)  # of tables that are read


def events_of(run: RunSummary, namespace: str, version: str) -> tuple[Json, ...]:
    return tuple(_Events(run, namespace, f"urn:forge:{version}").all())


class _Events:
    def __init__(self, run: RunSummary, namespace: str, producer: str) -> None:
        self._run, self._namespace, self._producer = run, namespace, producer

    def all(self) -> Iterable[Json]:
        """All that begins before all that ends, as it was."""
        run = self._run
        job = self._job(run.project, "RUN")
        yield self._event("START", job, self._run_of(""), (), ())
        for table in run.tables:
            yield self._event("START", *self._of_table(table, started=True))
        for table in run.tables:
            yield self._event(table.end, *self._of_table(table))
            if table.assertions:
                yield from self._checks(table)
        yield self._event(run.end, job, self._run_of("", run.error), (), ())

    def _of_table(self, table: TableSummary, *, started: bool = False) -> tuple[Json, Json, list[Json], list[Json]]:
        facets: Json = {}
        if table.sql:
            facets["sql"] = self._facet("sql", query=table.sql, dialect="spark")
        if table.file:
            place = f"urn:forge:file:{table.file}"
            facets["sourceCodeLocation"] = self._facet("sourceCodeLocation", type="git", url=place, path=table.file)
        job = self._job(table.name, "TABLE", facets)
        inputs = [self._dataset(name, self._schema(self._run.columns.get(name, ()))) for name in _inputs(table)]
        output = self._dataset(table.name, {} if started or table.end != "COMPLETE" else self._made(table))
        if not started and table.end == "COMPLETE" and table.rows is not None:
            output["outputFacets"] = {"outputStatistics": self._facet("outputStatistics", rowCount=table.rows)}
        return job, self._run_of(table.name, "" if started else table.error), inputs, [output]

    def _checks(self, table: TableSummary) -> Iterable[Json]:
        """The spec has assertions on the inputs of a job."""
        job, name = self._job(f"{table.name}.checks", "CHECKS"), f"{table.name}.checks"
        dataset = self._dataset(table.name, {})
        assertions = [_assertion(one) for one in table.assertions]
        dataset["inputFacets"] = {"dataQualityAssertions": self._facet("dataQualityAssertions", assertions=assertions)}
        yield self._event("START", job, self._run_of(name), [self._dataset(table.name, {})], ())
        yield self._event("COMPLETE", job, self._run_of(name), [dataset], ())

    def _event(self, state: str, job: Json, run: Json, inputs: Sequence[Json], outputs: Sequence[Json]) -> Json:
        at = self._run.started_at if state == "START" else self._run.finished_at
        return {
            "eventType": state,
            "eventTime": at.isoformat().replace("+00:00", "Z"),
            "producer": self._producer,
            "schemaURL": _EVENT,
            "run": run,
            "job": job,
            "inputs": list(inputs),
            "outputs": list(outputs),
        }

    def _job(self, name: str, kind: str, facets: Json | None = None) -> Json:
        type_ = self._facet("jobType", processingType="BATCH", integration="FORGE", jobType=kind)
        return {"namespace": self._namespace, "name": name, "facets": {"jobType": type_, **(facets or {})}}

    def _run_of(self, part: str, error: str = "") -> Json:
        facets: Json = {}
        if part:
            above = {"namespace": self._namespace, "name": self._run.project}
            facets["parent"] = self._facet("parent", run={"runId": self._run_id("")}, job=above)
        if error:
            facets["errorMessage"] = self._facet("errorMessage", message=error, programmingLanguage="PYTHON")
        return {"runId": self._run_id(part), "facets": facets}

    def _run_id(self, part: str) -> str:
        """A deterministic UUID, as the spec requires one."""
        return str(uuid5(NAMESPACE_URL, f"urn:forge:run:{self._run.project}:{self._run.id}:{part}"))

    def _dataset(self, name: str, facets: Json) -> Json:
        namespace, short = dataset_of(name, self._namespace)
        return {"namespace": namespace, "name": short, "facets": facets}

    def _made(self, table: TableSummary) -> Json:
        facets = self._schema(table.columns)
        if table.description:
            facets["documentation"] = self._facet("documentation", description=table.description)
        if table.edges or table.indirect:
            facets["columnLineage"] = self._column_lineage(table)
        return facets

    def _schema(self, columns: Sequence[EventColumn]) -> Json:
        fields = []
        for number, column in enumerate(columns, 1):
            known = {"type": column.type, "description": column.description}
            attributes = {key: value for key, value in known.items() if value}
            fields.append({"name": column.name, **attributes, "ordinal_position": number})
        return {"schema": self._facet("schema", fields=fields)} if fields else {}

    def _column_lineage(self, table: TableSummary) -> Json:
        fields: dict[str, dict[str, list[Json]]] = {}
        for edge in table.edges:
            target = f"{edge.target.column}.{edge.target.field}" if edge.target.field else edge.target.column
            transformation: Json = {"type": "DIRECT", "masking": edge.masking}
            subtype = _DIRECT.get(edge.transformation, "TRANSFORMATION")
            if subtype is not None:
                transformation["subtype"] = subtype
            if edge.expression:
                transformation["description"] = edge.expression
            fields.setdefault(target, {"inputFields": []})["inputFields"].append(
                self._input(edge.source, transformation)
            )
        whole = []
        for one in table.indirect:
            transformation = {"type": "INDIRECT", "subtype": _INDIRECT[one.subtype], "masking": False}
            whole.append(self._input(one.source, transformation))
        return self._facet("columnLineage", fields=fields, dataset=whole)

    def _input(self, source: ColumnName, transformation: Json) -> Json:
        namespace, name = dataset_of(source.table, self._namespace)
        column = f"{source.column}.{source.field}" if source.field else source.column
        return {"namespace": namespace, "name": name, "field": column, "transformations": [transformation]}

    def _facet(self, name: str, **values: object) -> Json:
        version, _, title = _FACETS[name].partition("/")
        url = f"{_SPEC}/facets/{version}/{title}.json#/$defs/{title}"
        return {"_producer": self._producer, "_schemaURL": url, **values}


def _inputs(table: TableSummary) -> list[str]:
    named = {edge.source.table for edge in table.edges} | {edge.source.table for edge in table.indirect}
    named |= {edge.source for edge in table.table_edges} | set(table.inputs)
    return sorted(named)


def _assertion(one: CheckAssertion) -> Json:
    known = {"column": one.column, "severity": one.severity, "name": one.name, "description": one.message}
    return {"assertion": one.type, "success": one.success, **{key: value for key, value in known.items() if value}}


_SYSTEMS = {"postgresql": "postgres", "files": "file"}


def dataset_of(name: str, namespace: str) -> tuple[str, str]:
    """Namespace and name of a table of the graph, in the words of the standard."""
    try:
        return namespace, str(TableName.parse(name))
    except ForgeError:
        pass
    scheme, there, rest = name.partition("://")
    if there and ":" in rest and "/" in rest.rpartition(":")[0]:  # a database behind JDBC: host/database:schema.table
        place, _, table = rest.rpartition(":")
        host, _, database = place.partition("/")
        return f"{_SYSTEMS.get(scheme, scheme)}://{host}", f"{database}.{table}"
    if there:  # a path of a store of files
        bucket, _, path = rest.partition("/")
        return (f"{scheme}://{bucket}", path) if path else (scheme, bucket)
    if name.startswith("/"):
        return "file", name
    system, colon, rest = name.partition(":")
    if not colon or not rest:
        return "file" if "/" in name else namespace, name
    kind, at, host = system.partition("@")
    return (f"{kind}://{host}" if at else _SYSTEMS.get(system, system)), rest
