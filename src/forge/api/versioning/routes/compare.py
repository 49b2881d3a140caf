"""/api/v1/branches/compare, /diff, /blame and /verify: what differs, who wrote it, and whether it is what it was."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from forge.api.auth import Principal, ThePrincipal
from forge.api.catalog.masks import Masks
from forge.api.executor import LONG, respond
from forge.api.site import Site, TheSite
from forge.api.versioning.compare_views import CompareRequest, compare_view, run_comparison
from forge.api.versioning.diff_views import blame_view, diff_view, verify_view
from forge.api.versioning.paths import AskedRevision, AskedTable, Columns, Dataset, branch_router, find_dataset
from forge.api.versioning.wire.diffs import BlameView, CompareView, DiffView, VerifyView
from forge.api.wire import Wire
from forge.flows.upkeep.verify.history import Verification, VerifyLevel
from forge.flows.upkeep.verify.history import verify as flow_verify
from forge.flows.versioning.blame import Blame
from forge.flows.versioning.blame import blame as flow_blame
from forge.flows.versioning.branches import compare_branches
from forge.flows.versioning.diff import diff as flow_diff
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.revisions import find_commit
from forge.flows.versioning.time_travel import refuse_filter
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import TableName
from forge.versioning.changes import TableDiff

router = branch_router("compare")

Preview = Annotated[bool, Query(description="false: from records alone, without a trial of the merge.")]
Checks = Annotated[bool, Query(description="Ask the checks on the merged preview, too; that may start Spark.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Rows of each table.")]
Offset = Annotated[int, Query(ge=0, le=10_000)]
Key = Annotated[
    tuple[str, ...], Query(max_length=50, description="column:value; repeated for a key of several columns.")
]


@router.get("/compare", response_model=CompareView, responses=LONG)
def compare(
    site: TheSite,
    caller: ThePrincipal,
    compare: AskedRevision,
    base: AskedRevision = "HEAD",
    preview: Preview = True,
    checks: Checks = False,
) -> Wire | Response:
    """What merging `compare` into `base` would do. Nothing is changed."""
    return _compare(site, caller, CompareRequest(base, compare, preview, checks))


@router.get("/datasets/{dataset_id}/compare", response_model=CompareView, responses=LONG)
def compare_dataset(
    dataset_id: Dataset,
    site: TheSite,
    caller: ThePrincipal,
    compare: AskedRevision,
    base: AskedRevision = "HEAD",
    preview: Preview = True,
    checks: Checks = False,
) -> Wire | Response:
    """What merging `compare` into `base` would do to one dataset."""
    table = find_dataset(site.wiring, dataset_id)
    return _compare(site, caller, CompareRequest(base, compare, preview, checks, table))


@router.get("/diff", response_model=DiffView, responses=LONG)
def diff(
    site: TheSite,
    caller: ThePrincipal,
    compare_commit: AskedRevision,
    base_commit: AskedRevision = "HEAD",
    table: AskedTable = None,
    columns: Columns = (),
    limit: Limit = 100,
    offset: Offset = 0,
) -> Wire | Response:
    """Rows inserted, updated and deleted from one commit to another, and changes of schema. Personal data is masked."""
    named = TableName.parse(table) if table is not None else None
    return _diff(site, caller, base_commit, compare_commit, named, columns, limit, offset)


@router.get("/datasets/{dataset_id}/diff", response_model=DiffView, responses=LONG)
def diff_dataset(
    dataset_id: Dataset,
    site: TheSite,
    caller: ThePrincipal,
    compare_commit: AskedRevision,
    base_commit: AskedRevision = "HEAD",
    columns: Columns = (),
    limit: Limit = 100,
    offset: Offset = 0,
) -> Wire | Response:
    """The same of one dataset."""
    table = find_dataset(site.wiring, dataset_id)
    return _diff(site, caller, base_commit, compare_commit, table, columns, limit, offset)


@router.get("/blame", response_model=BlameView, responses=LONG)
def blame(
    site: TheSite,
    caller: ThePrincipal,
    table: Annotated[str, Query(max_length=300, description="schema.table", examples=["core.orders"])],
    at: AskedRevision = "HEAD",
    key: Key = (),
    columns: Columns = (),
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> Wire | Response:
    """Which commit and run last wrote each row, and each of its cells."""
    named, metadata = TableName.parse(table), site.wiring.metadata
    commit = find_commit(metadata, at, site.wiring.default_branch).id
    wanted, columns = _pairs(key), _split(columns)
    hidden_from = site.wiring.catalog.hidden_from(caller.user)
    hidden_from(commit).refuse_rows(named)
    refuse_filter(named, hidden_from(commit), wanted or ())

    def work(ports: VersionPorts) -> Blame:
        return flow_blame(ports, named, at=commit, key=wanted, columns=columns or None, limit=limit)

    share = ("blame", commit, named, key, columns, limit)
    outcome = site.executor.do("blame", work, caller, text=f"{named} at {at}", share=share)
    return respond(outcome, lambda found: blame_view(found, at, Masks(hidden_from(found.commit))))


@router.get("/verify", response_model=VerifyView, responses=LONG)
def verify(
    site: TheSite,
    caller: ThePrincipal,
    level: Annotated[Literal["chain", "tree", "full", "logical"], Query()] = "tree",
    at: Annotated[str | None, Query(max_length=255, description="This commit and all before it; all, without.")] = None,
    table: AskedTable = None,
) -> Wire | Response:
    """Whether the history and the files are what was committed. What is broken is a result, not an error."""
    wiring = site.wiring
    start = find_commit(wiring.metadata, at, wiring.default_branch).id if at is not None else None
    named, wanted = TableName.parse(table) if table is not None else None, VerifyLevel(level)

    def work(ports: VersionPorts) -> Verification:
        if wanted is VerifyLevel.LOGICAL:
            ports.engine()  # so that Spark's jobs can be distinguished and stopped
        return flow_verify(
            wiring.versioning.uncached_metadata(),
            wiring.lake,
            wiring.versioning.hasher,
            level=wanted,
            default=wiring.default_branch,
            start=start,
            table=named,
            keys=wiring.versioning.trusted_keys(),
            checksum=wiring.versioning.checksum() if wanted is VerifyLevel.LOGICAL else None,
            progress=lambda what, done, total: _refuse_stopped(ports),
        )

    outcome = site.executor.do("verify", work, caller, text=level, share=("verify", level, start, named))
    return respond(outcome, verify_view)


def _compare(site: Site, caller: Principal, sides: CompareRequest) -> Wire | Response:
    wiring = site.wiring
    lines = compare_branches(wiring.metadata, sides.base, sides.compare, wiring.default_branch)
    if not sides.preview:
        return compare_view(wiring, sides, run_comparison(wiring.versioning.ports(), lines, sides))
    share = ("compare", lines.base, lines.compare, sides.checks)
    outcome = site.executor.do(
        *("compare", lambda ports: run_comparison(ports, lines, sides), caller),
        text=f"{sides.base}..{sides.compare}",
        share=share,
    )
    return respond(outcome, lambda found: compare_view(wiring, sides, found))


def _diff(
    site: Site,
    caller: Principal,
    base: str,
    compare: str,
    table: TableName | None,
    columns: tuple[str, ...],
    limit: int,
    offset: int,
) -> Wire | Response:
    metadata, default = site.wiring.metadata, site.wiring.default_branch
    left, right = find_commit(metadata, base, default).id, find_commit(metadata, compare, default).id
    wanted = _split(columns)
    hidden = site.wiring.catalog.hidden_from(caller.user)(left, right)
    if table is not None:
        hidden.refuse_rows(table)

    def work(ports: VersionPorts) -> tuple[TableDiff, ...]:
        tables = [table] if table is not None else None
        return flow_diff(ports, left, right, tables=tables, columns=wanted or None, limit=limit, offset=offset)

    share = ("diff", left, right, table, wanted, limit, offset)
    outcome = site.executor.do("diff", work, caller, text=f"{base}..{compare} {table or ''}", share=share)

    def shown(found: tuple[TableDiff, ...]) -> DiffView:
        return diff_view(left, right, found, Masks(hidden), limit=limit, offset=offset)

    return respond(outcome, shown)


def _split(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for part in columns for name in part.split(",") if name.strip())


def _pairs(texts: tuple[str, ...]) -> dict[str, object] | None:
    """`column:value`, one for each column of the key."""
    found: dict[str, object] = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise ForgeError("E105", f"'{text}' is no column:value", where="query.key", fix="Like key=order_id:10017")
        found[name.strip()] = value
    return found or None


def _refuse_stopped(ports: VersionPorts) -> None:
    if ports.stopped() is not None:
        raise CancellationError("It was cancelled", fix="Try again.")
