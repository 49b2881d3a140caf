"""/api/v1/quality/results and /datasets: check results of runs, monitors and people, and the health of each dataset."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from forge.api.paging import AWindow
from forge.api.quality.datasets import DAYS, dataset_views
from forge.api.quality.monitor_views import past_result
from forge.api.quality.views import failure_origin_view, read_branch, result_view
from forge.api.quality.wire.health import ResultView
from forge.api.quality.wire.monitors import DatasetHealth, ResultDetail
from forge.api.site import Site, TheSite
from forge.api.wire import OutcomeWord, Page
from forge.flows.quality.health import unknown_table
from forge.flows.quality.incidents.judge_reference import judge_of_result
from forge.flows.quality.incidents.origin import incident_of, origin_of_result
from forge.flows.quality.results import find_history, find_result, find_results
from forge.flows.quality.verdict_masking import shown_result
from forge.model.errors import UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import RunId, TableName
from forge.quality.verdict import Outcome

router = APIRouter(prefix="/api/v1/quality", tags=["quality results"])

StateWord = Literal["ok", "failing", "not measured", "unchecked"]


@router.get("/results")
def results(
    site: TheSite,
    window: AWindow,
    dataset_id: Annotated[str | None, Query(max_length=300)] = None,
    run_id: Annotated[str | None, Query(max_length=64, description="Of a governed run, or of a monitor's.")] = None,
    monitor_id: Annotated[str | None, Query(max_length=64)] = None,
    outcome: OutcomeWord | None = None,
) -> Page[ResultView]:
    """Results of checks in runs, for monitors and by hand; newest first."""
    table = TableName.parse(dataset_id.partition("@")[0]) if dataset_id else None
    found = find_results(
        site.wiring.metadata,
        site.wiring.quality.monitors,
        table=table,
        run_id=run_id,
        monitor_id=monitor_id,
        verdict=Outcome(outcome) if outcome else None,
        limit=window.needed,
    )
    if not found:
        _refuse_unknown(site, table, run_id)
    return window.page(found, partial(result_view, personal=site.wiring.catalog.hidden_at()))


@router.get("/results/{result_id:path}")
def one_result(result_id: Annotated[str, Path(max_length=1000)], site: TheSite) -> ResultDetail:
    """One result with its failing sample, earlier results of the same check, and where it comes from."""
    metadata, store, ports = site.wiring.metadata, site.wiring.quality.monitors, site.wiring.quality.alerts
    personal = site.wiring.catalog.hidden_at()
    result = find_result(metadata, store, result_id)
    history = find_history(metadata, store, result)
    incident = incident_of(ports, result)
    facts = {
        **shown_result(result, personal).to_dict(),
        "history": [past_result(shown_result(one, personal)) for one in history],
        "cause": failure_origin_view(site, origin_of_result(ports, store, result, incident)),
        "incident_id": incident.id if incident else None,
        "judged_by": judge_of_result(result, store).to_dict(),
    }
    return ResultDetail.model_validate(facts)


@router.get("/datasets")
def datasets(
    site: TheSite,
    window: AWindow,
    branch: Annotated[str | None, Query(max_length=255)] = None,
    q: Annotated[str, Query(max_length=200, description="A part of the name.")] = "",
    state: Annotated[tuple[StateWord, ...], Query(max_length=10, description="Only these; repeated.")] = (),
    days: Annotated[int, Query(ge=1, le=365)] = DAYS,
) -> Page[DatasetHealth]:
    """How each dataset stands now and stood day by day; the worst first."""
    found = dataset_views(site, branch, q, frozenset(state), days, site.wiring.catalog.hidden_at())
    return window.page(found, lambda view: view, total=len(found))


def _refuse_unknown(site: Site, table: TableName | None, run_id: str | None) -> None:
    """An existing dataset without verdicts gives an empty list; an unknown one an error."""
    metadata, store = site.wiring.metadata, site.wiring.quality.monitors
    if run_id and metadata.run(RunId(run_id)) is None and store.run(run_id) is None:
        near = did_you_mean(run_id, (run.id for run in metadata.runs()))
        raise UnknownNameError(f"There is no run {run_id}", why=near, fix="`forge runs` lists them.")
    if table is not None:
        _, seen = read_branch(site, None)
        known = table in seen.tree or metadata.touching(table) or metadata.verdicts(table=table, limit=1)
        if not known and not store.results(table=table, limit=1):
            raise unknown_table(table, seen.tree)
