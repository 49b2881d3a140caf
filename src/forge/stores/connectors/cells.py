"""Values of drivers as Arrow columns, without loss. Databases send text, which Arrow reads faster than Python would
make objects of it, and strictly: what does not fit is an error that names the column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from forge.flows.federation.ports import UnfitValueError
from forge.model.errors import ForgeError, RefusedQueryError

if TYPE_CHECKING:
    import pyarrow as pa

_TRUE, _FALSE = ("t", "true", "1"), ("f", "false", "0")
_FIRST_DAY = -719_162  # 0001-01-01; Spark and Arrow count on past it, databases write such dates in other ways
BATCH_BYTES = 8 * 1024 * 1024
FIRST_ROWS = 256
PIECE_ROWS = 1_024  # as Python's objects at a time: more leave the processor's cache and busy the garbage collector


def unfit(source: str, column: str, kind: object, why: str | None = None) -> UnfitValueError:
    what = f"A value of column {column} of {source} is no {kind}"
    fix = "Cast the column to string, or correct the value in the source."
    return UnfitValueError("E310", what, without=what, columns=(column,), why=why, fix=fix)


def batches_of(
    source: str,
    schema: pa.Schema,
    rows: Iterator[Sequence[Any]],
    most: int,
    array: Callable[[str, str, Sequence[Any], pa.DataType], pa.Array] | None = None,
) -> Iterator[pa.RecordBatch | None]:
    """The rows in batches of some megabytes, however wide they are. First None, once the first row is there."""
    import pyarrow as pa

    array = array or array_of
    gathered = list(islice(rows, 1))
    yield None
    wanted = min(most, FIRST_ROWS)
    pieces: list[pa.RecordBatch] = []
    held = size = 0
    while gathered:
        gathered += islice(rows, wanted - len(gathered))
        columns = zip(schema, zip(*gathered, strict=True), strict=True)
        arrays = [array(source, field.name, cells, field.type) for field, cells in columns]
        pieces.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
        held, size = held + len(gathered), size + pieces[-1].nbytes
        wanted = min(_next_rows(pieces[-1], most), most - held)
        gathered = list(islice(rows, 1))
        if wanted <= 0 or size >= BATCH_BYTES or not gathered:
            yield pa.concat_batches(pieces)
            wanted = _next_rows(pieces[-1], most)
            pieces, held, size = [], 0, 0


def array_of(source: str, column: str, cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Of cells that are text, bytes, lists of them, or None."""
    import pyarrow as pa

    try:
        if pa.types.is_binary(kind):
            return pa.array(cells, kind)
        if pa.types.is_list(kind):
            return _lists(cells, kind)
        return read_text(pa.array(cells, pa.string()), kind)
    except (pa.ArrowException, UnicodeError, TypeError, ValueError) as error:
        raise unfit(source, column, kind, str(error)[:200]) from error


def read_text(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """ValueError, of which Arrow's is one, for a text that is no value of this type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_ = pa.types
    if is_.is_string(kind):
        return texts
    if is_.is_boolean(kind):
        return _booleans(texts)
    if is_.is_timestamp(kind):
        if kind.tz:  # sessions are in UTC
            texts = pc.replace_substring_regex(texts, r"\+00$", "")
        return _dated(texts.cast(pa.timestamp("us"))).cast(kind)
    if is_.is_decimal(kind):
        return _decimals(texts, kind)
    found = texts.cast(kind)
    if is_.is_date32(kind):
        return _dated(found)
    if is_.is_floating(kind):
        return _finite(texts, found)
    return found


def _lists(cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_binary(kind.value_type):
        return pa.array(cells, kind)
    lists = pa.array(cells, pa.list_(pa.string()))
    values = read_text(lists.values, kind.value_type)
    return pa.ListArray.from_arrays(lists.offsets, values, type=kind, mask=lists.is_null())


def _booleans(texts: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    true, false = pc.is_in(texts, pa.array(_TRUE)), pc.is_in(texts, pa.array(_FALSE))
    if pc.any(pc.and_(pc.is_valid(texts), pc.invert(pc.or_(true, false)))).as_py():
        raise ValueError("neither true nor false")
    return pc.if_else(pc.is_valid(texts), true, pa.scalar(None, pa.bool_()))


def _dated(found: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    first = pa.scalar(_FIRST_DAY, pa.int32()).cast(pa.date32()).cast(found.type)
    if pc.any(pc.less(found, first)).as_py():
        raise ValueError("a date before the year 1")
    return found


def _decimals(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Arrow reads more digits than a type has without a word, and gives another number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    longest = pc.max(pc.utf8_length(texts)).as_py() or 0
    if longest > 76:
        raise ValueError("a number of more than 76 digits")
    return texts.cast(pa.decimal256(76, kind.scale)).cast(kind) if longest > 38 else texts.cast(kind)


def _finite(texts: pa.Array, found: pa.Array) -> pa.Array:
    """A number that is too large is read as infinity, which nobody wrote."""
    import pyarrow.compute as pc

    infinite = pc.is_inf(found)
    if pc.any(infinite).as_py():
        written = pc.match_substring_regex(texts, "(?i)^[+-]?inf(inity)?$")
        if pc.any(pc.and_(infinite, pc.invert(written))).as_py():
            raise ValueError("a number that is too large")
    return found


def _next_rows(batch: pa.RecordBatch, most: int) -> int:
    wide: int = max(1, batch.nbytes // batch.num_rows)
    rows: int = batch.num_rows
    return max(1, min(most, PIECE_ROWS, BATCH_BYTES // wide, rows * 8))


def failed_query(source: str, why: str, fix: str | None = None) -> ForgeError:
    return RefusedQueryError(f"{source} refused the query", why=why, fix=fix)
