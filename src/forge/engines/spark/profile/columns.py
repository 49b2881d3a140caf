"""The columns of a profiled frame: their classes, and the expressions over them.

Columns are renamed by position first, so that dots, backticks and names that differ only in case mean nothing here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from forge.catalog.profile import BinPlan, ValueClass, class_of
from forge.catalog.profile.value_class import LONGEST
from forge.engines.spark.frames import schema_of
from forge.model.types import DataType, parse_type


@dataclass(frozen=True, slots=True)
class FrameColumn:
    place: int
    name: str
    type: str
    kind: ValueClass
    hidden: bool

    @property
    def alias(self) -> str:
        return f"c{self.place}"

    @property
    def cell(self) -> Column:
        return f.col(self.alias)

    @property
    def number(self) -> Column:
        """Finite doubles of numbers; days and microseconds of times; lengths of texts. NULL for all others."""
        return self.measured.cast("double")

    @property
    def measured(self) -> Column:
        """The same in the type that keeps it exactly."""
        match self.kind:
            case ValueClass.FLOAT:
                value = self.cell.cast("double")
                return f.when(f.abs(value) < f.lit(math.inf), value)  # NaN is greater than all
            case ValueClass.DATE:
                return f.unix_date(self.cell)
            case ValueClass.TIMESTAMP | ValueClass.TIMESTAMP_NTZ:
                return f.unix_micros(self.cell.cast("timestamp"))  # the session is in UTC
            case ValueClass.TEXT | ValueClass.BINARY:
                return f.length(self.cell)
        return self.cell

    @property
    def text(self) -> Column:
        """A value as a key: equal where the values are, bounded in length, and read back by `cell_of`. A value that
        may not leave the engine is hashed."""
        if self.hidden:
            return self._hash()
        match self.kind:
            case ValueClass.FLOAT:
                return self.normal.cast("string")
            case ValueClass.DATE | ValueClass.TIMESTAMP | ValueClass.TIMESTAMP_NTZ:
                return self.measured.cast("string")
            case ValueClass.TEXT:
                long = f.concat(
                    f.substring(self.cell, 1, LONGEST + 1), f.lit("…"), f.xxhash64(self.cell).cast("string")
                )
                return f.when(f.length(self.cell) <= LONGEST, self.cell).otherwise(long)
            case ValueClass.BINARY:
                return self._hash()
        return self.cell.cast("string")

    def _hash(self) -> Column:
        return f.when(self.cell.isNotNull(), f.xxhash64(self.normal).cast("string"))  # NULL has a hash, too

    def is_one_of(self, texts: Sequence[str]) -> Column:
        """Compared as values: to write each as a text first would take most of the time."""
        match self.kind:
            case ValueClass.INTEGER | ValueClass.DATE | ValueClass.TIMESTAMP | ValueClass.TIMESTAMP_NTZ:
                return self.measured.isin([int(text) for text in texts])
            case ValueClass.FLOAT:
                return self.normal.isin([float(text) for text in texts])
            case ValueClass.DECIMAL:
                return self.cell.isin([Decimal(text) for text in texts])
            case ValueClass.TEXT:
                known = self.cell.isin([text for text in texts if len(text) <= LONGEST])
                return known if all(len(text) <= LONGEST for text in texts) else known | (f.length(self.cell) > LONGEST)
        return self.text.isin(list(texts))

    @property
    def normal(self) -> Column:
        """-0.0 is 0.0."""
        return self.cell.cast("double") + f.lit(0.0) if self.kind is ValueClass.FLOAT else self.cell

    @property
    def hashed(self) -> Column:
        """As part of a row's hash. Spark hashes no maps and no variants."""
        kind = parse_type(self.type)
        if self.kind is ValueClass.OTHER and not _hashable(kind):
            if kind.name == "map" and all(_hashable(part.type) for part in kind.fields):
                return f.array_sort(f.map_entries(self.cell))
            return f.to_json(f.struct(self.cell.alias("v")))
        return self.normal

    def bin(self, plan: BinPlan) -> Column:
        """From 0; NULL where the row has no number here."""
        low, width = plan.low * plan.scale, plan.width * plan.scale
        value = self.number if plan.scale == 1.0 else self.number * f.lit(plan.scale)
        place = f.floor((value - f.lit(low)) / f.lit(width)).cast("int")
        if plan.bins == 1:
            return f.when(value.isNotNull(), f.lit(0))
        return f.when(place >= plan.bins, f.lit(plan.bins - 1)).otherwise(place)  # `least` would take NULL for a value


def _hashable(kind: DataType) -> bool:
    return kind.name not in ("map", "variant") and all(_hashable(part.type) for part in kind.fields)


def columns_of(frame: DataFrame, hidden: frozenset[str]) -> tuple[tuple[FrameColumn, ...], DataFrame]:
    """The columns, and the frame with their aliases."""
    found = tuple(
        FrameColumn(place, column.name, column.type, class_of(column.type), column.name.lower() in hidden)
        for place, column in enumerate(schema_of(frame).columns)
    )
    return found, frame.toDF(*(column.alias for column in found))
