"""Revisions resolved against the recorded history: a name is a branch, else a tag, else a prefix of a commit id,
else a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId, TableName
from forge.versioning.errors import NoCommitsError, UnknownRevisionError
from forge.versioning.revision import Revision, parse_revision

if TYPE_CHECKING:
    from forge.flows.versioning.record_ports import CommitHistory, Commits, Refs
    from forge.versioning.branch import Branch
    from forge.versioning.commit import Commit
    from forge.versioning.tag import Tag


def find_branch(metadata: Refs, name: BranchName) -> Branch:
    branch = metadata.branch(name)
    if branch is None:
        near = did_you_mean(name, (b.name for b in metadata.branches()))
        raise ForgeError(
            "E602", f"There is no branch '{name}'", why=near, fix=f"`forge branch create {name}` creates it."
        )
    return branch


def find_tag(metadata: Refs, name: str) -> Tag:
    tag = metadata.tag(name)
    if tag is None:
        near = did_you_mean(name, (t.name for t in metadata.tags()))
        raise ForgeError("E614", f"There is no tag '{name}'", why=near, fix="`forge tag list` lists them.")
    return tag


def find_commit(metadata: CommitHistory, text: str, current: BranchName) -> Commit:
    """The commit of a revision; HEAD resolves to `current`."""
    revision = parse_revision(text)
    commit = _start(metadata, revision, text, current)
    for step in revision.steps:
        for _ in range(step.times):
            commit = _parent(metadata, commit, step.parent, text)
    return commit


def find_version(metadata: CommitHistory, table: TableName, number: int, branch: BranchName) -> Commit:
    """The commit of `orders@v12`: the newest of the branch that gave the table this number."""
    head = find_branch(metadata, branch).head
    numbers: list[int] = []
    for commit in metadata.log(head, table=table) if head is not None else ():
        version = metadata.tree(commit.id).get(table)
        if version is not None and version.number == number:
            return commit
        numbers += [version.number] if version is not None else []
    if numbers:
        known = f"It has v{min(numbers)} to v{max(numbers)}."
        raise UnknownRevisionError(
            f"{table} has no version v{number} on '{branch}'", why=known, fix="forge log --table"
        )
    near = did_you_mean(str(table), map(str, metadata.tree(head)))
    raise UnknownNameError(f"There is no table {table} on '{branch}'", why=near)


def _start(metadata: CommitHistory, revision: Revision, text: str, current: BranchName) -> Commit:
    # the whole word comes first: a branch may be called 2026-11-14
    whole = (Revision(revision.word),) if revision.time is not None else ()
    for each in (*whole, revision):
        head = _ref(metadata, current if each.name == "HEAD" else each.name)
        if head is not None:
            return _at(metadata, head, each)
    found = metadata.find_commits(revision.name) if len(revision.name) >= 4 else ()
    if len(found) == 1:
        return _at(metadata, found[0], revision)
    if found:
        short = ", ".join(c[:12] for c in found[:5])
        raise UnknownRevisionError(f"'{text}' is ambiguous", why=f"It begins {short}.", fix="Give more characters.")
    known = [*(b.name for b in metadata.branches()), *(t.name for t in metadata.tags())]
    raise UnknownRevisionError(
        f"No branch, tag, commit or time matches '{text}'",
        why=did_you_mean(revision.name, known) or _perhaps_a_table(metadata, revision.name, current),
        fix="`forge log` lists commits.",
    )


def _perhaps_a_table(metadata: CommitHistory, name: str, current: BranchName) -> str | None:
    """Where a revision was expected and a table was given."""
    branch = metadata.branch(current)
    tables = [str(table) for table in metadata.tree(branch.head)] if branch is not None else []
    if name.lower() in tables:
        return f"{name.lower()} is a table: forge log --table {name.lower()}"
    near = did_you_mean(name, tables) if "." in name else None
    return f"{near} Of a table: forge log --table NAME" if near else None


def _ref(metadata: Refs, name: str) -> CommitId | None:
    """The commit of the branch or tag of that name."""
    branch = metadata.branch(BranchName(name))
    if branch is None:
        tag = metadata.tag(name)
        return tag.target if tag is not None else None
    if branch.head is None:
        raise NoCommitsError(f"Branch '{name}' has no commits yet", fix="`forge run` makes the first.")
    return branch.head


def _at(metadata: Commits, head: CommitId, revision: Revision) -> Commit:
    """The commit itself or, with a time, its newest ancestor until then."""
    if revision.time is None:
        return _commit(metadata, head)
    older = metadata.log(head, limit=1, until=revision.time)
    if not older:
        raise UnknownRevisionError(f"'{revision.name}' has no commit at or before {revision.time:%Y-%m-%d %H:%M}")
    return older[0]


def _parent(metadata: Commits, commit: Commit, number: int, text: str) -> Commit:
    if not commit.parents:
        raise UnknownRevisionError(f"{text} goes back beyond the first commit", fix="`forge log` lists them.")
    if number > len(commit.parents):
        has = "one parent" if len(commit.parents) == 1 else f"{len(commit.parents)} parents"
        raise UnknownRevisionError(f"{text}: commit {commit.id[:12]} has {has}", fix="`forge show` names them.")
    return _commit(metadata, commit.parents[number - 1])


def _commit(metadata: Commits, commit_id: CommitId) -> Commit:
    commit = metadata.commit(commit_id)
    if commit is None:
        raise UnknownRevisionError(f"Commit {commit_id[:12]} is missing from the database", fix="Run `forge doctor`.")
    return commit
