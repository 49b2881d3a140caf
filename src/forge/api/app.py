"""The application: routes, authorisation, errors, web files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, compile_path

from forge.api.auth import SAFE, AuthContext
from forge.api.bodies import BodyLimits
from forge.api.catalog.routes import discovery as catalog_discovery
from forge.api.catalog.routes import documentation as catalog_documentation
from forge.api.catalog.routes import glossary as catalog_glossary
from forge.api.catalog.routes import pii as catalog_pii
from forge.api.catalog.routes import profiles as catalog_profiles
from forge.api.catalog.routes import search as catalog_search
from forge.api.contracts.routes import registry as contracts
from forge.api.contracts.routes import results as contract_results
from forge.api.contracts.routes import versions as contract_versions
from forge.api.federation.routes import builder as federation_builder
from forge.api.federation.routes import cache as federation_cache
from forge.api.federation.routes import query as federation_query
from forge.api.federation.routes import saved_queries, virtual_tables
from forge.api.federation.routes import sources as federation_sources
from forge.api.filters import known_filters
from forge.api.lineage.routes import edges as lineage_edges
from forge.api.lineage.routes import graph as lineage
from forge.api.lineage.routes import openlineage
from forge.api.lineage.routes import records as lineage_records
from forge.api.lineage.routes import reports as lineage_reports
from forge.api.lineage.routes import sources as lineage_sources
from forge.api.metrics import Metrics
from forge.api.middleware import RequestMiddleware
from forge.api.problems import MEDIA_TYPE, problem_of
from forge.api.quality.routes import anomalies as quality_anomalies
from forge.api.quality.routes import check_types as quality_check_types
from forge.api.quality.routes import health as quality
from forge.api.quality.routes import incidents as quality_incidents
from forge.api.quality.routes import monitors as quality_monitors
from forge.api.quality.routes import remediations as quality_remediations
from forge.api.quality.routes import results as quality_results
from forge.api.response_cache import ResponseCache
from forge.api.runs.routes import runs
from forge.api.site import close_site, open_site
from forge.api.upkeep.routes import system
from forge.api.versioning.routes import branches, commits, compare, merges, tags
from forge.api.web import FOLDER, WebFiles
from forge.api.wire import Problem
from forge.model.errors import ForgeError
from forge.wiring import Wiring

# A path below /api/v1/branches that no other router takes is the name of a branch: that one comes last of these.
VERSIONING = (
    compare.router,
    merges.router,
    tags.router,
    commits.specific,
    branches.of_datasets,
    commits.router,
    branches.router,
)
LINEAGE = (
    lineage.router,
    lineage_edges.router,
    lineage_reports.router,
    lineage_records.router,
    lineage_sources.router,
    openlineage.router,
)
QUALITY = (
    quality.router,
    quality_incidents.router,
    quality_monitors.router,
    quality_check_types.router,
    quality_results.router,
    quality_remediations.router,
    quality_anomalies.router,
)
CONTRACTS = (contract_results.router, contracts.router, contract_versions.router, contract_results.compiled)
CATALOG = (
    catalog_glossary.router,
    catalog_discovery.router,
    catalog_search.router,
    catalog_profiles.router,
    catalog_pii.router,
    catalog_documentation.router,
    catalog_documentation.of_names,
)
FEDERATION = (
    federation_sources.router,
    federation_builder.router,
    federation_query.router,
    federation_cache.router,
    virtual_tables.router,
    saved_queries.router,
)
ROUTERS = (runs.router, *VERSIONING, *CATALOG, *FEDERATION, *LINEAGE, *QUALITY, *CONTRACTS, system.router)
PORT = 8765
_PROBLEMS = {
    400: "The host is not one of this server's",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    408: "The body took too long to come, or the query longer than its own timeout",
    409: "Refused, or in conflict with what is there",
    413: "The body is too large",
    422: "Not valid",
    429: "The queue is full, or the token asks too much at once",
    500: "Not foreseen",
    503: "Not available now",
}
_ONLY_OF_CHANGES = (408, 409, 413, 429)


def create_app(
    wiring: Wiring,
    *,
    login_digest: str | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    allowed_hosts: Iterable[str] = (),
    web_folder: Path = FOLDER,
    kept_for: float = 0,
) -> FastAPI:
    """`login_digest` is that of the secret in the printed address. `kept_for` is how old an answer may be, in seconds.
    The project is opened when the app starts."""
    app = FastAPI(
        title="Forge",
        version="1",  # of the API
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},  # /metrics and logs do
    )
    app.state.wiring = wiring
    app.state.metrics = Metrics()
    names = frozenset(name.lower().strip("[]").rstrip(".") for name in (host, *allowed_hosts))
    hosts = names - {"", "0.0.0.0", "::"}  # noqa: S104 — all addresses of a machine are the name of none
    app.state.door = AuthContext(port, hosts, login_digest, wiring.author.email)
    app.router.routes.extend(_routes())
    for kind in (ForgeError, RequestValidationError, HTTPException, PoolTimeout):
        app.add_exception_handler(kind, _problem_response)
    app.router.default = WebFiles(web_folder)
    if kept_for:
        app.add_middleware(ResponseCache, life=kept_for)
    # The last added is the first that a request meets.
    keys = wiring.settings.server
    limits = BodyLimits(keys.max_body_bytes, keys.body_seconds)
    app.add_middleware(RequestMiddleware, metrics=app.state.metrics, templates=_templates(), limits=limits)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


@cache
def _routes() -> list[BaseRoute]:
    """Every route. FastAPI works each of them out when the first request comes, which takes a while: once in a process
    is enough. All errors are Problems, but it builds a validator wherever the class is named, so one names it."""
    responses: dict[int | str, dict[str, Any]] = {status: {"description": text} for status, text in _PROBLEMS.items()}
    responses[500]["model"] = Problem
    filters = [Depends(known_filters)]
    every = APIRouter(generate_unique_id_function=_operation_id, responses=responses, dependencies=filters)
    for router in (*ROUTERS, system.probes):
        every.include_router(router)
    return every.routes


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.site = await run_in_threadpool(open_site, app.state.wiring)
    try:
        yield
    finally:
        await run_in_threadpool(close_site, app.state.site)


async def _problem_response(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        error = HTTPException(405, headers=_allowed(request) or error.headers)
    return problem_of(error, request.scope)


def _allowed(request: Request) -> dict[str, str]:
    """Every method of an address; the router names those of one function only. The first template that fits is meant:
    later ones take what is left over, like names of branches."""
    paths = request.app.openapi()["paths"].items()
    fitting = (methods for path, methods in paths if compile_path(path)[0].match(request.scope["path"]))
    found = sorted(method.upper() for method in next(fitting, ()))
    return {"allow": ", ".join(found)} if found else {}


def _templates() -> list[str]:
    every = (route for router in (*ROUTERS, system.probes) for route in router.routes)
    return [route.path for route in every if isinstance(route, APIRoute)]


def _operation_id(route: APIRoute) -> str:
    return route.name


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, with errors as problem+json and the security schemes."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, routes=app.routes)
        for path in document["paths"].values():
            for method, operation in path.items():
                operation["responses"] = _responses(operation["responses"], method.upper())
        schemas = document["components"]["schemas"]
        schemas.pop("HTTPValidationError", None)
        schemas.pop("ValidationError", None)
        document["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            "session": {"type": "apiKey", "in": "cookie", "name": app.state.door.cookie},
        }
        document["security"] = [{"token": []}, {"key": []}, {"session": []}]
        app.openapi_schema = document
    return app.openapi_schema


def _responses(declared: dict[str, Any], method: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, response in declared.items():
        if not status.startswith(("4", "5")):
            found[status] = response
        elif method not in SAFE or int(status) not in _ONLY_OF_CHANGES or (status == "429" and "202" in declared):
            schema = {"$ref": "#/components/schemas/Problem"}
            found[status] = {"description": response["description"], "content": {MEDIA_TYPE: {"schema": schema}}}
    return found
