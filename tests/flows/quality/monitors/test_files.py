"""Monitors of quality/*.yaml."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from monitor_world import MonitorWorld

from forge.flows.quality.monitors.files import FileWatch, MonitorSync, sync_monitors
from forge.flows.quality.monitors.store import change_monitor, create_monitor, remove_monitor
from forge.flows.runs.project import load_project
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.check import Check

ORDERS = """\
monitors:
  - name: Orders
    dataset: core.orders
    schedule: {type: interval, interval_minutes: 5}
  - name: Payments
    dataset: core.payments
    checks: [{type: range, column: day, min: 2026-01-01}]
"""


def write(root: Path, text: str, name: str = "a.yaml") -> None:
    (root / "quality").mkdir(exist_ok=True)
    (root / "quality" / name).write_text(text)


def changes(synced: MonitorSync) -> tuple[list[str], list[str], list[str]]:
    return list(synced.added), list(synced.changed), list(synced.removed)


def test_monitors_of_files_are_there_and_a_second_look_changes_nothing(
    monitor_world: MonitorWorld, tmp_path: Path
) -> None:
    write(tmp_path, ORDERS)
    assert changes(sync_monitors(tmp_path, monitor_world.ports)) == (["orders", "payments"], [], [])
    assert changes(sync_monitors(tmp_path, monitor_world.ports)) == ([], [], [])
    first, second = monitor_world.store.monitors()
    assert (first.id, first.file, first.created_by) == ("orders", "quality/a.yaml:2", "quality/a.yaml")
    assert second.checks[0]["type"] == "range"


def test_no_folder_is_no_monitor(monitor_world: MonitorWorld, tmp_path: Path) -> None:
    assert sync_monitors(tmp_path, monitor_world.ports) == MonitorSync()


def test_what_changes_in_the_file_changes_and_the_rest_stays(monitor_world: MonitorWorld, tmp_path: Path) -> None:
    write(tmp_path, ORDERS)
    sync_monitors(tmp_path, monitor_world.ports)
    before = monitor_world.store.monitor("orders")
    monitor_world.later(hours=1)
    write(tmp_path, ORDERS.replace("interval_minutes: 5", "interval_minutes: 9"))
    assert changes(sync_monitors(tmp_path, monitor_world.ports)) == ([], ["orders"], [])
    after = monitor_world.store.monitor("orders")
    assert before is not None
    assert after is not None
    assert (after.created_at, after.scheduled_from) == (before.created_at, monitor_world.now)


def test_what_leaves_the_file_is_removed_and_comes_back_with_its_history(
    monitor_world: MonitorWorld, tmp_path: Path
) -> None:
    monitor_world.publish(1)
    monitor_world.checks = ()
    write(
        tmp_path,
        ORDERS.replace("dataset: core.orders\n", "dataset: core.orders\n    checks: [{type: unique, column: id}]\n"),
    )
    sync_monitors(tmp_path, monitor_world.ports)
    monitor = monitor_world.store.monitor("orders")
    assert monitor is not None
    monitor_world.run(monitor)
    (tmp_path / "quality" / "a.yaml").unlink()
    assert changes(sync_monitors(tmp_path, monitor_world.ports)) == ([], [], ["orders", "payments"])
    assert monitor_world.store.monitors() == ()
    assert len(monitor_world.store.results(monitor_id="orders")) == 1
    write(tmp_path, ORDERS)
    assert changes(sync_monitors(tmp_path, monitor_world.ports)) == ([], ["orders", "payments"], [])
    assert [one.id for one in monitor_world.store.monitors()] == ["orders", "payments"]


@pytest.mark.parametrize("text", ["monitors: [", ORDERS.replace("core.orders", "orders"), "monitors: {}", "x: 1"])
def test_a_file_that_is_broken_for_a_while_takes_no_monitor_away(
    monitor_world: MonitorWorld, tmp_path: Path, text: str
) -> None:
    write(tmp_path, ORDERS)
    sync_monitors(tmp_path, monitor_world.ports)
    write(tmp_path, text)
    synced = sync_monitors(tmp_path, monitor_world.ports)
    assert synced.errors
    assert synced.removed == ()
    assert [one.id for one in monitor_world.store.monitors()] == ["orders", "payments"]


def test_a_file_that_is_not_text_is_told(monitor_world: MonitorWorld, tmp_path: Path) -> None:
    write(tmp_path, "")
    (tmp_path / "quality" / "a.yaml").write_bytes(b"\xff\xfe")
    assert [error.where for error in sync_monitors(tmp_path, monitor_world.ports).errors] == ["quality/a.yaml"]


def test_a_channel_or_branch_that_is_not_there_is_told_by_place_and_the_others_come(
    monitor_world: MonitorWorld, tmp_path: Path
) -> None:
    write(tmp_path, ORDERS.replace("dataset: core.orders", "dataset: core.orders@nowhere\n    channels: [opps]"))
    synced = sync_monitors(tmp_path, monitor_world.ports)
    assert synced.added == ("payments",)
    assert [(error.code, error.where) for error in synced.errors] == [("E720", "quality/a.yaml:2")] * 2


def test_two_files_with_one_id_are_told_and_the_first_counts(monitor_world: MonitorWorld, tmp_path: Path) -> None:
    write(tmp_path, ORDERS)
    write(tmp_path, "monitors: [{name: orders, dataset: core.other}]", "b.yml")
    synced = sync_monitors(tmp_path, monitor_world.ports)
    assert [error.where for error in synced.errors] == ["quality/b.yml:1"]
    found = monitor_world.store.monitor("orders")
    assert found is not None
    assert found.dataset == "core.orders"


def test_an_id_of_a_monitor_that_is_in_no_file_is_left_alone(
    monitor_world: MonitorWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forge.flows.quality.monitors.store.new_monitor_id", lambda name: "orders")
    create_monitor({"name": "mine", "dataset": "core.orders"}, monitor_world.ports)
    write(tmp_path, ORDERS)
    synced = sync_monitors(tmp_path, monitor_world.ports)
    assert (synced.added, len(synced.errors)) == (("payments",), 1)
    found = monitor_world.store.monitor("orders")
    assert found is not None
    assert found.name == "mine"


def test_a_monitor_of_a_file_is_changed_only_there(monitor_world: MonitorWorld, tmp_path: Path) -> None:
    write(tmp_path, ORDERS)
    sync_monitors(tmp_path, monitor_world.ports)
    with pytest.raises(ForgeError) as changed:
        change_monitor("orders", {"enabled": False}, monitor_world.ports)
    with pytest.raises(ForgeError) as removed:
        remove_monitor("orders", monitor_world.ports)
    for error in (changed.value, removed.value):
        assert (error.code, error.where) == ("E722", "quality/a.yaml:2")


def test_a_watch_looks_again_only_when_a_file_changed(monitor_world: MonitorWorld, tmp_path: Path) -> None:
    watch = FileWatch(tmp_path, monitor_world.ports)
    assert watch.look() == MonitorSync()
    assert watch.look() is None
    write(tmp_path, ORDERS)
    synced = watch.look()
    assert synced is not None
    assert len(synced.added) == 2
    assert watch.look() is None
    os.utime(tmp_path / "quality" / "a.yaml", ns=(1, 1))
    assert watch.look() == MonitorSync()


# checks of the same files


def project_checks(root: Path) -> list[str]:
    found: dict[TableName, tuple[Check, ...]] = dict(load_project(root, lambda table: None).checks)
    return [check.check_id(table) for table, checks in found.items() for check in checks]


def test_checks_of_quality_files_belong_to_the_project(tmp_path: Path) -> None:
    write(tmp_path, "checks:\n  core.orders:\n    - {type: not_null, column: id}\nmonitors: []\n")
    assert project_checks(tmp_path) == ["core.orders.id.not_null"]


def test_a_check_of_a_quality_file_that_cannot_be_read_is_told_by_its_line(tmp_path: Path) -> None:
    write(tmp_path, "monitors: []\nchecks:\n  core.orders:\n    - {type: not_null, column: id}\n    - {type: rang}\n")
    (fault,) = load_project(tmp_path, lambda table: None).faults
    assert (fault.error.code, fault.error.where) == ("E701", "quality/a.yaml:5")
    assert fault.tables == {TableName("core", "orders")}


def test_an_unknown_key_of_a_quality_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "check:\n  core.orders: []\n")
    (fault,) = load_project(tmp_path, lambda table: None).faults
    assert (fault.error.code, fault.error.where) == ("E104", "quality/a.yaml:1")
