"""The record of a profile, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from forge.catalog.profile.value_class import CellValue
from forge.model.names import CommitId, SnapshotId, TableName
from forge.model.time import as_utc

TOP = 10
EXACT_ROWS = 1_000_000  # up to which distinct values are counted one by one
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class TopValue:
    value: CellValue
    count: int

    def to_dict(self) -> dict[str, object]:
        return {"value": self.value, "count": self.count}


@dataclass(frozen=True, slots=True)
class ColumnHistogram:
    """`edges` has one more than `counts`; a bin holds its lower edge, the last one both. Of a text: of its lengths."""

    edges: tuple[CellValue, ...]
    counts: tuple[int, ...]

    @property
    def blocks(self) -> str:
        """A picture of one line. What occurs at all is seen; what does not is a space."""
        most = max(self.counts, default=0)
        return "".join(
            _BLOCKS[(count * 8 - 1) // most if count * 8 > most else 0] if count else " " for count in self.counts
        )

    def to_dict(self) -> dict[str, object]:
        return {"edges": list(self.edges), "counts": list(self.counts)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfiledColumn:
    """None: it does not apply to the type, there are no values, or it is masked. `minimum` to `stddev` are of finite
    values; `top` has values that occur more than once."""

    name: str
    type: str
    nulls: int
    distinct: int | None = None
    distinct_exact: bool = True
    minimum: CellValue = None
    maximum: CellValue = None
    mean: float | None = None
    stddev: float | None = None
    q1: float | None = None
    median: float | None = None
    q3: float | None = None
    zeros: int | None = None
    negatives: int | None = None
    not_finite: int | None = None  # NaN and infinities
    empties: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    avg_length: float | None = None
    histogram: ColumnHistogram | None = None
    top: tuple[TopValue, ...] = ()
    top_exact: bool = True  # else the counts are at least so many, and another value may be missing
    masked: bool = False

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {field.name: getattr(self, field.name) for field in fields(self)}
        found["histogram"] = self.histogram.to_dict() if self.histogram else None
        found["top"] = [value.to_dict() for value in self.top]
        return found

    @staticmethod
    def from_dict(found: Mapping[str, Any]) -> ProfiledColumn:
        given = {field.name: found[field.name] for field in fields(ProfiledColumn) if field.name in found}
        histogram = given.get("histogram")
        given["histogram"] = (
            ColumnHistogram(tuple(histogram["edges"]), tuple(histogram["counts"])) if histogram else None
        )
        given["top"] = tuple(TopValue(one["value"], one["count"]) for one in given.get("top") or ())
        return ProfiledColumn(**given)


@dataclass(frozen=True, slots=True)
class ProfileMeasurement:
    """What an engine found. `row_count` is of the whole table, also where `sample_rows` of it were looked at."""

    row_count: int
    columns: tuple[ProfiledColumn, ...]
    duplicate_rows: int | None = None  # rows that repeat another one; None of a sample
    sample_rows: int | None = None
    quantile_error: float = 0.0  # by how much of all values the rank of a median or quartile may be off


@dataclass(frozen=True, slots=True, kw_only=True)
class TableProfile:
    """`state` identifies the rows: the snapshot of a table, or a hash of a view's text and of the states it reads."""

    table: TableName
    state: str
    snapshot_id: SnapshotId | None
    commit_id: CommitId | None
    profiled_at: datetime
    measured: ProfileMeasurement
    sample_fraction: float | None = None

    @property
    def sampled(self) -> bool:
        return self.sample_fraction is not None

    @property
    def row_count(self) -> int:
        return self.measured.row_count

    @property
    def rows_read(self) -> int:
        """To which the counts of the columns refer."""
        read = self.measured.sample_rows
        return self.measured.row_count if read is None else read

    @property
    def columns(self) -> tuple[ProfiledColumn, ...]:
        return self.measured.columns

    @property
    def exact(self) -> bool:
        """All distinct values were counted."""
        return not self.sampled and all(column.distinct_exact for column in self.columns)

    def column(self, name: str) -> ProfiledColumn | None:
        return next((column for column in self.columns if column.name == name), None)

    def to_dict(self) -> dict[str, object]:
        return {
            "table": str(self.table),
            "state": self.state,
            "snapshot_id": str(self.snapshot_id) if self.snapshot_id is not None else None,
            "commit_id": self.commit_id,
            "profiled_at": self.profiled_at.isoformat(),
            "row_count": self.row_count,
            "sampled": self.sampled,
            "sample_fraction": self.sample_fraction,
            "sample_rows": self.measured.sample_rows,
            "duplicate_rows": self.measured.duplicate_rows,
            "quantile_error": self.measured.quantile_error,
            "columns": [column.to_dict() for column in self.columns],
        }

    @staticmethod
    def from_dict(found: Mapping[str, Any]) -> TableProfile:
        snapshot, commit = found.get("snapshot_id"), found.get("commit_id")
        return TableProfile(
            table=TableName.parse(found["table"]),
            state=found["state"],
            snapshot_id=SnapshotId(int(snapshot)) if snapshot is not None else None,
            commit_id=CommitId(commit) if commit is not None else None,
            profiled_at=as_utc(datetime.fromisoformat(found["profiled_at"])),
            sample_fraction=found.get("sample_fraction"),
            measured=ProfileMeasurement(
                row_count=found["row_count"],
                columns=tuple(ProfiledColumn.from_dict(column) for column in found["columns"]),
                duplicate_rows=found.get("duplicate_rows"),
                sample_rows=found.get("sample_rows"),
                quantile_error=found.get("quantile_error", 0.0),
            ),
        )
