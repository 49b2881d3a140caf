"""`f.dataset(…)`: data pinned to a commit, with the evidence of its fitness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forge.flows.quality.fitness import Fitness, judge_fitness, refuse_unfit
from forge.flows.versioning.read import RevisionReader
from forge.flows.versioning.tables import FileSlice, NeedsEngine
from forge.model.names import BranchName, CommitId, TableName
from forge.quality.fitness import Requirements, read_requirements
from forge.wiring import Wiring

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, repr=False)
class Dataset:
    """A table at one commit: whoever opens `pinned` later gets the same rows. `fitness` says what was required of it
    and what was found."""

    wiring: Wiring
    branch: BranchName
    fitness: Fitness

    @property
    def table(self) -> TableName:
        return self.fitness.table

    @property
    def commit(self) -> CommitId:
        return self.fitness.commit_id

    @property
    def pinned(self) -> str:
        """`core.orders@<commit>`, for a training log."""
        return f"{self.table}@{self.commit}"

    @property
    def spark(self) -> DataFrame:
        reader: RevisionReader = self.wiring.versioning.reader(self.branch)
        return self.wiring.versioning.frame(reader.pin(self.table, self.commit))

    def to_arrow(self) -> pyarrow.Table:
        """All rows, in memory. The files are read without Spark where that can be done."""
        version, tables = self.fitness.version, self.wiring.versioning.tables
        if tables is not None and version.snapshot_id is not None:
            try:
                files = tables.files(version.catalog, version.snapshot_id)
                return tables.read(FileSlice(version.catalog, version.snapshot_id, tuple(files.files)))
            except NeedsEngine:
                pass  # deletes that only an engine applies
        return self.spark.toArrow()

    def to_pandas(self) -> pandas.DataFrame:
        found: pandas.DataFrame = self.to_arrow().to_pandas()
        return found

    def to_dict(self) -> dict[str, Any]:
        return {"pinned": self.pinned, **self.fitness.to_dict()}

    def __repr__(self) -> str:
        lines = [f"<dataset {self.table} at commit {self.commit[:12]}>"]
        lines += [f"  {c.name}: {c.evidence}" for c in self.fitness.conditions]
        return "\n".join(lines)


def open_dataset(
    wiring: Wiring, branch: BranchName, name: str, at: str | None, require: Mapping[str, object] | None
) -> Dataset:
    """E743 where a condition failed: then no data comes."""
    required = read_requirements(require) if require is not None else Requirements()
    fitness = judge_fitness(name, at, required, wiring.quality.fitness(), branch=branch)
    refuse_unfit(fitness)
    return Dataset(wiring, branch, fitness)
