"""Revisions resolved against the recorded history."""

from __future__ import annotations

from forge.flows.ports import Metadata
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId
from forge.model.nearest import did_you_mean
from forge.versioning.branch import Branch
from forge.versioning.commit import Commit
from forge.versioning.revision import Revision, parse_revision


def find_branch(metadata: Metadata, name: BranchName) -> Branch:
    branch = metadata.branch(name)
    if branch is None:
        near = did_you_mean(name, (b.name for b in metadata.branches()))
        raise ForgeError(
            "E602", f"There is no branch '{name}'", why=near, fix=f"`forge branch create {name}` creates it."
        )
    return branch


def find_commit(metadata: Metadata, text: str, current: BranchName) -> Commit:
    """The commit a revision means; `current` is what HEAD stands for."""
    revision = parse_revision(text)
    commit = _start(metadata, revision, text, current)
    for _ in range(revision.steps):
        if not commit.parents:
            raise ForgeError("E601", f"{text} goes back beyond the first commit", fix="`forge log` lists them.")
        commit = _commit(metadata, commit.parents[0])
    return commit


def _start(metadata: Metadata, revision: Revision, text: str, current: BranchName) -> Commit:
    name = current if revision.name == "HEAD" else revision.name
    branch = metadata.branch(BranchName(name))
    if branch is not None:
        return _head(metadata, branch, revision)
    found = metadata.find_commits(name) if len(name) >= 4 else ()
    if len(found) == 1:
        return _commit(metadata, found[0])
    if found:
        short = ", ".join(c[:12] for c in found[:5])
        raise ForgeError("E601", f"'{text}' is ambiguous", why=f"It begins {short}.", fix="Give more characters.")
    near = did_you_mean(name, (b.name for b in metadata.branches()))
    raise ForgeError("E601", f"No branch, commit or time matches '{text}'", why=near, fix="`forge log` lists commits.")


def _head(metadata: Metadata, branch: Branch, revision: Revision) -> Commit:
    if branch.head is None:
        raise ForgeError("E606", f"Branch '{branch.name}' has no commits yet", fix="`forge run` makes the first.")
    if revision.time is None:
        return _commit(metadata, branch.head)
    older = metadata.log(branch.head, limit=1, until=revision.time)
    if not older:
        raise ForgeError("E601", f"'{branch.name}' has no commit at or before {revision.time:%Y-%m-%d %H:%M}")
    return older[0]


def _commit(metadata: Metadata, commit_id: CommitId) -> Commit:
    commit = metadata.commit(commit_id)
    if commit is None:
        raise ForgeError("E601", f"Commit {commit_id[:12]} is missing from the database", fix="Run `forge doctor`.")
    return commit
