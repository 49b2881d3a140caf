"""How a dataset stands: what its run said, and what monitors and people found out since."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from monitor_world import MAIN, NOT_NULL, ORDERS, MonitorWorld

from forge.flows.quality.health import CurrentChecks, find_health, find_trend, find_verdicts, newest_attempts
from forge.flows.quality.incidents.open_incidents import HeldTables
from forge.flows.quality.results import find_history, find_result, find_results, first_failure, result_of, verdict_of
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.model.names import RunId
from forge.quality.spec import load_check
from forge.quality.verdict import Outcome
from forge.versioning.commit import Author, Tree

ROWS = {"type": "row_count", "min": 1}


def governed(world: MonitorWorld, *ids: int | None) -> RunId:
    """A run whose checks are in its own record."""
    world.rows = [{"id": number} for number in ids]
    ports = RunPorts(
        metadata=world.metadata,
        lake=world.lake,
        engine=world.engine,
        clock=world.clock,
        author=Author("Ada", "ada"),
        secrets=lambda reference: "",
    )
    return run(RunRequest(branch=MAIN, force=True), world.project(), ports).run.id


def make() -> MonitorWorld:
    world = MonitorWorld()
    world.checks = (load_check(NOT_NULL, table=ORDERS, where=""),)
    return world


def tree(world: MonitorWorld) -> Tree:
    branch = world.metadata.branch(MAIN)
    assert branch is not None
    return world.metadata.tree(branch.head)


def test_what_a_monitor_says_of_the_version_takes_the_place_of_what_its_run_said() -> None:
    world = make()
    first = governed(world, 1)
    world.later(hours=1)
    strict = {"type": "not_null", "column": "id"}
    done = world.run(world.monitor(checks=[strict, {"type": "row_count", "min": 5}]))
    since = world.store.standing(tree(world))
    health = find_health(world.metadata, ORDERS, tree(world), (), since)
    assert (health.score, health.checked_at) == (50.0, world.now)
    assert [(one.check_id, one.monitor_run_id) for one in health.results] == [
        ("core.orders.id.not_null", done.run.id),
        ("core.orders.row_count", done.run.id),
    ]
    alone = find_health(world.metadata, ORDERS, tree(world), ())
    assert (alone.score, [one.run_id for one in alone.results]) == (100.0, [first])


def test_failures_that_monitors_found_are_told_and_those_that_are_over_are_not() -> None:
    world = make()
    governed(world, 1)
    world.run(world.monitor(checks=[{"type": "row_count", "min": 5}]))
    attempts, since = newest_attempts(tree(world), ()), world.store.standing(tree(world))
    failed = find_verdicts(world.metadata, attempts, Outcome.FAILED, since)
    assert [verdict.check_id for _, verdict in failed] == ["core.orders.row_count"]
    assert len(find_verdicts(world.metadata, attempts, None, since)) == 2
    assert find_verdicts(world.metadata, attempts, Outcome.FAILED) == ()


def test_where_a_newer_attempt_was_held_back_its_word_counts() -> None:
    world = make()
    governed(world, 1)
    world.run(world.monitor())
    world.later(hours=1)
    stopped = governed(world, 1, None)
    held = world.metadata.blocked(MAIN)
    attempts, since = newest_attempts(tree(world), held), world.store.standing(tree(world))
    said = find_verdicts(world.metadata, attempts, None, since, held)
    assert [(run_id, verdict.outcome) for run_id, verdict in said] == [(stopped, Outcome.FAILED)]
    health = find_health(world.metadata, ORDERS, tree(world), held, since)
    assert (health.score, len(health.held_back)) == (100.0, 1)


def test_what_a_deleted_check_said_counts_only_where_it_holds_a_table_back() -> None:
    world = make()
    governed(world, 1)

    def count(*ids: str, made: bool = True, held: HeldTables = ()) -> int:
        now = CurrentChecks(frozenset(ids), made)
        return len(
            find_verdicts(world.metadata, newest_attempts(tree(world), held), held=held, current=lambda table: now)
        )

    assert (count("core.orders.id.not_null"), count(), count(made=False)) == (1, 0, 1)
    world.later(hours=1)
    governed(world, 1, None)
    assert (count(), count(held=world.metadata.blocked(MAIN))) == (0, 1)


def test_days_count_runs_and_monitors() -> None:
    world = make()
    governed(world, 1)
    world.run(world.monitor(checks=[NOT_NULL, ROWS]))
    (day,) = find_trend(world.metadata, MAIN, world.now, 1, world.store.tallies)
    assert (day.passed, day.runs) == (3, 2)
    found = world.metadata.dataset_tallies(MAIN, world.now - timedelta(days=1), world.now + timedelta(days=1))
    assert [(tally.table, tally.passed) for tally in found] == [("core.orders", 1)]
    assert world.metadata.dataset_tallies(MAIN, world.now + timedelta(days=1), datetime.max.replace(tzinfo=UTC)) == ()


def test_results_of_runs_and_monitors_are_one_list_newest_first() -> None:
    world = make()
    first = governed(world, 1)
    world.later(hours=1)
    done = world.run(world.monitor())
    found = find_results(world.metadata, world.store)
    assert [one.id for one in found] == [f"{done.run.id}.1", f"{first}.core.orders.id.not_null"]
    assert [one.id for one in find_results(world.metadata, world.store, limit=1)] == [f"{done.run.id}.1"]
    assert [one.run_id for one in find_results(world.metadata, world.store, run_id=first)] == [first]
    assert len(find_results(world.metadata, world.store, monitor_id=found[0].monitor_id)) == 1
    for one in found:
        assert find_result(world.metadata, world.store, one.id) == one
        assert [past.id for past in find_history(world.metadata, world.store, one)] == [past.id for past in found]


def test_a_verdict_of_a_run_is_the_same_when_it_was_a_result() -> None:
    world = make()
    first = world.metadata.run(governed(world, 1))
    assert first is not None
    ((_, verdict),) = world.metadata.verdicts(run_id=first.id)
    result = result_of(verdict, first)
    assert verdict_of(result) == verdict
    assert (result.commit_id, result.branch) == (first.commit_id, MAIN)


def test_where_a_row_of_failures_began() -> None:
    world = make()
    monitor = world.monitor()
    for ids in ((1, None), (1,), (1, None), (1, None), (1, None)):
        world.later(hours=1)
        world.publish(*ids)
        world.run(monitor)
    history = world.store.results(monitor_id=monitor.id)
    newest, oldest = history[0], history[-1]
    assert first_failure(newest, history) == history[2]
    assert first_failure(oldest, history) == oldest
    assert first_failure(history[3], history) is None  # it passed
