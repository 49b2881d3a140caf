"""The same questions asked of others: networkx, rustworkx, a recursive query in SQLite, Neo4j. Each is given only the
edges that hold and are sure enough, so that none of them has to test anything."""

from __future__ import annotations

import math
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import rustworkx as rx

from bench.lineage_graph.generate import Generated
from forge.lineage.facts.moment import OPEN

CHUNK = 1_000_000


@dataclass(frozen=True, slots=True)
class Peer:
    """`closure` gives what is reached, as many as are; `surest` how sure each is. None where it has no such thing."""

    name: str
    closure: Callable[[int], int]
    surest: Callable[[int], dict[int, float]] | None = None
    hubs: bool = True  # whether it is asked for those


def usual(made: Generated) -> tuple[list[int], list[int], list[float]]:
    arrays = made.arrays
    kept = np.flatnonzero((arrays.confidence >= 0.5) & (arrays.valid_to == OPEN))
    return arrays.source[kept].tolist(), arrays.target[kept].tolist(), arrays.confidence[kept].tolist()


def in_networkx(made: Generated) -> Peer:
    net: nx.DiGraph[int] = nx.DiGraph()
    net.add_nodes_from(range(1, made.tables + made.columns + 1))
    source, target, sure = usual(made)
    net.add_weighted_edges_from(zip(source, target, (abs(math.log(one)) for one in sure), strict=True))

    def surest(start: int) -> dict[int, float]:
        found = nx.single_source_dijkstra_path_length(net, start)
        return {node: math.exp(-far) for node, far in found.items() if node != start}

    return Peer("networkx", lambda start: len(nx.descendants(net, start)), surest)


def in_rustworkx(made: Generated) -> Peer:
    net: rx.PyDiGraph[None, float] = rx.PyDiGraph(multigraph=True)
    net.add_nodes_from([None] * (made.tables + made.columns + 1))
    source, target, sure = usual(made)
    costs = {one: abs(math.log(one)) for one in set(sure)}  # few numbers, shared by all edges
    for first in range(0, len(source), CHUNK):
        part = slice(first, first + CHUNK)
        net.add_edges_from([(a, b, costs[c]) for a, b, c in zip(source[part], target[part], sure[part], strict=True)])

    def surest(start: int) -> dict[int, float]:
        found = rx.dijkstra_shortest_path_lengths(net, start, lambda cost: cost)
        return {node: math.exp(-far) for node, far in found.items() if node != start}

    return Peer("rustworkx", lambda start: len(rx.descendants(net, start)), surest)


REACHED = """WITH RECURSIVE reached(node) AS (
  VALUES(?) UNION
  SELECT fact.target FROM forge_lineage_facts AS fact JOIN reached ON fact.source = reached.node
  WHERE fact.valid_to = ? AND fact.confidence >= 0.5
) SELECT count(*) - 1 FROM reached"""


@contextmanager
def in_sqlite(file: Path, seconds: float) -> Iterator[Peer]:
    """On the very tables of the store, which has the index for it. A question that takes longer is given up."""
    connection = sqlite3.connect(file)

    def closure(start: int) -> int:
        until = time.monotonic() + seconds
        connection.set_progress_handler(lambda: int(time.monotonic() > until), 100_000)
        return int(connection.execute(REACHED, (start, OPEN)).fetchone()[0])

    try:
        yield Peer("SQLite, recursive", closure, hubs=False)
    finally:
        connection.close()


CYPHER = """MATCH (:Bench {number: $start})-[:TO*1..]->(far) WHERE far.number <> $start
RETURN count(DISTINCT far) AS reached"""


@contextmanager
def in_neo4j(made: Generated) -> Iterator[Peer | None]:
    """On a server of its own, where it can be run. It asks for a closure by its own search through relationships."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "support"))
    from neo4j_server import fetched_jars, running_neo4j

    try:
        fetched_jars()
    except (RuntimeError, OSError) as problem:
        print(f"  without Neo4j: {problem}", file=sys.stderr)
        yield None
        return
    with running_neo4j() as server, server.driver() as driver:
        fill(driver, made)
        yield Peer("Neo4j", lambda start: _asked(driver, start), hubs=False)


def _asked(driver: Any, start: int) -> int:
    found = driver.execute_query(CYPHER, start=start)
    return int(found.records[0]["reached"])


def fill(driver: Any, made: Generated) -> None:
    driver.execute_query("CREATE CONSTRAINT FOR (n:Bench) REQUIRE n.number IS UNIQUE")
    numbers = list(range(1, made.tables + made.columns + 1))
    source, target, _ = usual(made)
    pairs = [list(pair) for pair in zip(source, target, strict=True)]
    for first in range(0, len(numbers), 20_000):
        part = numbers[first : first + 20_000]
        driver.execute_query("UNWIND $part AS number CREATE (:Bench {number: number})", part=part)
    link = "UNWIND $part AS pair MATCH (a:Bench {number: pair[0]}), (b:Bench {number: pair[1]}) CREATE (a)-[:TO]->(b)"
    for first in range(0, len(pairs), 20_000):
        driver.execute_query(link, part=pairs[first : first + 20_000])
