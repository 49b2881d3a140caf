"""Feeds the graph from the commits of the default branch. Lineage of a run is written in the transaction that publishes
it, and applied to the graph in commit order, at commit times. The cursor is kept in the same write, so every commit is
applied exactly once, whenever a process dies."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from forge.flows.lineage.versions import versions_of
from forge.flows.quality.incidents.impact import lake_table
from forge.flows.runs.records import MADE_BY, AssetRecord, TableLineage
from forge.lineage.edge import Extraction, Transformation
from forge.lineage.errors import BadEdgeError, IdTakenError, OlderBatchError
from forge.lineage.facts.claim import MANUAL, ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind, relationship_of
from forge.lineage.maker import Maker, maker_edges, maker_nodes, transform_of
from forge.lineage.node import Entity, NodeType, column_of, table_of
from forge.model.names import CommitId, RunId, TableName
from forge.model.retry import attempts

if TYPE_CHECKING:
    from forge.flows.lineage.ports import LineagePorts
    from forge.flows.runs.ports import Runs
    from forge.flows.versioning.record_ports import Commits
    from forge.versioning.commit import Commit, TableVersion, Tree

    class _Records(Commits, Runs, Protocol): ...


PRODUCER = "table:"  # of what the runs that made a table saw
_COMMITS = 50  # in one transaction
_TRIES = 5
_log = logging.getLogger("forge.lineage")
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class LateCommit:
    """A commit that reached the branch later than its own time, and when."""

    commit: CommitId
    at: datetime


@dataclass(frozen=True, slots=True)
class FeedCursor:
    """The last recorded commit. `since`: the last late commit; those before it have no time of their own in the
    graph."""

    commit: CommitId
    at: datetime
    since: LateCommit | None = None

    def text(self) -> str:
        late = {"since": self.since.commit, "since_at": self.since.at.isoformat()} if self.since else {}
        return json.dumps({"commit": self.commit, "at": self.at.isoformat(), **late})

    @classmethod
    def of(cls, text: str | None) -> FeedCursor | None:
        if text is None:
            return None
        known = json.loads(text)
        since = None
        if "since" in known:
            since = LateCommit(CommitId(known["since"]), datetime.fromisoformat(known["since_at"]))
        return cls(CommitId(known["commit"]), datetime.fromisoformat(known["at"]), since)


def times_of(chain: Sequence[Commit], after: datetime | None = None) -> Iterator[datetime]:
    """The graph time of each commit of a branch: its own time, but never before its parent's."""
    for commit in chain:
        after = commit.time if after is None else max(after + _TICK, commit.time)
        yield after


def recorded_at(ports: LineagePorts, commit: Commit) -> datetime | None:
    """The time at which the graph is as a commit of the default branch has it; None where it never was."""
    branch, cursor = ports.metadata.branch(ports.default_branch), FeedCursor.of(ports.store.cursor())
    if branch is None or branch.head is None or cursor is None:
        return None
    chain, after = first_parents(ports.metadata, branch.head, None), None
    if cursor.since is not None:
        place = next((number for number, one in enumerate(chain) if one.id == cursor.since.commit), len(chain))
        chain, after = chain[place:], cursor.since.at - _TICK
    return next((at for one, at in zip(chain, times_of(chain, after), strict=True) if one.id == commit.id), None)


def catch_up(ports: LineagePorts) -> int:
    """Records the commits that the graph does not know yet; how many they were."""
    for attempt in attempts(_TRIES):
        try:
            return _catch_up(ports)
        except OlderBatchError:  # another process is doing the same, and is further
            if attempt == _TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _catch_up(ports: LineagePorts) -> int:
    branch = ports.metadata.branch(ports.default_branch)
    cursor = FeedCursor.of(ports.store.cursor())
    if branch is None or branch.head is None or (cursor is not None and cursor.commit == branch.head):
        return 0
    chain = first_parents(ports.metadata, branch.head, cursor.commit if cursor else None)
    known = cursor is None or (chain and cursor.commit in chain[0].parents[:1])
    since = cursor.since if cursor else None
    if not known and cursor is not None:  # the branch was reset to a commit that does not descend from the recorded one
        since = LateCommit(chain[-1].id, max(cursor.at + _TICK, ports.clock()))
        _write(ports, [(chain[-1], ports.metadata.tree(cursor.commit), since.at)], since)
        return 1
    before: Tree = ports.metadata.tree(cursor.commit) if cursor else {}
    after = cursor.at if cursor else None
    named = _last_named(ports)
    if cursor is not None and named is not None and chain[0].time <= named:
        # They were made on another branch before a snapshot was taken. What it names stays as it was.
        after = max(cursor.at, named)
        since = LateCommit(chain[0].id, after + _TICK)
    steps: list[tuple[Commit, Tree, datetime]] = []
    for commit, at in zip(chain, times_of(chain, after), strict=True):
        steps.append((commit, before, at))
        before = ports.metadata.tree(commit.id)
        if len(steps) == _COMMITS:
            _write(ports, steps, since)
            steps = []
    _write(ports, steps, since)
    return len(chain)


def _last_named(ports: LineagePorts) -> datetime | None:
    """The time of the newest snapshot, of those that name no time to come."""
    now = ports.clock()
    return max((snapshot.at for snapshot in ports.store.snapshots() if snapshot.at <= now), default=None)


def first_parents(metadata: Commits, head: CommitId, stop: CommitId | None) -> list[Commit]:
    """From after `stop`, or from the first, to the head, oldest first."""
    ancestry = metadata.ancestry([head])
    ids: list[CommitId] = []
    here: CommitId | None = head
    while here is not None and here != stop:
        ids.append(here)
        parents = ancestry.get(here, ())
        here = parents[0] if parents else None
    commits = metadata.commits(ids)
    return [commits[commit_id] for commit_id in reversed(ids)]


def _write(ports: LineagePorts, steps: list[tuple[Commit, Tree, datetime]], since: LateCommit | None) -> None:
    if not steps:
        return
    assets = {asset.table: asset for asset in ports.metadata.assets()}
    batches: list[ClaimBatch] = []
    for commit, before, at in steps:
        tree = ports.metadata.tree(commit.id)
        changed = {table: tree[table] for table in tree if not _same(before.get(table), tree[table])}
        batches += batches_of(ports, changed, at, commit.author.name, assets)
        for claims in versions_of(ports.store, (str(table) for table in changed if table not in before)).values():
            batches.append(ClaimBatch(producer=MANUAL, at=at, edges=claims, complete=False, actor=commit.author.name))
        gone = (table for table in before if table not in tree)
        batches += [
            ClaimBatch(producer=f"{PRODUCER}{table}", at=at, actor=commit.author.name) for table in sorted(gone)
        ]
    last, _, at = steps[-1]
    _record(ports, batches, FeedCursor(last.id, at, since).text())


def _record(ports: LineagePorts, batches: list[ClaimBatch], cursor: str) -> None:
    """What cannot be recorded of one table must not keep back all others, now and for ever."""
    try:
        ports.store.record(batches, cursor=cursor)
        return
    except (BadEdgeError, IdTakenError):
        pass
    for batch in batches:
        try:
            ports.store.record([batch])
        except (BadEdgeError, IdTakenError) as error:
            _log.warning("The lineage of %s stays as it was: %s", batch.producer.removeprefix(PRODUCER), error)
    ports.store.record([], cursor=cursor)


def _same(before: TableVersion | None, after: TableVersion) -> bool:
    """The state of a table may come back with another number."""
    return before is not None and (before.snapshot_id, before.metadata_location, before.run_id, before.schema_id) == (
        (after.snapshot_id, after.metadata_location, after.run_id, after.schema_id)
    )


def batches_of(
    ports: LineagePorts,
    tables: Mapping[TableName, TableVersion],
    at: datetime,
    actor: str,
    assets: Mapping[TableName, AssetRecord],
) -> list[ClaimBatch]:
    """What is known of these versions: one batch a table, with its columns and the edges its run saw."""
    runs = dict.fromkeys(RunId(version.run_id) for version in tables.values() if version.run_id)
    found = {(run_id, one.table): one for run_id, one in ports.metadata.lineage(runs)} if runs else {}
    code = _code_of(ports.metadata, runs)
    batches = []
    for table in sorted(tables):
        version = tables[table]
        run_id = RunId(version.run_id or "")
        lineage = found.get((run_id, table), TableLineage(table))
        file, line = code.get((run_id, str(table)), ("", 0))
        nodes = [*_nodes(ports, table, version, assets.get(table), file), *_outside(lineage)]
        seen = Evidence(basis=Basis.OBSERVED, extractor="spark-plan", file=file, line=line, run_id=run_id)
        edges = [*claims_of(lineage, seen)]
        if file:
            maker = _maker(ports, version, lineage, seen)
            edges += maker_edges(maker)
            nodes += maker_nodes(maker)
        batches.append(
            ClaimBatch(producer=f"{PRODUCER}{table}", at=at, edges=tuple(edges), nodes=tuple(nodes), actor=actor)
        )
    return batches


def _maker(ports: LineagePorts, version: TableVersion, lineage: TableLineage, seen: Evidence) -> Maker:
    """The transform of a table, which has its name, and the project that runs it."""
    table = table_of(str(lineage.table), NodeType.VIEW if version.kind == "view" else NodeType.TABLE)
    reads = (_end(name) for name in _sources(lineage) if name != table.id)
    maker = transform_of(table.id, table, reads, seen.file, seen.line, (seen,))
    pipeline = NodeClaim(Entity(NodeType.PIPELINE, ports.project), {"transform_type": "forge"})
    return replace(maker, pipeline=pipeline)


def _sources(lineage: TableLineage) -> frozenset[str]:
    names = {edge.source.table for edge in lineage.edges} | {edge.source.table for edge in lineage.indirect}
    return frozenset(names | {edge.source for edge in lineage.table_edges})


def _code_of(metadata: _Records, runs: Iterable[RunId]) -> dict[tuple[RunId, str], tuple[str, int]]:
    """File and line of the code of these runs, from their commits."""
    commits = {run.id: run.commit_id for run in metadata.find_runs(runs).values() if run.commit_id}
    known = metadata.commits(commits.values())
    found: dict[tuple[RunId, str], tuple[str, int]] = {}
    for run_id, commit_id in commits.items():
        made = known[commit_id].metadata.get(MADE_BY) if commit_id in known else None
        for table, place in made.items() if isinstance(made, Mapping) else ():
            file, _, line = str(place).rpartition(":")
            found[run_id, table] = (file, int(line)) if line.isdigit() else (str(place), 0)
    return found


def _nodes(
    ports: LineagePorts, table: TableName, version: TableVersion, asset: AssetRecord | None, file: str
) -> Iterable[NodeClaim]:
    kind = NodeType.VIEW if version.kind == "view" else NodeType.TABLE
    details: dict[str, object] = {"kind": "view" if version.kind == "view" else "physical"}
    if file:
        details["source_file"] = file
    yield NodeClaim(table_of(str(table), kind), details)
    schema = ports.schema(version)
    if schema is not None:
        for place, column in enumerate(schema.columns):
            known = {"data_type": str(column.type), "nullable": column.nullable, "position": place}
            yield NodeClaim(column_of(str(table), column.name), known)
    elif asset is not None:
        for described in asset.columns:
            known = {"data_type": described["type"]} if described.get("type") else {}
            yield NodeClaim(column_of(str(table), str(described["name"])), known)


def _outside(lineage: TableLineage) -> Iterable[NodeClaim]:
    """What a source reads: a file, a table of a database elsewhere."""
    for name in sorted(name for name in _sources(lineage) if lake_table(name) is None):
        yield NodeClaim(table_of(name, NodeType.EXTERNAL), {"connector": name.partition(":")[0]})


def claims_of(lineage: TableLineage | Extraction, seen: Evidence) -> Iterable[EdgeClaim]:
    evidence = (seen,)
    for edge in lineage.edges:
        yield EdgeClaim(
            source=column_of(edge.source.table, edge.source.column, edge.source.field),
            target=column_of(edge.target.table, edge.target.column, edge.target.field),
            kind=EdgeKind(EdgeType.DERIVES_FROM, relationship_of(edge.transformation, masking=edge.masking)),
            transformation=edge.transformation,
            expression=edge.expression,
            masking=edge.masking,
            confidence=edge.confidence,
            evidence=evidence,
        )
    for indirect in lineage.indirect:
        source = column_of(indirect.source.table, indirect.source.column, indirect.source.field)
        kind = indirect_kind(indirect.subtype)
        yield EdgeClaim(source=source, target=table_of(indirect.target), kind=kind, evidence=evidence)
    for table_edge in lineage.table_edges:
        kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)
        unknown = Transformation.UNKNOWN
        yield EdgeClaim(
            source=_end(table_edge.source),
            target=_end(table_edge.target),
            kind=kind,
            transformation=unknown,
            evidence=evidence,
        )


def _end(name: str) -> Entity:
    return table_of(name, NodeType.TABLE if lake_table(name) is not None else NodeType.EXTERNAL)
