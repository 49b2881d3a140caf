"""Results of runs and queries in Python and notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from forge.flows.quality.incidents.impact import BlockedColumn
from forge.flows.runs.records import OutputStatus, RunStatus
from forge.flows.runs.run import RunResult
from forge.model.errors import ForgeError
from forge.model.schema import Schema
from forge.versioning.commit import Commit

if TYPE_CHECKING:
    from datetime import datetime

    import pandas
    import pyarrow

    from forge.flows.federation.ports import ExecutorName
    from forge.flows.federation.query import QueryExplanation


@dataclass(frozen=True, slots=True, repr=False)
class RunReport:
    """A run and what it means: shown as a table in a notebook."""

    result: RunResult
    incidents: tuple[BlockedColumn, ...] = ()

    @property
    def status(self) -> str:
        return str(self.result.run.status)

    @property
    def commit(self) -> Commit | None:
        return self.result.commit

    def raise_for_status(self) -> RunReport:
        """This report, or the error of a run that did not end well."""
        run_ = self.result.run
        if run_.error is not None:
            error = {key: run_.error.get(key) for key in ("where", "why", "fix")}
            raise ForgeError(str(run_.error["code"]).removeprefix("FORGE-"), str(run_.error["what"]), **error)
        if run_.status is RunStatus.BLOCKED:
            blocked = next(o for o in run_.outputs if o.status is OutputStatus.BLOCKED)
            raise ForgeError("E702", f"{blocked.table} was held back: {blocked.reason}", fix=f"forge runs {run_.id}")
        return self

    def __repr__(self) -> str:
        lines = [f"run {self.result.run.id} on {self.result.run.branch}: {self.status}"]
        lines += [f"  {o.table}  {o.status}{f'  {o.reason}' if o.reason else ''}" for o in self.result.run.outputs]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        return self.result.run.to_dict()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(str(o.table))}</td><td>{html.escape(str(o.status))}</td>"
            f"<td style='text-align:right'>{'' if o.rows is None else format(o.rows, ',')}</td>"
            f"<td>{html.escape(o.reason)}</td></tr>"
            for o in self.result.run.outputs
        )
        head = f"run {html.escape(self.result.run.id)} on {html.escape(self.result.run.branch)}: {self.status}"
        titles = "<tr><th>table</th><th>status</th><th>rows</th><th></th></tr>"
        return f"<table><caption>{head}</caption>{titles}{rows}</table>"


@dataclass(frozen=True, slots=True)
class QueryRows:
    """The answer of a query. `engine` computed it, `why` says why that one; `table` has the same rows, where they came
    as Arrow. `cache`: hit, miss, off, or not cacheable and why; `kept_until`: for how long it is kept. `masked`:
    columns, in small letters, that read as NULL in what was asked. `rows_read`: out of each source, of a kept result of
    none. `plan`: how it was computed, with `.text()` and `.to_dict()`."""

    schema: Schema
    rows: tuple[tuple[object, ...], ...]
    _: KW_ONLY
    engine: ExecutorName = "spark"
    why: str = ""
    table: pyarrow.Table | None = field(default=None, repr=False, compare=False)
    cache: str = field(default="off", compare=False)
    kept_until: datetime | None = field(default=None, compare=False)
    masked: frozenset[str] = field(default=frozenset(), compare=False)
    rows_read: Mapping[str, int] = field(default_factory=dict, compare=False)
    seconds: float = field(default=0.0, compare=False)
    plan: QueryExplanation | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "columns": list(self.schema.names),
            "rows": [list(row) for row in self.rows],
            "engine": self.engine,
            "why": self.why,
            "cache": self.cache,
            "kept_until": self.kept_until.isoformat() if self.kept_until else None,
            "rows_read": dict(self.rows_read),
            "ms": round(self.seconds * 1000),
        }

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(list(self.rows), columns=list(self.schema.names))

    def to_arrow(self) -> pyarrow.Table:
        """Of the types that the query has: decimals by their digits, times with their zone or without one."""
        if self.table is not None:
            return self.table.rename_columns(list(self.schema.names))
        from forge.connection.runs.arrow_rows import table_of_rows

        return table_of_rows(self.schema, self.rows)

    def _repr_html_(self) -> str:
        return str(self.to_pandas()._repr_html_())  # type: ignore[operator]
