"""The comparison of two branches as JSON: from records, or with a merge preview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.api.catalog.masks import Masks
from forge.api.runs.wire.runs import VerdictView
from forge.api.versioning.branch_views import branch_view
from forge.api.versioning.commit_views import commit_view
from forge.api.versioning.diff_views import change_word, schema_views
from forge.api.versioning.merge_views import SHOWN, conflict_view
from forge.api.versioning.wire.diffs import ChangedTable, CompareView, SchemaChangeView
from forge.api.versioning.wire.merges import TallyView
from forge.api.versioning.wire.refs import BranchView
from forge.api.views import error_view
from forge.flows.quality.verdict_masking import shown_verdict
from forge.flows.versioning.branches import BranchComparison, view_branch
from forge.flows.versioning.diff import diff
from forge.flows.versioning.merge.compare import MergePreview, MetadataComparison, compare, preview_merge
from forge.flows.versioning.merge.merge import MergeRequest
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.read import TableChange
from forge.flows.versioning.record_ports import Commits
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.quality.verdict import Verdict
from forge.versioning.changes import TableDiff
from forge.versioning.commit import Commit
from forge.versioning.errors import IncomparableError
from forge.versioning.graph import new_on
from forge.wiring import Wiring


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """The two revisions to compare, and how deeply."""

    base: str
    compare: str
    preview: bool = True
    checks: bool = False
    table: TableName | None = None


@dataclass(frozen=True, slots=True)
class CompareOutcome:
    """The result of a comparison. Without a preview, from records alone."""

    lines: BranchComparison
    compared: MetadataComparison | None = None
    diffs: tuple[TableDiff, ...] | None = None
    preview: MergePreview | None = None
    error: ForgeError | None = None


def run_comparison(ports: VersionPorts, lines: BranchComparison, sides: CompareRequest) -> CompareOutcome:
    """Uses the commits that `lines` resolved, even if a branch moves meanwhile."""
    compared = compare(ports, lines.base, lines.compare) if ports.tables_ is not None else None
    if not sides.preview:
        return CompareOutcome(lines, compared)
    try:
        diffs = diff(ports, lines.merge_base, lines.compare, limit=0) if lines.merge_base else None
        preview = preview_merge(MergeRequest(source=lines.compare, target=lines.base), ports, check=sides.checks)
    except IncomparableError as error:  # what is wrong with the two sides, and not with the request
        return CompareOutcome(lines, compared, error=error)
    return CompareOutcome(lines, compared, diffs, preview, _error(preview, sides))


def _error(preview: MergePreview, sides: CompareRequest) -> ForgeError | None:
    if preview.lines.merge_base is not None:
        return None
    return IncomparableError(
        "E610",
        f"'{sides.compare}' and '{sides.base}' have no common ancestor",
        why="Without one it cannot be said which side changed what.",
        fix="Commit the tables of one into a branch of the other.",
    )


def compare_view(wiring: Wiring, sides: CompareRequest, found: CompareOutcome) -> CompareView:
    lines, preview, metadata = found.lines, found.preview, wiring.metadata
    commits = _new_commits(metadata, lines)
    only = str(sides.table) if sides.table else None
    conflicts = [c for c in preview.conflicts if only in (None, c.table)] if preview else []
    masks = Masks(wiring.catalog.hidden_at(lines.base, lines.compare)) if conflicts else Masks()
    tables = [one for one in _tables(found, commits) if only in (None, one.table)]
    tallies = [TallyView.model_validate(t) for t in preview.tables if only in (None, t.table)] if preview else []
    count = sum(t.conflicts for t in tallies) if only else preview.conflict_count if preview else 0
    return CompareView.of(
        lines,
        base=sides.base,
        compare=sides.compare,
        base_branch=_branch(wiring, sides.base),
        compare_branch=_branch(wiring, sides.compare),
        base_commit=lines.base,
        compare_commit=lines.compare,
        can_merge=_can_merge(found),
        has_conflicts=_has_conflicts(found, sides.table, count),
        conflicts=[conflict_view(conflict, masks) for conflict in conflicts[:SHOWN]],
        conflict_count=max(count, len(conflicts)),
        tables=tables,
        commits=[commit_view(commit) for commit in commits[:SHOWN]],
        previewed=preview is not None,
        tallies=tallies,
        verdicts=[_verdict(v, wiring) for v in preview.verdicts if only in (None, v.table)] if preview else [],
        error=error_view(found.error),
    )


def _can_merge(found: CompareOutcome) -> bool:
    if found.error is not None:
        return False
    if found.preview is not None:
        return found.preview.can_merge
    return found.lines.ahead > 0 and found.lines.merge_base is not None


def _has_conflicts(found: CompareOutcome, table: TableName | None, count: int) -> bool | None:
    if found.preview is not None:
        return count > 0
    both = found.lines.both_tables
    return None if (both if table is None else table in both) else False


def _branch(wiring: Wiring, name: str) -> BranchView | None:
    wanted = wiring.default_branch if name == "HEAD" else BranchName(name)
    branch = wiring.metadata.branch(wanted)
    if branch is None:
        return None
    found = view_branch(wiring.metadata, branch, wiring.default_branch)
    return branch_view(found, wiring.settings.versioning)


def _new_commits(metadata: Commits, lines: BranchComparison) -> list[Commit]:
    """Commits that only the compared side has, newest first."""
    ids = new_on(lines.compare, lines.base, metadata.ancestry([lines.base, lines.compare]))
    found = metadata.commits(ids)
    return [found[commit] for commit in reversed(ids) if commit in found]


def _verdict(verdict: Verdict, wiring: Wiring) -> VerdictView:
    """A verdict of a preview, which belongs to no run."""
    shown = shown_verdict(verdict, wiring.catalog.hidden_at())
    return VerdictView.model_validate({**shown.to_dict(), "run_id": "", "executed_at": wiring.clock()})


def _tables(found: CompareOutcome, commits: Sequence[Commit]) -> list[ChangedTable]:
    both = set(found.lines.both_tables)
    files = {str(f.table): (f.added, f.removed) for f in found.compared.files} if found.compared else {}
    if found.diffs is not None:
        return [_from_rows(one, TableName.parse(one.table) in both) for one in found.diffs]
    changes = {str(change.table): change for change in found.compared.changes} if found.compared else {}
    counts = _counted(commits)
    tables = []
    for table in found.lines.compare_tables:
        change, name = changes.get(str(table)), str(table)
        added, removed = files.get(name, (None, None))
        rows = counts.get(name, {})
        tables.append(
            ChangedTable(
                table=name,
                change=change_word(change.change) if change else "changed",
                both=table in both,
                files_added=added,
                files_removed=removed,
                schema_changes=_columns(change) if change and change.change == "changed" else [],
                inserted=rows.get("inserted"),
                updated=rows.get("updated"),
                deleted=rows.get("deleted"),
            )
        )
    return tables


def _counted(commits: Sequence[Commit]) -> Mapping[str, dict[str, int]]:
    """Row counts summed over the commits."""
    found: dict[str, Counter[str]] = {}
    for commit in commits:
        if commit.is_merge:  # what it brought in is counted where it was made
            continue
        for table, done in commit.statistics.items():
            counts = {"inserted": done.rows_added, "updated": done.rows_modified, "deleted": done.rows_deleted}
            found.setdefault(str(table), Counter(dict.fromkeys(counts, 0))).update(counts)
    return {table: dict(counts) for table, counts in found.items()}


def _from_rows(one: TableDiff, both: bool) -> ChangedTable:
    return ChangedTable.of(
        one,
        change=change_word(one.change),
        both=both,
        inserted=one.rows.inserted,
        updated=one.rows.updated,
        deleted=one.rows.deleted,
        schema_changes=schema_views(one.schema) if one.change == "changed" else [],
    )


def _columns(change: TableChange) -> list[SchemaChangeView]:
    words = (text.partition(": ") for text in change.columns_retyped)
    retyped = [(name, types.partition(" → ")) for name, _, types in words]
    return [
        *(SchemaChangeView(change="added", column=name) for name in change.columns_added),
        *(SchemaChangeView(change="dropped", column=name) for name in change.columns_removed),
        *(
            SchemaChangeView(change="retyped", column=name, before=before, after=after)
            for name, (before, _, after) in retyped
        ),
    ]
