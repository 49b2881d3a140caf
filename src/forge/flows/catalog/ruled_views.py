"""What rules of the lake keep back at doors that are no queries: of their tables, and of views over these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from forge.flows.catalog.personal_data import PersonalColumns, trees_at
from forge.model.names import BranchName, CommitId

if TYPE_CHECKING:
    from forge.flows.ports import Metadata
    from forge.versioning.commit import Tree


def add_rules(
    personal: PersonalColumns,
    rules: PersonalColumns,
    metadata: Metadata,
    default: BranchName,
    commits: Iterable[CommitId | None],
) -> PersonalColumns:
    """A view over a table with rules is closed: which of its rows and values are whose, only a query tells."""
    closed: set[str] = set()
    for tree in trees_at(metadata, default, commits):
        closed |= _views_over(rules.ruled, tree, metadata)
    return personal.with_rules(rules).with_rules(PersonalColumns(ruled=frozenset(closed), closed=frozenset(closed)))


def _views_over(ruled: frozenset[str], tree: Tree, metadata: Metadata) -> set[str]:
    from forge.flows.quality.incidents.impact import lineage_at  # it imports runs, which import personal data

    views = {str(table) for table, version in tree.items() if version.kind == "view"}
    if not views:
        return set()
    reads: dict[str, set[str]] = {}
    for lineage in lineage_at(metadata, tree):
        if str(lineage.table) in views:
            known = reads.setdefault(str(lineage.table), set())
            known |= {edge.source.table for edge in lineage.edges}
            known |= {edge.source for edge in lineage.table_edges}
            known |= {edge.source.table for edge in lineage.indirect}
    found: set[str] = set()
    while True:
        more = {view for view in views - found if reads.get(view, set()) & (ruled | found)}
        if not more:
            return found
        found |= more
