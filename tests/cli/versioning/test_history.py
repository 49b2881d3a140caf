"""What `log`, `show`, `diff`, `runs`, `branch` and the lineage commands say of a recorded history."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from forge.cli.runs.run_record import answer_of_run
from forge.flows.runs.records import RunRecord, RunStatus
from forge.model.names import BranchName, RunId

READS: tuple[tuple[str, ...], ...] = (
    ("plan",),
    ("runs",),
    ("runs", "r1"),
    ("log",),
    ("show",),
    ("show", "raw.orders"),
    ("diff", "HEAD~1..HEAD"),
    ("branch", "list"),
    ("lineage", "raw.orders"),
    ("upstream", "marts.revenue.revenue"),
    ("downstream", "raw.orders.amount"),
    ("explain",),
    ("version",),
    ("repair", "--dry-run"),
    ("gc", "--dry-run"),
    ("run", "--dry-run"),
)


@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_every_read_speaks_every_format(forge: Any, history: Any, words: tuple[str, ...]) -> None:
    ended = forge(*words, "--json", at=history.root)
    assert ended.status == 0, ended.err
    assert ended.json["schema_version"] == 1
    for format in ("table", "ndjson", "csv", "yaml"):
        other = forge(*words, "--format", format, at=history.root)
        assert other.status == 0, other.err
        assert "\x1b" not in other.out + other.err
    document = yaml.safe_load(forge(*words, "--format", "yaml", at=history.root).out)
    assert document.keys() == ended.json.keys()


@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_quiet_says_nothing_on_stderr(forge: Any, history: Any, words: tuple[str, ...]) -> None:
    assert forge(*words, "-q", at=history.root).err == ""


def test_log_lists_commits_newest_first(forge: Any, history: Any) -> None:
    commits = forge("log", "--json", at=history.root).json["commits"]
    assert [commit["id"] for commit in commits] == [history.second.id, history.first.id]
    assert commits[0]["author"]["name"] == "Grace"
    assert [one["table"] for one in commits[0]["tables"]] == ["raw.orders"]
    assert commits[0]["parents"] == [history.first.id]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (("--limit", "1"), ["Orders of the 15th"]),
        (("HEAD~1",), ["First load"]),
        (("dev",), ["First load"]),
        (("--table", "marts.revenue"), ["First load"]),
        (("--author", "grace"), ["Orders of the 15th"]),
        (("--since", "2026-11-15"), ["Orders of the 15th"]),
        (("--until", "2026-11-14T12:00"), ["First load"]),
    ],
)
def test_log_shows_what_was_asked_for(forge: Any, history: Any, options: tuple[str, ...], messages: list[str]) -> None:
    found = forge("log", *options, "--json", at=history.root).json["commits"]
    assert [commit["message"] for commit in found] == messages


def test_log_as_text_has_short_ids_and_is_stable(forge: Any, history: Any) -> None:
    lines = forge("log", at=history.root).out.splitlines()
    assert lines[0].split() == ["commit", "time", "(UTC)", "author", "tables", "message"]
    assert lines[1].startswith(f"{history.second.id[:12]}  2026-11-15 06:10:00  Grace")


def test_log_as_csv_reads_back(forge: Any, history: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(forge("log", "--format", "csv", at=history.root).out)))
    assert [row["message"] for row in rows] == ["Orders of the 15th", "First load"]


def test_show_without_a_word_is_the_newest_commit_and_its_tables(forge: Any, history: Any) -> None:
    document = forge("show", "--json", at=history.root).json
    assert document["commit"]["id"] == history.second.id
    found = {t["table"]: (t["version"], t["rows"], t["rows_added"], t["changed"]) for t in document["tables"]}
    assert found == {"raw.orders": (2, 8, 2, True), "marts.revenue": (1, 3, None, False)}


def test_show_of_a_table_knows_schema_owner_version_rows_run_and_checks(forge: Any, history: Any) -> None:
    document = forge("show", "marts.revenue", "--json", at=history.root).json
    table = document["table"]
    assert (table["owner"], table["version"], table["rows"]) == ("finance@example.com", 1, 3)
    assert table["commit"] == history.first.id  # the one that made it, not the newest
    assert [(c["name"], c["type"], c["description"]) for c in document["columns"]] == [
        ("revenue", "bigint", "The revenue")
    ]
    assert document["run"]["run_id"] == "r1"
    assert [verdict["outcome"] for verdict in document["verdicts"]] == ["passed"]


def test_show_of_a_table_at_a_revision(forge: Any, history: Any) -> None:
    assert forge("show", "raw.orders@HEAD~1", "--json", at=history.root).json["table"]["rows"] == 6
    assert forge("show", "raw.orders@dev", "--json", at=history.root).json["table"]["version"] == 1
    assert forge("show", "RAW.Orders@2026-11-14", "--json", at=history.root).json["table"]["rows"] == 6


def test_a_query_is_told_one_place_to_read(forge: Any, history: Any) -> None:
    ended = forge("query", "SELECT 1", "--at", "HEAD~1", "--branch", "dev", at=history.root)
    assert ended.status == 2
    assert "--at dev" in ended.err


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (("show", "raw.order"), "raw.orders"),
        (("log", "mian"), "main"),
        (("branch", "delete", "dve", "--yes"), "dev"),
        (("upstream", "marts.revenu"), "marts.revenue"),
        (("runs", "--status", "bloked"), "blocked"),
    ],
)
def test_an_unknown_name_gets_the_nearest(forge: Any, history: Any, words: tuple[str, ...], nearest: str) -> None:
    ended = forge(*words, at=history.root)
    assert ended.status == 2
    assert f"Did you mean {nearest}" in ended.err


def test_diff_counts_rows_by_table(forge: Any, history: Any) -> None:
    document = forge("diff", f"{history.first.id[:8]}..main", "--stat", "--json", at=history.root).json
    assert [(c["table"], c["change"], c["rows_before"], c["rows_after"]) for c in document["changes"]] == [
        ("raw.orders", "changed", 6, 8)
    ]


def test_runs_are_listed_newest_first(forge: Any, history: Any) -> None:
    found = forge("runs", "--json", at=history.root).json["runs"]
    assert [(run["run_id"], run["status"]) for run in found] == [
        ("r3", "blocked"),
        ("r2", "succeeded"),
        ("r1", "succeeded"),
    ]
    blocked = forge("runs", "--status", "blocked", "--json", at=history.root).json["runs"]
    assert [run["run_id"] for run in blocked] == ["r3"]


def test_one_run_is_shown_with_outputs_and_verdicts(forge: Any, history: Any) -> None:
    document = forge("runs", history.blocked, "--json", at=history.root).json
    assert [(o["table"], o["status"]) for o in document["outputs"]] == [("marts.revenue", "blocked")]
    assert [(v["outcome"], v["blocks"]) for v in document["verdicts"]] == [("failed", True)]
    text = forge("runs", history.blocked, at=history.root).out
    assert "✗ marts.revenue.revenue  range, critical: 1 row outside 0 … 10000 (blocks)" in text


def test_a_run_shows_its_time_range(forge: Any, history: Any) -> None:
    (r1,) = [run for run in forge("runs", "--json", at=history.root).json["runs"] if run["run_id"] == "r1"]
    assert (r1["start"], r1["end"]) == (None, None)
    day = datetime(2026, 11, 14, tzinfo=UTC)
    end = day + timedelta(days=1)
    run = RunRecord(
        id=RunId("r"),
        branch=BranchName("main"),
        status=RunStatus.SUCCEEDED,
        started_at=day,
        user="a",
        host="h",
        pid=1,
        process_started="",
        start=day,
        end=end,
    )
    answer = answer_of_run(run, ())
    assert "range   2026-11-14 00:00:00 … 2026-11-15 00:00:00 UTC" in answer.head
    assert run.to_dict().items() >= {"start": day, "end": end}.items()
    assert not [line for line in answer_of_run(replace(run, start=None, end=None), ()).head if "range" in line]


def test_upstream_is_a_tree_down_to_the_file(forge: Any, history: Any) -> None:
    assert forge("upstream", "marts.revenue.revenue", at=history.root).out.splitlines() == [
        "marts.revenue.revenue comes from 2 columns of 2 tables",
        "└─ raw.orders.amount  (aggregation: sum(amount))",
        "   └─ files:data/*.csv.amount",
    ]


def test_lineage_of_a_table_goes_both_ways(forge: Any, history: Any) -> None:
    assert forge("lineage", "raw.orders", at=history.root).out.splitlines() == [
        "raw.orders comes from 1 table",
        "└─ files:data/*.csv",
        "raw.orders goes to 1 table",
        "└─ marts.revenue",
    ]


def test_depth_ends_the_walk(forge: Any, history: Any) -> None:
    near = forge("upstream", "marts.revenue.revenue", "--depth", "1", "--json", at=history.root).json
    assert [item["id"] for item in near["items"]] == ["raw.orders.amount"]
    far = forge("upstream", "marts.revenue.revenue", "--depth", "all", "--json", at=history.root).json
    assert [item["id"] for item in far["items"]] == ["raw.orders.amount", "files:data/*.csv.amount"]
    assert forge("upstream", "marts.revenue", "--depth", "far", at=history.root).status == 2


def test_branches_know_how_far_they_are_from_main(forge: Any, history: Any) -> None:
    found = forge("branch", "list", "--json", at=history.root).json["branches"]
    assert [(b["name"], b["ahead"], b["behind"]) for b in found] == [("main", 0, 0), ("dev", 0, 1)]


def test_a_branch_is_created_from_a_revision_and_deleted(forge: Any, history: Any) -> None:
    ended = forge("branch", "create", "fix-a", "--from", "HEAD~1", "-d", "a fix", at=history.root)
    assert (ended.status, ended.out) == (0, "fix-a\n")
    found = {b["name"]: b for b in forge("branch", "list", "--json", at=history.root).json["branches"]}
    assert found["fix-a"]["head_commit"] == history.first.id
    assert found["fix-a"]["description"] == "a fix"
    assert forge("branch", "delete", "fix-a", "--yes", at=history.root).status == 0
    assert "fix-a" not in forge("branch", "list", at=history.root).out


def test_a_bad_branch_name_is_usage(forge: Any, history: Any) -> None:
    ended = forge("branch", "create", "a..b", at=history.root)
    assert ended.status == 2
    assert "FORGE-E604" in ended.err


def test_a_project_without_commits_says_how_to_get_one(forge: Any, project: Any) -> None:
    ended = forge("log", at=project)
    assert ended.status == 2
    assert "FORGE-E606" in ended.err
    assert "forge run" in ended.err


def test_a_query_that_is_no_select_is_refused_without_a_jvm(forge: Any, history: Any) -> None:
    ended = forge("query", "DROP TABLE raw.orders", at=history.root)
    assert ended.status == 2
    assert "FORGE-E213" in ended.err


def test_a_query_of_an_unknown_table_names_the_nearest_without_a_jvm(forge: Any, history: Any) -> None:
    ended = forge("query", "SELECT * FROM raw.order", at=history.root)
    assert ended.status == 2
    assert "Did you mean raw.orders" in ended.err
