"""Verification of the commit chain: every commit matches its id, every ref points at one, and the lake agrees with
the heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from forge.flows.ports import Lake
from forge.flows.runs.input_pins import MAIN_REF
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.flows.versioning.record_ports import CommitHistory, Commits
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.versioning.branch import Branch
from forge.versioning.commit import Commit, Signature, TableVersion, Tree, id_of, tree_id_of
from forge.versioning.signing import PublicKeys, check
from forge.versioning.tag import Tag, tag_id_of
from forge.versioning.verify_findings import BrokenKind, BrokenObject, VerifyFindings

RECORDS = "the records"


@dataclass(slots=True)
class CommitChain:
    """The verified commits: trees as recorded, oldest commit first."""

    commits: int = 0
    trees: dict[CommitId, Tree] = field(default_factory=dict)
    signed: int = 0
    unchecked: int = 0
    foreign: tuple[TableName, ...] = ()


def check_chain(
    metadata: CommitHistory,
    lake: Lake,
    findings: VerifyFindings,
    *,
    default: BranchName,
    start: CommitId | None,
    keys: PublicKeys,
    progress: Callable[[str, int, int], None],
) -> CommitChain:
    branches = [branch for branch in metadata.branches() if branch.head is not None]
    tags = metadata.tags()
    chain = CommitChain()
    heads = [start] if start else [*(b.head for b in branches if b.head), *(tag.target for tag in tags)]
    parents = metadata.ancestry(heads)
    commits = metadata.commits(parents)
    for branch in branches:
        if start is None and branch.head is not None and branch.head not in commits:
            _add(findings, "branch", branch.name, expected=f"commit {branch.head}", actual=None, commit=branch.head)
    _check_commits(metadata, chain, commits, parents, findings, keys, progress)
    if start is None:
        _check_tags(tags, chain, commits, findings, keys)
        for branch in branches:
            _check_refs(metadata, lake, chain, branch, default, findings)
    return chain


def _check_commits(
    metadata: Commits,
    chain: CommitChain,
    commits: Mapping[CommitId, Commit],
    parents: Mapping[CommitId, tuple[CommitId, ...]],
    findings: VerifyFindings,
    keys: PublicKeys,
    progress: Callable[[str, int, int], None],
) -> None:
    chain.commits = len(commits)
    for number, commit in enumerate(sorted(commits.values(), key=lambda c: (c.time, c.id))):
        progress("commits", number, len(commits))
        for parent in parents.get(commit.id, ()):
            if parent not in commits:
                _add(findings, "commit", parent, expected=f"the parent of {commit.id}", actual=None, commit=commit.id)
        tree = _recorded(metadata, commit, findings)
        if tree is not None:
            chain.trees[commit.id] = tree
        actual = id_of(commit, commit.tree_id)
        if actual != commit.id:
            _add(findings, "commit", commit.id, expected=commit.id, actual=actual, commit=commit.id)
        _check_signature(chain, f"commit {commit.id}", commit.signature, commit.id, keys, findings, commit.id)


def _add(
    findings: VerifyFindings, kind: BrokenKind, name: str, *, expected: str, actual: str | None, commit: CommitId
) -> None:
    found = BrokenObject(kind=kind, object=name, where=RECORDS, expected=expected, actual=actual, commit=commit)
    findings.add(found)


def _recorded(metadata: Commits, commit: Commit, findings: VerifyFindings) -> Tree | None:
    try:
        tree = metadata.recorded_tree(commit.id)
        actual = tree_id_of(tree)
    except ForgeError:
        _add(findings, "tree", commit.tree_id, expected=commit.tree_id, actual=None, commit=commit.id)
        return None
    except (ValueError, TypeError, KeyError, AttributeError) as error:  # someone wrote what is no tree
        _add(findings, "tree", commit.tree_id, expected=commit.tree_id, actual=f"no tree ({error})", commit=commit.id)
        return None
    if actual != commit.tree_id:
        _add(findings, "tree", commit.tree_id, expected=commit.tree_id, actual=actual, commit=commit.id)
    return tree


def _check_signature(
    chain: CommitChain,
    name: str,
    signature: Signature | None,
    object_id: str,
    keys: PublicKeys,
    findings: VerifyFindings,
    commit: CommitId,
) -> None:
    if signature is None:
        return
    if not keys:
        chain.unchecked += 1
        return
    chain.signed += 1
    problem = check(signature, object_id, keys)
    if problem is not None:
        _add(
            findings,
            "signature",
            name,
            expected=f"a signature by key {signature.key_id}",
            actual=problem,
            commit=commit,
        )


def _check_tags(
    tags: tuple[Tag, ...],
    chain: CommitChain,
    commits: Mapping[CommitId, Commit],
    findings: VerifyFindings,
    keys: PublicKeys,
) -> None:
    for tag in tags:
        if tag.target not in commits:
            _add(findings, "tag", tag.name, expected=f"commit {tag.target}", actual=None, commit=tag.target)
        _check_signature(chain, f"tag {tag.name}", tag.signature, tag_id_of(tag), keys, findings, tag.target)


def _check_refs(
    metadata: Commits, lake: Lake, chain: CommitChain, branch: Branch, default: BranchName, findings: VerifyFindings
) -> None:
    """The native refs of a branch against its head. A ref that another engine moved is not broken: the next commit
    adopts its snapshots. One that a run of Forge moved must match its head."""
    assert branch.head is not None
    ref = MAIN_REF if branch.name == default else str(branch.name)
    recorded = chain.trees.get(branch.head, {})
    now = metadata.tree(branch.head) if recorded else {}  # the current catalog row of each table
    for table in sorted(recorded):
        version = replace(recorded[table], catalog=now.get(table, recorded[table]).catalog)
        where = f"{ref} of {version.catalog}"
        try:
            expected, actual, foreign = _standing(lake, version, ref)
        except UnreadableMetadata as error:
            findings.add(unreadable_table(error, version, branch.head, table))
            continue
        if foreign:
            chain.foreign = (*chain.foreign, table)
        elif expected != actual:
            findings.add(
                BrokenObject(
                    kind="ref",
                    object=f"{branch.name}:{table}",
                    where=where,
                    expected=expected,
                    actual=actual,
                    commit=branch.head,
                    table=table,
                )
            )


def unreadable_table(
    error: UnreadableMetadata, version: TableVersion, commit: CommitId, table: TableName
) -> BrokenObject:
    """Everything known of the table is in that file, so it is one finding at every level."""
    actual = None if error.is_missing else f"unreadable: {error.why}"
    name = f"metadata of {version.catalog}"
    return BrokenObject(
        kind="metadata",
        object=name,
        where=error.location,
        expected=f"table {version.uuid}",
        actual=actual,
        commit=commit,
        table=table,
    )


def _standing(lake: Lake, version: TableVersion, ref: str) -> tuple[str, str | None, bool]:
    """The expected and the actual state, and whether another engine wrote since."""
    expected = version.metadata_location if version.kind == "view" else f"snapshot {version.snapshot_id}"
    assert expected is not None
    state = lake.state(version.catalog)
    if version.kind == "view":
        if ref != MAIN_REF or lake.by_table is not None:  # elsewhere a view lives in the tree alone
            return expected, expected, False
        return expected, state.location if state else None, False
    if state is None:
        return expected, None, False
    at = state.refs.get(ref)
    if at is None and ref != MAIN_REF:  # the branch has not touched the table
        return expected, expected, False
    if at is None or at == version.snapshot_id:
        return expected, None if at is None else expected, False
    snapshot = lake.snapshot(version.catalog, at)
    return expected, f"snapshot {at}", snapshot is not None and snapshot.run_id is None
