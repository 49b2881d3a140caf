"""Differences without personal data: values of columns that are flagged, or stand in lineage with such, are hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from forge.flows.impact import edges_at
from forge.flows.ports import Metadata
from forge.flows.sample import Key, find_personal
from forge.model.names import CommitId
from forge.versioning.changes import RowChange, TableDiff

HIDDEN = "***"


def hide_personal(
    metadata: Metadata, diffs: Sequence[TableDiff], commits: Iterable[CommitId | None]
) -> tuple[TableDiff, ...]:
    """Hidden at one of the commits is hidden."""
    assets = metadata.assets()
    trees = [metadata.tree(commit) for commit in dict.fromkeys(commits) if commit is not None]
    hidden = frozenset[Key]().union(*(find_personal(assets, edges_at(metadata, tree)) for tree in trees))
    return tuple(_hide(diff, {column for table, column in hidden if table == diff.table}) for diff in diffs)


def _hide(diff: TableDiff, columns: set[str]) -> TableDiff:
    if not columns:
        return diff
    return replace(diff, rows=replace(diff.rows, rows=tuple(_row(row, columns) for row in diff.rows.rows)))


def _row(row: RowChange, columns: set[str]) -> RowChange:
    def shown(values: Mapping[str, object] | None) -> dict[str, object] | None:
        if values is None:
            return None
        return {n: HIDDEN if n.lower() in columns and v is not None else v for n, v in values.items()}

    return replace(row, key=shown(row.key) or {}, before=shown(row.before), after=shown(row.after))
