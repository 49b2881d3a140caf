"""The OpenLineage events of a run: what they say, and that the standard's own client would write them so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import pytest
from openlineage.client import facet_v2 as facets
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.serde import Serde

from forge.lineage.edge import Edge, Indirect, IndirectEdge, TableEdge, Transformation
from forge.lineage.extract.openlineage import Naming, claims_of, read_event
from forge.lineage.openlineage_out import Assertion, Column, RunTold, TableTold, dataset_of, events_of
from forge.model.names import ColumnName

BEGIN, END = (datetime(2026, 11, 16, 8, minute, tzinfo=UTC) for minute in (0, 5))
DAILY = TableTold(
    "marts.daily",
    "COMPLETE",
    (
        Edge(
            ColumnName("core.orders", "amount"),
            ColumnName("marts.daily", "total"),
            Transformation.AGGREGATION,
            "sum(amount)",
        ),
        Edge(
            ColumnName("core.orders", "mail"),
            ColumnName("marts.daily", "who"),
            Transformation.TRANSFORMATION,
            "sha2(mail)",
            True,
        ),
        Edge(ColumnName("core.orders", "day"), ColumnName("marts.daily", "day")),
        Edge(ColumnName("core.orders", "home", "city"), ColumnName("marts.daily", "at", "city")),
        Edge(ColumnName("core.orders", "x"), ColumnName("marts.daily", "y"), Transformation.UNKNOWN, "f(x)"),
    ),
    (IndirectEdge(ColumnName("core.orders", "day"), "marts.daily", Indirect.GROUP_BY),),
    (TableEdge("core.orders", "marts.daily"), TableEdge("core.days", "marts.daily")),
    ("core.orders",),
    (Column("total", "decimal(12,2)", "All of a day"), Column("who", "string")),
    12,
    "SELECT sum(amount) …",
    "transforms/marts/daily.sql",
    "Sales of a day",
    assertions=(
        Assertion("daily.unique", "unique", True, "day", "error"),
        Assertion("daily.rows", "row_count", False, severity="warning", message="none"),
    ),
)
BAD = TableTold("marts.bad", "FAIL", inputs=("core.orders",), error="It is blocked")
RUN = RunTold(
    "r1",
    "shop",
    BEGIN,
    END,
    "FAIL",
    "marts.bad: It is blocked",
    (DAILY, BAD),
    {"core.orders": (Column("amount", "int"),)},
)


def all_events() -> tuple[dict[str, Any], ...]:
    return events_of(RUN, "forge", "0.1.0")


def of_job(name: str, state: str) -> dict[str, Any]:
    (found,) = (one for one in all_events() if (one["job"]["name"], one["eventType"]) == (name, state))
    return found


_CLASSES: Mapping[str, tuple[ModuleType, str]] = {
    "schema": (facets.schema_dataset, "SchemaDatasetFacet"),
    "columnLineage": (facets.column_lineage_dataset, "ColumnLineageDatasetFacet"),
    "documentation": (facets.documentation_dataset, "DocumentationDatasetFacet"),
    "outputStatistics": (facets.output_statistics_output_dataset, "OutputStatisticsOutputDatasetFacet"),
    "dataQualityAssertions": (facets.data_quality_assertions_dataset, "DataQualityAssertionsDatasetFacet"),
    "sql": (facets.sql_job, "SQLJobFacet"),
    "sourceCodeLocation": (facets.source_code_location_job, "SourceCodeLocationJobFacet"),
    "jobType": (facets.job_type_job, "JobTypeJobFacet"),
    "parent": (facets.parent_run, "ParentRunFacet"),
    "errorMessage": (facets.error_message_run, "ErrorMessageRunFacet"),
}


def _facet(name: str, told: dict[str, Any]) -> Any:
    """The same by the client's class, which knows what is needed and what there is."""
    module, title = _CLASSES[name]
    values = {key: value for key, value in told.items() if not key.startswith("_")}
    if name == "schema":
        values["fields"] = [module.SchemaDatasetFacetFields(**one) for one in values["fields"]]
    elif name == "dataQualityAssertions":
        values["assertions"] = [module.Assertion(**one) for one in values["assertions"]]
    elif name == "parent":
        values = {"run": module.Run(**values["run"]), "job": module.Job(**values["job"])}
    elif name == "columnLineage":
        fields = {
            key: module.Fields([_field(one) for one in entry["inputFields"]]) for key, entry in values["fields"].items()
        }
        values = {"fields": fields, "dataset": [_field(one) for one in values["dataset"]]}
    return getattr(module, title)(**values, producer=told["_producer"])


def _field(told: dict[str, Any]) -> Any:
    module = facets.column_lineage_dataset
    ways = [module.Transformation(**way) for way in told["transformations"]]
    return module.InputField(told["namespace"], told["name"], told["field"], ways)


def _facets(told: dict[str, Any], key: str = "facets") -> dict[str, Any]:
    return {name: _facet(name, facet) for name, facet in told.get(key, {}).items()}


def by_client(told: dict[str, Any]) -> dict[str, Any]:
    inputs = [
        InputDataset(one["namespace"], one["name"], facets=_facets(one), inputFacets=_facets(one, "inputFacets"))
        for one in told["inputs"]
    ]
    outputs = [
        OutputDataset(one["namespace"], one["name"], facets=_facets(one), outputFacets=_facets(one, "outputFacets"))
        for one in told["outputs"]
    ]
    made = RunEvent(
        eventTime=told["eventTime"],
        producer=told["producer"],
        eventType=RunState(told["eventType"]),
        run=Run(told["run"]["runId"], facets=_facets(told["run"])),
        job=Job(told["job"]["namespace"], told["job"]["name"], facets=_facets(told["job"])),
        inputs=inputs,
        outputs=outputs,
    )
    written: dict[str, Any] = Serde.to_dict(made)
    return written


def _without_empty(value: Any) -> Any:
    """The client leaves out what is empty."""
    if isinstance(value, dict):
        kept = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one not in ({}, [], None)}
    return [_without_empty(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("number", range(len(events_of(RUN, "forge", "0.1.0"))))
def test_the_client_of_the_standard_writes_the_same_event(number: int) -> None:
    told = all_events()[number]
    assert _without_empty(by_client(told)) == _without_empty(told)


def test_a_run_tells_of_itself_of_its_tables_and_of_their_checks() -> None:
    assert [(one["job"]["name"], one["eventType"]) for one in all_events()] == [
        ("shop", "START"),
        ("marts.daily", "START"),
        ("marts.bad", "START"),
        ("marts.daily", "COMPLETE"),
        ("marts.daily.checks", "START"),
        ("marts.daily.checks", "COMPLETE"),
        ("marts.bad", "FAIL"),
        ("shop", "FAIL"),
    ]


def test_a_run_has_the_same_ids_whenever_it_is_told_of() -> None:
    ids = {one["job"]["name"]: one["run"]["runId"] for one in all_events()}
    assert len(set(ids.values())) == 4
    assert [one["run"]["runId"] for one in all_events()] == [one["run"]["runId"] for one in all_events()]
    assert of_job("marts.bad", "FAIL")["run"]["facets"]["parent"]["run"]["runId"] == ids["shop"]


def test_what_failed_says_why_and_no_columns() -> None:
    told = of_job("marts.bad", "FAIL")
    assert told["run"]["facets"]["errorMessage"]["message"] == "It is blocked"
    assert told["outputs"][0]["facets"] == {}


def test_forge_reads_its_own_events_as_the_edges_it_has() -> None:
    found = claims_of(read_event(of_job("marts.daily", "COMPLETE")), Naming())
    direct = {
        (c.source.id, c.target.id, str(c.transformation), c.masking, c.expression) for c in found.edges if c.expression
    }
    assert direct == {
        ("core.orders.amount", "marts.daily.total", "aggregation", False, "sum(amount)"),
        ("core.orders.mail", "marts.daily.who", "transformation", True, "sha2(mail)"),
        ("core.orders.x", "marts.daily.y", "unknown", False, "f(x)"),
    }
    rest = {claim.key.id for claim in found.edges if not claim.expression}
    assert rest == {
        "core.orders.day->marts.daily.day#copied",
        "core.orders.home.city->marts.daily.at.city#copied",
        "core.orders.day->marts.daily#group_by",
        "core.orders->marts.daily#derived",
        "core.days->marts.daily#derived",
    }
    assert not found.unclear


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("core.orders", ("forge", "core.orders")),
        ("files:data/orders.csv", ("file", "data/orders.csv")),
        ("/data/orders.csv", ("file", "/data/orders.csv")),
        ("s3://bucket/raw/orders", ("s3://bucket", "raw/orders")),
        ("postgresql://db:5432/shop:public.orders", ("postgres://db:5432", "shop.public.orders")),
        ("postgres@db.example:shop.public.orders", ("postgres://db.example", "shop.public.orders")),
        ("bigquery:a.b.c", ("bigquery", "a.b.c")),
        ("a.b.c", ("forge", "a.b.c")),
    ],
)
def test_names_in_the_words_of_the_standard(name: str, told: tuple[str, str]) -> None:
    assert dataset_of(name, "forge") == told
