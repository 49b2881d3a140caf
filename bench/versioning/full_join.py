"""Diff and merge as one writes them on Spark without Forge: full outer joins of whole tables, compared cell by cell."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def _side(frame: DataFrame, key: str, name: str) -> DataFrame:
    from pyspark.sql import functions as F

    return frame.select(F.col(key), F.struct(*(c for c in frame.columns if c != key)).alias(name))


def full_diff(left: DataFrame, right: DataFrame, key: str) -> dict[str, int]:
    """Rows by what happened to them."""
    from pyspark.sql import functions as F

    both = _side(left, key, "l").join(_side(right, key, "r"), key, "full")
    kind = F.when(F.col("l").isNull(), "inserted").when(F.col("r").isNull(), "deleted").otherwise("updated")
    changed = both.where(~F.col("l").eqNullSafe(F.col("r")))
    return {row["kind"]: row["count"] for row in changed.groupBy(kind.alias("kind")).count().collect()}


def full_merge(base: DataFrame, ours: DataFrame, theirs: DataFrame, key: str, target: str) -> int:
    """The merged table written to `target`, and the number of conflicts. In one pass, which is the best it can do."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    names = [name for name in base.columns if name != key]
    sides = [_side(frame, key, name) for frame, name in ((base, "b"), (ours, "o"), (theirs, "t"))]
    joined = reduce(lambda left, right: left.join(right, key, "full"), sides)
    b, o, t = F.col("b"), F.col("o"), F.col("t")

    def differ(name: str) -> Column:
        mine, other, old = o[name], t[name], b[name]
        return ~mine.eqNullSafe(old) & ~other.eqNullSafe(old) & ~mine.eqNullSafe(other)

    gone = (b.isNotNull() & o.isNull() & t.eqNullSafe(b)) | (b.isNotNull() & t.isNull() & o.eqNullSafe(b))
    half = b.isNotNull() & (o.isNull() != t.isNull()) & ~gone
    cells = reduce(lambda left, right: left | right, (differ(name) for name in names))
    seen = Observation("conflicts")
    conflicts = F.sum(F.when(half | (o.isNotNull() & t.isNotNull() & cells), 1).otherwise(0))
    merged: list[Any] = [F.when(o[n].eqNullSafe(b[n]), t[n]).otherwise(o[n]).alias(n) for n in names]
    kept = joined.observe(seen, conflicts.alias("count")).where(~gone & (o.isNotNull() | t.isNotNull()))
    kept.select(key, *merged).writeTo(target).using("iceberg").createOrReplace()
    return int(seen.get["count"])
