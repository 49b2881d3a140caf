"""What events of OpenLineage say of the graph."""

from __future__ import annotations

from typing import Any

import pytest
from openlineage_events import PG, columns, dataset, dataset_event, event, field, job_event, schema

from forge.lineage.extract.openlineage import claims_of, producer_of_event, read_event
from forge.lineage.extract.openlineage.claims import EventClaims
from forge.lineage.extract.openlineage.model import NamespacedName
from forge.lineage.extract.openlineage.names import DatasetNaming, system_of
from forge.lineage.facts.claim import EdgeClaim
from forge.lineage.facts.evidence import Basis

ORDERS, DAILY = "shop.public.orders", "shop.mart.daily"
P = "postgres@db.example:"


def claims(data: dict[str, Any], naming: DatasetNaming | None = None) -> EventClaims:
    return claims_of(read_event(data), naming or DatasetNaming())


def between_data(claimed: EventClaims) -> list[EdgeClaim]:
    """Without those of the job, which stand beside them."""
    return [claim for claim in claimed.edges if not claim.kind.parallel]


def edges(data: dict[str, Any], naming: DatasetNaming | None = None) -> set[str]:
    """`source -> target  transformation` of columns, `…#kind` of what has no transformation."""
    found = set()
    for claim in between_data(claims(data, naming)):
        how = f" {claim.transformation}" if claim.transformation != "unknown" else f" #{claim.kind.word}"
        masked = " masked" if claim.masking else ""
        found.add(f"{claim.source.id.replace(P, '')} -> {claim.target.id.replace(P, '')}{how}{masked}")
    return found


def daily(*fields: dict[str, Any], whole: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    facet = columns(whole, total=list(fields))
    return event(inputs=[dataset(ORDERS)], outputs=[dataset(DAILY, columnLineage=facet)])


TABLES = f"{ORDERS} -> {DAILY} #derived"


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("DIRECT/IDENTITY", "identity"),
        ("DIRECT/TRANSFORMATION", "transformation"),
        ("DIRECT/AGGREGATION", "aggregation"),
        ("DIRECT", "#derived"),
    ],
)
def test_a_direct_way_is_an_edge_between_columns(way: str, told: str) -> None:
    assert edges(daily(field(ORDERS, "amount", way))) == {f"{ORDERS}.amount -> {DAILY}.total {told}", TABLES}


@pytest.mark.parametrize(
    ("way", "told"), [("JOIN", "join"), ("FILTER", "filter"), ("GROUP_BY", "group_by"), ("SORT", "sort")]
)
def test_what_decides_on_rows_is_an_edge_to_the_table(way: str, told: str) -> None:
    expected = {f"{ORDERS}.day -> {DAILY} #{told}", TABLES}
    assert edges(daily(whole=(field(ORDERS, "day", f"INDIRECT/{way}"),))) == expected
    assert edges(daily(field(ORDERS, "day", f"INDIRECT/{way}"))) == expected  # as it was told until 1-1-0


def test_a_condition_of_a_value_is_part_of_it() -> None:
    told = daily(field(ORDERS, "state", "INDIRECT/CONDITIONAL"))
    assert edges(told) == {f"{ORDERS}.state -> {DAILY}.total conditional", TABLES}


def test_a_key_of_a_window_is_part_of_the_value_and_shapes_the_table() -> None:
    told = daily(field(ORDERS, "day", "INDIRECT/WINDOW"))
    assert edges(told) == {f"{ORDERS}.day -> {DAILY}.total window", f"{ORDERS}.day -> {DAILY} #window", TABLES}


def test_of_several_ways_of_one_column_the_strongest_is_kept_and_masked_only_if_all_are() -> None:
    told = daily(
        field(ORDERS, "amount", "DIRECT/IDENTITY"), field(ORDERS, "amount", "DIRECT/AGGREGATION", masking=True)
    )
    assert edges(told) == {f"{ORDERS}.amount -> {DAILY}.total aggregation", TABLES}


def test_masking_and_the_description_are_kept() -> None:
    told = claims(daily(field(ORDERS, "mail", "DIRECT/TRANSFORMATION", masking=True, text="sha2(mail)"))).edges[0]
    assert (told.masking, told.expression, told.kind.word) == (True, "sha2(mail)", "anonymized")


def test_the_first_version_of_the_facet_tells_the_way_of_the_field() -> None:
    old = {"inputFields": [{"namespace": PG, "name": ORDERS, "field": "mail"}], "transformationType": "MASKED"}
    told = event(inputs=[dataset(ORDERS)], outputs=[dataset(DAILY, columnLineage={"fields": {"mail": old}})])
    assert edges(told) == {f"{ORDERS}.mail -> {DAILY}.mail #anonymized masked", TABLES}


def test_without_columns_every_input_feeds_every_output() -> None:
    one = claims(event(inputs=[dataset("a"), dataset("b")], outputs=[dataset("c")]))
    assert {claim.confidence for claim in between_data(one)} == {None}
    two = claims(event(inputs=[dataset("a"), dataset("b")], outputs=[dataset("c"), dataset("d")]))
    assert len(between_data(two)) == 4
    assert {claim.confidence for claim in between_data(two)} == {0.6}  # nobody says which went where


def test_an_input_that_no_column_names_feeds_the_only_output() -> None:
    facet = columns(n=[field("a", "x", "DIRECT/IDENTITY")])
    told = event(inputs=[dataset("a"), dataset("b")], outputs=[dataset("c", columnLineage=facet)])
    assert edges(told) == {"a.x -> c.n identity", "a -> c #derived", "b -> c #derived"}


def test_of_several_outputs_each_is_fed_by_what_its_facet_names() -> None:
    c = dataset("c", columnLineage=columns(n=[field("a", "x", "DIRECT/IDENTITY")]))
    d = dataset("d", columnLineage=columns(n=[field("b", "y", "DIRECT/IDENTITY")]))
    told = event(inputs=[dataset("a"), dataset("b")], outputs=[c, d])
    assert edges(told) == {"a.x -> c.n identity", "a -> c #derived", "b.y -> d.n identity", "b -> d #derived"}


def test_a_table_that_is_changed_does_not_feed_itself() -> None:
    facet = columns(a=[field("t", "a", "DIRECT/IDENTITY")], b=[field("t", "b", "DIRECT/TRANSFORMATION")])
    told = event(inputs=[dataset("t")], outputs=[dataset("t", columnLineage=facet)])
    assert edges(told) == {"t.b -> t.b transformation"}


def _input(name: str, column: str | None = None, *ways: str, type_: str = "DATASET") -> dict[str, Any]:
    made = field(name, column or "", *ways) | {"type": type_}
    if column is None:
        del made["field"]
    return made


def test_the_lineage_facet_goes_before_the_older_one() -> None:
    new = {
        "inputs": [_input("a"), _input("b", "day", "INDIRECT/FILTER")],
        "fields": {"n": {"inputs": [_input("a", "x", "DIRECT/AGGREGATION")]}},
    }
    old = columns(n=[field("z", "z", "DIRECT/IDENTITY")])
    told = event(outputs=[dataset("c", lineage=new, columnLineage=old)])
    assert edges(told) == {"a.x -> c.n aggregation", "a -> c #derived", "b.day -> c #filter", "b -> c #derived"}


@pytest.mark.parametrize("key", ["entries", "lineage"])
@pytest.mark.parametrize("where", ["job", "run"])
def test_a_job_or_a_run_tells_of_targets_by_itself(where: str, key: str) -> None:
    target = {
        "namespace": PG,
        "name": "c",
        "type": "DATASET",
        "fields": {"n": {"inputs": [_input("a", "x", "DIRECT")]}},
    }
    told = event(outputs=[dataset("c")])
    told[where]["facets"]["lineage"] = {key: [target]}
    assert edges(told) == {"a.x -> c.n #derived", "a -> c #derived"}
    del told["outputs"]
    assert edges(told) == {"a.x -> c.n #derived", "a -> c #derived"}


def test_a_job_may_be_where_data_goes_or_comes_from() -> None:
    told = event()
    sink = {"type": "JOB", "inputs": [_input("a"), _input("b", "x")]}
    made = {"namespace": PG, "name": "c", "type": "DATASET", "inputs": [{"type": "JOB"}]}
    told["job"]["facets"]["lineage"] = {"entries": [sink, made]}
    job = "process:airflow/nightly.orders"
    assert edges(told) == {f"a -> {job} #consumes", f"b.x -> {job} #consumes", f"{job} -> c #produces"}


def test_a_job_with_one_side_only_is_the_other_side() -> None:
    job = "process:airflow/nightly.orders"
    assert edges(event(inputs=[dataset("a")])) == {f"a -> {job} #consumes"}
    assert edges(event(outputs=[dataset("c")])) == {f"{job} -> c #produces"}


def test_a_field_that_comes_from_a_whole_table_is_told_so() -> None:
    told = event(outputs=[dataset("c", lineage={"fields": {"n": {"inputs": [_input("a")]}}})])
    assert edges(told) == {"a -> c.n #derived", "a -> c #derived"}


def test_what_has_no_place_in_the_graph_is_told_and_its_table_stays() -> None:
    told = claims(daily(whole=(field(ORDERS, "day", "INDIRECT/LUCK"), field(ORDERS, "id"))))
    ids = [claim.key.id.replace(P, "") for claim in told.edges if not claim.kind.parallel]
    assert ids == [f"{ORDERS}->{DAILY}#derived"]
    assert [one.pointer for one in told.unclear] == [
        f"/outputs/0/facets/columnLineage/dataset/{number}" for number in (0, 1)
    ]


def test_fields_of_structs_are_fields_unless_a_column_is_called_so() -> None:
    facet = columns(**{"home.city": [field("a", "address.city", "DIRECT/IDENTITY"), field("b", "x.y", "DIRECT")]})
    inputs = [dataset("a"), dataset("b", schema={"fields": [{"name": "x.y", "type": "int"}]})]
    told = claims(event(inputs=inputs, outputs=[dataset("c", columnLineage=facet)]))
    ends = {(str(claim.source.type), str(claim.target.type)) for claim in told.edges if claim.source.owner}
    assert ends == {("field", "field"), ("column", "field")}


def test_tables_outside_come_with_their_columns_and_what_is_told_of_them() -> None:
    owners = {"owners": [{"name": "team:shop"}]}
    links = {"identifiers": [{"namespace": "hive://meta:9083", "name": "shop.orders", "type": "TABLE"}]}
    told = dataset(ORDERS, schema=schema(id="int", amount="decimal(12,2)"), ownership=owners, symlinks=links)
    nodes = {node.entity.id: node.details for node in claims(dataset_event(told)).nodes}
    assert nodes[f"{P}{ORDERS}.amount"] == {"data_type": "decimal(12,2)"}
    assert nodes[f"{P}{ORDERS}"]["owners"] == ["team:shop"]
    assert nodes[f"{P}{ORDERS}"]["same_as"] == ["hive://meta:9083/shop.orders"]


def test_the_lake_knows_its_own_tables_better() -> None:
    told = event(inputs=[dataset(ORDERS)], outputs=[dataset("core.orders", "forge", schema=schema(id="INT"))])
    assert "core.orders.id" not in {node.entity.id for node in claims(told).nodes}


def test_the_job_is_a_node_with_its_code_and_who_started_it() -> None:
    told = event(
        sql={"query": "SELECT 1", "dialect": "postgres"}, sourceCodeLocation={"type": "git", "url": "https://x/y.sql"}
    )
    told["run"]["facets"]["parent"] = {"run": {"runId": "x"}, "job": {"namespace": "airflow", "name": "nightly"}}
    job, pipeline = claims(told).nodes
    assert job.entity.id == "process:airflow/nightly.orders"
    assert pipeline.entity.id == "pipeline:airflow/nightly"
    assert job.details["code"] == "SELECT 1"
    assert job.details["parent"] == "airflow/nightly"
    assert job.details["source_code"] == "https://x/y.sql"


def test_the_parent_of_a_run_is_the_pipeline_that_executes_the_job() -> None:
    told = event(inputs=[dataset("a")], outputs=[dataset("b")])
    told["run"]["facets"]["parent"] = {"run": {"runId": "x"}, "job": {"namespace": "airflow", "name": "nightly"}}
    keys = {claim.key.id for claim in claims(told).edges}
    assert "pipeline:airflow/nightly->process:airflow/nightly.orders#executes" in keys
    told["run"]["facets"]["parent"]["job"]["name"] = "nightly.orders"  # some say it of themselves
    assert not any("pipeline:" in claim.key.id for claim in claims(told).edges)


def test_a_job_that_reads_and_writes_consumes_and_produces() -> None:
    job = "process:airflow/nightly.orders"
    told = claims(event(inputs=[dataset("a"), dataset("b")], outputs=[dataset("c"), dataset("d")]))
    assert {claim.key.id.replace(P, "") for claim in told.edges if claim.kind.parallel} == {
        f"a->{job}#consumes:derived",
        f"b->{job}#consumes:derived",
        f"{job}->c#produces:derived",
        f"{job}->d#produces:derived",
    }
    assert {str(claim.kind.type) for claim in told.edges if claim.kind.parallel} == {"consumes", "produces"}


def test_a_run_is_observed_and_a_definition_is_declared() -> None:
    sides: dict[str, Any] = {"inputs": [dataset("a")], "outputs": [dataset("b")]}
    for told, basis in ((event(**sides), Basis.OBSERVED), (job_event(**sides), Basis.DECLARED)):
        (one,) = between_data(claims(told))
        assert one.evidence[0].basis is basis
        assert producer_of_event(read_event(told)) == "openlineage:airflow/nightly.orders"
    assert claims(event(**sides)).edges[0].evidence[0].run_id == event()["run"]["runId"]


@pytest.mark.parametrize(
    ("namespace", "name", "id_"),
    [
        ("forge", "core.orders", "core.orders"),
        ("forge", "Core.Orders", "core.orders"),
        ("forge", "lake.core.orders", "core.orders"),
        ("forge", "a.b.c.d", "forge:a.b.c.d"),
        ("postgres://db.example:5432", "shop.public.orders", "postgres@db.example:shop.public.orders"),
        ("postgres://db.example:5433", "shop.public.orders", "postgres@db.example_5433:shop.public.orders"),
        ("postgres://ada:x@db.example:5432", "s.t", "postgres@db.example:s.t"),
        ("snowflake://org-account", "DB.SCHEMA.T", "snowflake@org-account:DB.SCHEMA.T"),
        ("bigquery", "project.dataset.table", "bigquery:project.dataset.table"),
        ("kafka://broker:9092", "orders", "kafka@broker:orders"),
        ("duckdb://", "shop.main.orders", "duckdb:shop.main.orders"),
        ("s3a://bucket", "raw/orders", "s3://bucket/raw/orders"),
        ("file", "/data/orders.csv", "/data/orders.csv"),
        ("file://host", "/data/orders.csv", "file://host/data/orders.csv"),
        ("abfss://box@account.dfs", "raw/orders", "abfss://box@account.dfs/raw/orders"),
        ("arn:aws:glue:eu-west-1:42", "table/core/orders", "glue@eu-west-1_42:core.orders"),
        ("my warehouse", "orders", "my_warehouse:orders"),
    ],
)
def test_names(namespace: str, name: str, id_: str) -> None:
    assert DatasetNaming().table(NamespacedName(namespace, name)).id == id_


def test_settings_shorten_a_namespace_or_call_it_the_lake() -> None:
    naming = DatasetNaming(systems={PG: "postgres", "hive://meta:9083": "lake"})
    assert naming.table(NamespacedName(PG, "shop.public.orders")).id == "postgres:shop.public.orders"
    assert naming.table(NamespacedName("hive://meta:9083", "core.orders")).id == "core.orders"


def test_a_file_that_is_a_table_of_the_lake_is_that_table() -> None:
    naming = DatasetNaming(systems={"hive://meta:9083": "lake"})
    links = {"identifiers": [{"namespace": "hive://meta:9083", "name": "core.orders", "type": "TABLE"}]}
    path = "warehouse/core.db/orders"
    facet = columns(n=[field(path, "n", "DIRECT/IDENTITY", namespace="s3://lake")])
    told = event(inputs=[dataset(path, "s3://lake", symlinks=links)], outputs=[dataset("c", columnLineage=facet)])
    assert edges(told, naming) == {"core.orders.n -> c.n identity", "core.orders -> c #derived"}


@pytest.mark.parametrize(
    "namespace", ["postgres://a:1/b:2", ":", "://", "a:b:c", "x://y/z?q#r", "postgres://[::1]:5432"]
)
def test_no_namespace_brings_a_colon_or_a_slash_into_a_system(namespace: str) -> None:
    assert not set(system_of(namespace)) & set(":/")
    assert system_of(namespace)
