"""Merges facts to edge versions, as arrays: claims of all producers on one edge at one time are one version, by the
rule of `evidence`. Equal to `fact.versions_of`, for millions of facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.facts.evidence import ALMOST
from forge.lineage.graph.packed_rows import ranges
from forge.lineage.kind import CODES

Array = NDArray[Any]
_BITS = CODES.bit_length() - 1


@dataclass(frozen=True, slots=True)
class VersionArrays:
    """One row per edge version."""

    source: Array  # int32
    target: Array  # int32
    kind: Array  # uint16
    confidence: Array  # float64
    valid_from: Array  # int64
    valid_to: Array  # int64

    def __len__(self) -> int:
        return len(self.source)

    def take(self, places: Array) -> VersionArrays:
        return VersionArrays(*(column[places] for column in self.columns))

    @property
    def columns(self) -> tuple[Array, ...]:
        return self.source, self.target, self.kind, self.confidence, self.valid_from, self.valid_to


def joined(parts: list[VersionArrays]) -> VersionArrays:
    return VersionArrays(*(np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True)))


def edge_order(source: Array, target: Array, kind: Array, then: Array) -> tuple[Array, Array]:
    """An order in which rows of the same edge are side by side, by `then`; and where in it a new edge begins."""
    top = max(int(source.max(initial=0)), int(target.max(initial=0))) + 1
    if top.bit_length() * 2 + _BITS <= 63:
        key = (source.astype(np.int64) * top + target) * CODES + kind
        order = np.argsort(key, kind="stable")
        key = key[order]
        new = key[1:] != key[:-1]
    else:
        order = np.lexsort((kind, target, source))
        new = np.zeros(max(0, len(order) - 1), bool)
        for column in (source, target, kind):
            new |= column[order[1:]] != column[order[:-1]]
    first = np.concatenate((np.ones(min(1, len(order)), bool), new))
    several = ~first | np.concatenate((~new, np.zeros(min(1, len(order)), bool)))
    if several.any():  # almost all edges have one fact: only the others are put in order of time
        places = np.flatnonzero(several)
        group = np.cumsum(first)[places]
        order[places] = order[places][np.lexsort((then[order[places]], group))]
    return order, first


def versions_from(facts: VersionArrays) -> VersionArrays:
    """The versions of all edges."""
    facts = facts.take(np.flatnonzero(facts.valid_to > facts.valid_from))
    order, first = edge_order(facts.source, facts.target, facts.kind, facts.valid_from)
    facts = facts.take(order)
    # Facts of one edge that follow each other are versions as they are; only those that overlap must be combined.
    overlap = np.zeros(len(facts), bool)
    overlap[1:] = ~first[1:] & (facts.valid_from[1:] < facts.valid_to[:-1])
    if not overlap.any():
        return facts
    group = np.cumsum(first) - 1
    mixed = np.isin(group, group[overlap])
    places = np.flatnonzero(mixed)
    return joined([facts.take(np.flatnonzero(~mixed)), _combined(facts.take(places), group[places])])


def _combined(facts: VersionArrays, group: Array) -> VersionArrays:
    """Of edges with overlapping facts: each interval between two ends of facts with all facts that hold in it."""
    starts, ends = _intervals(facts, group)
    # Each interval paired with every fact of its edge.
    first = np.searchsorted(group, starts[0])
    rows, places = ranges(first, np.searchsorted(group, starts[0], side="right"))
    holds = (facts.valid_from[places] <= starts[1][rows]) & (facts.valid_to[places] > starts[1][rows])
    rows, places = rows[holds], places[holds]
    # Most confident first: the same order of products as in `combine`.
    order = np.lexsort((-facts.confidence[places], rows))
    rows, places = rows[order], places[order]
    cuts = np.flatnonzero(np.concatenate((np.ones(1, bool), rows[1:] != rows[:-1])))
    best = places[cuts]
    sure = facts.confidence[best]
    doubt = np.multiply.reduceat(1 - facts.confidence[places], cuts)
    alone = np.diff(np.append(cuts, len(rows))) == 1
    combined = np.where(alone | (sure >= ALMOST), sure, np.minimum(ALMOST, 1 - doubt))
    interval = rows[cuts]
    return VersionArrays(
        facts.source[best], facts.target[best], facts.kind[best], combined, starts[1][interval], ends[interval]
    )


def _intervals(facts: VersionArrays, group: Array) -> tuple[tuple[Array, Array], Array]:
    """Group and begin of each interval, and its end."""
    groups = np.concatenate((group, group))
    moments = np.concatenate((facts.valid_from, facts.valid_to))
    order = np.lexsort((moments, groups))
    groups, moments = groups[order], moments[order]
    same = (groups[1:] == groups[:-1]) & (moments[1:] != moments[:-1])
    return (groups[:-1][same], moments[:-1][same]), moments[1:][same]
