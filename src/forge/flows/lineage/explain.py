"""Upstream lineage in sentences, with commit, owner and verdicts of each table."""

from __future__ import annotations

from functools import cache

from forge.flows.lineage.reader import GraphReader
from forge.flows.quality.incidents.impact import lake_table
from forge.flows.versioning.read import commit_at
from forge.lineage.explain import SourceFacts, explain
from forge.lineage.graph.traversal import Traversal
from forge.model.errors import ForgeError
from forge.model.names import CommitId, RunId, TableName
from forge.quality.verdict import Verdict


def explain_walk(view: GraphReader, found: Traversal) -> tuple[str, ...]:
    """Sentences. A table is described as of the reader's time, `core.orders@v3` as of that version."""
    owners = {asset.table: asset.owner for asset in view.ports.metadata.assets()}
    head = _head(view)

    @cache
    def facts_of(name: str) -> SourceFacts:
        short, _, version = name.partition("@")
        table = lake_table(short)
        if table is None:
            return SourceFacts()
        owner = owners.get(table) or view.ports.owner(table) or ""
        at = _commit_of(view, table, version) if version else head
        return _facts(view, table, at, owner)

    return tuple(explain(found, facts_of))


def _head(view: GraphReader) -> CommitId | None:
    """The commit that a reader is at."""
    if view.commit is not None:
        return view.commit.id
    branch = view.ports.metadata.branch(view.ports.default_branch)
    if branch is None or branch.head is None:
        return None
    found = view.ports.metadata.log(branch.head, limit=1, until=view.at) if view.at else ()
    return found[0].id if found else branch.head


def _commit_of(view: GraphReader, table: TableName, version: str) -> CommitId | None:
    """None: what the name calls a version is none of this table's."""
    try:
        return commit_at(view.ports.metadata, version, view.ports.default_branch, table).id
    except ForgeError:
        return None


def _facts(view: GraphReader, table: TableName, at: CommitId | None, owner: str) -> SourceFacts:
    metadata = view.ports.metadata
    version = metadata.tree(at).get(table) if at else None
    if at is None or version is None:
        return SourceFacts(owner)
    written = metadata.log(at, limit=1, table=table)
    commit, message = (written[0].id[:12], written[0].message) if written else ("", "")
    verdicts = metadata.verdicts(run_id=RunId(version.run_id), table=table) if version.run_id else ()
    return SourceFacts(owner, commit, message, {_check(verdict): str(verdict.outcome) for _, verdict in verdicts})


def _check(verdict: Verdict) -> str:
    return f"{verdict.check_type} of {', '.join(verdict.columns)}" if verdict.columns else verdict.check_type
