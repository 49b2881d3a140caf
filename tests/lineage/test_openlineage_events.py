"""The OpenLineage events of a run: what they say. That the standard's own client would write them so is tested where
that client is (tests/services/test_openlineage_clients.py)."""

from __future__ import annotations

from typing import Any

import pytest
from openlineage_told import RUN

from forge.lineage.extract.openlineage import DatasetNaming, claims_of, read_event
from forge.lineage.openlineage_events import dataset_of, events_of


def all_events() -> tuple[dict[str, Any], ...]:
    return events_of(RUN, "forge", "0.1.0")


def of_job(name: str, state: str) -> dict[str, Any]:
    (found,) = (one for one in all_events() if (one["job"]["name"], one["eventType"]) == (name, state))
    return found


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
    found = claims_of(read_event(of_job("marts.daily", "COMPLETE")), DatasetNaming())
    direct = {
        (c.source.id, c.target.id, str(c.transformation), c.masking, c.expression) for c in found.edges if c.expression
    }
    assert direct == {
        ("core.orders.amount", "marts.daily.total", "aggregation", False, "sum(amount)"),
        ("core.orders.mail", "marts.daily.who", "transformation", True, "sha2(mail)"),
        ("core.orders.x", "marts.daily.y", "unknown", False, "f(x)"),
    }
    rest = {claim.key.id for claim in found.edges if not claim.expression and not claim.kind.parallel}
    assert rest == {
        "core.orders.day->marts.daily.day#copied",
        "core.orders.home.city->marts.daily.at.city#copied",
        "core.orders.day->marts.daily#group_by",
        "core.orders->marts.daily#derived",
        "core.days->marts.daily#derived",
        "pipeline:forge/shop->process:forge/marts.daily#executes",  # the parent of its run
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
