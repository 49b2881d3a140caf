"""The port of verdicts. Every method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.ports import Runs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from forge.flows.runs.records import DatasetTally, Judgement, RunRecord, Tally
    from forge.model.names import BranchName, RunId, TableName
    from forge.quality.verdict import Outcome, Verdict


class Verdicts(Protocol):
    """What the checks of a branch say now and said before; no answer grows with the whole history."""

    def verdicts(
        self,
        *,
        run_id: RunId | None = None,
        run_ids: Iterable[RunId] | None = None,
        table: TableName | None = None,
        outcome: Outcome | None = None,
        limit: int = 1000,
    ) -> tuple[tuple[RunId, Verdict], ...]:
        """Newest run first."""
        ...

    def blocked(self, branch: BranchName) -> tuple[tuple[RunRecord, TableName], ...]:
        """Tables that the newest run on the branch to settle them held back, each with that run; newest first. A run
        that finds a table up to date settles it: its code, inputs and checks are those of the published version.

        What a run that makes tables held back waits for another one: a commit or a merge changes what readers have,
        and not what waits. What one of these held back ends with whatever settles the table."""
        ...

    def judgements(
        self, branch: BranchName, names: Iterable[TableName], check_ids: Iterable[str], *, runs: int = 500
    ) -> tuple[Judgement, ...]:
        """What the newest `runs` runs of the branch made of these tables, newest first: one for each of these checks
        that spoke, or one without a check."""
        ...

    def tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[Tally, ...]:
        """Of the runs on the branch that began from `since` on and before `until`, oldest first."""
        ...

    def dataset_tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[DatasetTally, ...]:
        """The same, apart for each table."""
        ...


class RunHistory(Runs, Verdicts, Protocol):
    """Runs with what their checks said."""
