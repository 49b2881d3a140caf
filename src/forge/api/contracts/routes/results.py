"""Results of contract tests and compiles: `datacontract test --publish` posts its results here."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from forge.api.auth import ThePrincipal
from forge.api.contracts.routes.registry import SIZES, ContractIdentity
from forge.api.contracts.views import compile_view, finding_view, test_view
from forge.api.contracts.wire.registry import (
    CompileView,
    TakenResults,
    TestRunView,
    ViolationView,
    ViolationWord,
)
from forge.api.json_body import read_json
from forge.api.paging import AWindow
from forge.api.site import Site, TheSite
from forge.api.versioning.paths import EncodedSlashes
from forge.api.wire import Page
from forge.contracts.datacontract_results import RESULTS
from forge.flows.contracts.gate_results import last_checks
from forge.flows.contracts.queries import find_known, list_findings, list_known
from forge.flows.contracts.results import receive_results

router = APIRouter(prefix="/api/v1/contracts", tags=["contracts"], route_class=EncodedSlashes)
compiled = APIRouter(prefix="/api/v1", tags=["contracts"])

_RUN: dict[str, Any] = {
    "type": "object",
    "description": "A run of datacontract-cli, as it publishes it. More fields may come along.",
    "required": ["dataContractId"],
    "properties": {
        "runId": {"type": ["string", "null"], "maxLength": 64},
        "dataContractId": {"type": "string", "minLength": 1, "maxLength": 255},
        "dataContractVersion": {"type": ["string", "null"], "maxLength": 100},
        "server": {"type": ["string", "null"], "maxLength": 255},
        "result": {"description": f"One of {', '.join(RESULTS)}; anything else is unknown."},
        "timestampStart": {"type": ["string", "null"], "format": "date-time"},
        "timestampEnd": {"type": ["string", "null"], "format": "date-time"},
        "checks": {"type": ["array", "null"], "items": {"type": "object"}},
    },
}
_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": _RUN}}}}
_MOST_BYTES = 16 * 1024 * 1024


@router.post("/results", responses=SIZES, openapi_extra=_BODY)
async def take_test_results(request: Request, response: Response, site: TheSite, caller: ThePrincipal) -> TakenResults:
    """What `datacontract test --publish URL` sends; its id of the run makes sending it again harmless. The header
    `location-html` is the page that shows it."""
    data = await read_json(request, limit=_MOST_BYTES)
    return await run_in_threadpool(_take, site, caller.user, data, response)


def _take(site: Site, user: str, data: object, response: Response) -> TakenResults:
    taken = receive_results(data, site.wiring.contracts.ports(user))
    address = site.wiring.settings.server.public_url or site.wiring.address
    if address:
        response.headers["location-html"] = f"{address.rstrip('/')}/contracts/{quote(taken.run.contract_id, safe='')}"
    return TakenResults.of(taken.run, checks=len(taken.run.checks), created=taken.created, known=taken.known)


@router.get("/{contract_id}/results")
def contract_results(contract_id: ContractIdentity, site: TheSite, window: AWindow) -> Page[TestRunView]:
    """Results of tests, newest first."""
    ports = site.wiring.contracts.ports()
    return window.page(ports.store.results(find_known(ports, contract_id).id, window.needed), test_view)


@compiled.get("/contract-violations")
def list_violations(
    site: TheSite,
    window: AWindow,
    severity: Annotated[tuple[ViolationWord, ...], Query(max_length=10, description="Only these; repeated.")] = (),
) -> Page[ViolationView]:
    """All that the last compile and the last checks found; the worst first."""
    ports = site.wiring.contracts.ports()
    found = [
        finding
        for finding in list_findings(ports, last_checks(ports, list_known(ports)))
        if not severity or finding.violation.severity in severity
    ]
    return window.page(found, finding_view, total=len(found))


@compiled.get("/compile")
def last_compile(site: TheSite) -> CompileView | None:
    """The result of the last `forge compile` of the whole project; null where there was none."""
    record = site.wiring.contracts.registry.compiled()
    return compile_view(record) if record is not None else None
