"""Which question ends where questions have every core, without a JVM."""

from __future__ import annotations

from forge.api.preemption import FAIR_SECONDS, PreemptedRead, Preemption, RunningRead
from forge.flows.runs.engine import StarvedJobs
from forge.model.names import RunId

LATER = FAIR_SECONDS + 1


def read(name: str, began: float = 0.0) -> RunningRead:
    """`ann1` is the first question of ann."""
    return RunningRead(RunId(name), name.rstrip("0123456789"), began)


def starved(*reads: str, writes: tuple[int, ...] = ()) -> StarvedJobs:
    return StarvedJobs(frozenset(map(RunId, reads)), frozenset(writes))


def test_a_write_that_waits_longer_than_a_moment_takes_the_oldest() -> None:
    reads, watch = (read("ann1", 2.0), read("ben1", 1.0)), Preemption()
    assert watch.choose(reads, starved(writes=(7,)), 3.0) is None, "a moment"
    assert watch.choose(reads, starved(writes=(8,)), 4.0) is None, "another job, which waits for a moment"
    assert watch.choose(reads, starved(writes=(7, 8)), 5.0) == PreemptedRead(RunId("ben1"), "write")


def test_a_question_that_waits_for_another_token_takes_one_of_the_busiest() -> None:
    reads = (read("ann1", 1.0), read("ann2", 0.0), read("cleo1", -9.0), read("ben1", 1.0))
    watch = Preemption()
    assert watch.choose(reads, starved("ben1"), 2.0) is None
    assert watch.choose(reads, starved("ben1"), 3.0) is None
    assert watch.choose(reads, starved("ben1"), 2.0 + LATER) == PreemptedRead(RunId("ann2"), "read")


def test_who_has_a_core_already_waits_for_his_own() -> None:
    reads, watch = (read("ann1"), read("ann2"), read("ben1")), Preemption()
    for now in (0.0, LATER, 2 * LATER):
        assert watch.choose(reads, starved("ann2"), now) is None


def test_one_who_waits_for_himself_and_for_whom_another_waits_gives_way() -> None:
    reads, watch = (read("ann1"), read("ann2"), read("ben1")), Preemption()
    watch.choose(reads, starved("ann2", "ben1"), 0.0)
    assert watch.choose(reads, starved("ann2", "ben1"), LATER) == PreemptedRead(RunId("ann1"), "read")


def test_what_was_just_begun_is_not_ended_for_others() -> None:
    reads, watch = (read("ann1", LATER - 1), read("ben1")), Preemption()
    watch.choose(reads, starved("ben1"), 0.0)
    assert watch.choose(reads, starved("ben1"), LATER) is None
    assert watch.choose(reads, starved("ben1"), 2 * LATER) == PreemptedRead(RunId("ann1"), "read")


def test_a_question_that_got_a_core_in_between_waits_anew() -> None:
    reads, watch = (read("ann1"), read("ben1")), Preemption()
    watch.choose(reads, starved("ben1"), 0.0)
    watch.choose(reads, starved(), 1.0)
    assert watch.choose(reads, starved("ben1"), LATER) is None


def test_nobody_is_ended_where_nobody_is_at_work() -> None:
    watch = Preemption()
    assert watch.choose((), starved(writes=(1,)), 0.0) is None
    assert watch.choose((), starved(writes=(1,)), 1.0) is None
    assert watch.choose((read("ben1"),), starved("ben1"), LATER) is None
