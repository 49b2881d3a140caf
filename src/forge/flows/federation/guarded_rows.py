"""Rows on their way from a source: what is not for who asks is dropped or masked here, before an engine sees a row. No
expression of a user is ever computed over rows that are not his: there is no order of filters to get right, no error
and no time that would tell of them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.plan import Fragment
from forge.federation.policy import MaskKind
from forge.federation.row_filter import fitted_value, values_of
from forge.model.errors import CellError
from forge.model.types import DataType

if TYPE_CHECKING:
    import pyarrow as pa

_DIGITS = 32  # of a hash, in hexadecimal: 128 bits
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*")
_SHORT = 8  # letters; of a longer text the last four are shown
_COMPARE: Mapping[type[exp.Expr], str] = {
    exp.EQ: "equal",
    exp.NEQ: "not_equal",
    exp.LT: "less",
    exp.LTE: "less_equal",
    exp.GT: "greater",
    exp.GTE: "greater_equal",
}


def read_discreetly(read: Callable[[], pa.RecordBatchReader], schema: pa.Schema) -> pa.RecordBatchReader:
    """The rows, without values in errors: what does not fit its column is found before it is dropped or masked."""
    import pyarrow as pa

    def batches() -> Iterator[pa.RecordBatch | None]:
        try:
            reader = read()
            yield None
            yield from reader
        except CellError as error:
            raise error.without_values() from None

    found = batches()
    next(found)
    return pa.RecordBatchReader.from_batches(schema, found)


def guard_rows(reader: pa.RecordBatchReader, fragment: Fragment, key: Callable[[], bytes]) -> pa.RecordBatchReader:
    """`reader` has the fragment's `read_columns`; what comes out has its `columns`. `key`: of hashes."""
    import pyarrow as pa

    from forge.versioning.arrow_types import arrow_type

    assert fragment.guard is not None, "there is nothing to guard"
    schema = pa.schema([(one.name, arrow_type(one.type)) for one in fragment.columns])
    return pa.RecordBatchReader.from_batches(schema, _guarded(reader, fragment, key, schema))


def _guarded(
    reader: pa.RecordBatchReader, fragment: Fragment, key: Callable[[], bytes], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    assert fragment.guard is not None
    types = {one.name: one.type for one in fragment.read_columns}
    for batch in reader:
        kept = batch
        if fragment.guard.filter is not None:
            arrays = dict(zip(types, batch.columns, strict=True))
            kept = batch.filter(keep_rows(fragment.guard.filter, arrays, types))
        columns = [
            kept.column(place)
            if one.mask is None
            else masked_values(kept.column(place), one.mask.kind, key).cast(schema.field(place).type)
            for place, one in enumerate(fragment.columns)
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def first_rows(reader: pa.RecordBatchReader, most: int) -> pa.RecordBatchReader:
    """So many of its rows; then it is let go, and the source with it."""
    import pyarrow as pa

    return pa.RecordBatchReader.from_batches(reader.schema, _until(reader, most))


def _until(reader: pa.RecordBatchReader, most: int) -> Iterator[pa.RecordBatch]:
    while most > 0 and (batch := next(reader, None)) is not None:
        yield batch.slice(0, most)
        most -= batch.num_rows


def keep_rows(node: exp.Expr, arrays: Mapping[str, pa.Array], types: Mapping[str, DataType]) -> pa.Array:
    """True, false or NULL for each row, as Spark would say."""
    import pyarrow.compute as pc

    match node:
        case exp.Paren():
            return keep_rows(node.this, arrays, types)
        case exp.And():
            return pc.and_kleene(keep_rows(node.left, arrays, types), keep_rows(node.right, arrays, types))
        case exp.Or():
            return pc.or_kleene(keep_rows(node.left, arrays, types), keep_rows(node.right, arrays, types))
        case exp.Not():
            return pc.invert(keep_rows(node.this, arrays, types))
        case exp.Column():
            return arrays[node.name]
        case exp.Is():
            return pc.is_null(arrays[node.this.name])
    return _compared(node, arrays[node.this.name], types[node.this.name])


def _compared(node: exp.Expr, array: pa.Array, kind: DataType) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if family_of(kind) is TypeFamily.INTEGER:
        array = array.cast(pa.int64())  # which a value fits that the column's type does not
    found: list[Any] = [fitted_value(one, kind) for one in values_of(node)]
    assert None not in found, "misfits are refused before"
    values = [_scalar(one, array) for one in found]
    match node:
        case exp.In():
            listed = [pc.equal(array, one) for one in values]
            return _any(listed)
        case exp.Between():
            low, high = values
            return pc.and_kleene(pc.greater_equal(array, low), pc.less_equal(array, high))
        case exp.Like():
            return pc.match_like(array, found[0])
        case exp.NullSafeEQ():
            return pc.fill_null(pc.equal(array, values[0]), False)
    return pc.call_function(_COMPARE[type(node)], [array, values[0]])


def _any(arrays: list[pa.Array]) -> pa.Array:
    import pyarrow.compute as pc

    found = arrays[0]
    for one in arrays[1:]:
        found = pc.or_kleene(found, one)
    return found


def _scalar(value: Any, array: pa.Array) -> pa.Scalar:
    """Of the column's type, but for a decimal with more digits, which has a type of its own."""
    import pyarrow as pa

    return pa.scalar(value) if pa.types.is_decimal(array.type) else pa.scalar(value, array.type)


def masked_values(array: pa.Array, kind: MaskKind, key: Callable[[], bytes]) -> pa.Array:
    """NULL stays NULL."""
    import pyarrow as pa
    import pyarrow.compute as pc

    match kind:
        case MaskKind.HASH:
            secret = key()
            texts = (None if one is None else str(one) for one in array.to_pylist())
            return pa.array([None if one is None else _hash(one, secret) for one in texts], pa.string())
        case MaskKind.PARTIAL:
            return pa.array([None if one is None else _part(one) for one in array.to_pylist()], pa.string())
        case MaskKind.YEAR:
            return pc.floor_temporal(array, unit="year").cast(array.type)
    return pa.nulls(len(array), array.type)


def _hash(text: str, key: bytes) -> str:
    """With a key: whoever knows it not cannot try out the values that there could be."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:_DIGITS]


def _part(text: str) -> str:
    name, at, domain = text.rpartition("@")
    if at and name and _DOMAIN.fullmatch(domain):  # else what stands behind a sign in a text would be shown
        return f"{name[0]}***@{domain}"
    return f"***{text[-4:]}" if len(text) > _SHORT else "***"
