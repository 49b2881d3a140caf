"""An open project: runs, tables, queries and history. The same flows as the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.connection.catalog.assets import CatalogView
from forge.connection.contracts.registry import ContractsView
from forge.connection.lineage.graph import ProjectLineage
from forge.connection.quality.checks import QualityView
from forge.connection.runs.results import QueryRows, RunReport
from forge.connection.versioning.project_history import ProjectHistory
from forge.flows.quality.incidents.impact import find_incidents
from forge.flows.runs.build import StepEvent
from forge.flows.runs.engine import TimeRange
from forge.flows.runs.run import RunRequest, run
from forge.flows.versioning.read import RevisionReader
from forge.flows.versioning.revisions import find_commit
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.model.time import as_utc
from forge.transforms.params import bind_query_params, parse_value
from forge.versioning.commit import Commit
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from forge.connection.federation.cache import KeptResults
    from forge.connection.federation.saved_queries import SavedQueryBook
    from forge.connection.federation.sources import SourceBook
    from forge.connection.federation.virtual_tables import VirtualTableBook
    from forge.connection.versioning.dataset import Dataset
    from forge.flows.contracts.compile.project import CompileResult
    from forge.flows.federation.query import ExecutorChoice, FederationPorts, QueryExplanation, QueryRequest


def _moment(value: datetime | str, name: str) -> datetime:
    parsed = parse_value(value, "timestamp", name) if isinstance(value, str) else value
    assert isinstance(parsed, datetime)
    return as_utc(parsed)


class Connection(ProjectHistory):
    """An open project. Use as a context manager, or call `close`."""

    def __init__(self, wiring: Wiring, branch: BranchName) -> None:
        self.wiring = wiring
        self.current = branch

    @property
    def spark(self) -> Any:
        return self.wiring.session.get()

    @property
    def lineage(self) -> ProjectLineage:
        return ProjectLineage(self.wiring, self.current)

    @property
    def quality(self) -> QualityView:
        return QualityView(self.wiring, self.current)

    @property
    def catalog(self) -> CatalogView:
        return CatalogView(self.wiring)

    @property
    def sources(self) -> SourceBook:
        from forge.connection.federation.sources import SourceBook

        return SourceBook(self.wiring)

    @property
    def cache(self) -> KeptResults:
        from forge.connection.federation.cache import KeptResults

        return KeptResults(self.wiring)

    @property
    def virtual_tables(self) -> VirtualTableBook:
        from forge.connection.federation.virtual_tables import VirtualTableBook

        return VirtualTableBook(self.wiring)

    @property
    def saved_queries(self) -> SavedQueryBook:
        from forge.connection.federation.saved_queries import SavedQueryBook

        return SavedQueryBook(self.wiring)

    @property
    def contracts(self) -> ContractsView:
        return ContractsView(self.wiring, self.current)

    def run(
        self,
        *selection: str,
        branch: str | None = None,
        params: Mapping[str, object] | None = None,
        start: datetime | str | None = None,
        end: datetime | str | None = None,
        message: str | None = None,
        force: bool = False,
        notify: Callable[[StepEvent], None] = lambda event: None,
    ) -> RunReport:
        wiring = self.wiring
        project = wiring.project()
        time_range = TimeRange(_moment(start, "start"), _moment(end, "end")) if start and end else None
        bound = wiring.runs.bind({key: str(value) for key, value in (params or {}).items()})
        name = BranchName(branch) if branch else self.current
        request = RunRequest(
            branch=name, selection=tuple(selection), params=bound, time_range=time_range, message=message, force=force
        )
        result = run(request, project, wiring.runs.ports(notify))
        head = wiring.branch_head(name)
        incidents = find_incidents(result, project, wiring.metadata, wiring.metadata.tree(head), head)
        wiring.follow_up()
        return RunReport(result, incidents)

    def compile(self, *, keep: bool = False) -> CompileResult:
        """All policies on the project, with no Spark: `f.compile().valid`, `.findings`, `.to_dict()`. `keep`: the
        contracts are registered and what was found is kept, as `forge compile` does."""
        from forge.flows.contracts.compile.project import compile_project
        from forge.flows.contracts.compile.record import keep_compiled

        compiled = compile_project(self.wiring.contracts.compile_ports())
        if keep:
            keep_compiled(compiled, self.wiring.contracts.ports())
        return compiled

    def table(self, name: str, at: str | None = None) -> DataFrame:
        """A Spark DataFrame of the table, at a branch, tag, commit, `HEAD~1`, time or version: `core.orders@v12`."""
        table, _, inline = name.partition("@")
        return self.wiring.versioning.frame(self._reader().pin(TableName.parse(table), at or inline or None))

    def dataset(self, name: str, at: str | None = None, require: Mapping[str, object] | None = None) -> Dataset:
        """Data pinned to the commit that `at` means, if it meets what is required of it:
        `f.dataset("core.orders", "v1.2", require={"min_score": 95, "max_age": 24, "no_pii": True})`. E743 with the
        conditions that failed, and no data, where it does not."""
        from forge.connection.versioning.dataset import open_dataset

        return open_dataset(self.wiring, self.current, name, at, require)

    def query(
        self,
        sql: str | None = None,
        params: Mapping[str, object] | None = None,
        *,
        saved: str | None = None,
        at: str | None = None,
        limit: int | None = None,
        engine: ExecutorChoice = "auto",
        cache: bool = True,
        timeout: float | None = None,
    ) -> QueryRows:
        """Rows of a SELECT over the lake and the sources: `f.query("SELECT … WHERE id = :id", {"id": 1}).to_arrow()`.
        `engine`: "in-process", "spark", or whichever fits; `.engine` and `.why` of the rows say which it was.
        `cache=False` takes no kept result and keeps none; `.cache` says hit, miss, or why neither.
        `timeout`: seconds after which it is ended, in the sources too (E916). `saved`: the name of a saved query
        instead of SQL; `params` go before its own."""
        from forge.flows.federation.query import ask
        from forge.flows.versioning.read import QueryCaller

        wiring = self.wiring
        caller = QueryCaller(wiring.author.email, "Python", wiring.clock)
        text, values, place = self._asked(sql, saved, params, at)
        request = replace(self._request(text, values, place, limit, engine), cache=cache, timeout=timeout)
        answer = ask(self._query_ports(), request, caller)
        return QueryRows(
            schema=answer.schema,
            rows=answer.rows,
            engine=answer.executor,
            why=answer.why,
            table=answer.table,
            cache=answer.cache,
            kept_until=answer.kept_until,
            masked=answer.masked,
            rows_read=answer.rows_read,
            seconds=answer.seconds,
            plan=answer.explained,
        )

    def _asked(
        self, sql: str | None, saved: str | None, params: Mapping[str, object] | None, at: str | None
    ) -> tuple[str, Mapping[str, object], str | None]:
        if (sql is None) == (saved is None):
            raise ForgeError("E105", "A query is SQL or saved=NAME", fix='Write f.query("SELECT 1 AS one").')
        if saved is None:
            return sql or "", params or {}, at
        found = self.saved_queries.get(saved)
        values = bind_query_params(self.wiring.settings.params, {**found.parameters, **(params or {})})
        return found.sql, values, at or found.at

    def explain(
        self,
        sql: str,
        params: Mapping[str, object] | None = None,
        *,
        at: str | None = None,
        engine: ExecutorChoice = "auto",
    ) -> QueryExplanation:
        """How it would be computed, with no row read: `.executor`, `.why`, `.text()`, `.to_dict()`."""
        from forge.flows.federation.query import explain_query
        from forge.flows.versioning.read import QueryCaller

        caller = QueryCaller(self.wiring.author.email, "Python", self.wiring.clock)
        return explain_query(self._query_ports(), self._request(sql, params, at, None, engine), caller)

    def _query_ports(self) -> FederationPorts:
        return self.wiring.federation.query_ports(self.current)

    def _request(
        self,
        sql: str,
        params: Mapping[str, object] | None,
        at: str | None,
        limit: int | None,
        engine: str,
    ) -> QueryRequest:
        from forge.flows.federation.query import QueryRequest, executor_choice

        choice = executor_choice(engine, "engine")
        return QueryRequest(sql, at=at, parameters=params or {}, limit=limit, executor=choice)

    def log(self, at: str = "HEAD", *, limit: int | None = 50, table: str | None = None) -> tuple[Commit, ...]:
        commit = find_commit(self.wiring.metadata, at, self.current)
        named = TableName.parse(table) if table else None
        return self.wiring.metadata.log(CommitId(commit.id), limit=limit, table=named)

    def _reader(self) -> RevisionReader:
        return self.wiring.versioning.reader(self.current)

    def close(self) -> None:
        self.wiring.close()

    def __repr__(self) -> str:
        return f"<forge project {self.wiring.settings.project} on {self.current}, in {self.wiring.root}>"

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(path: str | Path | None = None, *, branch: str | None = None, **overrides: object) -> Connection:
    """Open the project at `path` (default: the current folder or the nearest one above it with a forge.yaml)."""
    wiring = Wiring.of(Path(path) if path else None, overrides=overrides)
    return Connection(wiring, BranchName(branch) if branch else wiring.default_branch)
