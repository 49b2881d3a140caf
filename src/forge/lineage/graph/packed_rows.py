"""Rows of many owners packed into shared arrays, contiguous per owner. Copy on write: changed rows are appended and
only the bounds are copied, so readers with the old bounds see the old rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SLACK = 0.05  # the part of the arrays that is kept free for changes
LEAST = 512  # and at least so many rows


@dataclass(slots=True)
class _Tail:
    """The start of free rows; shared by all copies."""

    used: int
    lock: Lock = field(default_factory=Lock)

    def take(self, rows: int, capacity: int) -> int | None:
        with self.lock:
            if self.used + rows > capacity:
                return None
            start, self.used = self.used, self.used + rows
            return start


@dataclass(frozen=True, slots=True)
class PackedRows:
    """`bounds[owner]` has the start of each class of rows, and the end of the last one."""

    bounds: NDArray[np.int32]
    columns: tuple[Array, ...]
    _tail: _Tail

    @property
    def nbytes(self) -> int:
        return self.bounds.nbytes + sum(column.nbytes for column in self.columns)

    @property
    def owners(self) -> int:
        return len(self.bounds)

    def replaced(self, owners: Array, owner: Array, group: Array, columns: Sequence[Array], size: int) -> PackedRows:
        """With these rows instead of all that `owners` (sorted, each once) had. `size`: how many owners there are."""
        classes = self.bounds.shape[1] - 1
        bounds = self.bounds.copy()
        if size > len(bounds):
            bounds = np.concatenate((bounds, np.zeros((size - len(bounds), classes + 1), np.int32)))
        local = np.searchsorted(owners, owner)
        order = np.argsort(local * classes + group, kind="stable")
        own = _bounds(local * classes + group, len(owners), classes)
        start = self._tail.take(len(order), len(self.columns[0]))
        if start is None:
            return self._merged(bounds, owners, own, [column[order] for column in columns])
        for mine, new in zip(self.columns, columns, strict=True):
            mine[start : start + len(order)] = new[order]
        bounds[owners] = own + start
        return PackedRows(bounds, self.columns, self._tail)

    def _merged(self, bounds: Array, owners: Array, own: Array, columns: Sequence[Array]) -> PackedRows:
        """New arrays without unreferenced rows."""
        held = len(self.columns[0])
        bounds = bounds.astype(np.int64)
        bounds[owners] = own.astype(np.int64) + held  # beyond the old rows: in the new ones
        _, places = ranges(bounds[:, 0], bounds[:, -1])
        lengths = bounds[:, -1] - bounds[:, 0]
        starts = np.cumsum(lengths) - lengths
        moved = (bounds - bounds[:, :1] + starts[:, None]).astype(np.int32)
        old = places < held
        made = []
        for mine, new in zip(self.columns, columns, strict=True):
            column = np.empty(_capacity(len(places)), mine.dtype)
            column[: len(places)][old] = mine[places[old]]
            column[: len(places)][~old] = new[places[~old] - held]
            made.append(column)
        return PackedRows(moved, tuple(made), _Tail(len(places)))


def pack(size: int, owner: Array, group: Array, columns: Sequence[Array], classes: int) -> PackedRows:
    """`group` is the class of each row."""
    place = owner.astype(np.int64) * classes + group
    bounds = _bounds(place, size, classes)
    order = np.argsort(place, kind="stable")
    made = []
    for column in columns:
        room = np.empty(_capacity(len(order)), column.dtype)
        np.take(column, order, out=room[: len(order)])
        made.append(room)
    return PackedRows(bounds, tuple(made), _Tail(len(order)))


def ranges(starts: Array, ends: Array) -> tuple[Array, Array]:
    """All places from each start up to its end, and for each place which of them it is of."""
    counts = (ends - starts).astype(np.int64)
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, places_of(starts, counts)


def places_of(starts: Array, counts: Array) -> Array:
    ends = np.cumsum(counts, dtype=np.int64)
    places = np.arange(int(ends[-1]) if len(ends) else 0)
    places += np.repeat(starts - ends + counts, counts)
    return places


def _bounds(place: Array, size: int, classes: int) -> NDArray[np.int32]:
    ends = np.cumsum(np.bincount(place, minlength=size * classes)).reshape(size, classes)
    bounds = np.zeros((size, classes + 1), np.int32)
    bounds[:, 1:] = ends
    bounds[1:, 0] = ends[:-1, -1]
    return bounds


def _capacity(rows: int) -> int:
    return rows + max(LEAST, int(rows * SLACK))
