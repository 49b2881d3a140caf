"""Isolation forest: anomalies are isolated by few random splits.

All trees grow together, level by level, so that a fit is a few dozen array operations. A tree samples at most 256
values without replacement; a node splits its values at a random place between minimum and maximum; a node with one
value, equal values or at maximum depth is a leaf."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forge.quality.anomaly.opinion import Model, Opinion
from forge.quality.anomaly.point import Point

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
TREES, SAMPLE, SEED = 100, 256, 42


def usual_depth(size: Floats) -> Floats:
    """The mean depth of an unsuccessful search in a binary tree of so many values."""
    small = np.where(size == 2, 1.0, 0.0)
    n = np.maximum(size, 3)
    return np.where(size > 2, 2.0 * (np.log(n - 1.0) + np.euler_gamma) - 2.0 * (n - 1.0) / n, small)


@dataclass(frozen=True, slots=True)
class Forest:
    """Complete binary trees as arrays, [tree, node]: the children of node k are 2k+1 and 2k+2. A leaf has NaN as its
    split; `depth` is the path length of a value that ends there, with the expected rest."""

    cuts: Floats
    depth: Floats
    usual: float

    def scores(self, values: Floats) -> Floats:
        """From 0 to 1; values isolated by few splits score highest."""
        trees = np.arange(len(self.cuts))[:, None]
        node = np.zeros((len(self.cuts), len(values)), dtype=np.int64)
        for _ in range(int(math.log2(self.cuts.shape[1] + 1))):
            cut = self.cuts[trees, node]
            down = 2 * node + 1 + (values[None, :] > cut)
            node = np.where(np.isnan(cut), node, down)
        gone: Floats = self.depth[trees, node].mean(axis=0)
        return np.asarray(2.0 ** (-gone / self.usual), dtype=np.float64)


def grow(values: Floats, *, trees: int = TREES, sample: int = SAMPLE, seed: int = SEED) -> Forest:
    chance = np.random.default_rng(seed)
    size = min(sample, len(values))
    limit = math.ceil(math.log2(max(size, 2)))
    picked = np.argsort(chance.random((trees, len(values))), axis=1)[:, :size]
    seen = values[picked]
    nodes = 2 ** (limit + 1) - 1
    cuts = np.full((trees, nodes), np.nan)
    depth = np.zeros((trees, nodes))
    node = np.zeros((trees, size), dtype=np.int64)
    rows = np.broadcast_to(np.arange(trees)[:, None], node.shape)
    for level in range(limit + 1):
        first, count = 2**level - 1, 2**level
        here = (node >= first) & (node < first + count)
        low = np.full((trees, nodes), np.inf)
        high = np.full((trees, nodes), -np.inf)
        many = np.zeros((trees, nodes))
        np.minimum.at(low, (rows[here], node[here]), seen[here])
        np.maximum.at(high, (rows[here], node[here]), seen[here])
        np.add.at(many, (rows[here], node[here]), 1.0)
        span = slice(first, first + count)
        depth[:, span] = level + usual_depth(many[:, span])
        if level == limit:
            break
        open_ = (many[:, span] > 1) & (high[:, span] > low[:, span])
        least = np.where(open_, low[:, span], 0.0)
        share = chance.random((trees, count))
        cut = least + share * np.where(open_, high[:, span] - least, 0.0)
        cuts[:, span] = np.where(open_, cut, np.nan)
        own = cuts[rows, node]
        node = np.where(here & ~np.isnan(own), 2 * node + 1 + (seen > own), node)
    return Forest(cuts, depth, float(usual_depth(np.array([float(size)]))[0]) or 1.0)


def fit_isolation_forest(baseline: Sequence[Point], threshold: float) -> Model:
    """`threshold` is the contamination: the share of the baseline assumed to be anomalous."""
    values = np.array([point.value for point in baseline], dtype=np.float64)
    forest = grow(values)
    own = forest.scores(values)
    allowed = float(np.quantile(own, 1.0 - threshold))
    usual = values[own <= allowed]
    middle, low, high = float(np.median(values)), float(usual.min()), float(usual.max())
    varied = bool(values.max() > values.min())

    def judge(point: Point) -> Opinion:
        other = point.value != middle  # decides where no split is possible, and so no forest can
        score = float(forest.scores(np.array([point.value]))[0]) if varied else float(other)
        return Opinion(
            expected=middle,
            low=low,
            high=high,
            score=score,
            is_out=score > allowed if varied else other,
            unit="of an isolation score",
            allowed=allowed,
        )

    return judge
