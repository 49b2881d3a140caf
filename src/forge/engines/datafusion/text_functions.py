"""Functions that make texts longer, within bounds: what they make is not in the memory that DataFusion counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.engines.datafusion.expressions import JOIN_TEXTS, MAY_GROW

if TYPE_CHECKING:
    import datafusion
    import pyarrow as pa

MOST_BYTES = 128 << 20  # of the texts of one batch


class TextsTooLargeError(Exception):
    """Shown in the words of the answer."""

    def __init__(self) -> None:
        super().__init__("texts of the query have more bytes than are held in this process")


def text_functions() -> tuple[datafusion.ScalarUDF, ...]:
    import datafusion
    import pyarrow as pa

    text = pa.string()
    return (
        datafusion.udf(_join_texts, [text, text], text, "immutable", name=JOIN_TEXTS),
        datafusion.udf(_may_grow, [text, text, text], text, "immutable", name=MAY_GROW),
    )


def _join_texts(left: pa.Array, right: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    if _bytes(left) + _bytes(right) > MOST_BYTES:
        raise TextsTooLargeError
    return pc.binary_join_element_wise(left, right, "")


def _may_grow(text: pa.Array, old: pa.Array, new: pa.Array) -> pa.Array:
    """`old` and `new` are the same in each row. An empty text is found before each letter."""
    import pyarrow.compute as pc

    if len(text) and new[0].is_valid:
        found, put = old[0].as_py() or "", len(new[0].as_py().encode())
        places = pc.sum(pc.count_substring(text, found) if found else pc.utf8_length(text)).as_py() or 0
        if _bytes(text) + (places + len(text)) * put > MOST_BYTES:
            raise TextsTooLargeError
    return text


def _bytes(texts: pa.Array) -> int:
    import pyarrow.compute as pc

    return int(pc.sum(pc.binary_length(texts)).as_py() or 0)
