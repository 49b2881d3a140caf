"""The logical checksum on Spark. The hash of a row covers its cells that are not NULL, each with its field id:
adding an empty column, renaming, reordering and widening do not change it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StructType,
)

from forge.engines.spark.collect import collected
from forge.engines.spark.frames import quote
from forge.versioning.checksum import checksum_of
from forge.versioning.field import Fields

_LANES = (1, 2)  # two hashes of 64 bits with different beginnings make one of 128
_HALF = 1 << 32
_JSON = {
    "timeZone": "UTC",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def checksum(frame: DataFrame, fields: Fields) -> str:
    """In one job; `fields` are the columns of the frame."""
    types = {field.name: field.dataType for field in frame.schema.fields}
    parts = []
    for field in sorted(fields, key=lambda each: str(each.id)):
        value = F.col(quote(field.name))
        # xxhash64 leaves NULL out: a cell without a value leaves no trace, nor does its id
        parts += [F.when(value.isNotNull(), F.lit(str(field.id))), _canonical(value, types[field.name])]
    lanes = [F.xxhash64(F.lit(lane), *parts) for lane in _LANES]
    hashed = frame.select(*(lane.alias(f"h{place}") for place, lane in enumerate(lanes)))
    sums = []
    for place in range(len(_LANES)):
        # 32 bits each, so that two thousand million rows of one partition cannot run over
        sums.append(F.sum(F.shiftrightunsigned(f"h{place}", 32)).alias(f"high{place}"))
        sums.append(F.sum(F.col(f"h{place}").bitwiseAND(F.lit(_HALF - 1))).alias(f"low{place}"))
    rows = collected(hashed.groupBy(F.spark_partition_id().alias("part")).agg(*sums))
    high, low = (sum(row[f"high{p}"] * _HALF + row[f"low{p}"] for row in rows) for p in range(len(_LANES)))
    return checksum_of((high << 64) + low)


def _canonical(value: Column, of: DataType) -> Column:
    """Equal for equal values, whatever the width of the type."""
    match of:
        case ByteType() | ShortType() | IntegerType() | LongType():
            return value.cast("bigint")
        case FloatType() | DoubleType():
            return _normal(value)
        case DecimalType():
            return value.cast("string")
        case BooleanType():
            return value.cast("int")
        case StructType() | ArrayType() | MapType():
            return F.to_json(F.struct(_plain(value, of).alias("value")), _JSON)
        case _:
            return value


def _normal(value: Column) -> Column:
    wide = value.cast("double")
    return F.when(F.isnan(wide), F.lit(float("nan"))).when(wide == 0.0, F.lit(0.0)).otherwise(wide)


def _plain(value: Column, of: DataType) -> Column:
    """Nested values in a form whose JSON is the same for equal values: fields by position, entries of maps in order."""
    match of:
        case StructType():
            parts = [_plain(value[f.name], f.dataType).alias(f"f{place}") for place, f in enumerate(of.fields)]
            return F.when(value.isNotNull(), F.struct(*parts))
        case ArrayType():
            return F.transform(value, lambda one: _plain(one, of.elementType))
        case MapType():
            pairs = F.transform(
                F.map_entries(value),
                lambda one: F.struct(
                    _plain(one["key"], of.keyType).alias("key"), _plain(one["value"], of.valueType).alias("value")
                ),
            )
            return F.array_sort(F.transform(pairs, lambda one: F.to_json(one, _JSON)))
        case FloatType() | DoubleType():
            return _normal(value)
        case _:
            return value
