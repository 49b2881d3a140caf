"""Wire models of remediations: proposed steps, previews and decisions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.api.versioning.wire.diffs import TableDiffView
from forge.api.versioning.wire.refs import CommitView
from forge.api.wire import Name, OutcomeWord, Text, Wire

RemedyWord = Literal["proposed", "applied", "rejected", "reverted", "nothing", "failed"]
ActionWord = Literal["notify", "quarantine", "rollback", "impute", "deduplicate", "custom"]


class RemedyStepView(Wire):
    """One action with its options as they are written in a file, and the checks that asked for it."""

    action: ActionWord
    options: dict[str, Any] = {}
    check_ids: list[str] = []


class RemedyResultView(Wire):
    """What came of one action."""

    action: ActionWord
    success: bool
    message: str
    details: dict[str, Any] = {}


class RemedyCount(Wire):
    """Rows of one table that it adds, changes and deletes."""

    table: str
    added: int
    changed: int
    deleted: int


class RemedyVerdict(Wire):
    """What a check says of the table as it would be."""

    check_id: str
    outcome: OutcomeWord
    message: str


class RemediationView(Wire):
    """`base` is the commit it was worked out on, `preview` the commit on `preview_branch`, `commit` what landed."""

    id: str
    table: str
    branch: str
    status: RemedyWord
    auto: bool
    note: str  # why it waits, or what it did
    steps: list[RemedyStepView]
    check_ids: list[str]
    results: list[RemedyResultView]
    counts: list[RemedyCount]
    verdicts: list[RemedyVerdict]
    proposed_by: str
    proposed_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    comment: str
    run_id: str | None
    monitor_id: str | None
    base: str | None
    preview: str | None
    preview_branch: str | None  # while it waits for a decision
    commit: str | None
    reverted_by_commit: str | None
    can_approve: bool  # by whoever asks
    why_not: str | None  # the reason where they cannot


class RemedyPreview(Wire):
    """The diff from `base` to `preview`, table by table; personal data is masked."""

    remediation: RemediationView
    base: CommitView | None
    tables: list[TableDiffView]


class RemediationStart(Wire):
    """Propose (or, with `auto`, do) something about failed checks of a table. Without actions those that the checks
    name in `on_failure`; without checks all that fail now. An action is a word, or {action: impute, method: median}."""

    dataset_id: Name
    branch: Name | None = None  # the default branch
    actions: Annotated[list[ActionWord | dict[Name, Any]], Field(max_length=20)] = []
    check_ids: Annotated[list[Text], Field(max_length=1000)] = []
    auto: bool = False


class RemedyDecision(Wire):
    comment: Text = ""
