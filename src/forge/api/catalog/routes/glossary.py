"""/api/v1/catalog/glossary: terms, their history, links, suggestions, import and export. A change needs a token that
may write."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import ThePrincipal
from forge.api.catalog.wire.glossary import (
    GlossaryList,
    GlossaryView,
    TermChange,
    TermCreate,
    TermDetail,
    TermFormatWord,
    TermImportBody,
    TermImportView,
    TermRevisionView,
    TermStateWord,
    TermSuggestionView,
    TermView,
)
from forge.api.paging import AWindow, best_of
from forge.api.site import Site, TheSite
from forge.api.wire import ErrorView, Page
from forge.catalog.glossary.term import GlossaryTerm, TermState, glossaries_of
from forge.flows.catalog.edit import find_asset
from forge.flows.catalog.glossary.exchange import TermFormat, export_terms, import_terms
from forge.flows.catalog.glossary.links import suggest_for
from forge.flows.catalog.glossary.ports import GlossaryStore
from forge.flows.catalog.glossary.terms import change_term, create_term, find_term, find_terms, remove_term

router = APIRouter(prefix="/api/v1/catalog/glossary", tags=["catalog glossary"])

TermIdentity = Annotated[str, Path(max_length=255, description="Its id, or a name that only it has.")]
Domain = Annotated[str | None, Query(max_length=255)]
_MEDIA_TYPES = {TermFormat.CSV: "text/csv", TermFormat.YAML: "application/yaml"}


@router.get("")
def list_glossaries(site: TheSite, window: AWindow, domain: Domain = None) -> GlossaryList:
    """The glossary of each domain, or of one."""
    store = _current(site)
    found = glossaries_of(store.terms(domain=domain))
    errors = site.wiring.catalog.discovery.glossary_files.last.errors
    page = window.page(found, lambda one: GlossaryView.model_validate(one.to_dict()), total=len(found))
    return GlossaryList.of(page, errors=[ErrorView.model_validate(error.to_dict()) for error in errors])


@router.get("/terms")
def list_terms(
    site: TheSite,
    window: AWindow,
    q: Annotated[str, Query(max_length=200, description="Words of the name, a synonym or the definition.")] = "",
    domain: Domain = None,
    state: TermStateWord | None = None,
) -> Page[TermView]:
    """By domain and name."""
    found = find_terms(_current(site), text=q, domain=domain, state=TermState(state) if state else None)
    return window.page(found, _view, total=len(found))


@router.post("/terms", status_code=201)
def add_term(body: TermCreate, site: TheSite, caller: ThePrincipal, response: Response) -> TermView:
    """Its address is in `Location`."""
    _current(site)
    made = create_term(body.model_dump(), site.wiring.catalog.discovery.glossary_ports(caller.user))
    response.headers["Location"] = f"{router.prefix}/terms/{made.id}"
    return _view(made)


@router.get("/terms/{term_id}")
def one_term(term_id: TermIdentity, site: TheSite) -> TermDetail:
    term = find_term(_current(site), term_id)
    links = site.wiring.catalog.discovery.glossary_ports().links(term.id)
    return TermDetail.model_validate({**term.to_dict(), "links": [link.to_dict() for link in links]})


@router.patch("/terms/{term_id}")
def edit_term(term_id: TermIdentity, body: TermChange, site: TheSite, caller: ThePrincipal) -> TermView:
    """Change what the body has; the rest stays. A term of a file of the project is refused (409)."""
    _current(site)
    fields = body.model_dump(exclude_unset=True, exclude={"expected_version"})
    ports = site.wiring.catalog.discovery.glossary_ports(caller.user)
    return _view(change_term(term_id, fields, ports, version=body.expected_version))


@router.delete("/terms/{term_id}", status_code=204)
def delete_term(
    term_id: TermIdentity,
    site: TheSite,
    caller: ThePrincipal,
    force: Annotated[bool, Query(description="Also where assets or columns are linked to it.")] = False,
    expected_version: Annotated[int | None, Query(ge=0, description="Only if it is still at this version.")] = None,
) -> None:
    """Its history stays. What is linked to it is refused (409), unless forced."""
    _current(site)
    ports = site.wiring.catalog.discovery.glossary_ports(caller.user)
    remove_term(term_id, ports, force=force, version=expected_version)


@router.get("/terms/{term_id}/history")
def term_history(term_id: TermIdentity, site: TheSite, window: AWindow) -> Page[TermRevisionView]:
    """Newest first; of a deleted term too."""
    store = _current(site)
    found = store.history(term_id, window.needed)
    if not found:
        found = store.history(find_term(store, term_id).id, window.needed)
    return window.page(found, lambda one: TermRevisionView.model_validate(one.to_dict()))


@router.get("/suggestions")
def suggest_terms(
    site: TheSite,
    asset: Annotated[str, Query(max_length=600, examples=["core.orders"])],
    limit: Annotated[int, Query(ge=1, le=20, description="How many at most for each column.")] = 3,
) -> Page[TermSuggestionView]:
    """Terms for the columns of an asset that have none, with score and reason."""
    found = suggest_for(find_asset(site.wiring.catalog.assets, asset), _current(site).terms(), limit=limit)
    return best_of([TermSuggestionView.model_validate(one.to_dict()) for one in found])


@router.get("/export", response_class=Response)
def export_glossary(site: TheSite, format: TermFormatWord = "csv", domain: Domain = None) -> Response:
    """Terms as a file that can be imported again; cells that a spreadsheet would run are made harmless."""
    form = TermFormat(format)
    text = export_terms(_current(site).terms(domain=domain), form)
    headers = {"content-disposition": f'attachment; filename="glossary.{form.value}"'}
    return Response(text.encode(), media_type=f"{_MEDIA_TYPES[form]}; charset=utf-8", headers=headers)


@router.post("/import")
def import_glossary(body: TermImportBody, site: TheSite, caller: ThePrincipal) -> TermImportView:
    """All of a file, or nothing: then every error is named with its line."""
    _current(site)
    ports = site.wiring.catalog.discovery.glossary_ports(caller.user)
    done = import_terms(body.text, f"import.{body.format}", TermFormat(body.format), ports, dry_run=body.dry_run)
    return TermImportView(
        added=[term.id for term in done.added],
        changed=[after.id for _, after in done.changed],
        unchanged=[term.id for term in done.unchanged],
        dry_run=body.dry_run,
    )


def _current(site: Site) -> GlossaryStore:
    """With what the files of the project say now."""
    parts = site.wiring.catalog.discovery
    parts.glossary_files.look()
    return parts.glossary


def _view(term: GlossaryTerm) -> TermView:
    return TermView.model_validate(term.to_dict())
