"""Relations: what can stand in FROM, with what is known of it before it is read."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING

from forge.federation.delta_version import DeltaVersion
from forge.federation.source import LAKE
from forge.federation.statistics import NOTHING_KNOWN, ColumnStatistics
from forge.model.types import DataType

if TYPE_CHECKING:
    from sqlglot import exp

    from forge.federation.policy import MaskKind


@dataclass(frozen=True, slots=True, order=True)
class RelationName:
    """`crm.public.customers` is the table ("public", "customers") of the source crm; `core.orders` is ("core",
    "orders") of the lake. The parts are as the source spells them. `at`: of a table of the lake, the branch, tag,
    commit or time that the query names beside it; empty: as of the query."""

    source: str
    path: tuple[str, ...]
    at: str = ""

    def __str__(self) -> str:
        return f"{self.plain}@{self.at}" if self.at else ".".join(self._parts)

    @property
    def plain(self) -> RelationName:
        """Whatever version of it."""
        return RelationName(self.source, self.path)

    @property
    def _parts(self) -> tuple[str, ...]:
        return self.path if self.source == LAKE else (self.source, *self.path)


@dataclass(frozen=True, slots=True)
class MaskedAs:
    """What is read instead of the values of a column; `raw`: the type that these have."""

    kind: MaskKind
    raw: DataType


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """`same_equality`: the source says `=` of two values exactly where Spark does (no collation that ignores case, no
    padding). `same_order`: it also sorts and compares them as Spark does, or can be told to by a collation.
    `counts_bytes`: `_` of LIKE is a byte there, where it is a character in Spark.
    `holds_others`: values that are none of the type may be there, which only who reads them finds (E310).
    `native`: the type in the source's own words. `parameter`: of an API, by which it finds a value of this column.
    `statistics`: of its values, as the source estimates. `mask`: values are changed as they arrive, and the
    source is asked for nothing but them."""

    name: str
    type: DataType
    _: KW_ONLY
    nullable: bool = True
    native: str = ""
    parameter: str = ""
    same_equality: bool = True
    same_order: bool = True
    counts_bytes: bool = False
    holds_others: bool = False
    statistics: ColumnStatistics = field(default=NOTHING_KNOWN, repr=False, compare=False)  # no row depends on it
    mask: MaskedAs | None = None

    @property
    def distinct(self) -> int | None:
        return self.statistics.distinct

    @property
    def raw(self) -> SourceColumn:
        """As the source has it."""
        return self if self.mask is None else replace(self, type=self.mask.raw, mask=None)


@dataclass(frozen=True, slots=True)
class SourceRelation:
    """`rows` and `bytes` are estimates of the source, None where it has none. `hidden`: columns, in small letters,
    that read as NULL for who asks; `row_filter`: which rows are for who asks. `version`: the same text, the same rows;
    empty: nobody can tell. `splits`: the source finds the rows of a part of it without reading the rest, and several
    reads can see the same snapshot. `shares_rows`: other tables, by their paths, that give some of its rows, or to
    which it gives its own, as a partition does; rules of these are its own, too. `is_derived`: what it shows may be
    anything that the source holds, as with a view. `delta`: what Spark may read by itself."""

    name: RelationName
    columns: tuple[SourceColumn, ...]
    _: KW_ONLY
    rows: int | None = None
    bytes: int | None = None
    key: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    row_filter: exp.Expr | None = None
    version: str = ""
    splits: bool = False
    shares_rows: tuple[tuple[str, ...], ...] = ()
    is_derived: bool = False
    delta: DeltaVersion | None = None

    @property
    def is_restricted(self) -> bool:
        """Whether some of its rows or values are not for who asks."""
        return bool(self.hidden) or self.row_filter is not None or any(one.mask for one in self.columns)

    def get(self, column: str) -> SourceColumn | None:
        """Case makes no difference, as in Spark."""
        return next((one for one in self.columns if one.name.lower() == column.lower()), None)

    def to_dict(self) -> dict[str, object]:
        """`table`: its path in the source, joined by points."""
        return {
            "table": ".".join(self.name.path),
            "rows": self.rows if self.row_filter is None else None,  # that of all rows tells how many are kept back
            "bytes": self.bytes if self.row_filter is None else None,
            "key": list(self.key),
            "columns": [
                {
                    "name": column.name,
                    "type": str(column.type),
                    "native": column.native,
                    "nullable": column.nullable,
                    "hidden": column.name.lower() in self.hidden,
                    "mask": "null" if column.name.lower() in self.hidden else column.mask and column.mask.kind.value,
                }
                for column in self.columns
            ],
        }
