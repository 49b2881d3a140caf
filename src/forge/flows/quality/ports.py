"""The port of verdicts. Every method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.ports import Runs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from forge.flows.runs.records import DatasetTally, RunRecord, RunVerdict, VerdictTally
    from forge.model.names import BranchName, RunId, TableName
    from forge.quality.verdict import Outcome, Verdict


class Verdicts(Protocol):
    """Current and past verdicts of a branch; no answer grows with the whole history."""

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

    def blocked(self, branch: BranchName) -> tuple[tuple[RunRecord, TableName], ...]:
        """Tables held back by the newest run on the branch that settled them, each with that run; newest first. A run
        that finds a table up to date settles it: its code, inputs and checks are those of the published version.

        Output held back by a run that makes tables waits for another such run: a commit or merge changes what readers
        have, not what waits. Output held back by a commit or merge ends with whatever settles the table."""

    def judgements(
        self, branch: BranchName, names: Iterable[TableName], check_ids: Iterable[str], *, runs: int = 500
    ) -> tuple[RunVerdict, ...]:
        """Outcomes of these tables in the newest `runs` runs of the branch, newest first: one for each of these checks
        with a verdict, or one without a check."""

    def tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[VerdictTally, ...]:
        """Of runs on the branch started from `since` on and before `until`, oldest first."""

    def dataset_tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[DatasetTally, ...]:
        """The same, by table."""


class RunHistory(Runs, Verdicts, Protocol):
    """Runs with the verdicts of their checks."""
