"""Branches: created from any revision, listed, compared, renamed, protected, archived, deleted. Creating one writes no
data and no table metadata: its start commit knows every table.

`protected` are always the patterns of the settings, in addition to what is recorded of the branch itself."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forge.flows.runs.input_pins import MAIN_REF
from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata, readable_state
from forge.flows.versioning.revisions import find_branch, find_commit
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId, TableName
from forge.versioning.branch import Branch, branch_exists
from forge.versioning.errors import BranchExistsError
from forge.versioning.graph import MergeBase, ahead_behind, merge_base, reached
from forge.versioning.naming import parse_branch
from forge.versioning.protection import effective, refuse_change
from forge.versioning.revision import parse_revision

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from forge.flows.ports import Lake, TableState
    from forge.flows.versioning.record_ports import CommitHistory, Commits, Refs
    from forge.model.time import Clock
    from forge.versioning.commit import Author, Tree


@dataclass(frozen=True, slots=True)
class BranchSummary:
    branch: Branch
    ahead: int  # commits the default branch does not have
    behind: int  # commits of the default branch it does not have

    def to_dict(self) -> dict[str, object]:
        return {**self.branch.to_dict(), "ahead": self.ahead, "behind": self.behind}


def create_default_branch(metadata: Refs, name: BranchName, author: Author, now: datetime) -> None:
    """The initial branch of every project. Another process may be creating it at the same time."""
    branch = Branch(name=name, head=None, created_at=now, created_by=author.email, updated_at=now, is_default=True)
    with suppress(BranchExistsError):
        metadata.create_branch(branch, AuditRecord(now, author.email, "branch.create", name))


def create_branch(
    metadata: CommitHistory,
    name: str,
    start: str,
    *,
    current: BranchName,
    author: Author,
    clock: Clock,
    description: str = "",
) -> Branch:
    parsed = _new_name(metadata, name)
    now = clock()
    parent = find_branch(metadata, current)
    head: CommitId | None = None
    if parent.head is not None or start not in ("HEAD", current):
        head = find_commit(metadata, start, current).id
    named = metadata.branch(BranchName(parse_revision(start).name))
    branch = Branch(
        name=parsed,
        head=head,
        created_at=now,
        created_by=author.email,
        updated_at=now,
        parent=named.name if named else parent.name,
        fork_commit=head,
        description=description,
    )
    metadata.create_branch(branch, AuditRecord(now, author.email, "branch.create", parsed, {"from": head}))
    return branch


def _new_name(metadata: Refs, text: str) -> BranchName:
    name = parse_branch(text)
    if name == MAIN_REF and metadata.branch(name) is None:
        raise ForgeError(
            "E604",
            f"A branch that is not the default one cannot be called {MAIN_REF}",
            why=f"Iceberg's ref {MAIN_REF} carries the default branch.",
            fix="Take another name.",
        )
    return name


def delete_branch(
    metadata: CommitHistory,
    lake: Lake,
    name: str,
    *,
    default: BranchName,
    author: Author,
    clock: Clock,
    force: bool = False,
    table: TableName | None = None,
    protected: Collection[str] = (),
) -> Branch:
    """E607 while it holds changes that no other branch has, unless `force`; changes to `table`, if given, do not
    count."""
    branch = _changeable(metadata, name, "delete", default, protected)
    if not force:
        _refuse_loss(metadata, branch, table)
    # The refs first: a branch without them falls back to its commits. A ref left behind by a crash would look like
    # another engine's write once the name is reused. A run may publish meanwhile, so once more after.
    _drop_refs(metadata, lake, branch)
    now = clock()
    metadata.delete_branch(
        branch.name, AuditRecord(now, author.email, "branch.delete", branch.name, {"head": branch.head})
    )
    _drop_refs(metadata, lake, branch)
    return branch


def _drop_refs(metadata: Commits, lake: Lake, branch: Branch) -> None:
    for state in _carriers(lake, metadata.tree(branch.head), branch.name):
        lake.set_ref(state.catalog, branch.name, None)


def _refuse_loss(metadata: CommitHistory, branch: Branch, table: TableName | None) -> None:
    lost = _own_commits(metadata, branch)
    what = f"{len(lost)} {'commit' if len(lost) == 1 else 'commits'} that no other branch has"
    if table is not None:
        changed = {name for commit in metadata.commits(lost).values() for name in commit.statistics} - {table}
        lost = lost if changed else frozenset()
        what = f"changes to {', '.join(sorted(map(str, changed)))} that no other branch has"
    if lost:
        raise ForgeError(
            "E607",
            f"'{branch.name}' holds {what}",
            fix=f"`forge branch delete {branch.name} --force` deletes them all the same.",
        )


def _changeable(metadata: Refs, name: str, action: str, default: BranchName, protected: Collection[str] = ()) -> Branch:
    """The branch, if it may be renamed or deleted: neither the default one nor a protected one may."""
    branch = find_branch(metadata, BranchName(name))
    if branch.name == default:
        raise ForgeError("E605", f"'{name}' is the default branch and stays", fix="Name another branch.")
    refuse_change(effective(branch, protected, True), action)
    return branch


def _carriers(lake: Lake, tree: Tree, ref: str) -> Iterator[TableState]:
    """Tables with a native ref of that name."""
    for version in tree.values():
        state = readable_state(lake, version.catalog) if version.kind == "table" else None
        if state is not None and not isinstance(state, UnreadableMetadata) and ref in state.refs:
            yield state


def rename_branch(
    metadata: CommitHistory,
    lake: Lake,
    name: str,
    new: str,
    *,
    default: BranchName,
    author: Author,
    clock: Clock,
    protected: Collection[str] = (),
) -> Branch:
    """Head and history stay; the native refs in the tables are renamed, too."""
    branch = _changeable(metadata, name, "rename", default, protected)
    parsed = _new_name(metadata, new)
    taken = metadata.branch(parsed)
    if taken is not None:
        raise branch_exists(parsed, taken)
    # The refs first, while nobody works on the new name: once it is a branch, its runs find the tables where they are.
    copied = {state.catalog: state.refs[name] for state in _carriers(lake, metadata.tree(branch.head), name)}
    for catalog, snapshot in copied.items():
        lake.set_ref(catalog, parsed, snapshot)
    metadata.rename_branch(
        branch.name, parsed, AuditRecord(clock(), author.email, "branch.rename", branch.name, {"to": parsed})
    )
    renamed = find_branch(metadata, parsed)
    for state in _carriers(lake, metadata.tree(renamed.head), name):
        before, now = copied.get(state.catalog), state.refs[name]
        if now != before and state.refs.get(parsed) == before:  # a run published under the old name in between
            lake.set_ref(state.catalog, parsed, now)
        lake.set_ref(state.catalog, name, None)
    return renamed


def archive_branch(
    metadata: Refs, name: str, *, default: BranchName, author: Author, clock: Clock, restore: bool = False
) -> Branch:
    """Hidden, with everything it holds; `restore` brings it back."""
    branch = find_branch(metadata, BranchName(name))
    if branch.name == default:
        raise ForgeError("E605", f"'{name}' is the default branch and stays", fix="Name another branch.")
    changed = replace(branch, status="active" if restore else "archived")
    return _update(metadata, changed, "branch.restore" if restore else "branch.archive", author, clock, {})


def protect_branch(
    metadata: Refs,
    name: str,
    *,
    protected: bool,
    author: Author,
    clock: Clock,
    require_approval: bool | None = None,
    allowed_mergers: Sequence[str] = (),
    declared: Collection[str] = (),
) -> Branch:
    """Replaces the protection as a whole. Lifting the approval (`require_approval=False`) has an audit action of its
    own. Protection by the settings (`declared`) stays."""
    branch = find_branch(metadata, BranchName(name))
    if not protected and effective(replace(branch, is_protected=False), declared, True).is_protected:
        raise ForgeError(
            "E608",
            f"'{name}' is protected by forge.yaml",
            why="Its name is among versioning.protected_branches.",
            fix="Take it out there.",
        )
    mergers = tuple(dict.fromkeys(user.strip() for user in allowed_mergers if user.strip())) if protected else ()
    changed = replace(
        branch,
        is_protected=protected,
        require_approval=require_approval if protected else None,
        allowed_mergers=mergers,
    )
    action = "branch.protect" if protected else "branch.unprotect"
    if protected and require_approval is False:
        action = "branch.approval_waived"
    detail = {"require_approval": changed.needs_approval, "allowed_mergers": list(mergers)}
    return _update(metadata, changed, action, author, clock, detail if protected else {})


def set_description(metadata: Refs, name: str, text: str, *, author: Author, clock: Clock) -> Branch:
    branch = find_branch(metadata, BranchName(name))
    return _update(metadata, replace(branch, description=text), "branch.describe", author, clock, {"text": text})


def _update(
    metadata: Refs, branch: Branch, action: str, author: Author, clock: Clock, detail: dict[str, object]
) -> Branch:
    now = clock()
    metadata.update_branch(replace(branch, updated_at=now), AuditRecord(now, author.email, action, branch.name, detail))
    return find_branch(metadata, branch.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchComparison:
    """What each of two revisions has that the other has not, from records alone. Tables are those that changed since
    the merge base; without one, all."""

    base: CommitId
    compare: CommitId
    merge_base: CommitId | None
    other_bases: tuple[CommitId, ...]  # further best common ancestors of a criss-cross history
    ahead: int  # commits that only `compare` has
    behind: int  # commits that only `base` has
    base_tables: tuple[TableName, ...]  # changed on the side of `base`
    compare_tables: tuple[TableName, ...]

    @property
    def can_fast_forward(self) -> bool:
        """Whether `base` can move to `compare` as it is."""
        return self.ahead > 0 and self.behind == 0

    @property
    def both_tables(self) -> tuple[TableName, ...]:
        """Changed on both sides: only these can conflict."""
        return tuple(table for table in self.base_tables if table in self.compare_tables)


def compare_branches(metadata: CommitHistory, base: str, compare: str, default: BranchName) -> BranchComparison:
    """Of two branches, or of any two revisions; HEAD resolves to `default`."""
    ours, theirs = find_commit(metadata, base, default).id, find_commit(metadata, compare, default).id
    parents = metadata.ancestry([ours, theirs])
    met: MergeBase = merge_base(ours, theirs, parents)
    ahead, behind = ahead_behind(theirs, ours, parents)
    start = metadata.tree(met.commit)
    return BranchComparison(
        base=ours,
        compare=theirs,
        merge_base=met.commit,
        other_bases=met.others,
        ahead=ahead,
        behind=behind,
        base_tables=changed_tables(start, metadata.tree(ours)),
        compare_tables=changed_tables(start, metadata.tree(theirs)),
    )


def changed_tables(before: Tree, after: Tree) -> tuple[TableName, ...]:
    """Tables that are not the same version in both, or are in one of them only."""

    def state(tree: Tree, table: TableName) -> tuple[object, ...] | None:
        version = tree.get(table)
        return (version.uuid, version.snapshot_id, version.metadata_location) if version is not None else None

    return tuple(table for table in sorted({*before, *after}) if state(before, table) != state(after, table))


def list_branches(metadata: CommitHistory, default: BranchName) -> tuple[BranchSummary, ...]:
    """The default branch first, then by name. The history is read once, whatever the number of branches."""
    branches = metadata.branches()
    return _compared(metadata, branches, next((b for b in branches if b.name == default), None))


def view_branch(metadata: CommitHistory, branch: Branch, default: BranchName) -> BranchSummary:
    return _compared(metadata, (branch,), metadata.branch(default))[0]


def branches_of(metadata: CommitHistory, table: TableName, default: BranchName) -> tuple[BranchSummary, ...]:
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


def find_touching(metadata: CommitHistory, table: TableName, default: BranchName) -> frozenset[CommitId]:
    """The commits that changed the table; E108 where none ever did."""
    touching = metadata.touching(table)
    if not touching:
        main = metadata.branch(default)
        known = metadata.tree(main.head) if main else {}
        why = did_you_mean(str(table), map(str, known))
        raise UnknownNameError(f"There is no table {table}", why=why, fix="`forge show` lists the tables.")
    return touching


def _compared(metadata: Commits, branches: Sequence[Branch], main: Branch | None) -> tuple[BranchSummary, ...]:
    heads = {b.head for b in (*branches, *((main,) if main else ())) if b.head}
    parents = metadata.ancestry(heads)
    of_main = reached(main.head, parents) if main else frozenset()
    views = [_compare(b, reached(b.head, parents), of_main) for b in branches]
    return _sorted(views, main.name if main else None)


def _compare(branch: Branch, seen: frozenset[CommitId], main: frozenset[CommitId]) -> BranchSummary:
    return BranchSummary(branch, len(seen - main), len(main - seen))


def _sorted(views: Sequence[BranchSummary], default: BranchName | None) -> tuple[BranchSummary, ...]:
    return tuple(sorted(views, key=lambda v: (v.branch.name != default, v.branch.name)))


def _own_commits(metadata: CommitHistory, branch: Branch) -> frozenset[CommitId]:
    others = [b.head for b in metadata.branches() if b.name != branch.name and b.head]
    if branch.head is None or branch.status == "merged":  # squashed or rebased: the commits are others, the data is not
        return frozenset()
    parents = metadata.ancestry([branch.head, *others])
    return reached(branch.head, parents).difference(*(reached(head, parents) for head in set(others)))
