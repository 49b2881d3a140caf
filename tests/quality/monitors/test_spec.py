"""Monitors as people write them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from forge.quality.monitors.file import find_doubles, load_monitors, slug_of
from forge.quality.monitors.monitor import MissedPolicy, Monitor, Schedule, ScheduleType, new_monitor_id
from forge.quality.monitors.spec import read_monitor, read_schedule, schedule_json
from forge.quality.verdict import Severity

SMALL: dict[object, object] = {"name": "Orders", "dataset": "core.orders"}


def paths(mapping: object) -> list[str]:
    monitor, faults = read_monitor(mapping)
    assert (monitor is None) == bool(faults)
    return [fault.path for fault in faults]


def test_what_is_left_out_is_as_the_specification_says() -> None:
    monitor, _ = read_monitor(SMALL)
    assert monitor == Monitor(id="", name="Orders", dataset="core.orders")
    assert monitor is not None
    assert (monitor.enabled, monitor.severity_threshold, monitor.notify_on_recovery) == (True, Severity.WARNING, True)
    assert (monitor.sla_target_percentage, monitor.sla_window_days, monitor.channels) == (None, 30, ())
    assert (monitor.schedule, monitor.checks, monitor.branch) == (None, (), None)


def test_a_dataset_may_name_its_branch_and_is_written_one_way() -> None:
    monitor, _ = read_monitor({**SMALL, "dataset": " Core.Orders@feature/x "})
    assert monitor is not None
    assert (monitor.dataset, str(monitor.table), monitor.branch) == (
        "core.orders@feature/x",
        "core.orders",
        "feature/x",
    )


@pytest.mark.parametrize(
    ("mapping", "wrong"),
    [
        ([], ["monitor"]),
        ({}, ["name", "dataset"]),
        ({**SMALL, "name": "  "}, ["name"]),
        ({**SMALL, "name": "a\x00b"}, ["name"]),
        ({**SMALL, "name": "x" * 256}, ["name"]),
        ({**SMALL, "dataset": "orders"}, ["dataset"]),
        ({**SMALL, "dataset": "core.orders@"}, ["dataset"]),
        ({**SMALL, "enabled": "yes"}, ["enabled"]),
        ({**SMALL, "channels": "ops"}, ["channels"]),
        ({**SMALL, "severity_threshold": "fatal"}, ["severity_threshold"]),
        ({**SMALL, "sla_target_percentage": 0}, ["sla_target_percentage"]),
        ({**SMALL, "sla_target_percentage": 100.1}, ["sla_target_percentage"]),
        ({**SMALL, "sla_target_percentage": True}, ["sla_target_percentage"]),
        ({**SMALL, "sla_window_days": 0}, ["sla_window_days"]),
        ({**SMALL, "checks": {"type": "unique"}}, ["checks"]),
        ({**SMALL, "datset": 1}, ["datset"]),
        ({**SMALL, 7: 1}, ["7"]),
        ({**SMALL, "schedule": "0 6 * * *"}, ["schedule"]),
        ({**SMALL, "schedule": {}}, ["schedule"]),
        ({**SMALL, "schedule": {"type": "hourly"}}, ["schedule"]),
        ({**SMALL, "schedule": {"type": "interval", "interval_minutes": 1.5}}, ["schedule"]),
        ({**SMALL, "schedule": {"type": "cron", "cron": 5}}, ["schedule"]),
        ({**SMALL, "schedule": {"type": "cron", "cron": "0 6 * *", "every": 3}}, ["schedule.every", "schedule.cron"]),
    ],
)
def test_each_thing_that_is_wrong_is_told_with_its_path(mapping: object, wrong: list[str]) -> None:
    assert paths(mapping) == wrong


def test_everything_that_is_wrong_is_told_at_once() -> None:
    checks = [{"type": "not_null", "column": "id"}, {"type": "range", "column": "a"}, {"type": "regx"}]
    found = paths({"dataset": "x", "checks": checks, "schedule": {"type": "interval"}, "sla_window_days": -1})
    assert found[0] == "dataset"
    assert {"schedule.interval_minutes", "sla_window_days", "name"} <= set(found)
    assert [path.split(".")[0] for path in found if path.startswith("checks")] == ["checks[1]", "checks[2]"]


def test_a_change_leaves_what_it_does_not_name() -> None:
    before = Monitor(id="m", name="Orders", dataset="core.orders", channels=("ops",), sla_target_percentage=99.0)
    after, faults = read_monitor({"description": "x", "sla_target_percentage": None}, before=before)
    assert faults == ()
    assert after is not None
    assert (after.id, after.description, after.channels, after.sla_target_percentage) == ("m", "x", ("ops",), None)


def test_a_schedule_is_the_same_after_it_was_kept() -> None:
    schedule = Schedule(ScheduleType.CRON, "0 6 * * *", None, "Europe/Berlin", MissedPolicy.CATCH_UP)
    assert read_schedule(schedule_json(schedule)) == (schedule, ())
    assert schedule_json(None) is None


def test_ids_of_one_name_differ_and_can_be_read() -> None:
    first, second = new_monitor_id("Bestellungen, täglich"), new_monitor_id("Bestellungen, täglich")
    assert first.startswith("bestellungen-t-glich-")
    assert first != second
    assert new_monitor_id("注文").startswith("monitor-")


# files

FILE = """\
checks:
  core.orders:
    - {type: not_null, column: id}
monitors:
  - name: Orders every morning
    dataset: core.orders
    schedule: {type: cron, cron: 0 6 * * *}
    checks:
      - {type: range, column: day, min: 2026-01-01}
  - id: payments
    name: Payments
    dataset: core.payments@dev
    enabled: false
"""


def test_monitors_of_a_file_have_an_id_and_a_place() -> None:
    read = load_monitors(FILE, "quality/a.yaml")
    assert read.errors == ()
    first, second = read.monitors
    assert (first.id, first.file) == ("orders-every-morning", "quality/a.yaml:5")
    assert first.checks == ({"type": "range", "column": "day", "min": date(2026, 1, 1)},)
    assert (second.id, second.file, second.enabled, second.branch) == ("payments", "quality/a.yaml:10", False, "dev")


def test_a_monitor_that_cannot_be_read_is_told_by_line_and_the_others_are_there() -> None:
    text = FILE.replace("dataset: core.payments@dev", "datset: core.payments").replace("0 6 * * *", "0 25 * * *")
    read = load_monitors(text, "q.yaml")
    assert read.monitors == ()
    assert [(error.code, error.where) for error in read.errors] == [
        ("E720", "q.yaml:7"),
        ("E720", "q.yaml:12"),
        ("E720", "q.yaml:10"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("monitors: [", "E103"),
        ("- a", "E103"),
        ("monitrs: []", "E104"),
        ("monitors: {a: 1}", "E103"),
        ("a: 1\na: 2", "E103"),
    ],
)
def test_a_file_of_another_shape_is_an_error_and_no_crash(text: str, code: str) -> None:
    read = load_monitors(text, "q.yaml")
    assert ([error.code for error in read.errors], read.monitors) == ([code], ())


@pytest.mark.parametrize("text", ["", "checks: {}", "monitors:", "monitors: []"])
def test_a_file_without_monitors_is_none(text: str) -> None:
    assert load_monitors(text, "q.yaml").monitors == ()


@pytest.mark.parametrize("own", ["Has Space", "", "x" * 61, "-a", 5])
def test_an_id_is_short_and_plain(own: Any) -> None:
    read = load_monitors(f"monitors: [{{id: {own!r}, name: a, dataset: core.a}}]", "q.yaml")
    assert [error.code for error in read.errors] == ["E720"]


def test_two_of_one_id_are_told_with_both_places() -> None:
    text = "monitors:\n- {name: a b, dataset: c.d}\n- {name: A-B, dataset: c.e}\n"
    (error,) = find_doubles(load_monitors(text, "q.yaml").monitors)
    assert (error.where, error.why) == ("q.yaml:3", "The other one is at q.yaml:2.")
    assert slug_of("ÄÖ") == "monitor"
