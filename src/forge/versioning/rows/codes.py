"""Rows as integer codes: equal rows have equal codes. On Arrow and numpy for all types; only nested values go
through Python. NaN equals NaN, -0.0 equals 0.0, NULL equals NULL, strings compare by bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_ROOM = 1 << 62  # the codes of columns are multiplied into one number until this is reached
_BLOCK = 256  # rows of nested values that are compared at once before falling back to Python


def code_rows(tables: Sequence[Sequence[pa.Array]], lengths: Sequence[int]) -> tuple[list[Numbers], int]:
    """For each row of each table a code from 0, the same for rows that are equal in all columns, and the number of
    codes. All tables have the same columns of the same types."""
    total = sum(lengths)
    codes, size = np.zeros(total, dtype=np.int64), 1
    for parts in zip(*tables, strict=True):
        column, width = _code(_join(parts))
        if size * width >= _ROOM:
            codes, size = _dense(codes, size, total)
        codes, size = codes * width + column, size * width
    codes, size = _dense(codes, size, total)
    ends = list(accumulate(lengths))
    return [codes[end - length : end] for end, length in zip(ends, lengths, strict=True)], size


def _join(parts: Sequence[pa.Array]) -> pa.Array:
    kind = parts[0].type
    if sum(part.nbytes for part in parts) >= 1 << 31:  # more than the offsets of a string can count
        large = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}.get(kind, kind)
        parts = [part.cast(large) for part in parts]
    return pa.concat_arrays(parts) if len(parts) > 1 else parts[0]


def _dense(codes: Numbers, size: int, total: int) -> tuple[Numbers, int]:
    """Dense codes, so that arrays can be indexed by them."""
    if size <= 4 * total + 1024:
        return codes, size
    encoded = pa.array(codes).dictionary_encode()
    return _numpy(encoded.indices), len(encoded.dictionary)


def _numpy(array: pa.Array) -> Numbers:
    return np.asarray(array.to_numpy(zero_copy_only=False)).astype(np.int64, copy=False)


def _code(array: pa.Array) -> tuple[Numbers, int]:
    """0 is NULL."""
    if pa.types.is_null(array.type):
        return np.zeros(len(array), dtype=np.int64), 1
    if pa.types.is_nested(array.type):
        return _code_nested(array)
    if pa.types.is_integer(array.type) and (close := _code_close(array)) is not None:
        return close
    try:
        encoded = _normal(array).dictionary_encode()
    except pa.ArrowNotImplementedError:
        return _code_nested(array)
    codes = _numpy(pc.fill_null(encoded.indices, -1))
    return codes + 1, len(encoded.dictionary) + 1


def _code_close(array: pa.Array) -> tuple[Numbers, int] | None:
    """Integers in a small range are their own codes; hashing them costs ten times as much."""
    bounds = pc.min_max(array)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    if low is None or high - low > 4 * len(array) + 1024 or high >= 1 << 63:
        return None
    missing = np.asarray(pc.is_null(array).to_numpy(zero_copy_only=False))
    codes = _numpy(pc.fill_null(array, low)) - (low - 1)
    return np.where(missing, 0, codes), high - low + 2


def _normal(array: pa.Array) -> pa.Array:
    if not pa.types.is_floating(array.type):
        return array
    # NaN has many bit patterns and zero two
    values = array if pa.types.is_float64(array.type) else pc.cast(array, pa.float64())
    values = pc.add(values, 0.0)
    return pc.if_else(pc.is_nan(values), pa.scalar(math.nan, pa.float64()), values)


def _code_nested(array: pa.Array) -> tuple[Numbers, int]:
    known: dict[object, int] = {}
    values = (canonical(value, array.type) for value in array.to_pylist())
    codes = [0 if value is None else known.setdefault(value, len(known) + 1) for value in values]
    return np.array(codes, dtype=np.int64), len(known) + 1


def canonical(value: Any, kind: pa.DataType) -> Any:
    """A hashable value that is equal exactly where the values are."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return tuple(canonical(value[field.name], field.type) for field in kind.fields)
    if pa.types.is_map(kind):
        pairs = [(canonical(key, kind.key_type), canonical(item, kind.item_type)) for key, item in value]
        return tuple(sorted(pairs, key=repr))  # the order of a map's entries means nothing
    if isinstance(value, list):
        return tuple(canonical(item, kind.value_type) for item in value)
    if isinstance(value, float):
        return ("nan",) if math.isnan(value) else value + 0.0
    return value


def find_different(left: pa.Array, right: pa.Array) -> Flags:
    """Where two arrays of one type and length differ."""
    kind = left.type
    if pa.types.is_null(kind) or not len(left):
        return np.zeros(len(left), dtype=np.bool_)
    if pa.types.is_nested(kind):
        return _nested_different(left, right)
    if pa.types.is_float16(kind):
        left, right = pc.cast(left, pa.float32()), pc.cast(right, pa.float32())
    try:
        unequal = pc.not_equal(left, right)
    except pa.ArrowNotImplementedError:
        return _nested_different(left, right)
    if pa.types.is_floating(kind):
        unequal = pc.and_kleene(unequal, pc.invert(pc.and_kleene(pc.is_nan(left), pc.is_nan(right))))
    if not (left.null_count or right.null_count):
        return _flags(unequal)
    result: Flags = _flags(pc.fill_null(unequal, False)) | (_flags(pc.is_null(left)) != _flags(pc.is_null(right)))
    return result


def _flags(array: pa.Array | pa.ChunkedArray) -> Flags:
    return np.asarray(array.to_numpy(zero_copy_only=False)).astype(np.bool_, copy=False)


def _nested_different(left: pa.Array, right: pa.Array) -> Flags:
    result = np.zeros(len(left), dtype=np.bool_)
    for start in range(0, len(left), _BLOCK):
        a, b = left.slice(start, _BLOCK), right.slice(start, _BLOCK)
        if not a.equals(b):  # which never calls equal what is not
            pairs = zip(a.to_pylist(), b.to_pylist(), strict=True)
            result[start : start + len(a)] = [canonical(x, left.type) != canonical(y, left.type) for x, y in pairs]
    return result


def sort_rows(columns: Iterable[pa.Array], length: int) -> Numbers:
    """The order of rows by their columns; unorderable columns are left out. Stable."""
    order = np.arange(length, dtype=np.int64)
    for column in reversed(list(columns)):  # the last column first: each sort keeps the order of the one before
        try:
            ranks = _numpy(pc.rank(column, sort_keys="ascending", tiebreaker="dense"))
        except pa.ArrowNotImplementedError:
            continue
        order = order[np.argsort(ranks[order], kind="stable")]
    return order


def count_before(codes: Numbers) -> Numbers:
    """The number of equal rows before each row."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=np.int64)
    lengths = np.diff(np.r_[starts, len(ordered)])
    result = np.empty(len(codes), dtype=np.int64)
    result[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return result
