"""/api/v1/lineage: OpenLineage events, as OpenLineage clients send them."""

from __future__ import annotations

from typing import Any

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from forge.api.auth import ThePrincipal
from forge.api.json_body import read_json
from forge.api.lineage.edges import recorded_view
from forge.api.lineage.wire.openlineage import BatchSummary, BatchTakenView, EventAnswer, TakenView
from forge.api.site import TheSite
from forge.api.versioning.paths import lineage_router
from forge.api.wire import ErrorView, Problem
from forge.flows.lineage.openlineage.ingest import EventOutcome, EventResult, ingest_event, ingest_events
from forge.model.errors import ForgeError, ForgeErrors, errors_of

router = lineage_router()
MOST_EVENTS = 1000  # in one request

_SIZES: dict[int | str, dict[str, Any]] = {
    413: {"model": Problem, "description": "The body is too large"},
    415: {"model": Problem, "description": "The body is packed in a way that is not known"},
}
_EVENT = {
    "type": "object",
    "description": "A RunEvent, JobEvent or DatasetEvent of OpenLineage 2-0-2, or of an older version.",
    "required": ["eventTime", "producer"],
    "properties": {
        "eventTime": {"type": "string", "format": "date-time"},
        "eventType": {"type": "string", "enum": ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]},
        "producer": {"type": "string"},
        "schemaURL": {"type": "string"},
        "run": {"type": "object"},
        "job": {"type": "object"},
        "dataset": {"type": "object"},
        "inputs": {"type": "array", "items": {"type": "object"}},
        "outputs": {"type": "array", "items": {"type": "object"}},
    },
}
_EVENTS = {"type": "array", "maxItems": MOST_EVENTS, "items": {"type": "object"}}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


@router.post(
    "",
    status_code=201,
    responses={200: {"model": TakenView, "description": "All of it was known"}, **_SIZES},
    openapi_extra=_body(_EVENT),
)
async def take_openlineage(request: Request, response: Response, site: TheSite, caller: ThePrincipal) -> TakenView:
    """One event of OpenLineage, also gzipped. A run is recorded when it is complete; sending an event again changes
    nothing. What is malformed is reported with the JSON pointer of each fault (`where`)."""
    data = await read_json(request)
    taken = await run_in_threadpool(lambda: ingest_event(site.wiring.lineage.openlineage, data, actor=caller.user))
    if taken.status == "unchanged":
        response.status_code = 200
    return _taken_view(taken)


@router.post("/batch", responses=_SIZES, openapi_extra=_body(_EVENTS))
async def take_openlineage_batch(request: Request, site: TheSite, caller: ThePrincipal) -> BatchTakenView:
    """A list of events, each taken for itself and in its order. Where none of them is good, the answer is 422 with all
    faults."""
    data = await read_json(request)
    if not isinstance(data, list):
        raise ForgeError("E818", "The body is not a list of events", where="/", fix="Send one event to /api/v1/lineage")
    if len(data) > MOST_EVENTS:
        raise ForgeError("E818", f"The list holds more than {MOST_EVENTS} events", where="/", fix="Send them in parts.")
    answers = await run_in_threadpool(lambda: ingest_events(site.wiring.lineage.openlineage, data, actor=caller.user))
    failed = [answer.error for answer in answers if answer.error is not None]
    if failed and len(failed) == len(answers):
        raise ForgeErrors(failed)
    return BatchTakenView(
        status="partial_success" if failed else "success",
        summary=BatchSummary(received=len(answers), successful=len(answers) - len(failed), failed=len(failed)),
        events=[_answer(answer) for answer in answers],
    )


def _answer(answer: EventResult) -> EventAnswer:
    if answer.taken is not None:
        return EventAnswer(index=answer.index, status=answer.taken.status, taken=_taken_view(answer.taken))
    assert answer.error is not None
    errors = [ErrorView.model_validate(one.to_dict()) for one in errors_of(answer.error)]
    return EventAnswer(index=answer.index, status="failed", errors=errors)


def _taken_view(taken: EventOutcome) -> TakenView:
    return TakenView.of(taken, recorded=recorded_view(taken.recorded) if taken.recorded else None)
