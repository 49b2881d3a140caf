"""One run of a monitor: judged, kept, told; whatever happens, it has an end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from monitor_world import MAIN, MONDAY, NOT_NULL, ORDERS, MonitorWorld

from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.monitors.run import carry_out, judge_by_hand, new_run
from forge.flows.quality.monitors.sla import find_sla
from forge.flows.quality.monitors.store import change_monitor, create_monitor, find_monitor, remove_monitor
from forge.flows.quality.observers import JudgementEvent, JudgementObserver, after_run
from forge.flows.runs.build import StepEvent
from forge.flows.runs.records import RunStatus
from forge.model.errors import DatabaseBusyError, ForgeError, errors_of
from forge.model.names import RunId
from forge.quality.monitors.monitor import MonitorRunStatus, Trigger
from forge.quality.monitors.sla import SlaState
from forge.quality.spec import load_check
from forge.quality.verdict import Outcome


def test_a_run_keeps_what_each_check_said_of_which_commit(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1, 2, None)
    monitor = monitor_world.monitor(checks=[NOT_NULL, {"type": "row_count", "min": 1}])
    done = monitor_world.run(monitor)
    branch = monitor_world.metadata.branch(MAIN)
    assert branch is not None
    assert (done.run.status, done.run.passed, done.run.failed) == (MonitorRunStatus.FAILED, 1, 1)
    kept = monitor_world.store.results(monitor_id=monitor.id)
    assert [(one.verdict, one.commit_id, one.monitor_run_id) for one in kept] == [
        (Outcome.FAILED, branch.head, done.run.id),
        (Outcome.PASSED, branch.head, done.run.id),
    ]
    assert kept[0].snapshot_id is not None
    assert kept[0].execution_ms is not None
    assert monitor_world.store.run(done.run.id) == done.run


def test_without_checks_of_its_own_a_monitor_judges_those_of_the_project(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1)
    monitor_world.checks = (load_check({"type": "unique", "column": "id"}, table=ORDERS, where=""),)
    done = monitor_world.run(monitor_world.monitor(checks=[]))
    assert [one.check_id for one in done.results] == ["core.orders.id.unique"]


def test_a_monitor_also_judges_what_the_contract_promises_by_the_clock_and_a_run_does_not(
    monitor_world: MonitorWorld,
) -> None:
    monitor_world.checks = (load_check({"type": "unique", "column": "id"}, table=ORDERS, where=""),)
    late = {"type": "row_count", "min": 5, "severity": "warning"}
    monitor_world.promises = (load_check(late, table=ORDERS, where=""),)
    monitor_world.publish(1)
    done = monitor_world.run(monitor_world.monitor(checks=[]))
    assert [(one.check_id, one.verdict) for one in done.results] == [
        ("core.orders.id.unique", Outcome.PASSED),
        ("core.orders.row_count", Outcome.FAILED),
    ]
    own = monitor_world.run(monitor_world.monitor(name="Own", checks=[NOT_NULL]))
    assert [one.type for one in own.results] == ["not_null"]
    before = judge_by_hand("core.orders", monitor_world.judging, at="HEAD").judged
    assert before is not None
    assert [check.type for check in before.checks] == ["unique"], "of what was long ago a clock says nothing"


def test_a_monitor_with_nothing_to_judge_says_so(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1)
    done = monitor_world.run(monitor_world.monitor(checks=[]))
    assert done.run.status is MonitorRunStatus.NOT_MEASURED
    assert done.run.error is not None
    assert done.run.error["code"] == "FORGE-E725"


def test_a_table_that_is_gone_makes_each_check_not_measured_with_the_reason(monitor_world: MonitorWorld) -> None:
    done = monitor_world.run(monitor_world.monitor())
    assert (done.run.status, done.run.not_measured) == (MonitorRunStatus.NOT_MEASURED, 1)
    (result,) = done.results
    assert result.verdict is Outcome.NOT_MEASURED
    assert "There is no table core.orders" in result.message
    assert [one.judged.verdicts[0].outcome for one in monitor_world.seen] == [
        Outcome.NOT_MEASURED
    ]  # those who wait are told


def test_a_project_that_cannot_be_read_is_told_in_the_run(
    monitor_world: MonitorWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor_world.publish(1)

    def broken() -> None:
        raise ForgeError("E103", "malformed")

    monkeypatch.setattr(monitor_world, "project", broken)
    done = monitor_world.run(monitor_world.monitor(checks=[]))
    assert (done.run.status, done.results) == (MonitorRunStatus.NOT_MEASURED, ())
    assert done.run.error is not None
    assert done.run.error["what"] == "malformed"


def test_an_error_that_nobody_foresaw_ends_the_run_too(
    monitor_world: MonitorWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor_world.publish(1)
    monkeypatch.setattr(monitor_world.metadata, "branch", lambda name: 1 / 0)
    done = monitor_world.run(replace(monitor_world.monitor(), checks=(NOT_NULL,)))
    assert done.run.status is MonitorRunStatus.NOT_MEASURED
    assert done.run.error is not None
    assert "ZeroDivisionError" in str(done.run.error["what"])


@pytest.mark.parametrize(
    ("stop", "status"),
    [(RunStatus.CANCELLED, MonitorRunStatus.CANCELLED), (RunStatus.INTERRUPTED, MonitorRunStatus.INTERRUPTED)],
)
def test_a_run_that_was_stopped_says_nothing_about_the_data(
    monitor_world: MonitorWorld, stop: RunStatus, status: MonitorRunStatus
) -> None:
    monitor_world.publish(1, None)
    monitor = monitor_world.monitor()
    made = new_run(monitor, monitor.dataset, Trigger.MANUAL, monitor_world.judging)
    monitor_world.store.claim(made)
    done = carry_out(monitor, made, monitor_world.judging, stopped=lambda: stop)
    assert (done.run.status, monitor_world.store.results(), monitor_world.seen) == (status, (), [])


def test_ctrl_c_ends_the_run_as_cancelled(monitor_world: MonitorWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monitor_world.publish(1)

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(monitor_world, "project", interrupted)
    monitor = monitor_world.monitor()
    with pytest.raises(KeyboardInterrupt):
        monitor_world.run(monitor)
    assert monitor_world.statuses(monitor) == ["cancelled"]


def test_events_tell_how_far_it_is(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1)
    monitor = monitor_world.monitor()
    made = new_run(monitor, monitor.dataset, Trigger.MANUAL, monitor_world.judging)
    monitor_world.store.claim(made)
    told: list[StepEvent] = []
    carry_out(monitor, made, monitor_world.judging, notify=told.append)
    assert [event.step for event in told] == ["started", "checked", "passed"]
    assert {str(event.table) for event in told} == {"core.orders"}
    assert told[1].detail == "1 passed"


# who is told


def test_observers_are_told_in_order_and_one_that_breaks_harms_nobody(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1, None)
    told: list[str] = []

    def broken(seen: JudgementEvent) -> tuple[str, ...]:
        raise DatabaseBusyError("The database is busy")

    def worse(seen: JudgementEvent) -> tuple[str, ...]:
        raise KeyError("x")

    def last(seen: JudgementEvent) -> tuple[str, ...]:
        told.append(seen.results[0].check_id)
        return ("a remark",)

    monitor_world.observers += [
        JudgementObserver("metrics", broken),
        JudgementObserver("alerts", worse),
        JudgementObserver("remedies", last),
    ]
    done = monitor_world.run(monitor_world.monitor())
    assert done.run.status is MonitorRunStatus.FAILED
    assert told == ["core.orders.id.not_null"]
    kept = monitor_world.store.run(done.run.id)
    assert kept is not None
    assert kept.notes == done.run.notes
    assert [note.partition(":")[0] for note in kept.notes] == ["metrics", "alerts", "a remark"]


def test_observers_get_the_monitor_and_the_kept_results(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1)
    monitor = monitor_world.monitor()
    done = monitor_world.run(monitor)
    (seen,) = monitor_world.seen
    assert (seen.monitor, seen.monitor_run_id, seen.whole) == (monitor, done.run.id, True)
    assert seen.result_ids == {"core.orders.id.not_null": f"{done.run.id}.1"}


def test_a_governed_run_tells_the_same_observers_and_keeps_nothing_twice(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1)
    judged = judge_by_hand("core.orders", monitor_world.judging, checks=monitor_world.checks).judged
    assert isinstance(judged, JudgedTable)
    monitor_world.seen.clear()
    before = monitor_world.store.results()
    after_run(replace(judged, run_id=RunId("r1")), monitor_world.judging.observers)
    assert monitor_world.seen[0].monitor is None
    assert monitor_world.store.results() == before


# by hand


def test_what_a_person_judges_is_kept_too(monitor_world: MonitorWorld) -> None:
    monitor_world.publish(1, None)
    check = load_check(NOT_NULL, table=ORDERS, where="")
    done = judge_by_hand("core.orders", monitor_world.judging, checks=[check], whole=False)
    assert (done.run.monitor_id, done.run.status) == (None, MonitorRunStatus.FAILED)
    (kept,) = monitor_world.store.results(table=ORDERS)
    assert (kept.monitor_id, kept.monitor_run_id) == (None, done.run.id)
    assert monitor_world.seen[0].whole is False


def test_what_cannot_be_judged_by_hand_is_raised_and_leaves_nothing(monitor_world: MonitorWorld) -> None:
    with pytest.raises(ForgeError) as error:
        judge_by_hand("core.nothing", monitor_world.judging)
    assert error.value.code == "E108"
    assert monitor_world.store.runs() == ()


# monitors


def test_all_that_is_wrong_is_told_and_nothing_is_written(monitor_world: MonitorWorld) -> None:
    with pytest.raises(ForgeError) as error:
        monitor_world.monitor(
            {"type": "interval"}, dataset="core.orders@nowhere", channels=["ops", "opps"], checks=[{"type": "x"}]
        )
    told = [one.what for one in errors_of(error.value)]
    assert [text.partition(" ")[0] for text in told] == [
        "checks[0].type",
        "schedule.interval_minutes",
        "dataset",
        "channels[1]",
    ]
    assert {one.code for one in errors_of(error.value)} == {"E720"}
    assert monitor_world.store.monitors() == ()


def test_a_change_keeps_the_rest_and_restarts_the_schedule_only_where_it_changed(monitor_world: MonitorWorld) -> None:
    monitor = monitor_world.monitor({"type": "interval", "interval_minutes": 5})
    monitor_world.later(hours=1)
    described = change_monitor(monitor.id, {"description": "x"}, monitor_world.ports)
    assert (described.scheduled_from, described.updated_at) == (MONDAY, monitor_world.now)
    assert change_monitor(monitor.id, {"description": "x"}, monitor_world.ports) == described  # nothing to do
    monitor_world.later(hours=1)
    faster = change_monitor(monitor.id, {"schedule": {"type": "interval", "interval_minutes": 1}}, monitor_world.ports)
    assert faster.scheduled_from == monitor_world.now
    monitor_world.later(hours=1)
    change_monitor(monitor.id, {"enabled": False}, monitor_world.ports)
    monitor_world.later(hours=1)
    assert change_monitor(monitor.id, {"enabled": True}, monitor_world.ports).scheduled_from == monitor_world.now


def test_a_monitor_is_found_by_its_name_and_a_mistyped_one_is_answered_with_the_nearest(
    monitor_world: MonitorWorld,
) -> None:
    monitor = monitor_world.monitor()
    assert find_monitor(monitor_world.store, "Orders") == monitor
    with pytest.raises(ForgeError) as error:
        find_monitor(monitor_world.store, monitor.id[:-1])
    assert error.value.code == "E721"
    assert monitor.id in str(error.value.why)


def test_a_monitor_that_was_removed_keeps_its_history_and_tells_who_looks_after_its_alerts(
    monitor_world: MonitorWorld,
) -> None:
    monitor_world.publish(1)
    monitor, gone = monitor_world.monitor(), list[str]()
    monitor_world.run(monitor)
    remove_monitor(monitor.id, replace(monitor_world.ports, retired=gone.append))
    assert gone == [monitor.id]
    assert monitor_world.store.monitors() == ()
    assert len(monitor_world.store.results(monitor_id=monitor.id)) == 1
    with pytest.raises(ForgeError) as error:
        find_monitor(monitor_world.store, monitor.id)
    assert error.value.why == "It was removed; its results are kept."


def test_two_who_change_a_monitor_at_once_both_get_their_way(monitor_world: MonitorWorld) -> None:
    monitor = monitor_world.monitor()
    real = monitor_world.store.change
    meanwhile = [lambda: change_monitor(monitor.id, {"description": "theirs"}, monitor_world.ports)]

    def change(*given: object) -> bool:
        monitor_world.later(seconds=1)
        if meanwhile:
            meanwhile.pop()()
        return real(*given)  # type: ignore[arg-type]

    monitor_world.store.change = change  # type: ignore[method-assign,assignment]
    both = change_monitor(monitor.id, {"sla_window_days": 7}, monitor_world.ports)
    assert (both.description, both.sla_window_days) == ("theirs", 7)


def test_two_monitors_may_have_one_name(monitor_world: MonitorWorld) -> None:
    fields = {"name": "Orders", "dataset": "core.orders"}
    first, second = create_monitor(fields, monitor_world.ports), create_monitor(fields, monitor_world.ports)
    assert first.id != second.id


def test_the_sla_counts_runs_by_when_they_began(monitor_world: MonitorWorld) -> None:
    monitor = monitor_world.monitor(sla_target_percentage=50.0, sla_window_days=7)
    for ids in ((1,), (1, None), (1,)):
        monitor_world.later(days=3)
        monitor_world.publish(*ids)
        monitor_world.run(monitor)
    sla = find_sla(monitor_world.store, monitor, monitor_world.now)
    assert (sla.counted.met, sla.counted.missed, sla.pass_rate) == (2, 1, 66.6667)
    assert find_sla(monitor_world.store, monitor, monitor_world.now, 4).pass_rate == 50.0
    assert find_sla(monitor_world.store, monitor, monitor_world.now + timedelta(days=30)).state is SlaState.NO_RUNS
