"""Commits below /api/v1/branches: the log, commits of uploaded rows, and rows as a commit has them."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from forge.api.auth import Principal, ThePrincipal
from forge.api.executor import LONG, respond
from forge.api.paging import FARTHEST, AWindow, Window
from forge.api.rows import is_ordered, row_window, rows_view
from forge.api.site import Site, TheSite
from forge.api.versioning.branch_views import commit_detail
from forge.api.versioning.commit_views import commit_view, graph_views
from forge.api.versioning.merge_views import commit_result
from forge.api.versioning.paths import AskedTable, Branch, Dataset, Revision, branch_router, find_dataset, find_named
from forge.api.versioning.uploads import FORM, TABLE_FORM, Upload, commit_upload, receive
from forge.api.versioning.wire.merges import CommitResultView
from forge.api.versioning.wire.refs import CommitDetail, CommitView, RowsView
from forge.api.wire import Moment, Page, Problem, Wire
from forge.flows.catalog.sample import sample_rows
from forge.flows.runs.engine import Engine
from forge.flows.versioning.data.commit import CommitResult
from forge.flows.versioning.log import find_log
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.revisions import find_commit
from forge.flows.versioning.time_travel import HistoricalRows, travel
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.names import CommitId, TableName
from forge.model.time import as_utc
from forge.versioning.graph import simplify

# What `router` has would take paths of datasets for names of branches: it comes after all of those.
specific, router = branch_router("commits"), branch_router("commits")

UPLOAD: dict[int | str, dict[str, Any]] = {
    200: {"model": CommitResultView, "description": "Its checks hold it back; nothing was committed"},
    **LONG,
    413: {"model": Problem, "description": "The file is too large"},
}

AskedAuthor = Annotated[str | None, Query(max_length=200, description="A part of name or e-mail.")]
AskedPath = Annotated[str | None, Query(max_length=300, description="A table, or a schema and thus its tables.")]
Graph = Annotated[bool, Query(description="Each commit with its lane, and the lines to the next.")]


@specific.get("/commits/commits", include_in_schema=False)
def commits_of_commits(site: TheSite, window: AWindow) -> Page[CommitView]:
    """The log of a branch that is called commits, which the next route would take for a revision."""
    return branch_commits("commits", site, window)


@specific.get("/commits/{commit_id:path}")
def one_commit(commit_id: Revision, site: TheSite) -> CommitDetail:
    """One commit, with every table as it had it."""
    metadata = site.wiring.metadata
    commit = find_commit(metadata, commit_id, site.wiring.default_branch)
    return commit_detail(commit, metadata.tree(commit.id))


@specific.get("/datasets/{dataset_id}/branches/{branch:path}/commits")
def dataset_commits(
    dataset_id: Dataset,
    branch: Branch,
    site: TheSite,
    window: AWindow,
    author: AskedAuthor = None,
    since: Moment | None = None,
    until: Moment | None = None,
    graph: Graph = False,
) -> Page[CommitView]:
    """The commits of the branch that changed the dataset, newest first."""
    find_dataset(site.wiring, dataset_id)
    return _log(site, window, branch, (dataset_id,), author, since, until, graph)


@specific.post(
    "/datasets/{dataset_id}/branches/{branch:path}/commits",
    status_code=201,
    response_model=CommitResultView,
    responses=UPLOAD,
    openapi_extra=FORM,
)
async def commit_to_dataset(
    dataset_id: Dataset, branch: Branch, request: Request, site: TheSite, caller: ThePrincipal
) -> Wire | Response:
    """Commit the rows of a file (CSV, JSON lines or Parquet). A file that does not fit is refused whole, with the line
    and the reason; failing checks hold the commit back (`blocked`)."""
    upload = await receive(request)
    return await run_in_threadpool(_commit, site, caller, branch, dataset_id, upload)


@specific.get("/datasets/{dataset_id}/commits/{commit_id:path}/data", response_model=RowsView, responses=LONG)
def dataset_rows(
    dataset_id: Dataset,
    commit_id: Revision,
    site: TheSite,
    caller: ThePrincipal,
    sql: Annotated[
        str | None, Query(max_length=10_000, description="A SELECT; the dataset by its name, or as `data`.")
    ] = None,
    filters: Annotated[
        tuple[str, ...], Query(alias="filter", max_length=20, description="column=value; repeated: all of them.")
    ] = (),
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
    offset: Annotated[int, Query(ge=0, lt=FARTHEST, description="How many to leave out, without a cursor.")] = 0,
) -> Wire | Response:
    """Rows of the dataset as a commit has it, personal data masked; or what a SELECT finds among the tables of that
    commit. Of a table they are read without Spark; SQL and views need it. Pages are of one commit."""
    wiring, table = site.wiring, TableName.parse(dataset_id)
    window = row_window(min(limit, site.executor.limits.rows), cursor, offset)
    commit_id = window.commit or commit_id
    hidden_from = wiring.catalog.hidden_from(caller.user)
    if sql is None and not filters:
        with suppress(_NeedsSpark):
            few = sample_rows(
                *(wiring.metadata, wiring.lake, _no_engine, hidden_from, table, commit_id),
                default=wiring.default_branch,
                limit=window.needed,
            )
            return rows_view(str(table), window, few, has_order=_has_order(site, few.commit_id, table, None))
    where = read_filters(filters)
    commit = find_commit(wiring.metadata, commit_id, wiring.default_branch).id

    def work(ports: VersionPorts) -> HistoricalRows:
        door = f"time travel, token {caller.token.name}" if caller.token else "time travel"
        return travel(ports, table, commit, sql=sql, where=where, limit=window.needed, door=door)

    hidden = hidden_from(commit)  # who asks again after that has changed gets no answer from before
    share = ("query", caller.user, caller.origin, commit, table, sql, filters, window, hidden)
    outcome = site.executor.do("query", work, caller, text=sql or " ".join((str(table), *filters)), share=share)
    has_order = _has_order(site, commit, table, sql)
    return respond(outcome, partial(rows_view, str(table), window, has_order=has_order))


def _has_order(site: Site, commit: CommitId, table: TableName, sql: str | None) -> bool:
    """Whether the next page begins where this one ends: rows of a table have the order of its files, those of a view
    or a SELECT none but what it says."""
    if sql is not None:
        return is_ordered(sql)
    version = site.wiring.metadata.tree(commit).get(table)
    return version is not None and version.kind == "table"


class _NeedsSpark(Exception):
    """That is work with limits."""


def _no_engine() -> Engine:
    raise _NeedsSpark


@router.get("/{branch:path}/commits")
def branch_commits(
    branch: Branch,
    site: TheSite,
    window: AWindow,
    table: AskedTable = None,
    path: AskedPath = None,
    author: AskedAuthor = None,
    since: Moment | None = None,
    until: Moment | None = None,
    graph: Graph = False,
) -> Page[CommitView]:
    """Newest first. Filters hide commits, they do not end the walk."""
    return _log(site, window, branch, (table, path), author, since, until, graph)


@router.post(
    "/{branch:path}/commits",
    status_code=201,
    response_model=CommitResultView,
    responses=UPLOAD,
    openapi_extra=TABLE_FORM,
)
async def commit_to_branch(branch: Branch, request: Request, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """Commit the rows of a file to the table that the form names."""
    upload = await receive(request)
    return await run_in_threadpool(_commit, site, caller, branch, None, upload)


def _commit(site: Site, caller: Principal, branch: str, dataset_id: str | None, upload: Upload) -> Wire | Response:
    form = upload.form
    try:
        table = _table_of(dataset_id, form.table)
        branch = find_named(site.wiring.metadata, branch).name
    except BaseException:
        upload.close()
        raise
    work = partial(commit_upload, table, branch, upload)
    outcome = site.executor.do("commit", work, caller, branch=branch, after=upload.close)

    def shown(done: CommitResult) -> CommitResultView:
        return commit_result(site.wiring, done, branch, form.mode)

    found = respond(outcome, shown)
    if isinstance(found, CommitResultView) and found.commit is None:  # nothing was made
        return JSONResponse(found.model_dump(mode="json"), 200)
    return found


def _table_of(dataset_id: str | None, named: str | None) -> TableName:
    if dataset_id is None and named is None:
        raise ForgeError("E105", "The form names no table", where="body.table", fix="Send it as the part `table`.")
    if dataset_id is not None and named is not None and TableName.parse(named) != TableName.parse(dataset_id):
        raise ForgeError("E105", f"{named} is not {dataset_id}", where="body.table", fix="Leave it out.")
    return TableName.parse(dataset_id or named or "")


def read_filters(texts: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ForgeError("E105", f"'{text}' is no column=value", where="query.filter", fix="Like filter=country=DE")
        found[name.strip()] = value
    return found


def _log(
    site: Site,
    window: Window,
    branch: str,
    paths: tuple[str | None, ...],
    author: str | None,
    since: datetime | None,
    until: datetime | None,
    graph: bool,
) -> Page[CommitView]:
    metadata = site.wiring.metadata
    head = find_named(metadata, branch).head
    if head is None:
        return Page(items=[])
    hides = any((*paths, author, since, until))
    # In the picture of a part of the log, lines lead to the nearest commits of that part: all of it has to be known.
    limit = None if graph and hides else window.needed
    since, until = _utc(since), _utc(until)
    try:
        found = find_log(metadata, head, limit=limit, paths=paths, author=author, since=since, until=until)
    except UnknownNameError:
        return Page(items=[])  # a filter that fits nothing
    if not graph:
        return window.page(found, commit_view)
    parents = {commit.id: commit.parents for commit in found}
    if hides:
        parents = simplify(list(parents), metadata.ancestry([head]))
    return window.page(graph_views(found, parents), lambda view: view)


def _utc(time: datetime | None) -> datetime | None:
    try:
        return as_utc(time) if time is not None else None
    except OverflowError:
        raise ForgeError("E105", "The time is outside the calendar", fix="Write it like 2026-11-14T06:00Z.") from None
