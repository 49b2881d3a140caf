"""/api/v1/contracts: the registry of contracts. A change needs a token that may write."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from forge.api.accept import VARY
from forge.api.auth import ThePrincipal
from forge.api.contracts.body import YAML, read_text, wants_yaml
from forge.api.contracts.views import (
    checked_view,
    contract_detail,
    contract_records,
    contract_view,
    finding_view,
    plain,
    violation_views,
)
from forge.api.contracts.wire.registry import (
    ContractDetail,
    ContractStateWord,
    ContractView,
    LintView,
    RegisteredView,
    StateChange,
    StateChangeView,
    ViolationsView,
)
from forge.api.paging import AWindow
from forge.api.site import Site, TheSite
from forge.api.versioning.paths import EncodedSlashes
from forge.api.wire import Page, Problem
from forge.contracts.canonical import data_of
from forge.contracts.lifecycle import ContractState
from forge.flows.contracts.admission import admit
from forge.flows.contracts.files import by_id, project_files, virtual_file
from forge.flows.contracts.lifecycle import change_state
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import (
    FILE,
    ContractText,
    KnownContract,
    check,
    contract_text,
    find_known,
    keep_check,
    list_known,
)

router = APIRouter(prefix="/api/v1/contracts", tags=["contracts"], route_class=EncodedSlashes)

ContractIdentity = Annotated[
    str, Path(max_length=255, description="Its id, percent-encoded; or its name, its table.", examples=["orders"])
]
AskedVersion = Annotated[
    str | None,
    Query(max_length=100, description="`file` is the project's file as it is now.", examples=["1.2.0"]),
]

_TEXT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The contract; as it was written, where YAML is asked for.",
        "content": {YAML: {"schema": {"description": "A contract of ODCS v3, as YAML."}}},
    }
}
SIZES: dict[int | str, dict[str, Any]] = {
    413: {"model": Problem, "description": "The body is too large"},
    415: {"model": Problem, "description": "The body is packed in a way that is not known"},
}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    yaml = {"description": "A contract of ODCS v3, as YAML."}
    content = {YAML: {"schema": yaml}, "application/json": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}


_CONTRACT = _body({"type": "object", "description": "A contract of ODCS v3."})
_ANYTHING = _body({"type": "object", "description": "What may be a contract."})


@router.get("")
def list_contracts(
    site: TheSite,
    window: AWindow,
    q: Annotated[str, Query(max_length=200, description="A part of the id, name, owner or a table.")] = "",
    state: Annotated[tuple[ContractStateWord, ...], Query(max_length=10, description="Only these; repeated.")] = (),
    owner: Annotated[str | None, Query(max_length=255)] = None,
    table: Annotated[str | None, Query(max_length=300, description="schema.table")] = None,
    violations: Annotated[bool | None, Query(description="Only with errors in the last check, or without.")] = None,
) -> Page[ContractView]:
    """Registered contracts and those of the project's files, by name."""
    ports = site.wiring.contracts.ports()
    every = list_known(ports)
    records, words = contract_records(ports, every), q.strip().lower()
    found = []
    for known in every:
        view = contract_view(known, ports, records)
        text = "\n".join([view.id, view.name, view.owner or "", *view.tables]).lower()
        if (
            words in text
            and (not state or view.state in state)
            and (owner is None or view.owner == owner)
            and (table is None or table.lower() in view.tables)
            and (violations is None or violations == bool(view.violations and view.violations.errors))
        ):
            found.append(view)
    return window.page(found, lambda view: view, total=len(found))


@router.post("/lint", responses=SIZES, openapi_extra=_ANYTHING)
async def lint_contract(
    request: Request,
    site: TheSite,
    profile: Annotated[Literal["standard", "strict"] | None, Query(description="Default: the project's.")] = None,
) -> LintView:
    """All that is wrong with the form of a contract. Nothing is kept."""
    from forge.contracts.linter.lint import lint

    text = await read_text(request)
    wanted = profile or site.wiring.contracts.governance.profile
    found = await run_in_threadpool(lint, text, "contract.odcs.yaml", wanted)
    return LintView(violations=violation_views(found, "lint"))


@router.get("/{contract_id}", responses=_TEXT)
def one_contract(
    contract_id: ContractIdentity,
    request: Request,
    site: TheSite,
    version: AskedVersion = None,
    format: Annotated[Literal["json", "yaml"] | None, Query(description="Default: by the header Accept.")] = None,
) -> ContractDetail:
    """One contract: its newest registered version, else the project's file. `?format=yaml`, or
    `Accept: application/yaml`, gives the contract itself, as it was written."""
    ports = site.wiring.contracts.ports()
    known = find_known(ports, contract_id)
    shown = contract_text(known, ports, version)
    if format == "yaml" or (format is None and wants_yaml(request)):
        return cast(ContractDetail, Response(shown.text, media_type=YAML, headers=VARY))
    return contract_detail(known, ports, shown)


@router.get("/{contract_id}/document", responses=_TEXT)
def contract_document(
    contract_id: ContractIdentity,
    request: Request,
    site: TheSite,
    version: AskedVersion = None,
    format: Annotated[Literal["json", "yaml"] | None, Query(description="Default: by the header Accept.")] = None,
) -> dict[str, Any]:
    """The contract itself, as ODCS."""
    ports = site.wiring.contracts.ports()
    shown = contract_text(find_known(ports, contract_id), ports, version)
    if format == "yaml" or (format is None and wants_yaml(request)):
        return cast(dict[str, Any], Response(shown.text, media_type=YAML, headers=VARY))
    return cast(dict[str, Any], plain(data_of(shown.contract)))


@router.put(
    "/{contract_id}",
    responses={201: {"model": RegisteredView, "description": "A new version"}, **SIZES},
    openapi_extra=_CONTRACT,
)
async def put_contract(
    contract_id: ContractIdentity,
    request: Request,
    response: Response,
    site: TheSite,
    caller: ThePrincipal,
    dry_run: Annotated[bool, Query(description="Check it; keep nothing.")] = False,
) -> RegisteredView:
    """Register a version, as YAML or JSON. The same again changes nothing; another content for a version that is there
    is refused (409, E505)."""
    text = await read_text(request)
    view = await run_in_threadpool(_put, site, caller.user, contract_id, text, dry_run)
    if view.created and not dry_run:
        response.status_code = 201
    return view


def _put(site: Site, user: str, contract_id: str, text: str, trial: bool) -> RegisteredView:
    ports = site.wiring.contracts.ports(user)
    file = _file_of(contract_id, ports)
    admitted = admit(text, file, ports, contract_id=contract_id, trial=trial)
    if admitted.registering is None:
        known = KnownContract(contract_id, ports.store.head(contract_id))
        shown = ContractText(admitted.contract, text, FILE)
    else:
        known = find_known(ports, contract_id)
        keep_check(known, ports)
        shown = contract_text(known, ports, admitted.contract.version)
    comparison = admitted.comparison
    return RegisteredView.of(
        admitted,
        contract=contract_detail(known, ports, shown),
        required_bump=comparison.required_bump if comparison else None,
        actual_bump=comparison.actual_bump if comparison else None,
        violations=[finding_view(one) for one in admitted.findings],
    )


def _file_of(contract_id: str, ports: ContractPorts) -> str:
    """The project's file of that contract, which qualifies its tables, else a name for messages."""
    own = by_id(project_files(ports.root)).get(contract_id)
    head = ports.store.head(contract_id)
    return own.file if own else (head.newest.file if head else None) or virtual_file(contract_id)


@router.get("/{contract_id}/violations")
def contract_violations(contract_id: ContractIdentity, site: TheSite) -> ViolationsView:
    """What is wrong now: of the project's file, else of the newest version. Nothing is kept."""
    ports = site.wiring.contracts.ports()
    return checked_view(check(find_known(ports, contract_id), ports))


@router.post("/{contract_id}/check")
def check_contract(contract_id: ContractIdentity, site: TheSite, caller: ThePrincipal) -> ViolationsView:
    """What is wrong now, kept as the last check."""
    ports = site.wiring.contracts.ports(caller.user)
    return checked_view(keep_check(find_known(ports, contract_id), ports))


@router.get("/{contract_id}/history")
def contract_history(contract_id: ContractIdentity, site: TheSite, window: AWindow) -> Page[StateChangeView]:
    """How it came to its state, newest first."""
    ports = site.wiring.contracts.ports()
    found = ports.store.history(find_known(ports, contract_id).id)
    return window.page(found, StateChangeView.model_validate, total=len(found))


@router.post("/{contract_id}/state")
def change_contract_state(
    contract_id: ContractIdentity, body: StateChange, site: TheSite, caller: ThePrincipal
) -> ContractDetail:
    """Move a contract on. From deprecated on, its consumers are notified."""
    ports = site.wiring.contracts.ports(caller.user)
    known = find_known(ports, contract_id)
    change_state(
        known.id,
        ContractState(body.state),
        ports,
        reason=body.reason,
        ends_at=body.ends_at,
        replacement=body.replacement,
    )
    moved = find_known(ports, known.id)
    return contract_detail(moved, ports, contract_text(moved, ports))
