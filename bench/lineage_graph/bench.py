"""The lineage graph at 10,000 to 10 million edges between columns, each question beside the same one asked of others.

What is bounded has a bound; the rest is there to be seen. Everyone is asked the same questions in turns, and of each
question the best of a few times counts, for whoever else uses the machine makes the others longer."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bench.lineage_graph.bulk import NumberedEdge, bulk_load
from bench.lineage_graph.generate import HALF, NOW, Generated, generate
from bench.lineage_graph.peers import Peer, in_neo4j, in_networkx, in_rustworkx, in_sqlite
from bench.table import aligned
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.index import GraphIndex
from forge.lineage.graph.index_query import IndexQuery, compile_filter
from forge.lineage.graph.request import EdgeFilter
from forge.lineage.graph.walk import closure, most_confident
from forge.lineage.node import column_of
from forge.stores.sql.database import migrate, open_database
from forge.stores.sql.lineage.facts import SqlLineage

WRITTEN = 1000  # edges of the incremental write
PRODUCER = "generated"
USUAL = EdgeFilter()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement, beside its peer where it has one. `ratio` is that of the two; `bound` in words."""

    edges: int
    what: str
    forge: float
    unit: str
    peer: float | None = None
    beside: str = ""
    bound: str = ""
    ok: bool | None = None

    @property
    def ratio(self) -> float | None:
        return self.forge / self.peer if self.peer else None


@dataclass(frozen=True, slots=True)
class Bench:
    """A generated graph in the store of a project, the graph over it, and its index."""

    made: Generated
    store: SqlLineage
    graph: Graph
    index: GraphIndex
    options: argparse.Namespace

    @property
    def edges(self) -> int:
        return len(self.made.arrays.source)

    @property
    def columns(self) -> list[int]:
        return self.made.random_columns(self.options.columns, seed=11)

    def lens(self, edges: EdgeFilter = USUAL) -> IndexQuery:
        return IndexQuery(self.index, "downstream", compile_filter(edges))

    def line(self, what: str, forge: float, unit: str, **rest: Any) -> Line:
        return Line(self.edges, what, forge, unit, **rest)


# --- what is measured ------------------------------------------------------------------------------------------------


def seconds_of(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def best_of(repeats: int, work: Callable[[], object]) -> float:
    return min(seconds_of(work) for _ in range(repeats))


def each_best(repeats: int, ask: Callable[[T], object], starts: Sequence[T]) -> float:
    """Of each start the best, all together."""
    return sum(best_of(repeats, partial(ask, start)) for start in starts)


def percentiles(repeats: int, columns: Sequence[int], ask: Callable[[int], object]) -> tuple[float, float]:
    """Milliseconds: the median and that which one of twenty columns exceeds."""
    turns = [[seconds_of(partial(ask, column)) for column in columns] for _ in range(repeats)]
    times = [1000 * min(each) for each in zip(*turns, strict=True)]
    return float(np.percentile(times, 50)), float(np.percentile(times, 95))


def rows_of(made: Generated) -> Iterator[NumberedEdge]:
    arrays = made.arrays
    columns = (arrays.source, arrays.target, arrays.kind, arrays.confidence, arrays.valid_from, arrays.valid_to)
    for first in range(0, len(arrays.source), 100_000):
        yield from zip(*(column[first : first + 100_000].tolist() for column in columns), strict=True)


def loading(made: Generated, folder: Path, options: argparse.Namespace) -> tuple[Bench, list[Line]]:
    """Into an empty SQLite store by its bulk path, then from it into the index, as a server does when it starts."""
    engine = open_database(f"sqlite:///{folder / 'forge.db'}")
    migrate(engine)
    store = SqlLineage(engine)
    began = time.perf_counter()
    bulk_load(engine, made.entities(), rows_of(made), producer=PRODUCER, at=HALF)
    filled = time.perf_counter() - began
    graph = Graph(store)
    loaded = seconds_of(graph.index)
    index = graph.index()
    bench = Bench(made, store, graph, index, options)
    large = bench.edges >= 10_000_000
    memory = index.nbytes / bench.edges
    return bench, [
        bench.line("fill the store", filled, "s"),
        bench.line(
            "load from the store", loaded, "s", bound="≤ 60 s" if large else "", ok=loaded <= 60 if large else None
        ),
        bench.line("memory of the index, an edge", memory, "bytes", bound="≤ 100", ok=memory <= 100),
    ]


BOUNDS = {100_000: 2.0, 10_000_000: 50.0}  # milliseconds of the closure of a random column, by edges


def random_closures(bench: Bench, peers: Sequence[Peer]) -> list[Line]:
    lens, columns, repeats = bench.lens(), bench.columns, bench.options.repeats
    asked = [np.array([column], np.int32) for column in columns]
    sizes = [len(closure(lens, start).nodes) for start in asked]
    half, most = percentiles(repeats, range(len(columns)), lambda at: closure(lens, asked[at]))
    bound = BOUNDS.get(bench.edges)
    lines = [
        bench.line("  reached from it, on average", float(np.mean(sizes)), "columns"),
        bench.line(
            "closure of a random column, p95",
            most,
            "ms",
            bound=f"≤ {bound:g} ms" if bound else "",
            ok=most <= bound if bound else None,
        ),
    ]
    for peer in peers:
        check([peer.closure(column) for column in columns[:20]], sizes[:20], peer.name)
        other_half, other_most = percentiles(repeats, columns, peer.closure)
        lines.append(bench.line("  median", half, "ms", peer=other_half, beside=peer.name))
        lines.append(bench.line("  p95", most, "ms", peer=other_most, beside=peer.name))
    return lines


def hub_closures(bench: Bench, peers: Sequence[Peer]) -> list[Line]:
    """Of all hubs together; an edge counts once, however often it was met."""
    lens, repeats = bench.lens(), bench.options.repeats
    starts = [np.array([hub], np.int32) for hub in bench.made.hubs]
    walks = [closure(lens, start) for start in starts]
    edges = sum(walked.visited for walked in walks)
    plain = each_best(repeats, partial(closure, lens), starts)
    sure = each_best(repeats, partial(most_confident, lens), starts)
    speed, slow = edges / plain / 1e6, edges / sure / 1e6
    share = 100 * np.mean([len(walked.nodes) for walked in walks]) / bench.made.columns
    large = bench.edges >= 100_000
    lines = [
        bench.line("  reached from a hub, on average", float(share), "% of all columns"),
        bench.line(
            "closure of hubs", speed, "M edges/s", bound="≥ 20" if large else "", ok=speed >= 20 if large else None
        ),
        bench.line(
            "  with the surest ways", slow, "M edges/s", bound="≥ 3" if large else "", ok=slow >= 3 if large else None
        ),
    ]
    for peer in (one for one in peers if one.hubs):
        check([peer.closure(hub) for hub in bench.made.hubs], [len(walked.nodes) for walked in walks], peer.name)
        took = each_best(repeats, peer.closure, bench.made.hubs)
        lines.append(bench.line("closure of hubs", plain, "s", peer=took, beside=peer.name))
        if peer.surest is not None:
            took = each_best(1, peer.surest, bench.made.hubs)
            check_sure(bench, peer)
            lines.append(bench.line("  with the surest ways", sure, "s", peer=took, beside=peer.name))
    return lines


def check(found: Sequence[int], expected: Sequence[int], who: str) -> None:
    """Times of different answers mean nothing."""
    assert list(found) == list(expected), f"{who} reaches {found}, Forge {expected}"


def check_sure(bench: Bench, peer: Peer) -> None:
    hub = bench.made.hubs[0]
    walked = most_confident(bench.lens(), np.array([hub]))
    assert peer.surest is not None
    found = peer.surest(hub)
    there = np.array([found[node] for node in walked.nodes.tolist()])
    assert len(found) == len(there), f"{peer.name} reaches {len(found)}, Forge {len(there)}"
    assert np.allclose(there, walked.confidence), f"{peer.name} is not as sure"


def other_questions(bench: Bench) -> list[Line]:
    """As of a time in the past, with doubtful edges, and with all names, expressions and times from the store."""
    columns, repeats = bench.columns, bench.options.repeats
    then = bench.lens(EdgeFilter(at=HALF - timedelta(days=1)))
    past = percentiles(repeats, columns, lambda column: closure(then, np.array([column], np.int32)))
    hub = np.array([bench.made.hubs[0]], np.int32)
    walked = closure(then, hub)
    speed = walked.visited / best_of(repeats, lambda: closure(then, hub)) / 1e6
    sure = percentiles(repeats, columns, lambda column: most_confident(bench.lens(), np.array([column], np.int32)))
    names = [bench.made.name(column) for column in columns[:30]]
    whole = percentiles(1, range(len(names)), lambda at: bench.graph.downstream(names[at], depth=3))
    return [
        bench.line("closure of a random column as of a past time, p95", past[1], "ms"),
        bench.line("closure of a hub as of a past time", speed, "M edges/s"),
        bench.line("the surest ways from a random column, p95", sure[1], "ms"),
        bench.line("three hops from a random column, with names and expressions, p95", whole[1], "ms"),
    ]


def writing(bench: Bench) -> list[Line]:
    """A thousand edges of one producer through the store, and the index after it. Twice: what is said the second time
    replaces what was said before."""
    drawn = np.random.default_rng(5).integers(0, bench.made.columns, (2, WRITTEN, 2)) + bench.made.tables + 1
    times = []
    for turn in range(2):
        ends = [[column_of(*bench.made.name(end).rsplit(".", 1)) for end in pair] for pair in drawn[turn].tolist()]
        claims = tuple(EdgeClaim(source=source, target=target) for source, target in ends)
        batch = ClaimBatch(producer="written", at=NOW + timedelta(days=turn), edges=claims)
        began = time.perf_counter()
        bench.store.record([batch])
        written = time.perf_counter()
        index = bench.graph.index()
        times.append((written - began, time.perf_counter() - written))
        assert index.revision == bench.store.revision()
    took = max(sum(pair) for pair in times)
    refreshed = max(pair[1] for pair in times)
    return [
        bench.line(f"write {WRITTEN:,} edges and follow", took, "s", bound="≤ 1 s", ok=took <= 1),
        bench.line("  of it to follow", refreshed, "s"),
    ]


# --- the driver ------------------------------------------------------------------------------------------------------


@contextmanager
def peers_of(bench: Bench, folder: Path) -> Iterator[list[Peer]]:
    options = bench.options
    with ExitStack() as stack:
        found: list[Peer] = []
        if bench.edges <= options.networkx:
            found.append(in_networkx(bench.made))
        found.append(in_rustworkx(bench.made))
        if bench.edges <= options.databases:
            found.append(stack.enter_context(in_sqlite(folder / "forge.db", options.patience)))
            if not options.without_neo4j and (neo4j := stack.enter_context(in_neo4j(bench.made))) is not None:
                found.append(neo4j)
        yield found


def measure(edges: int, folder: Path, options: argparse.Namespace) -> list[Line]:
    folder.mkdir()
    bench, lines = loading(generate(edges), folder, options)
    told(lines)
    with peers_of(bench, folder) as peers:
        lines += told(random_closures(bench, peers))
        lines += told(hub_closures(bench, peers))
    lines += told(other_questions(bench))
    return lines + told(writing(bench))


def told(lines: list[Line]) -> list[Line]:
    """Said at once to whoever waits."""
    for line in lines:
        beside = f" ({line.beside}: {line.peer:.3g})" if line.peer is not None else ""
        print(f"  {line.edges:,}  {line.what}: {line.forge:.3g} {line.unit}{beside}", file=sys.stderr, flush=True)
    return lines


def table_of(lines: Sequence[Line]) -> str:
    rows = [("edges", "", "Forge", "peer", "beside", "ratio", "bound", "")]
    for line in lines:
        ratio = "" if line.ratio is None else f"{line.ratio:.3f}"
        peer = "" if line.peer is None else f"{line.peer:,.3g} {line.unit}"
        verdict = {True: "ok", False: "MISSED", None: ""}[line.ok]
        own = f"{line.forge:,.3g} {line.unit}"
        rows.append((f"{line.edges:,}", line.what, own, peer, line.beside, ratio, line.bound, verdict))
    return aligned(rows, right=(0, 2, 3, 5))


def conclude(lines: Sequence[Line], options: argparse.Namespace) -> int:
    print(f"{os.cpu_count()} cores\n\n{table_of(lines)}")
    if options.json:
        options.json.write_text(json.dumps([asdict(line) | {"ratio": line.ratio} for line in lines], indent=2))
    missed = [f"{line.what.strip()} at {line.edges:,}" for line in lines if line.ok is False]
    if missed:
        print(f"\nmissed: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed and options.limits else 0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sizes = [10_000, 100_000, 1_000_000, 10_000_000]
    parser.add_argument("--edges", type=int, nargs="+", default=sizes, help="sizes of the graphs, one after the other")
    parser.add_argument("--columns", type=int, default=200, help="random columns that are asked for")
    parser.add_argument("--repeats", type=int, default=5, help="of each question; the best counts")
    parser.add_argument("--networkx", type=int, default=1_000_000, help="the largest graph it is given")
    parser.add_argument("--databases", type=int, default=100_000, help="the largest that SQLite and Neo4j are asked of")
    parser.add_argument("--patience", type=float, default=10, help="seconds that SQLite has for one question")
    parser.add_argument("--without-neo4j", action="store_true")
    parser.add_argument("--folder", type=Path, help="where the stores are made (default: a temporary one)")
    parser.add_argument("--limits", action="store_true", help="exit 1 when a bound is missed")
    parser.add_argument("--json", type=Path, help="write the measurements there too")
    return parser.parse_args(arguments)


def main(options: argparse.Namespace) -> int:
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    lines: list[Line] = []
    for edges in options.edges:
        with tempfile.TemporaryDirectory(prefix="forge-bench-", dir=options.folder) as name:
            lines += measure(edges, Path(name) / "store", options)
    return conclude(lines, options)


if __name__ == "__main__":
    sys.exit(main(parse()))
