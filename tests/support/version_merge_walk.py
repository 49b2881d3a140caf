"""The walk of version_walk.py with merges in it: what comes of each is predicted, conflicts and their answers too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from version_model import Col, Conflict, Merged, Side, Table, fresh, merge_trees, plain
from version_model import Commit as ModelCommit
from version_model import Tree as ModelTree
from version_walk import Walk

from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.pick import cherry_pick, revert
from forge.flows.versioning.merge.resolve import Resolution, abort_merge, continue_merge, resolve
from forge.flows.versioning.merge.result import MergeResult, conflicts_of
from forge.model.errors import ForgeError
from forge.model.names import CommitId
from forge.versioning.conflict import Conflict as RealConflict
from forge.versioning.conflict import ResolutionChoice
from forge.versioning.errors import NothingToDoError
from forge.versioning.merge import MergeType, Strategy


@dataclass
class Held:
    """A merge that waits for answers, and those it has."""

    kind: str
    source: str  # as it was asked for
    target: str
    strategy: Strategy = Strategy.THREE_WAY
    no_ff: bool = False
    answers: dict[object, Side] = field(default_factory=dict)
    waiting: tuple[Conflict, ...] = ()

    def answer(self, conflict: Conflict) -> Side | None:
        return self.answers.get(conflict.full)


@dataclass(frozen=True)
class Expected:
    """What must come of it: a new head with this tree (of a rebase: the trees in turn), conflicts, or a code."""

    type: MergeType | None = None
    tree: ModelTree | None = None
    conflicts: tuple[Conflict, ...] = ()
    steps: tuple[tuple[str, ModelTree], ...] = ()
    is_known: bool = True
    error: str | None = None


class MergeWalk(Walk):
    steps: ClassVar[dict[str, float]] = {**Walk.steps, "merge": 8, "pick": 2, "revert": 2, "go_on": 3}

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.open: dict[str, Held] = {}
        self.counts: dict[str, int] = {}

    def branch_went(self, name: str) -> None:
        for merge_id in [m for m, held in self.open.items() if name in (held.source, held.target)]:
            abort_merge(merge_id, self.world.ports)
            del self.open[merge_id]

    # what people do

    def merge(self) -> str | None:
        target = self.any_branch()
        names = [*sorted(self.heads), *sorted(self.tags), self.any_commit()]
        have = self.history.reached(self.heads[target])
        news = [name for name in names if self.commit_of(name) not in have]
        source = self.rng.choice(news if news and self.rng.random() < 0.9 else names)
        strategy = self.rng.choice([*Strategy, Strategy.THREE_WAY])
        return self.start(Held("merge", source, target, strategy, self.rng.random() < 0.3))

    def pick(self) -> str | None:
        return self.start(Held("cherry-pick", self.any_commit(), self.any_branch()))

    def revert(self) -> str | None:
        target = self.any_branch()
        source = self.one_of(self.heads[target])
        return self.start(Held("revert", source, target))

    def start(self, held: Held) -> str | None:
        same = (held.kind, held.source, held.target)
        if any((h.kind, h.source, h.target) == same for h in self.open.values()):
            return None
        self.say(held.kind, held.source, "into", held.target, held.strategy, held.no_ff)
        ports = self.world.ports

        def do() -> MergeResult:
            if held.kind == "merge":
                return merge(
                    MergeRequest(source=held.source, target=held.target, strategy=held.strategy, no_ff=held.no_ff),
                    ports,
                )
            return (cherry_pick if held.kind == "cherry-pick" else revert)(held.source, held.target, ports)

        return self.compare(held, self.expect(held), do)

    def go_on(self) -> str | None:
        """One of the merges that wait is answered and continued, or given up."""
        if not self.open:
            return None
        merge_id = self.rng.choice(list(self.open))
        held = self.open.pop(merge_id)
        ports = self.world.ports
        if self.rng.random() < 0.2:
            self.say("abort", merge_id)
            abort_merge(merge_id, ports)
            return held.target
        kept = {_told(c): c for c in ports.metadata.conflicts(merge_id, open_only=True)}
        for told, conflict in sorted(kept.items(), key=repr):
            mine = next(c for c in held.waiting if c.told == told)
            side = self.choose(mine)
            held.answers[mine.full] = side
            self.say("answer", conflict.kind, conflict.key, conflict.column, side)
            resolve(merge_id, [Resolution(ResolutionChoice(side), (conflict.id,))], ports)
        # A merge that was held is never fast-forwarded: someone has answered something.
        if held.kind == "merge" and held.strategy is not Strategy.FF:
            held = replace(held, no_ff=True)
        self.say("continue", held.kind, held.source, "into", held.target)
        return self.compare(held, self.expect(held), lambda: continue_merge(merge_id, ports), merge_id)

    def choose(self, conflict: Conflict) -> Side:
        if conflict.kind == "column_dropped_modified":  # the value has nowhere to go: the column stays dropped
            return "theirs" if conflict.values[1] == "ours" else "ours"
        is_whole = conflict.kind == "schema_change" or conflict.key is None
        sides = ["ours", "theirs"] if is_whole else ["ours", "theirs", "base"]
        return self.rng.choice(sides)

    # what must come of it

    def commit_of(self, revision: str) -> str:
        return self.heads.get(revision) or self.tags.get(revision) or revision

    def expect(self, held: Held) -> Expected:
        history, head = self.history, self.heads[held.target]
        theirs = self.commit_of(held.source)
        if held.kind != "merge":
            parent = (history.commits[theirs].parents or (None,))[0]
            base, other = (parent, theirs) if held.kind == "cherry-pick" else (theirs, parent)
            return _of(merge_trees(history.tree(base), history.tree(head), history.tree(other), held.answer))
        if theirs in history.reached(head):
            return Expected(MergeType.UP_TO_DATE)
        can_ff = head in history.reached(theirs)
        if held.strategy is Strategy.FF and not can_ff:
            return Expected(error="E609")
        if can_ff and (held.strategy is Strategy.FF or (held.strategy is Strategy.THREE_WAY and not held.no_ff)):
            return Expected(MergeType.FAST_FORWARD, history.tree(theirs))
        if held.strategy is Strategy.REBASE:
            return self.expect_rebase(held, head, theirs)
        base = history.bases(head, theirs)[0]
        return _of(merge_trees(history.tree(base), history.tree(head), history.tree(theirs), held.answer))

    def expect_rebase(self, held: Held, head: str, theirs: str) -> Expected:
        ours, steps, known = self.history.tree(head), list[tuple[str, ModelTree]](), True
        for commit in self.history.replayed(head, theirs):
            parent = (self.history.commits[commit].parents or (None,))[0]
            merged = merge_trees(self.history.tree(parent), ours, self.history.tree(commit), held.answer)
            known = known and merged.is_known
            if merged.error or merged.conflicts:
                return replace(_of(merged), is_known=known)
            ours = merged.tree
            steps.append((commit, ours))
        return Expected(MergeType.REBASE, ours, steps=tuple(steps), is_known=known)

    def compare(
        self, held: Held, expected: Expected, do: Callable[[], MergeResult], merge_id: str | None = None
    ) -> str | None:
        before = self.heads[held.target]
        try:
            result = do()
        except ForgeError as error:
            self.refused(held, expected, error, merge_id)
            return held.target
        self.say("=", result.type, conflicts_of(result)[1], [(t.table, t.how) for t in result.tables])
        self.counts[result.type] = self.counts.get(result.type, 0) + 1
        assert not (expected.error and expected.is_known), expected.error
        if result.type is MergeType.CONFLICTED:
            self.hold(held, expected, result)
            return held.target
        assert not (expected.conflicts and expected.is_known), f"no conflict was found: {expected.conflicts}"
        if result.type is MergeType.UP_TO_DATE:
            assert expected.type is MergeType.UP_TO_DATE or self.is_empty(expected, before)
            return held.target
        assert expected.type in (result.type, None), expected.type
        self.moved(held, expected, before)
        return held.target

    def is_empty(self, expected: Expected, before: str) -> bool:
        return expected.type is MergeType.REBASE and _same(expected.tree or {}, self.history.tree(before))

    def refused(self, held: Held, expected: Expected, error: ForgeError, merge_id: str | None) -> None:
        self.say("= refused", error.code, error.what)
        self.counts[error.code] = self.counts.get(error.code, 0) + 1
        if isinstance(error, NothingToDoError) and held.kind != "merge":
            assert not expected.conflicts
            assert not expected.is_known or _same(expected.tree or {}, self.tree(held.target))
        else:
            assert expected.error == error.code or not expected.is_known, (
                error.format() if hasattr(error, "format") else error
            )
        if merge_id:
            abort_merge(merge_id, self.world.ports)

    def hold(self, held: Held, expected: Expected, result: MergeResult) -> None:
        assert self.world.head(held.target) == self.heads[held.target]
        assert result.merge is not None
        told = {_told(c) for c in conflicts_of(result)[0]}
        if expected.is_known:
            assert told == {c.told for c in expected.conflicts}, f"\nreal  {told}\nmodel {expected.conflicts}"
            assert conflicts_of(result)[1] == len(expected.conflicts)
        if {c.told for c in expected.conflicts} >= told:
            held.waiting = expected.conflicts
            self.open[result.merge.id] = held
        else:
            abort_merge(result.merge.id, self.world.ports)

    def moved(self, held: Held, expected: Expected, before: str) -> None:
        theirs, head = self.commit_of(held.source), self.world.head(held.target)
        assert head is not None
        if expected.type is MergeType.FAST_FORWARD:
            assert head == theirs
            self.heads[held.target] = head
        elif expected.type is MergeType.REBASE:
            self.replayed(held, expected, before, head)
        else:
            is_joined = held.kind == "merge" and held.strategy in (Strategy.THREE_WAY, Strategy.FF)
            assert expected.tree is not None
            tree = expected.tree if expected.is_known else self.read(head)
            self.landed(held.target, tree, *((theirs,) if is_joined else ()))

    def replayed(self, held: Held, expected: Expected, before: str, head: str) -> None:
        """Each commit that changed something comes again, with its own content; the others may be left out."""
        made, here = list[Any](), head
        while here != before:
            commit = self.world.metadata.commit(CommitId(here))
            assert commit is not None
            assert len(commit.parents) == 1
            made.insert(0, commit)
            here = commit.parents[0]
        trees, ours = dict(expected.steps), self.history.tree(before)
        picked = [c.metadata["cherry-pick"] for c in made]
        for source, tree in expected.steps if expected.is_known else ():
            assert source in picked or _same(tree, ours), f"{source} was left out"
            ours = tree
        for commit in made:
            tree = trees[commit.metadata["cherry-pick"]] if expected.is_known else self.read(commit.id)
            self.history.commits[commit.id] = ModelCommit(commit.id, commit.parents, tree)
        self.heads[held.target] = head

    def read(self, commit: str) -> ModelTree:
        """The content of a commit as it is, where the specification leaves it open."""
        found = {}
        for name, version in self.world.metadata.tree(CommitId(commit)).items():
            uid = self.uids.setdefault(version.uuid, fresh("t"))
            fields = self.world.fields(str(name), commit)
            ids = {f.name: self.columns.setdefault((version.uuid, f.id), fresh("c")) for f in fields}
            rows = tuple({ids[n]: v for n, v in row.items()} for row in self.world.arrow(str(name), commit).to_pylist())
            assert version.snapshot_id is not None
            key = self.world.tables.files(version.catalog, version.snapshot_id).identifier
            columns = tuple(Col(ids[f.name], f.name, f.type) for f in fields)
            found[str(name)] = Table(uid, fresh("v"), columns, tuple(ids[k] for k in key), rows)
        return found


def _of(merged: Merged) -> Expected:
    return Expected(None, merged.tree, merged.conflicts, is_known=merged.is_known, error=merged.error)


def _same(a: ModelTree, b: ModelTree) -> bool:
    return {n: t.content() for n, t in a.items()} == {n: t.content() for n, t in b.items()}


def _told(conflict: RealConflict) -> tuple[object, ...]:
    key = None if conflict.key is None else frozenset((n, plain(v)) for n, v in conflict.key.items())
    column = conflict.column
    values: tuple[object, ...] = tuple(plain(v) for v in (conflict.base, conflict.ours, conflict.theirs))
    if conflict.kind in ("delete_modify", "modify_delete"):
        values = tuple(v is not None for v in (conflict.base, conflict.ours, conflict.theirs))
    if conflict.kind in ("schema_change", "column_dropped_modified"):
        values = ()
    return str(conflict.kind), conflict.table, key, column, values
