"""/api/v1/lineage/records: row-level lineage of one record."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from forge.api.auth import ThePrincipal
from forge.api.executor import LONG, respond
from forge.api.lineage.routes.graph import At
from forge.api.lineage.wire.records import OriginView
from forge.api.rows import plain
from forge.api.site import TheSite
from forge.api.versioning.paths import lineage_router
from forge.api.versioning.routes.commits import read_filters
from forge.api.wire import Wire
from forge.flows.lineage.records import RecordOrigin, trace_record
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.revisions import find_commit
from forge.model.names import TableName

router = lineage_router()


@router.get("/records", response_model=OriginView, responses=LONG)
def record_lineage(
    site: TheSite,
    caller: ThePrincipal,
    dataset_id: Annotated[str, Query(max_length=255, description="The table.", examples=["core.orders"])],
    filters: Annotated[
        tuple[str, ...],
        Query(alias="filter", min_length=1, max_length=20, description="column=value of its key; repeated: all."),
    ],
    column: Annotated[str | None, Query(max_length=255, description="Only where this value came from.")] = None,
    depth: Annotated[int, Query(ge=1, le=20)] = 5,
    at: At = "HEAD",
) -> Wire | Response:
    """The record of a table with these values, and below it the records it came from, worked out from what the runs
    copied. Personal data is neither shown nor used to find rows."""
    wiring, table = site.wiring, TableName.parse(dataset_id)
    where = read_filters(filters)
    commit = find_commit(wiring.metadata, at, wiring.default_branch).id

    def work(ports: VersionPorts) -> RecordOrigin:
        return trace_record(ports, table, where, at=commit, column=column, depth=depth)

    share = ("records", commit, table, filters, column, depth, wiring.catalog.hidden_from(caller.user)(commit))
    text = f"origin of {table} {' '.join(filters)}"
    outcome = site.executor.do("query", work, caller, text=text, share=share)
    return respond(outcome, lambda origin: OriginView.model_validate(plain(origin.to_dict())))
