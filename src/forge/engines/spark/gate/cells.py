"""Limits the size of single values of a result inside Spark: what is too long never leaves its task."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, BinaryType, DataType, MapType, StringType, StructType, VariantType

from forge.flows.versioning.cell_limits import cell_limit
from forge.model.errors import ForgeError

CODE = "E917"
_WIDEST = 4  # bytes of a character
_NESTED = (ArrayType, MapType, StructType, VariantType)
_FULL = (
    "OutOfMemoryError",
    "Java heap space",
    "Requested array size exceeds VM limit",
    "COLLECTION_SIZE_LIMIT_EXCEEDED",
    "BufferHolder",
    "spark.driver.maxResultSize",
)


def bounded(frame: DataFrame, rows: int) -> DataFrame:
    """The same rows, limited to that number. Text or bytes that are too long are truncated and marked; a list, map
    or struct cannot be, and fails the query."""
    types = [field.dataType for field in frame.schema.fields]
    wide = sum(isinstance(each, (StringType, BinaryType, *_NESTED)) for each in types)
    if not wide:
        return frame
    most, names = cell_limit(rows, wide), frame.columns
    places = [f"c{place}" for place in range(len(names))]  # a query may give one name to two columns
    cells = [_cell(f.col(place), of, most, name) for place, of, name in zip(places, types, names, strict=True)]
    return frame.toDF(*places).select(*(cell.alias(place) for cell, place in zip(cells, places, strict=True)))


def _cell(column: Column, of: DataType, most: int, name: str) -> Column:
    size = f.octet_length(column) if isinstance(of, StringType | BinaryType) else f.lit(0)  # known without reading it
    if isinstance(of, StringType):
        too_long = (size > _WIDEST * most) | ((size > most) & (f.char_length(column) > most))
        return f.when(too_long, f.concat(f.substring(column, 1, most), _mark(size))).otherwise(column)
    if isinstance(of, BinaryType):
        beginning = f.concat(f.substring(column, 1, most), f.encode(_mark(size), "UTF-8"))
        return f.when(size > most, beginning).otherwise(column)
    if not isinstance(of, _NESTED):
        return column
    size = f.octet_length(f.to_json(column) if isinstance(of, VariantType) else column.cast("string"))
    message = f.concat(f.lit(f"FORGE-{CODE} {name}: "), size.cast("string"), f.lit(f" bytes, of at most {most}"))
    too_long = size > most
    if isinstance(of, ArrayType | MapType):  # reported before it is rendered
        too_long = (f.size(column) > most) | too_long
        message = f.concat(f.lit(f"FORGE-{CODE} {name}: "), f.size(column).cast("string"), f.lit(" entries"))
    return f.when(too_long, f.raise_error(message).cast(of)).otherwise(column)


def _mark(size: Column) -> Column:
    return f.concat(f.lit("… (cut: "), size.cast("string"), f.lit(" bytes)"))


def memory_error(error: BaseException, where: str) -> ForgeError | None:
    """E917 where a query exceeded its memory; None for any other failure."""
    text = str(error)
    found = next((line for line in text.splitlines() if f"FORGE-{CODE} " in line), None)
    if found is not None:
        detail = found.partition(f"FORGE-{CODE} ")[2].partition("SQLSTATE")[0].strip()
        return _too_large("A value of the answer is too large", where, detail)
    if any(sign in text for sign in _FULL):
        return _too_large("The query makes more than there is memory for", where, None)
    return None


def unshown_error(error: BaseException, where: str) -> ForgeError:
    """Spark has years and map keys that Python cannot represent."""
    return ForgeError(
        "E211",
        "A value of the answer cannot be shown",
        where=where,
        why=f"{error}",
        fix="Cast it to a text: CAST(… AS STRING).",
    )


def _too_large(what: str, where: str, why: str | None) -> ForgeError:
    return ForgeError(
        CODE,
        what,
        where=where,
        why=why or "A value, or what is gathered into one, does not fit into the memory of Spark.",
        fix="Ask for fewer rows or shorter values: left(text, 1000), slice(list, 1, 100), size(list).",
    )
