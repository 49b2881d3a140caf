"""Transforms, pipelines and jobs: runs and code make them, and a change names those it hits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from committed_lineage import CommittedLineage, edge, filtered
from migrated import lay_database

import forge
from forge.flows.lineage.impact import report_impact
from forge.flows.lineage.reader import GraphReader, open_graph
from forge.flows.lineage.write import record_edges
from forge.lineage.edge import TableEdge, Transformation
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.graph.request import WalkDirection
from forge.lineage.impact.change import ProposedChange
from forge.lineage.kind import EdgeKind, EdgeType
from forge.lineage.node import Entity, GraphLevel, NodeType

SUM = Transformation.AGGREGATION


@pytest.fixture
def maker_lineage() -> CommittedLineage:
    maker_lineage = CommittedLineage()
    maker_lineage.commit(
        {
            "raw.orders": [edge("files:data/o.csv.amount", "raw.orders.amount")],
            "core.orders": [edge("raw.orders.amount", "core.orders.amount"), edge("raw.orders.day", "core.orders.day")],
            "marts.daily": [
                edge("core.orders.amount", "marts.daily.net", SUM, "SUM(amount)"),
                TableEdge("core.orders", "marts.daily"),
            ],
            "marts.days": [edge("core.orders.day", "marts.days.day"), filtered("core.orders.kind", "marts.days")],
        }
    )
    return maker_lineage


def names(view: GraphReader, start: str, direction: WalkDirection, **options: object) -> list[str]:
    return [item.name for item in view.walk(start, direction=direction, **options).items]  # type: ignore[arg-type]


def test_a_run_makes_a_transform_that_consumes_and_produces_and_a_pipeline_that_executes_it(
    maker_lineage: CommittedLineage,
) -> None:
    view = open_graph(maker_lineage.ports)
    assert names(view, "marts.daily", "upstream", edge_types=[EdgeType.PRODUCES]) == ["transform:marts.daily"]
    assert names(view, "core.orders", "downstream", edge_types=[EdgeType.CONSUMES]) == [
        "transform:marts.daily",
        "transform:marts.days",
    ]
    assert names(view, "transform:marts.days", "upstream", edge_types=[EdgeType.EXECUTES]) == ["pipeline:forge"]
    assert view.find("transform:marts.daily").details == {
        "transform_type": "sql",
        "output": "marts.daily",
        "source_file": "transforms/marts.daily.sql",
        "source_line": 3,
    }
    edge = view.edge("core.orders->transform:marts.daily#consumes:derived")
    assert (edge.confidence, edge.facts[0].evidence[0].run_id) == (1.0, "run-1")


def test_they_are_not_in_an_answer_that_does_not_ask_for_them(maker_lineage: CommittedLineage) -> None:
    view = open_graph(maker_lineage.ports)
    assert names(view, "core.orders", "downstream") == ["marts.daily", "marts.daily.net", "marts.days.day"]
    assert names(view, "core.orders", "downstream", level=GraphLevel.TABLE) == ["marts.daily", "marts.days"]
    assert names(view, "core.orders", "downstream", level=GraphLevel.TABLE, transforms=True) == [
        *("marts.daily", "marts.days", "transform:marts.daily", "transform:marts.days")
    ]
    assert names(view, "marts.daily", "upstream", node_types=[NodeType.TRANSFORM, NodeType.PIPELINE]) == [
        *("transform:marts.daily", "pipeline:forge", "transform:core.orders", "transform:raw.orders"),
    ]
    assert names(view, "pipeline:forge", "downstream", depth=1) == [
        *("transform:core.orders", "transform:marts.daily", "transform:marts.days", "transform:raw.orders")
    ]


def test_a_table_that_is_gone_takes_its_transform_with_it(maker_lineage: CommittedLineage) -> None:
    maker_lineage.commit({}, gone=["marts.days"])
    assert names(open_graph(maker_lineage.ports), "core.orders", "downstream", edge_types=[EdgeType.CONSUMES]) == [
        "transform:marts.daily"
    ]


def test_a_change_hits_the_transforms_that_use_the_column_and_the_pipeline(maker_lineage: CommittedLineage) -> None:
    report = report_impact(open_graph(maker_lineage.ports), ProposedChange.of("drop", "raw.orders.amount"))
    hit = {one.node.id: one for one in report.affected}
    assert set(hit) == {
        *("core.orders.amount", "marts.daily.net", "transform:core.orders", "transform:marts.daily", "pipeline:forge"),
    }
    transform = hit["transform:core.orders"]
    assert (transform.depth, transform.factors["entity"], transform.severity) == (1, 1.5, "high")
    assert transform.reason == "transform:core.orders reads raw.orders, the table of the dropped column"
    assert hit["pipeline:forge"].reason == "pipeline:forge runs transform:core.orders, which is hit"
    assert [one.node.id for one in report.affected if one.group == "transforms"] == [
        *("transform:core.orders", "transform:marts.daily")
    ]
    filter_only = report_impact(open_graph(maker_lineage.ports), ProposedChange.of("drop", "core.orders.kind"))
    assert "transform:marts.days" in {one.node.id for one in filter_only.affected}


def test_a_transform_has_the_owner_of_its_table_and_a_job_its_own(maker_lineage: CommittedLineage) -> None:
    view = open_graph(maker_lineage.ports)
    job = NodeClaim(Entity(NodeType.PROCESS, "airflow/load"), {"owners": ["ops@example.com"]})
    reads = EdgeKind(EdgeType.CONSUMES, None)
    record_edges(
        maker_lineage.ports, [EdgeClaim(source=view.find("core.orders").entity, target=job.entity, kind=reads)], [job]
    )
    object.__setattr__(maker_lineage.ports, "owner", lambda table: f"{table.schema}@example.com")
    report = report_impact(open_graph(maker_lineage.ports), ProposedChange.of("drop", "core.orders.amount"))
    owners = {one.node.id: one.owner for one in report.affected}
    assert owners["transform:marts.daily"] == "marts@example.com"
    assert owners["process:airflow/load"] == "ops@example.com"
    assert {told.owner for told in report.owners} == {"marts@example.com", "ops@example.com"}


CODE = """\
CREATE TABLE core.orders AS SELECT amount, day FROM raw.orders WHERE kind = 'x';
INSERT INTO marts.daily WITH d AS (SELECT day, amount FROM core.orders)
SELECT day, SUM(amount) AS net FROM d GROUP BY day;
"""


@pytest.fixture
def f(tmp_path: Path) -> Iterator[forge.Connection]:
    (tmp_path / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "daily.sql").write_text(CODE)
    with forge.connect(tmp_path) as f:
        f.lineage.ingest(tmp_path / "jobs")
        yield f


@pytest.mark.slow
def test_a_file_of_code_is_a_pipeline_of_one_transform_a_table(f: forge.Connection) -> None:
    found = f.lineage.downstream("raw.orders", transforms=True, level="table")
    by_type = {(str(item.node.type), item.name.rpartition("/")[2]) for item in found.items}
    assert by_type == {
        ("table", "core.orders"),
        ("table", "marts.daily"),
        ("transform", "daily.sql#core.orders"),
        ("transform", "daily.sql#marts.daily"),
    }
    assert [item.name.rpartition("/")[2] for item in f.lineage.downstream("raw.orders", level="table").items] == [
        *("core.orders", "marts.daily")
    ]
    (transform,) = (one for one in found.items if one.name.endswith("#marts.daily"))
    (pipeline,) = f.lineage.upstream(transform.name, edge_types=["executes"]).items
    assert (str(pipeline.node.type), pipeline.name.endswith("jobs/daily.sql")) == ("pipeline", True)


@pytest.mark.slow
def test_the_impact_of_code_names_its_transforms_and_files(f: forge.Connection) -> None:
    hit = {str(one.node.type) for one in f.lineage.impact("raw.orders.amount", "drop").affected}
    assert hit == {"column", "transform", "pipeline"}


TRANSFORM = """\
from pyspark.sql import DataFrame, functions as F
from forge import transform

@transform(output="marts.daily", inputs={"orders": "core.orders", "days": "core.days"})
def daily(orders: DataFrame, days: DataFrame) -> DataFrame:
    kept = orders.where("status = 'paid'").join(days, "day")
    return kept.groupBy("day").agg(F.sum("amount").alias("net"))

@transform(inputs={"orders": "core.orders"})
def copied(orders, ctx):
    return orders.select("id")

@transform(output="marts.odd", inputs={"orders": "core.orders"})
def odd(orders):
    return unknown_library.work(orders)
"""


@pytest.mark.slow
def test_a_transform_of_forge_gives_edges_from_its_code(tmp_path: Path) -> None:
    (tmp_path / "jobs" / "marts").mkdir(parents=True)
    (tmp_path / "jobs" / "marts" / "daily.py").write_text(TRANSFORM)
    (tmp_path / "forge.yaml").write_text("project: shop\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    known = {"core.orders": {"id": "int", "day": "date", "amount": "int", "status": "string"}}
    with forge.connect(tmp_path) as f:
        f.lineage.ingest(tmp_path / "jobs", schema={**known, "core.days": {"day": "date"}})
        assert [item.name for item in f.lineage.upstream("marts.daily.net").items] == ["core.orders.amount"]
        indirect = f.lineage.upstream("marts.daily.net", indirect=True)
        assert {"core.orders.status", "core.days.day"} <= {item.name for item in indirect.items}
        assert [item.name for item in f.lineage.upstream("marts.copied.id").items] == ["core.orders.id"]
        makers = f.lineage.upstream("marts.daily", edge_types=["produces"]).items
        assert [item.name for item in makers] == ["transform:marts.daily"]  # as the runs call it
        odd = f.lineage.upstream("marts.odd", level="table", min_confidence=0)
        assert {item.name for item in odd.items} == {"core.orders"}
