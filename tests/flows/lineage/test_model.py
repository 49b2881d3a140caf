"""Random histories of commits, branches, snapshots and declarations, held against a model in plain Python: what the
graph says at any time, of any commit, and between any two times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import prod
from pathlib import Path
from random import Random

import networkx
import pytest
from committed_lineage import BEGIN, MAIN, CommittedLineage, edge
from migrated import open_migrated

from forge.flows.lineage.reader import GraphReader, open_graph
from forge.flows.lineage.snapshots import diff, save_snapshot
from forge.flows.lineage.write import close_edge, record_edges
from forge.lineage.edge import Transformation
from forge.lineage.facts.claim import EdgeClaim
from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.request import Direction
from forge.lineage.graph.store import LineageStore
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import column_of
from forge.model.names import BranchName, CommitId
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.sql.lineage.facts import SqlLineage

TABLES = ("raw.a", "raw.b", "core.c", "core.d", "marts.e")
COLUMNS = tuple(f"{table}.{column}" for table in TABLES for column in ("x", "y"))
HOW = {"copied": Transformation.IDENTITY, "aggregated": Transformation.AGGREGATION}
SURE = (1.0, 1.0, 0.9, 0.6, 0.5, 0.4, 0.0)
TICK = timedelta(microseconds=1)

Key = tuple[str, str, str]  # source, target, relationship
Said = Mapping[Key, float]
Tree = Mapping[str, Said]  # what the run that made each table saw


@dataclass
class Interval:
    """What one person said of one edge."""

    sure: float
    start: datetime
    end: datetime | None = None


@dataclass
class Made:
    """A commit of the model. `at`: when main came to it; None: it never did, or it is no longer behind it."""

    id: CommitId
    tree: Tree
    time: datetime
    parent: CommitId | None
    at: datetime | None = None


@dataclass
class Model:
    made: dict[CommitId, Made] = field(default_factory=dict)
    heads: dict[BranchName, CommitId] = field(default_factory=dict)
    on_main: list[tuple[datetime, Tree]] = field(default_factory=list)
    declared: dict[Key, list[Interval]] = field(default_factory=dict)
    snapshots: dict[str, datetime] = field(default_factory=dict)

    def head(self, branch: BranchName = MAIN) -> Made:
        return self.made[self.heads[branch]]

    def chain(self, branch: BranchName = MAIN) -> list[Made]:
        """From the head back."""
        found: list[Made] = []
        here: CommitId | None = self.heads[branch]
        while here is not None and here in self.made:
            found.append(self.made[here])
            here = self.made[here].parent
        return found

    def land(self, made: Made, at: datetime) -> None:
        made.at = at
        self.on_main.append((at, made.tree))

    def at(self, at: datetime) -> Said:
        tree = next((tree for since, tree in reversed(self.on_main) if since <= at), {})
        return self.graph(tree, at)

    def graph(self, tree: Tree, at: datetime) -> Said:
        """What is certain by itself stays so; else doubts are multiplied, and something of them is left."""
        claims: dict[Key, list[float]] = {}
        for said in tree.values():
            for key, sure in said.items():
                claims.setdefault(key, []).append(sure)
        for key, intervals in self.declared.items():
            for one in intervals:
                if one.start <= at and (one.end is None or at < one.end):
                    claims.setdefault(key, []).append(one.sure)
        return {key: _together(sures) for key, sures in claims.items()}


def is_data(edge: EdgeVersion) -> bool:
    """Between data, not to and from who makes it."""
    return edge.key.kind.type is EdgeType.DERIVES_FROM


def _together(sures: list[float]) -> float:
    if len(sures) == 1 or max(sures) >= 0.99:
        return max(sures)
    return min(0.99, 1 - prod(1 - sure for sure in sures))


def _walk(said: Said, start: str, depth: int | None, least: float, *, down: bool) -> tuple[dict[str, object], int]:
    """Each entity with the fewest hops and the confidence of the surest way of at most `depth` hops; and how many
    edges were not sure enough."""
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    graph.add_nodes_from(COLUMNS)
    for (source, target, _), sure in said.items():
        graph.add_edge(*((source, target) if down else (target, source)), sure=sure)
    best, fewest, here = {start: 1.0}, {start: 0}, {start: 1.0}
    for hops in range(1, (len(COLUMNS) if depth is None else depth) + 1):
        there: dict[str, float] = {}
        for node, so_far in here.items():
            for _, far, sure in graph.out_edges(node, data="sure"):
                if sure >= least:
                    there[far] = max(there.get(far, 0.0), so_far * sure)
        for node, sure in there.items():
            fewest.setdefault(node, hops)
            best[node] = max(best.get(node, 0.0), sure)
        here = there
    left = {node for node, hops in fewest.items() if depth is None or hops < depth}
    hidden = sum(sure < least and (key[0] if down else key[1]) in left for key, sure in said.items())
    return {node: (fewest[node], round(best[node], 9)) for node in fewest if node != start}, hidden


class History:
    """Does the same to the real thing and to the model."""

    def __init__(self, seed: int, store: LineageStore) -> None:
        self.pick = Random(seed)
        self.world = CommittedLineage(store=store)
        self.model = Model()
        self.moments = [BEGIN]
        types = {table: {"x": "int", "y": "int"} for table in TABLES}
        commit = self.world.commit(dict.fromkeys(TABLES, ()), columns=types)
        parent = commit.parents[0] if commit.parents else None
        first = Made(commit.id, {table: {} for table in TABLES}, commit.time, parent)
        self.model.made[commit.id], self.model.heads[MAIN] = first, commit.id
        self.model.land(first, commit.time)
        open_graph(self.world.ports)

    def go(self, steps: int) -> None:
        doings: list[Callable[[], None]] = [
            *[self.commit] * 4,
            *[self.declare] * 3,
            *[self.close] * 2,
            self.branch,
            self.commit_on_branch,
            self.commit_on_branch,
            self.fast_forward,
            self.reset,
            self.snapshot,
        ]
        for _ in range(steps):
            self.world.now += timedelta(minutes=self.pick.randint(1, 5))
            self.pick.choice(doings)()
            self.moments.append(self.world.now)
            open_graph(self.world.ports)

    def _key(self) -> Key:
        return self.pick.choice(COLUMNS), self.pick.choice(COLUMNS), self.pick.choice(list(HOW))

    def _said(self, table: str) -> Said:
        targets = [column for column in COLUMNS if column.startswith(f"{table}.")]
        return {
            (self.pick.choice(COLUMNS), self.pick.choice(targets), self.pick.choice(list(HOW))): self.pick.choice(SURE)
            for _ in range(self.pick.randint(0, 4))
        }

    def _commit(self, branch: BranchName) -> Made:
        before = self.model.head(branch)
        told = {table: self._said(table) for table in self.pick.sample(TABLES, self.pick.randint(1, 3))}
        gone = [table for table in before.tree if table not in told and self.pick.random() < 0.1]
        edges = {
            table: [edge(*key[:2], HOW[key[2]], confidence=sure) for key, sure in said.items()]
            for table, said in told.items()
        }
        commit = self.world.commit(edges, branch=branch, gone=gone)
        tree = {table: said for table, said in {**before.tree, **told}.items() if table not in gone}
        made = Made(commit.id, tree, commit.time, before.id)
        self.model.made[commit.id], self.model.heads[branch] = made, commit.id
        return made

    def commit(self) -> None:
        self.model.land(self._commit(MAIN), self.world.now)

    def branch(self) -> None:
        name = self.world.branch(f"dev{len(self.model.heads)}")
        self.model.heads[name] = self.model.heads[MAIN]

    def _other(self) -> BranchName | None:
        others = [name for name in self.model.heads if name != MAIN]
        return self.pick.choice(others) if others else None

    def commit_on_branch(self) -> None:
        name = self._other()
        if name is not None:
            self._commit(name)

    def fast_forward(self) -> None:
        """The commits come into the graph at their own times, but none before a snapshot that was taken meanwhile."""
        name = self._other()
        ids = [made.id for made in self.model.chain(name)] if name else []
        if name is None or self.model.heads[MAIN] not in ids[1:]:
            return
        new = [self.model.made[one] for one in reversed(ids[: ids.index(self.model.heads[MAIN])])]
        self.world.move(MAIN, new[-1].id)
        last = self.model.on_main[-1][0]
        named = max(self.model.snapshots.values(), default=BEGIN)
        if new[0].time <= named:
            self._forget_times()
            last = max(last, named)
        for made in new:
            last = max(last + TICK, made.time)
            self.model.land(made, last)
        self.model.heads[MAIN] = new[-1].id

    def reset(self) -> None:
        """Main goes to any commit: the graph follows at the time it does."""
        target = self.pick.choice(list(self.model.made.values()))
        head = self.model.head()
        if target.id == head.id or head in self._behind(target):
            return
        self.world.move(MAIN, target.id)
        self._forget_times()
        self.model.land(target, self.world.now)
        self.model.heads[MAIN] = target.id

    def _behind(self, made: Made) -> list[Made]:
        found = [made]
        while found[-1].parent in self.model.made:
            found.append(self.model.made[found[-1].parent])
        return found

    def _forget_times(self) -> None:
        for made in self.model.made.values():
            made.at = None

    def declare(self) -> None:
        key, sure = self._key(), self.pick.choice(SURE)
        source, target = (column_of(*name.rsplit(".", 1)) for name in key[:2])
        kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship(key[2]))
        claim = EdgeClaim(source=source, target=target, kind=kind, transformation=HOW[key[2]], confidence=sure)
        record_edges(self.world.ports, [claim], reason="seen")
        intervals = self.model.declared.setdefault(key, [])
        if intervals and intervals[-1].end is None:
            if intervals[-1].sure == sure:
                return
            intervals[-1].end = self.world.now
        intervals.append(Interval(sure, self.world.now))

    def close(self) -> None:
        open_ = [key for key, said in self.model.declared.items() if said[-1].end is None]
        if open_:
            source, target, word = key = self.pick.choice(open_)
            close_edge(self.world.ports, f"{source}->{target}#{word}", reason="wrong")
            self.model.declared[key][-1].end = self.world.now

    def snapshot(self) -> None:
        name = f"s{len(self.model.snapshots)}"
        save_snapshot(self.world.ports, name)
        self.model.snapshots[name] = self.world.now

    # what must hold

    def check(self, questions: int) -> None:
        for _ in range(questions):
            at, said = self._when()
            self.ask(open_graph(self.world.ports, at), said, f"at {at}")
        for _ in range(3):
            (a, one), (b, other) = self._when(), self._when()
            self.compare(a, one, b, other)

    def _when(self) -> tuple[str | None, Said]:
        """Of now, a time, a snapshot, a branch or a commit: what is written, and what the graph is."""
        model, now = self.model, self.world.now
        match self.pick.randrange(5):
            case 0:
                moment = self.pick.choice(self.moments) + self.pick.choice((-TICK, 0 * TICK, TICK))
                return moment.isoformat(), model.at(moment)
            case 1 if model.snapshots:
                name = self.pick.choice(list(model.snapshots))
                return name, model.at(model.snapshots[name])
            case 2:
                name = self.pick.choice(list(model.heads))
                return name, model.graph(model.head(BranchName(name)).tree, now)
            case 3:
                made = self.pick.choice(list(model.made.values()))
                return made.id, self._of(made)
        return None, model.at(now)

    def _of(self, made: Made) -> Said:
        if made.id == self.model.heads[MAIN]:
            return self.model.at(self.world.now)
        return self.model.graph(made.tree, made.at or made.time)

    def ask(self, view: GraphReader, said: Said, label: str) -> None:
        start, depth = self.pick.choice(COLUMNS), self.pick.choice((1, 2, 3, None))
        least, down = self.pick.choice((0.5, 0.5, 0.0, 0.4, 0.9, 1.0)), self.pick.random() < 0.5
        way: Direction = "downstream" if down else "upstream"
        asked = f"{way} of {start} {label}, depth {depth}, from {least}"
        if not view.store.numbers([start]):  # another branch may not know it at all
            assert not any(start in key for key in said), asked
            return
        found = view.walk(start, direction=way, depth=depth, min_confidence=least)
        reached = {item.name: (item.depth, round(item.confidence, 9)) for item in found.items}
        assert (reached, found.hidden) == _walk(said, start, depth, least, down=down), asked

    def compare(self, a: str | None, one: Said, b: str | None, other: Said) -> None:
        found = diff(self.world.ports, a or "main", b)
        added = {(edge.key.source, edge.key.target, edge.key.kind.word) for edge in found.edges_added if is_data(edge)}
        removed = {
            (edge.key.source, edge.key.target, edge.key.kind.word) for edge in found.edges_removed if is_data(edge)
        }
        surer = {
            (change.after.key.source, change.after.key.target, change.after.key.kind.word)
            for change in found.edges_modified
            if is_data(change.after) and any(part.field == "confidence" for part in change.changes)
        }
        label = f"{a} → {b}"
        assert added == other.keys() - one.keys(), label
        assert removed == one.keys() - other.keys(), label
        changed = {key for key in one.keys() & other.keys() if abs(one[key] - other[key]) > 1e-9}
        assert surer == changed, label


@pytest.fixture(params=["memory", "sqlite"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[int], LineageStore]:
    def make(number: int) -> LineageStore:
        if request.param == "memory":
            return MemoryLineage()
        engine = open_migrated(f"sqlite:///{tmp_path}/{number}.db")
        request.addfinalizer(engine.dispose)
        return SqlLineage(engine)

    return make


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_graph_is_at_any_time_what_its_history_says(make_store: Callable[[int], LineageStore], seed: int) -> None:
    history = History(seed, make_store(seed))
    for _ in range(4):
        history.go(8)
        history.check(10)
