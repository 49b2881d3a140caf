"""Generated graphs of columns: tables in layers and domains, every column made from a few columns of the layers before,
so that diamonds are everywhere; hubs that half of all tables use; some edges back, so that there are cycles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.facts.moment import OPEN, to_micros
from forge.lineage.graph.store import GraphArrays
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import NODE_TYPES, Entity, NodeType, column_of

Array = NDArray[Any]
COLUMNS = 20  # of a table
LAYERS = 12
IN_LAYER = 4  # tables of one layer in one domain
HUBS = 4
EACH = 3  # columns that a column is made from
BEGAN, HALF, NOW = (datetime(2024, month, 1, tzinfo=UTC) for month in (1, 3, 6))
SURE, SHARES = (1.0, 0.95, 0.8, 0.3), (0.4, 0.3, 0.25, 0.05)
COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED).code
TRANSFORMED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.TRANSFORMED).code


@dataclass(frozen=True, slots=True)
class Generated:
    """Tables have the numbers 1…tables, their columns the numbers after them; the first columns are the hubs."""

    arrays: GraphArrays
    tables: int
    columns: int

    @property
    def hubs(self) -> list[int]:
        """One a table, in the first layer of the first domain."""
        return [self.tables + 1 + COLUMNS * number for number in range(HUBS)]

    def entities(self) -> Iterator[Entity]:
        for table in range(self.tables):
            yield Entity(NodeType.TABLE, self.table_name(table))
        for column in range(self.columns):
            yield column_of(self.table_name(column // COLUMNS), f"c{column % COLUMNS}")

    def name(self, number: int) -> str:
        column = number - self.tables - 1
        return f"{self.table_name(column // COLUMNS)}.c{column % COLUMNS}"

    @staticmethod
    def table_name(table: int) -> str:
        domain, place = divmod(table, LAYERS * IN_LAYER)
        return f"d{domain}.l{place // IN_LAYER}_{place % IN_LAYER}"

    def random_columns(self, count: int, seed: int) -> list[int]:
        drawn = np.random.default_rng(seed).integers(0, self.columns, count)
        return [int(column) for column in drawn + self.tables + 1]


def generate(edges: int, seed: int = 7) -> Generated:
    """So many edges, one part in a hundred from hubs, as many closed in the past, one in a thousand backwards."""
    numbers = np.random.default_rng(seed)
    per_domain = LAYERS * IN_LAYER * COLUMNS
    domains = max(1, round(edges / (per_domain * EACH)))
    tables, columns = domains * LAYERS * IN_LAYER, domains * per_domain
    target = numbers.integers(0, columns, edges + edges // 8)
    domain, place = divmod(target, per_domain)
    layer = place // (IN_LAYER * COLUMNS)
    # From the layer before, sometimes from two before; one in two hundred from another domain.
    before = np.maximum(layer - 1 - (numbers.random(len(target)) < 0.2), 0)
    far = numbers.random(len(target)) < 0.005
    domain = np.where(far, numbers.integers(0, domains, len(target)), domain)
    source = domain * per_domain + before * IN_LAYER * COLUMNS + numbers.integers(0, IN_LAYER * COLUMNS, len(target))
    hub = numbers.random(len(target)) < 0.01
    source = np.where(hub, numbers.integers(0, HUBS, len(target)) * COLUMNS, source)
    keep = np.flatnonzero((hub & (layer < 4)) | (~hub & (layer > 0)))
    source, target = source[keep], target[keep]
    back = numbers.choice(len(keep), edges // 1000, replace=False)  # and the same the other way round
    pairs = np.unique(source * np.int64(columns) + target)
    cycles = np.unique(target[back] * np.int64(columns) + source[back])
    pairs = numbers.permutation(np.setdiff1d(pairs, cycles))[: edges - len(cycles)]
    pairs = np.concatenate((pairs, cycles))
    source, target = pairs // columns + tables + 1, pairs % columns + tables + 1
    return Generated(_arrays(numbers, tables, columns, source, target), tables, columns)


def _arrays(numbers: np.random.Generator, tables: int, columns: int, source: Array, target: Array) -> GraphArrays:
    count = len(source)
    began = to_micros(BEGAN) + numbers.integers(0, 86_400_000_000, count)
    ended = np.where(numbers.random(count) < 0.01, to_micros(HALF), OPEN)
    types = np.full(tables + columns, NODE_TYPES.index(NodeType.COLUMN), np.uint8)
    types[:tables] = NODE_TYPES.index(NodeType.TABLE)
    parents = np.zeros(tables + columns, np.int32)
    parents[tables:] = np.arange(columns) // COLUMNS + 1
    return GraphArrays(
        revision=1,
        node=np.arange(1, tables + columns + 1, dtype=np.int32),
        node_type=types,
        parent=parents,
        source=source.astype(np.int32),
        target=target.astype(np.int32),
        kind=np.where(numbers.random(count) < 0.5, COPIED, TRANSFORMED).astype(np.uint16),
        confidence=numbers.choice(SURE, count, p=SHARES),
        valid_from=began.astype(np.int64),
        valid_to=ended.astype(np.int64),
    )
