"""`forge quality monitor`: made, changed, run and looked at in the terminal. Python measures, in place of Spark."""

from __future__ import annotations

from typing import Any

import pytest

RANGE = "{type: range, column: amount, max: 25}"


def monitor(house: Any, *words: str, status: int = 0) -> Any:
    ended = house("quality", "monitor", *words)
    assert ended.status == status, ended.err
    return ended


def item(house: Any, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = monitor(house, *words, "--json").json["monitors"][0]
    return found


def create(house: Any, *words: str) -> str:
    return str(item(house, "create", "Orders", "core.orders", *words)["id"])


def test_a_monitor_is_made_shown_and_listed(checked: Any) -> None:
    made = create(checked, "--check", RANGE, "--cron", "0 6 * * *", "--timezone", "Europe/Berlin", "--sla", "99.5")
    found = item(checked, "show", made)
    assert found["schedule"] == {
        "type": "cron",
        "cron": "0 6 * * *",
        "interval_minutes": None,
        "timezone": "Europe/Berlin",
        "missed": "skip",
    }
    assert found["checks"] == [{"type": "range", "column": "amount", "max": 25}]
    assert (found["sla_target_percentage"], found["state"], found["enabled"]) == (99.5, "never ran", True)
    assert item(checked, "list") == found
    assert monitor(checked, "list", "core.payments", "--json").json["monitors"] == []
    assert monitor(checked, "list", "--disabled", "--json").json["monitors"] == []
    assert "cron 0 6 * * * Europe/Berlin" in monitor(checked, "show", "Orders").out


def test_a_monitor_of_a_table_that_is_not_there_is_refused_with_the_nearest(checked: Any) -> None:
    ended = monitor(checked, "create", "x", "core.ordres", status=2)
    assert "names a table that is not there: core.ordres" in ended.err
    assert "Did you mean core.orders?" in ended.err
    assert monitor(checked, "list", "--json").json["monitors"] == []


def test_a_check_that_was_deleted_no_longer_counts(checked: Any) -> None:
    checks = checked.root / "checks" / "orders.yaml"
    kept = checks.read_text()
    checks.write_text(kept + "  - {type: range, column: amount, max: 5, severity: warning}\n")
    assert checked("quality", "run").status == 0
    assert checked("quality", "gate", "core.orders", "--min-score", "100").status == 1
    checks.write_text(kept)
    ended = checked("quality", "gate", "core.orders", "--min-score", "100")
    assert ended.status == 0, ended.out


@pytest.mark.slow
def test_a_monitor_with_failed_warnings_does_not_read_ok(checked: Any) -> None:
    made = create(checked, "--check", "{type: range, column: amount, max: 5, severity: warning}")
    monitor(checked, "run", made)
    (listed,) = monitor(checked, "list", "--json").json["monitors"]
    assert listed["state"] == "warning"


def test_a_dry_run_keeps_nothing(checked: Any) -> None:
    monitor(checked, "create", "Orders", "core.orders", "--every", "5", "--dry-run")
    ended = monitor(checked, "list")
    assert ended.out == ""
    assert "No monitors yet" in ended.err


def test_all_that_is_wrong_is_told_and_nothing_is_made(checked: Any) -> None:
    ended = monitor(
        checked, "create", "x", "orders", "--check", "{type: rang}", "--every", "0", "--channel", "ops", status=2
    )
    for word in ("dataset", "checks[0].type", "schedule.interval_minutes", "channels[0]"):
        assert f"FORGE-E720 {word}" in ended.err
    assert monitor(checked, "list").out == ""


@pytest.mark.parametrize(
    "words",
    [
        ("--cron", "0 6 * * *", "--every", "5"),
        ("--on-change", "--every", "5"),
        ("--timezone", "UTC"),
        ("--missed", "catch_up"),
        ("--check", RANGE, "--checks-file", "x.yaml"),
        ("--checks-file", "nowhere.yaml"),
    ],
)
def test_options_that_do_not_go_together_are_refused(checked: Any, words: tuple[str, ...]) -> None:
    monitor(checked, "create", "Orders", "core.orders", *words, status=2)


def test_checks_come_from_a_file(checked: Any) -> None:
    (checked.root / "mine.yaml").write_text("- {type: unique, column: order_id}\n- {type: row_count, min: 1}\n")
    made = create(checked, "--checks-file", "mine.yaml")
    assert [check["type"] for check in item(checked, "show", made)["checks"]] == ["unique", "row_count"]
    (checked.root / "mine.yaml").write_text("type: unique\n")
    monitor(checked, "create", "Orders", "core.orders", "--checks-file", "mine.yaml", status=3)


def test_a_change_leaves_what_it_does_not_name(checked: Any) -> None:
    made = create(checked, "--check", RANGE, "--every", "5", "--missed", "catch_up")
    changed = item(checked, "edit", made, "--cron", "0 7 * * *", "--description", "täglich", "--no-recovery")
    assert (changed["schedule"]["type"], changed["schedule"]["missed"]) == ("cron", "catch_up")
    assert (changed["schedule"]["interval_minutes"], changed["notify_on_recovery"]) == (None, False)
    assert len(changed["checks"]) == 1
    assert item(checked, "edit", made, "--by-hand")["schedule"] is None
    assert "Nothing to change" in monitor(checked, "edit", made, "--by-hand").err
    assert item(checked, "disable", made)["state"] == "paused"
    assert item(checked, "enable", made)["enabled"] is True
    monitor(checked, "delete", made, "--yes")
    assert monitor(checked, "list").out == ""
    assert "FORGE-E721" in monitor(checked, "show", made, status=2).err


def test_a_run_ends_with_what_its_checks_said(checked: Any) -> None:
    made = create(checked, "--check", RANGE, "--check", "{type: row_count, min: 1}")
    document = monitor(checked, "run", made, "--json", status=1).json
    assert [result["verdict"] for result in document["results"]] == ["failed", "passed"]
    assert (document["run"]["status"], document["run"]["trigger"]) == ("failed", "manual")
    assert monitor(checked, "run", made, "--fail-on", "critical").status == 0
    assert item(checked, "show", made)["state"] == "failing"
    runs = monitor(checked, "history", made, "--json").json["runs"]
    assert [run["status"] for run in runs] == ["failed", "failed"]
    assert len(monitor(checked, "history", made, "--limit", "1", "--json").json["runs"]) == 1


def test_a_run_that_cannot_judge_ends_with_its_error(checked: Any) -> None:
    made_later = checked.root / "transforms" / "core" / "nothing.sql"
    made_later.parent.mkdir(parents=True)
    made_later.write_text("SELECT 1 AS id")
    made = item(checked, "create", "x", "core.nothing", "--check", RANGE)["id"]
    ended = monitor(checked, "run", made, status=3)
    assert "There is no table core.nothing" in ended.out


def test_without_checks_those_of_the_project_are_run(checked: Any) -> None:
    ended = monitor(checked, "run", create(checked), "--json")
    assert [result["check_id"] for result in ended.json["results"]] == ["core.orders.customer.not_null"]


def test_the_sla_is_told(checked: Any) -> None:
    made = create(checked, "--check", RANGE, "--sla", "90", "--sla-window", "7")
    monitor(checked, "run", made, status=1)
    found = monitor(checked, "sla", made, "--json").json
    assert (found["state"], found["pass_rate"], found["missed"], found["window_days"]) == ("missed", 0.0, 1, 7)
    assert "missed, 0% of 1 runs passed in 7 days, target 90%" in monitor(checked, "sla", made).out
    assert monitor(checked, "sla", made, "--window", "30", "--json").json["window_days"] == 30


def test_monitors_of_files_are_taken_in_and_changed_only_there(checked: Any) -> None:
    (checked.root / "quality").mkdir()
    file = checked.root / "quality" / "orders.yaml"
    file.write_text("monitors:\n  - {name: Daily, dataset: core.orders}\n  - {name: Broken, dataset: x}\n")
    ended = monitor(checked, "list", "--json")
    assert [one["file"] for one in ended.json["monitors"]] == ["quality/orders.yaml:2"]
    assert "FORGE-E720 quality/orders.yaml:3" in ended.err
    assert "FORGE-E722" in monitor(checked, "disable", "daily", status=2).err
    monitor(checked, "run", "daily")
    file.unlink()
    assert monitor(checked, "list").out == ""
