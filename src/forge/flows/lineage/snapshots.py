"""Snapshots of the graph: named times, stored as one row each."""

from __future__ import annotations

from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import GraphReader, current_time, open_graph, state_of
from forge.flows.runs.records import AuditRecord
from forge.lineage.graph.comparison import states_between
from forge.lineage.graph.counts import GraphCounts
from forge.lineage.graph.diff import GraphDiff
from forge.lineage.graph.diff import diff as diff_of
from forge.lineage.graph.store import Snapshot
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName
from forge.versioning.revision import parse_revision


def save_snapshot(
    ports: LineagePorts, name: str, at: str | None = None, description: str = "", actor: str | None = None
) -> Snapshot:
    """A name for now, or for the time that `at` means. E808 where the name is taken or means something else."""
    name = name.strip()
    _check_name(ports, name)
    view = open_graph(ports, at)
    if view.store is not ports.store:
        raise ForgeError(
            "E810",
            f"{view.label} is not in the history of '{ports.default_branch}'",
            why="A snapshot names a time of the lineage, which follows that branch.",
            fix="Ask with --at for another branch or its commits.",
        )
    now = ports.clock()
    moment = view.at or current_time(ports)
    if moment > current_time(ports):
        raise ForgeError(
            "E810",
            f"{view.label} is still to come",
            why="A snapshot names how the lineage was or is; what it names must not change any more.",
            fix="Give a time that has passed, or none for now.",
        )
    census = _count(view)
    snapshot = Snapshot(
        name=name,
        at=moment,
        description=description,
        created_by=actor or ports.actor,
        created_at=now,
        nodes=census.nodes,
        edges=census.edges,
    )
    ports.store.save_snapshot(snapshot)
    ports.metadata.note(AuditRecord(now, snapshot.created_by, "lineage.snapshot", name, {"at": moment.isoformat()}))
    return snapshot


def _check_name(ports: LineagePorts, name: str) -> None:
    if not name or name == "HEAD" or name != name.strip() or any(sign in name for sign in "~^@ "):
        raise ForgeError("E808", f"'{name}' cannot name a snapshot", why="It would read as a revision.")
    taken = ports.metadata.branch(BranchName(name)) is not None or ports.metadata.tag(name) is not None
    if taken or parse_revision(name).time is not None:
        raise ForgeError(
            "E808",
            f"'{name}' already means a branch, a tag or a time",
            why="--at takes all of these and the names of snapshots.",
            fix="Choose another name.",
        )


def list_snapshots(ports: LineagePorts) -> tuple[Snapshot, ...]:
    return ports.store.snapshots()


def drop_snapshot(ports: LineagePorts, name: str, actor: str | None = None) -> None:
    """The name only: what the lineage was then stays known."""
    if not ports.store.drop_snapshot(name):
        near = did_you_mean(name, (snapshot.name for snapshot in ports.store.snapshots()))
        raise ForgeError(
            "E809", f"There is no snapshot '{name}'", why=near, fix="`forge lineage snapshot --list` lists them."
        )
    ports.metadata.note(AuditRecord(ports.clock(), actor or ports.actor, "lineage.forget", name))


def _count(view: GraphReader) -> GraphCounts:
    graph = view.ports.graph
    if graph is not None:
        return graph.count(view.at, view.store.declared(view.at))
    state = state_of(view)
    return GraphCounts(state.node_counts(), state.edge_counts())


def diff(ports: LineagePorts, a: str | None, b: str | None = None) -> GraphDiff:
    """What changed from one time, snapshot, branch or commit to another; None for now."""
    return diff_readers(open_graph(ports, a), open_graph(ports, b))


def diff_readers(before: GraphReader, after: GraphReader) -> GraphDiff:
    """Of two times of the record only what changed between them is read."""
    graph, store = before.ports.graph, before.ports.store
    if graph is None or before.store is not store or after.store is not store:
        return diff_of(state_of(before), state_of(after))
    return diff_of(*states_between(store, graph.index(), before.at, after.at))
