"""Reads the lineage graph as it is now, as it was at a time, or as of a branch or commit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forge.flows.lineage.feed import PRODUCER, FeedCursor, batches_of, catch_up, recorded_at
from forge.flows.versioning.revisions import find_commit
from forge.lineage.errors import AmbiguousNameError, NotInGraphError
from forge.lineage.facts.claim import ClaimBatch, NodeClaim, claim_of
from forge.lineage.facts.fact import EdgeVersion, at_time, holds
from forge.lineage.graph.request import DEPTH, MAKERS, WITH_MAKERS, EdgeFilter, TraversalRequest, WalkDirection
from forge.lineage.graph.state import GraphState, state_at
from forge.lineage.kind import FLOWS, EdgeType
from forge.lineage.node import TABLE_LIKE, GraphLevel, Node, NodeType
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName
from forge.versioning.errors import UnknownRevisionError
from forge.versioning.revision import parse_revision

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from forge.flows.lineage.ports import LineagePorts
    from forge.lineage.graph.store import LineageAnswers, LineageStore
    from forge.lineage.graph.traversal import Path, Traversal
    from forge.versioning.commit import Commit

_KEPT = 8


@dataclass(frozen=True, slots=True)
class GraphReader:
    """Queries on the graph at one time or of one commit. `at`: None for now."""

    ports: LineagePorts
    store: LineageStore
    answers: LineageAnswers
    at: datetime | None
    label: str
    commit: Commit | None = None

    def find(self, name: str, column: str | None = None) -> Node:
        """By id, else by the only name that ends so. E807 if ambiguous, E801 if unknown."""
        return find_node(self, f"{name.strip()}.{column.strip()}" if column else name.strip())

    def node(self, node_id: str) -> Node:
        number = self.store.numbers([node_id]).get(node_id)
        if number is None:
            raise _unknown(self, node_id)
        return self.store.nodes([number], self.at)[number]

    def walk(
        self,
        name: str,
        column: str | None = None,
        *,
        direction: WalkDirection = "upstream",
        depth: int | None = DEPTH,
        min_confidence: float | None = None,
        indirect: bool = False,
        level: GraphLevel = GraphLevel.COLUMN,
        node_types: Iterable[NodeType] = (),
        edge_types: Iterable[EdgeType] = (),
        schemas: Iterable[str] = (),
        files: Iterable[str] = (),
        intermediate: bool = False,
        limit: int | None = None,
        paths: int = 0,
        transforms: bool = False,
    ) -> Traversal:
        start, shown, types = self.find(name, column), frozenset(node_types), frozenset(edge_types)
        parallel = transforms or includes_makers(start, shown, types)
        ask = TraversalRequest(
            start=start.id,
            direction=direction,
            depth=depth,
            edges=self.edges_taken(min_confidence, indirect=indirect, edge_types=types, parallel=parallel),
            level=level,
            node_types=shown,
            schemas=frozenset(schemas),
            files=frozenset(files),
            intermediate=intermediate,
            limit=limit,
            paths=paths,
        )
        return self.answers.walk(ask)

    def edges_taken(
        self,
        min_confidence: float | None = None,
        *,
        indirect: bool = False,
        edge_types: Iterable[EdgeType] = (),
        parallel: bool = False,
    ) -> EdgeFilter:
        """`parallel`: include edges to and from transforms, pipelines and jobs."""
        least = self.ports.min_confidence if min_confidence is None else min_confidence
        if not 0 <= least <= 1:
            raise ForgeError("E803", f"The least confidence {least} is not between 0 and 1")
        types = frozenset(edge_types) or (WITH_MAKERS if parallel else FLOWS)
        return EdgeFilter(types=types, min_confidence=least, indirect=indirect, at=self.at, parallel=parallel)

    def paths(
        self,
        source: str,
        target: str,
        *,
        count: int = 3,
        depth: int | None = None,
        min_confidence: float | None = None,
        indirect: bool = False,
    ) -> tuple[Path, ...]:
        """The most confident paths from one to the other, best first."""
        start, end = self.find(source).id, self.find(target).id
        ask = TraversalRequest(
            start=start, direction="downstream", depth=depth, edges=self.edges_taken(min_confidence, indirect=indirect)
        )
        return self.answers.paths(end, ask, count)

    def edge(self, edge_id: str) -> EdgeVersion:
        """As of this time, else its last version."""
        lives = self.lives(edge_id)
        return at_time(lives, self.at) or lives[-1]

    def lives(self, edge_id: str) -> tuple[EdgeVersion, ...]:
        """All versions of an edge, oldest first."""
        for source, target in _ends(edge_id):
            numbers = self.store.numbers([source, target])
            if source in numbers and target in numbers:
                ends = numbers[source], numbers[target]
                found = tuple(v for v in self.store.versions([ends]).get(ends, ()) if v.id == edge_id)
                if found:
                    return found
        raise NotInGraphError(
            f"There is no edge {edge_id}",
            why="An edge is called source->target#relationship, like core.orders.amount->marts.daily.net#aggregated.",
        )

    def search(
        self, text: str, types: Sequence[NodeType] = (), *, limit: int = 50, after: str = ""
    ) -> tuple[Node, ...]:
        return self.store.search(text, types, limit=limit, after=after)


def includes_makers(start: Node, node_types: frozenset[NodeType], edge_types: frozenset[EdgeType]) -> bool:
    """Whether a question is one about who makes data: it starts there, shows that, or names the edges."""
    return (
        start.type in MAKERS or bool(MAKERS & node_types) or bool(edge_types & (WITH_MAKERS - {EdgeType.DERIVES_FROM}))
    )


def open_graph(ports: LineagePorts, at: str | None = None, branch: BranchName | None = None) -> GraphReader:
    """`at`: a time, the name of a snapshot of the lineage, a branch, a tag, a commit or HEAD~2; None for now."""
    catch_up(ports)
    current = branch or ports.default_branch
    if at is not None:
        snapshot = ports.store.snapshot(at)
        if snapshot is not None:
            return GraphReader(ports, ports.store, ports.answers, snapshot.at, at)
        revision = parse_revision(at)
        timed = revision.time is not None and revision.name == "HEAD" and not revision.steps
        if timed and current == ports.default_branch and ports.metadata.branch(BranchName(at)) is None:
            return GraphReader(ports, ports.store, ports.answers, revision.time, at)
    if at is None and _head(ports, current) is None:
        return GraphReader(ports, ports.store, ports.answers, _now(ports), "now")
    commit = _commit(ports, at or "HEAD", current)
    is_head = at is None or ports.metadata.branch(BranchName(at)) is not None
    return _look_at(ports, commit, at or ("now" if current == ports.default_branch else current), is_head)


def current_time(ports: LineagePorts) -> datetime:
    """Now; or the time of the newest commit, where that came from a machine whose clock is ahead."""
    cursor = FeedCursor.of(ports.store.cursor())
    now = ports.clock()
    return max(now, cursor.at) if cursor else now


def _now(ports: LineagePorts) -> datetime | None:
    """None where all that holds still holds now; else the time: an edge may have been given an end that is to come."""
    moment = current_time(ports)
    horizon = ports.graph.horizon() if ports.graph is not None else moment
    return None if ports.graph is not None and (horizon is None or horizon <= moment) else moment


def _head(ports: LineagePorts, name: BranchName) -> str | None:
    branch = ports.metadata.branch(name)
    return branch.head if branch else None


def _commit(ports: LineagePorts, at: str, current: BranchName) -> Commit:
    try:
        return find_commit(ports.metadata, at, current)
    except UnknownRevisionError as error:
        names = [snapshot.name for snapshot in ports.store.snapshots()]
        raise error.but(why=did_you_mean(at, names) or error.why) from None


def _look_at(ports: LineagePorts, commit: Commit, label: str, is_head: bool) -> GraphReader:
    if _head(ports, ports.default_branch) == commit.id:
        return GraphReader(ports, ports.store, ports.answers, _now(ports), label, commit)
    at = None if is_head else recorded_at(ports, commit)
    if at is not None:
        return GraphReader(ports, ports.store, ports.answers, at, label, commit)
    store, answers = _of_commit(ports, commit, is_head)
    return GraphReader(ports, store, answers, None, label, commit)


def _of_commit(ports: LineagePorts, commit: Commit, is_head: bool) -> tuple[LineageStore, LineageAnswers]:
    """The tables of the commit, with what was declared by then; for the head of a branch, with what is declared now."""
    declared_at = current_time(ports) if is_head else commit.time
    key = (commit.id, ports.store.revision(), is_head)
    if key in ports.kept:
        return ports.kept[key]
    store, answers = ports.scratch()
    batches = [
        _declared(ports.store, producer, declared_at, commit.time)
        for producer in ports.store.producers()
        if not producer.startswith(PRODUCER)
    ]
    assets = {asset.table: asset for asset in ports.metadata.assets()}
    tree = ports.metadata.tree(commit.id)
    store.record([*batches, *batches_of(ports, tree, commit.time, commit.author.name, assets)])
    while len(ports.kept) >= _KEPT:
        ports.kept.pop(next(iter(ports.kept)), None)
    ports.kept[key] = (store, answers)
    return store, answers


def _declared(store: LineageStore, producer: str, at: datetime, time: datetime) -> ClaimBatch:
    edges = (fact for fact in store.edge_facts(producer=producer) if holds(fact, at))
    nodes = (fact for fact in store.node_facts(producer=producer) if holds(fact, at))
    return ClaimBatch(
        producer=producer,
        at=time,
        edges=tuple(replace(claim_of(fact), valid_from=None, valid_to=None) for fact in edges),
        nodes=tuple(NodeClaim(fact.entity, fact.details) for fact in nodes),
    )


def find_node(view: GraphReader, name: str) -> Node:
    tried = dict.fromkeys([name, name.lower(), f"{view.ports.database}.{name}"])
    numbers = view.store.numbers(list(tried))
    for node_id in tried:
        if node_id in numbers:
            return view.store.nodes([numbers[node_id]], view.at)[numbers[node_id]]
    found = view.store.ending(name)
    known = view.store.numbers(list(found))
    nodes = list(view.store.nodes(list(known.values()), view.at).values())
    tables = [node for node in nodes if node.type in TABLE_LIKE]
    for choice in (nodes, tables):
        if len(choice) == 1:
            return choice[0]
    if nodes:
        names = sorted(node.id for node in nodes)
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        raise AmbiguousNameError(
            f"'{name}' may be any of {len(names)} entities", why=shown, fix=f"Write it out, like {names[0]}."
        )
    raise _unknown(view, name)


def _unknown(view: GraphReader, name: str) -> ForgeError:
    known = view.store.near(name)
    near = did_you_mean(name, known) or did_you_mean(name, known, cutoff=0.3)  # some name is better than none
    return NotInGraphError(
        f"'{name}' is not in the lineage graph",
        why="Nothing recorded names that table, column or other entity.",
        fix=near or "`forge lineage search WORD` finds names; `forge run` records those of its tables.",
    )


def _ends(edge_id: str) -> Iterable[tuple[str, str]]:
    """A name may hold an arrow, too."""
    pair, _, _ = edge_id.rpartition("#")
    parts = pair.split("->")
    for place in range(1, len(parts)):
        yield "->".join(parts[:place]), "->".join(parts[place:])


def state_of(view: GraphReader) -> GraphState:
    """Everything valid at the time of a reader."""
    return state_at(view.store.edge_facts(), view.store.node_facts(), view.at)
