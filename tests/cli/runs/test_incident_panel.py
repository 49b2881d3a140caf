"""The panel of a blocked run: all a person needs, in 80 columns and in fewer."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from rich.console import Console

from forge.cli.runs.incident_panel import incident_panel
from forge.connection import RunReport
from forge.flows.quality.incidents.impact import BlockedColumn, SparedColumn
from forge.flows.runs.records import OutputRecord, OutputStatus, RunRecord, RunStatus
from forge.flows.runs.run import RunResult
from forge.model.names import BranchName, ColumnName, CommitId, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Author, Commit

NOW = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
SAW = "2,113 of 52,110 rows outside 0 … 5000; greatest 129900.00"
BLOCKED = Verdict(
    check_id="c1",
    check_type="range",
    table="core.orders",
    columns=("amount",),
    outcome=Outcome.FAILED,
    severity=Severity.CRITICAL,
    message=SAW,
    blocks=True,
    details={"sample": [{"amount": 129900}, {"amount": 88000}]},
)
ADA = Author("Ada", "ada@example.com")
BROUGHT = Commit(
    id=CommitId("3f2a91bcd0001111"),
    tree_id="t",
    parents=(),
    author=ADA,
    committer=ADA,
    message="Orders of 15 November",
    time=NOW,
    branch=BranchName("main"),
)


def report(spared: int = 4, incidents: int = 1) -> RunReport:
    outputs = (
        OutputRecord(table=TableName("core", "orders"), status=OutputStatus.BLOCKED, reason=SAW),
        OutputRecord(
            table=TableName("marts", "daily_revenue"), status=OutputStatus.SKIPPED, reason="stands on core.orders"
        ),
    )
    run = RunRecord(
        id=RunId("r20261115_061000_8a6d9d"),
        branch=BranchName("main"),
        status=RunStatus.BLOCKED,
        started_at=NOW,
        user="ada",
        host="h",
        pid=1,
        process_started="",
        outputs=outputs,
    )
    hit = tuple(SparedColumn(ColumnName("marts.daily_revenue", f"total_{i}"), "fin@example.com") for i in range(spared))
    one = BlockedColumn(BLOCKED, ColumnName("core.orders", "amount"), ColumnName("raw.orders", "amount"), BROUGHT, hit)
    return RunReport(RunResult(run, None, (BLOCKED,)), (one,) * incidents)


def shown(report: RunReport, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, no_color=True).print(incident_panel(report))
    return stream.getvalue()


def test_the_panel_tells_the_whole_story() -> None:
    text = shown(report())
    for part in (
        "core.orders.amount",
        "critical",
        SAW,
        "129900, 88000",
        "raw.orders.amount",
        "3f2a91bcd000",
        "4 columns downstream",
        "marts.daily_revenue.total_3",
        "fin@example.com",
        "main still has core.orders, marts.daily_revenue",
        "forge runs r20261115_061000_8a6d9d",
        "forge downstream core.orders.amount",
        "forge branch create fix-orders",
    ):
        assert part in text


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(cell_len(line) for line in shown(report(), width).splitlines()) <= width


def test_a_long_list_is_counted_not_shown() -> None:
    text = shown(report(spared=50, incidents=9))
    assert "50 columns downstream" in text
    assert "and 44 more" in text
    assert "and 3 more blocked columns" in text
    assert len(text.splitlines()) < 120


def test_markup_in_data_is_shown_as_it_is() -> None:
    odd = Verdict(
        check_id="c",
        check_type="x",
        table="core.orders",
        columns=("a",),
        outcome=Outcome.FAILED,
        severity=Severity.ERROR,
        message="found [red]x[/red]",
        blocks=True,
    )
    one = BlockedColumn(odd, ColumnName("core.orders", "a"), None, None, ())
    assert "found [red]x[/red]" in shown(RunReport(report().result, (one,)))


def test_where_nobody_is_hit_no_command_is_offered_that_would_fail() -> None:
    text = shown(report(spared=0))
    assert "nothing stands on it yet" in text
    assert "forge downstream" not in text


def test_what_a_contract_holds_back_is_told_with_its_code_its_place_and_what_to_do() -> None:
    details = {"code": "E530", "where": "contracts/core.orders.odcs.yaml:68", "fix": "Cast it to string in the query."}
    held = replace(BLOCKED, check_type="schema", message="amount is bigint, the contract says string", details=details)
    one = BlockedColumn(held, ColumnName("core.orders", "amount"), None, None, ())
    text = shown(RunReport(report().result, (one,)), 120)
    assert "contract  FORGE-E530 contracts/core.orders.odcs.yaml:68" in text
    assert "fix       Cast it to string in the query." in text
    assert "contract" not in shown(report())
