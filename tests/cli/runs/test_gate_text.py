"""What runs and merges tell of contracts: code, place and fix, whether anything is held back or not."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime

from rich.console import Console
from store_records import commit_of

from forge.cli.runs.run_display import WARNED, summary
from forge.cli.runs.run_record import answer_of_run
from forge.cli.versioning.merge_view import answer_of_result
from forge.connection import RunReport
from forge.flows.runs.records import RunRecord, RunStatus
from forge.flows.runs.run import RunResult
from forge.flows.versioning.merge.record import MergeRecord
from forge.flows.versioning.merge.result import Blocked, Merged, MergeResult
from forge.model.names import BranchName, CommitId, RunId
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Author
from forge.versioning.merge import MergeStatus, MergeType, Strategy

NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)
PLACE = "FORGE-E530 contracts/core.orders.odcs.yaml:14"
FIX = "fix: Cast it to string."
MAIN = BranchName("main")
RUN = RunRecord(
    id=RunId("r1"),
    branch=MAIN,
    status=RunStatus.SUCCEEDED,
    started_at=NOW,
    user="ada",
    host="h",
    pid=1,
    process_started="",
)


def verdict(severity: Severity = Severity.WARNING, *, blocks: bool = False) -> Verdict:
    details = {"code": "E530", "where": "contracts/core.orders.odcs.yaml:14", "fix": "Cast it to string."}
    words = "amount is bigint, the contract says string"
    return Verdict(
        check_id="c1",
        check_type="schema",
        table="core.orders",
        columns=("amount",),
        outcome=Outcome.FAILED,
        severity=severity,
        message=words,
        blocks=blocks,
        details=details,
    )


PASSED = Verdict(
    check_id="c2",
    check_type="not_null",
    table="core.orders",
    columns=("id",),
    outcome=Outcome.PASSED,
    severity=Severity.ERROR,
    message="0 rows",
    blocks=False,
)


def ended(verdicts: Sequence[Verdict]) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=200, no_color=True).print(summary(RunReport(RunResult(RUN, None, tuple(verdicts)))))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_run_that_published_says_what_it_did_against_the_contract() -> None:
    _, *lines = ended([PASSED, verdict()])
    told = f"{PLACE}  warning: core.orders: amount is bigint, the contract says string"
    assert lines == [told, f"  {FIX}"]
    assert len(ended([PASSED, verdict(Severity.INFO)])) == 1, "a note is no violation"


def test_of_many_warnings_the_rest_is_counted() -> None:
    assert ended([verdict()] * (WARNED + 2))[-1] == "and 2 more warnings: forge runs r1"


def test_a_record_of_a_run_names_the_place_and_the_fix() -> None:
    foot = answer_of_run(RUN, [verdict(blocks=True)]).foot
    assert [line.strip() for line in foot[-2:]] == [PLACE, FIX]


def lines_of(result: MergeResult) -> list[str]:
    return [line.strip() for line in answer_of_result(result).head]


def test_a_merge_that_is_held_back_names_the_place_and_the_fix() -> None:
    commit, author = CommitId("c1"), Author("Ada", "ada@x")
    kept = MergeRecord(
        id="m1",
        kind="merge",
        source="dev",
        target=MAIN,
        source_commit=commit,
        target_commit=commit,
        base_commit=None,
        strategy=Strategy.THREE_WAY,
        status=MergeStatus.BLOCKED,
        message="",
        author=author,
        created_at=NOW,
        updated_at=NOW,
    )
    verdicts = (PASSED, verdict(Severity.ERROR, blocks=True))
    lines = lines_of(Blocked(source="dev", target=MAIN, merge=kept, verdicts=verdicts))
    assert lines[-3:] == ["✗ core.orders: amount is bigint, the contract says string", PLACE, FIX]


def test_a_merge_counts_no_warning_as_passed() -> None:
    verdicts = (PASSED, verdict())
    merged = Merged(type=MergeType.THREE_WAY, source="dev", target=MAIN, commit=commit_of(), verdicts=verdicts)
    lines = lines_of(merged)
    assert lines[-1] == "1 check passed on the merged tables"
    assert any(line.startswith(PLACE) for line in lines)
