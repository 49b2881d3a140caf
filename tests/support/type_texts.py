"""Data types for Hypothesis: every name with the sizes it may have, nested in all ways, fields with any name."""

from __future__ import annotations

from hypothesis import strategies as st

from forge.model.types import DataType, TypeField

_PLAIN = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "uint8", "uint16", "uint32", "uint64", "halffloat", "float"),
    *("double", "string", "uuid", "binary", "date", "time", "timestamp", "timestamp_ntz", "timestamp_ns", "void"),
)
DECIMALS = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: DataType("decimal", (p, s))))
_SIZED = st.builds(lambda name, size: DataType(name, (size,)), st.sampled_from(("char", "varchar")), st.integers(1, 99))
_TIMES = st.builds(
    lambda name, size: DataType(name, (size,)), st.sampled_from(("time", "timestamp")), st.sampled_from((0, 3, 9))
)
PRIMITIVES = st.sampled_from(_PLAIN).map(DataType) | DECIMALS | _SIZED | _TIMES


def _nested(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    fields = st.builds(TypeField, st.text(max_size=6), inner)
    return st.one_of(
        inner.map(lambda of: DataType("array", (), (TypeField("element", of),))),
        st.builds(lambda k, v: DataType("map", (), (TypeField("key", k), TypeField("value", v))), inner, inner),
        st.lists(fields, max_size=4, unique_by=lambda f: f.name.lower()).map(
            lambda each: DataType("struct", (), tuple(each))
        ),
    )


DATA_TYPES = st.deferred(lambda: st.recursive(PRIMITIVES, _nested, max_leaves=8))  # deferred: its repr is long
