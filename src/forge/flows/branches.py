"""Branches: created from any revision, listed, deleted. Creating one writes no data and no table metadata: the commit
it starts at knows every table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forge.flows.ports import Lake, Metadata
from forge.flows.records import AuditRecord
from forge.flows.revisions import find_branch, find_commit
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId
from forge.model.time import Clock
from forge.versioning.branch import Branch
from forge.versioning.commit import Author
from forge.versioning.naming import parse_branch


@dataclass(frozen=True, slots=True)
class BranchView:
    branch: Branch
    ahead: int  # commits the default branch does not have
    behind: int  # commits of the default branch it does not have


def create_default_branch(metadata: Metadata, name: BranchName, author: Author, now: datetime) -> None:
    """The branch every project begins with. Another process may be doing the same at this moment."""
    branch = Branch(name, None, now, author.email, now, is_default=True)
    try:
        metadata.create_branch(branch, AuditRecord(now, author.email, "branch.create", name))
    except ForgeError as error:
        if error.code != "E603":
            raise


def create_branch(
    metadata: Metadata,
    name: str,
    start: str,
    *,
    current: BranchName,
    author: Author,
    clock: Clock,
    description: str = "",
) -> Branch:
    parsed = parse_branch(name)
    now = clock()
    parent = find_branch(metadata, current)
    head: CommitId | None = None
    if parent.head is not None or start not in ("HEAD", current):
        head = find_commit(metadata, start, current).id
    named = metadata.branch(BranchName(start))
    branch = Branch(
        parsed,
        head,
        now,
        author.email,
        now,
        parent=named.name if named else parent.name,
        fork_commit=head,
        description=description,
    )
    metadata.create_branch(branch, AuditRecord(now, author.email, "branch.create", parsed, {"from": head}))
    return branch


def delete_branch(
    metadata: Metadata, lake: Lake, name: str, *, default: BranchName, author: Author, clock: Clock, force: bool = False
) -> Branch:
    branch = find_branch(metadata, BranchName(name))
    if branch.name == default:
        raise ForgeError("E605", f"'{name}' is the default branch and stays", fix="Name another branch.")
    lost = _own_commits(metadata, branch)
    if lost and not force:
        raise ForgeError(
            "E607",
            f"'{name}' holds {len(lost)} commits that no other branch has",
            fix=f"`forge branch delete {name} --force` deletes them all the same.",
        )
    tree = metadata.tree(branch.head)
    now = clock()
    metadata.delete_branch(
        branch.name, AuditRecord(now, author.email, "branch.delete", branch.name, {"head": branch.head})
    )
    for version in tree.values():
        state = lake.state(version.catalog) if version.kind == "table" else None
        if state is not None and branch.name in state.refs:
            lake.set_ref(version.catalog, branch.name, None)
    return branch


def list_branches(metadata: Metadata, default: BranchName) -> tuple[BranchView, ...]:
    reached = {b.name: _reached(metadata, b) for b in metadata.branches()}
    main = reached.get(default, frozenset())
    views = [BranchView(b, len(reached[b.name] - main), len(main - reached[b.name])) for b in metadata.branches()]
    return tuple(sorted(views, key=lambda v: (v.branch.name != default, v.branch.name)))


def _reached(metadata: Metadata, branch: Branch) -> frozenset[CommitId]:
    return frozenset(c.id for c in metadata.log(branch.head)) if branch.head else frozenset()


def _own_commits(metadata: Metadata, branch: Branch) -> frozenset[CommitId]:
    others = [_reached(metadata, b) for b in metadata.branches() if b.name != branch.name]
    return _reached(metadata, branch).difference(*others)
