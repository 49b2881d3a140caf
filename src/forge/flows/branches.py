"""Branches: created from any revision, listed, deleted. Creating one writes no data and no table metadata: the commit
it starts at knows every table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from forge.flows.ports import Lake, Metadata
from forge.flows.records import AuditRecord
from forge.flows.revisions import find_branch, find_commit
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.model.nearest import did_you_mean
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
            f"'{name}' holds {len(lost)} {'commit' if len(lost) == 1 else 'commits'} that no other branch has",
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
    """The default branch first, then by name. The history is read once, whatever the number of branches."""
    branches = metadata.branches()
    return _compared(metadata, branches, next((b for b in branches if b.name == default), None))


def view_branch(metadata: Metadata, branch: Branch, default: BranchName) -> BranchView:
    return _compared(metadata, (branch,), metadata.branch(default))[0]


def branches_of(metadata: Metadata, table: TableName, default: BranchName) -> tuple[BranchView, ...]:
    """The default branch, and those that touch the table: they changed it since they forked, or have another version
    of it than the default branch. Unknown to every commit: E108."""
    touching = find_touching(metadata, table, default)
    branches = metadata.branches()
    parents = metadata.ancestry(b.head for b in branches if b.head)
    main = next((reached(b.head, parents) for b in branches if b.name == default), frozenset())
    kept = []
    for branch in branches:
        seen = reached(branch.head, parents)
        since = seen - reached(branch.fork_commit, parents)
        if branch.name == default or touching & since or touching & seen != touching & main:
            kept.append(_compare(branch, seen, main))
    return _sorted(kept, default)


def find_touching(metadata: Metadata, table: TableName, default: BranchName) -> frozenset[CommitId]:
    """The commits that changed the table; E108 where none ever did."""
    touching = metadata.touching(table)
    if not touching:
        main = metadata.branch(default)
        known = metadata.tree(main.head) if main else {}
        why = did_you_mean(str(table), map(str, known))
        raise ForgeError("E108", f"There is no table {table}", why=why, fix="`forge show` lists the tables.")
    return touching


def reached(head: CommitId | None, parents: Mapping[CommitId, Sequence[CommitId]]) -> frozenset[CommitId]:
    """The commit itself and all it descends from."""
    seen: set[CommitId] = set()
    todo = [head] if head is not None and head in parents else []
    while todo:
        commit = todo.pop()
        if commit not in seen:
            seen.add(commit)
            todo.extend(parents[commit])
    return frozenset(seen)


def _compared(metadata: Metadata, branches: Sequence[Branch], main: Branch | None) -> tuple[BranchView, ...]:
    heads = {b.head for b in (*branches, *((main,) if main else ())) if b.head}
    parents = metadata.ancestry(heads)
    of_main = reached(main.head, parents) if main else frozenset()
    views = [_compare(b, reached(b.head, parents), of_main) for b in branches]
    return _sorted(views, main.name if main else None)


def _compare(branch: Branch, seen: frozenset[CommitId], main: frozenset[CommitId]) -> BranchView:
    return BranchView(branch, len(seen - main), len(main - seen))


def _sorted(views: Sequence[BranchView], default: BranchName | None) -> tuple[BranchView, ...]:
    return tuple(sorted(views, key=lambda v: (v.branch.name != default, v.branch.name)))


def _own_commits(metadata: Metadata, branch: Branch) -> frozenset[CommitId]:
    others = [b.head for b in metadata.branches() if b.name != branch.name and b.head]
    if branch.head is None:
        return frozenset()
    parents = metadata.ancestry([branch.head, *others])
    return reached(branch.head, parents).difference(*(reached(head, parents) for head in set(others)))
