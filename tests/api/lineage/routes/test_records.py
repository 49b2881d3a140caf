"""Where a record came from, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from version_site import ORDERS, VersionSite, problem

from forge.flows.runs.records import TableLineage
from forge.lineage.edge import Edge
from forge.model.names import ColumnName, RunId, TableName

CLEAN = TableName("core", "clean")


@pytest.fixture
def cleaned(versions: VersionSite) -> VersionSite:
    """core.clean is core.orders again."""
    versions.commit(ORDERS)
    versions.commit(ORDERS, table=str(CLEAN))
    metadata = versions.wiring.metadata
    version = metadata.tree(versions.wiring.branch_head(versions.wiring.default_branch))[CLEAN]
    run = metadata.run(RunId(version.run_id or ""))
    assert run is not None
    edges = [
        Edge(source=ColumnName("core.orders", c), target=ColumnName(str(CLEAN), c)) for c in ("id", "name", "amount")
    ]
    metadata.finish_run(run, (), (), (TableLineage(CLEAN, tuple(edges)),))
    return versions


def ask(site: VersionSite, **query: Any) -> Any:
    return site.client.get("/api/v1/lineage/records", params={"dataset_id": "core.clean", **query})


@pytest.mark.slow
def test_a_record_names_the_record_it_came_from(cleaned: VersionSite) -> None:
    answer = ask(cleaned, filter="id=2")
    assert answer.status_code == 200, answer.text
    (origin,) = answer.json()["origins"]
    assert (origin["table"], origin["match"], origin["version"]) == ("core.orders", "one", 1)
    assert origin["rows"][0]["name"] == "b"


@pytest.mark.slow
def test_one_value_is_asked_by_its_column(cleaned: VersionSite) -> None:
    (origin,) = ask(cleaned, filter="id=2", column="amount").json()["origins"]
    assert origin["fields"] == {"amount": ["amount"]}


@pytest.mark.slow
def test_a_record_that_is_not_there_is_refused(cleaned: VersionSite) -> None:
    problem(ask(cleaned, filter="id=99"), 422, "E814")
    problem(ask(cleaned, filter="id"), 422, "E105")
    problem(ask(cleaned, filter="id=1", column="nope"), 404, "E108")
