"""How a batch changes the facts: pure, from what was said and what is said now."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.facts.fact import EdgeFact, NodeFact
from forge.lineage.facts.record import (
    SIGHTS,
    EdgeWritePlan,
    check_order,
    details_of,
    extend_evidence,
    plan_edges,
    plan_nodes,
)
from forge.lineage.node import column_of
from forge.model.errors import ForgeError

A, B, C = column_of("raw.orders", "amount"), column_of("core.orders", "amount"), column_of("mart.daily", "total")


def day(number: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)


def claim(**values: Any) -> EdgeClaim:
    return EdgeClaim(source=A, target=B, **{"confidence": 0.8, **values})


def batch(at: int, *edges: EdgeClaim, **values: Any) -> ClaimBatch:
    return ClaimBatch(producer="file:a", at=day(at), edges=edges, actor="Ada", **values)


def sight(line: int = 1, at: int | None = None, **values: Any) -> Evidence:
    return Evidence(
        basis=Basis.RESOLVED,
        extractor="sql",
        file="a.sql",
        line=line,
        seen_at=None if at is None else day(at),
        **values,
    )


def after(known: list[EdgeFact], work: EdgeWritePlan) -> list[EdgeFact]:
    """What a store then holds."""
    left = [fact for fact in known if not any(fact is one for one in (*work.gone, *(old for old, _ in work.kept)))]
    return sorted([*left, *(new for _, new in work.kept), *work.new], key=lambda fact: fact.valid_from)


def written(*batches: ClaimBatch) -> list[EdgeFact]:
    facts: list[EdgeFact] = []
    for one in batches:
        facts = after(facts, plan_edges(one, facts))
    return facts


def intervals(facts: list[EdgeFact]) -> list[tuple[str, datetime, datetime | None]]:
    return [(fact.expression, fact.valid_from, fact.valid_to) for fact in facts]


def counts(work: EdgeWritePlan) -> tuple[int, int, int, int]:
    return work.added, work.extended, work.changed, work.closed


def test_a_first_claim_is_a_new_fact() -> None:
    work = plan_edges(batch(1, claim(evidence=(sight(),), metadata={"k": 1})), [])
    assert counts(work) == (1, 0, 0, 0)
    (fact,) = work.new
    assert (fact.producer, fact.actor, fact.created_at, fact.confidence) == ("file:a", "Ada", day(1), 0.8)
    assert (fact.valid_from, fact.valid_to, fact.evidence) == (day(1), None, (sight(at=1),))
    assert fact.metadata == {"k": 1}


def test_the_same_batch_again_is_no_work() -> None:
    one = batch(1, claim(evidence=(sight(), sight(2))), EdgeClaim(source=B, target=C))
    work = plan_edges(one, written(one))
    assert (work.kept, work.new, work.gone, counts(work)) == ((), (), (), (0, 0, 0, 0))


def test_seen_again_keeps_who_said_it_first_and_when() -> None:
    first = written(batch(1, claim(evidence=(sight(),))))
    later = replace(batch(4, claim(evidence=(sight(), sight(2)))), actor="Bo")
    work = plan_edges(later, first)
    assert counts(work) == (0, 1, 0, 0)
    ((_, fact),) = work.kept
    assert (fact.actor, fact.created_at, fact.valid_from, fact.valid_to) == ("Ada", day(1), day(1), None)
    assert fact.evidence == (sight(at=4, times=2), sight(2, at=4))


def test_seen_twice_at_the_same_time_in_two_writes_adds_up() -> None:
    facts = written(batch(1, claim(evidence=(sight(1),))), batch(1, claim(evidence=(sight(2),))))
    assert [fact.evidence for fact in facts] == [(sight(1, at=1), sight(2, at=1))]


def test_something_else_from_a_time_on() -> None:
    facts = written(batch(1, claim(expression="x")), batch(3, claim(expression="y")))
    assert intervals(facts) == [("x", day(1), day(3)), ("y", day(3), None)]


def test_something_else_at_the_same_time_takes_its_place() -> None:
    first = written(batch(1, claim(expression="x")))
    work = plan_edges(batch(1, claim(expression="y")), first)
    assert counts(work) == (0, 0, 1, 0)
    assert intervals(after(first, work)) == [("y", day(1), None)]


@pytest.mark.parametrize("complete", [True, False])
def test_and_back_again_is_three_intervals(complete: bool) -> None:
    said = [batch(at, claim(expression=text), complete=complete) for at, text in ((1, "x"), (3, "y"), (5, "x"))]
    assert intervals(written(*said)) == [("x", day(1), day(3)), ("y", day(3), day(5)), ("x", day(5), None)]


def test_what_a_complete_batch_does_not_say_is_closed() -> None:
    facts = written(batch(1, claim(), EdgeClaim(source=B, target=C)))
    work = plan_edges(batch(5, claim()), facts)
    assert work.closed == 1
    assert {fact.key: fact.valid_to for fact in after(facts, work)} == {
        claim().key: None,
        EdgeClaim(source=B, target=C).key: day(5),
    }


def test_closed_and_said_again_at_that_moment_is_as_if_nothing_was() -> None:
    assert intervals(written(batch(1, claim()), batch(5), batch(5, claim()))) == [("", day(1), None)]


def test_closed_at_the_moment_it_began_is_gone() -> None:
    facts = written(batch(5, claim()))
    work = plan_edges(batch(5), facts)
    assert (work.gone, work.kept, work.closed) == (tuple(facts), (), 1)


def test_a_closed_edge_is_not_closed_again() -> None:
    facts = written(batch(1, claim()), batch(3))
    assert plan_edges(batch(5), facts) == EdgeWritePlan()


def test_what_was_to_end_later_or_begin_later_ends_with_a_complete_batch_that_does_not_say_it() -> None:
    facts = written(batch(1, claim(valid_to=day(9)), claim(valid_from=day(12), expression="later")))
    assert intervals(written(batch(1, claim(valid_to=day(9))), batch(4))) == [("", day(1), day(4))]
    assert intervals(after(facts, plan_edges(batch(4), facts))) == [("", day(1), day(4))]


def test_a_complete_batch_may_say_when_an_edge_will_end() -> None:
    assert intervals(written(batch(1, claim()), batch(4, claim(valid_to=day(6))))) == [("", day(1), day(6))]
    facts = written(batch(1, claim(expression="x")), batch(4, claim(expression="y", valid_to=day(6))))
    assert intervals(facts) == [("x", day(1), day(4)), ("y", day(4), day(6))]


def test_a_batch_that_is_not_complete_speaks_of_its_own_edges_only() -> None:
    facts = written(batch(1, claim(), EdgeClaim(source=B, target=C)))
    work = plan_edges(batch(5, claim(expression="y"), complete=False), facts)
    assert counts(work) == (0, 0, 1, 0)


def test_what_is_taken_back_ends() -> None:
    facts = written(batch(1, claim(), EdgeClaim(source=B, target=C)))
    work = plan_edges(batch(5, complete=False, closes=(claim().key,)), facts)
    assert [(old.key, new.valid_to) for old, new in work.kept] == [(claim().key, day(5))]
    assert work.closed == 1


def test_an_interval_before_one_that_says_the_same_joins_it() -> None:
    facts = written(
        batch(9, claim(valid_from=day(5)), complete=False),
        batch(9, claim(valid_from=day(2), valid_to=day(5)), complete=False),
    )
    assert intervals(facts) == [("", day(2), None)]


def test_an_interval_between_two_that_say_the_same_makes_one_of_three() -> None:
    parts = [claim(valid_from=day(a), valid_to=day(b)) for a, b in ((1, 3), (5, 7), (3, 5))]
    facts = written(*(batch(9, part, complete=False) for part in parts))
    assert intervals(facts) == [("", day(1), day(7))]


def test_an_interval_inside_one_that_says_something_else_splits_it() -> None:
    inside = claim(expression="y", valid_from=day(3), valid_to=day(5))
    facts = written(batch(1, claim(expression="x"), complete=False), batch(9, inside, complete=False))
    assert intervals(facts) == [("x", day(1), day(3)), ("y", day(3), day(5)), ("x", day(5), None)]


def test_two_claims_of_one_edge_are_one_and_the_surest_tells_the_rest() -> None:
    low = claim(confidence=0.3, expression="low", evidence=(sight(1),))
    high = claim(confidence=0.9, expression="high", evidence=(sight(2),))
    for pair in ((low, high), (high, low)):
        (fact,) = written(batch(1, *pair))
        assert (fact.confidence, fact.expression) == (0.9, "high")
        assert set(fact.evidence) == {sight(1, at=1), sight(2, at=1)}


def test_two_claims_of_one_edge_at_different_times_stay_two() -> None:
    early, late = claim(expression="x", valid_from=day(1), valid_to=day(3)), claim(expression="y", valid_from=day(5))
    for pair in ((early, late), (late, early)):
        assert intervals(written(batch(9, *pair))) == [("x", day(1), day(3)), ("y", day(5), None)]


def test_a_complete_batch_must_not_be_older() -> None:
    with pytest.raises(ForgeError) as caught:
        check_order(batch(3), day(4))
    assert caught.value.code == "E806"
    check_order(batch(4), day(4))
    check_order(batch(3), None)
    check_order(batch(3, complete=False), day(4))


# evidence


def test_the_same_sight_later_counts_and_is_the_newest() -> None:
    known = extend_evidence((), [sight(at=1, run_id="r-1")])
    (found,) = extend_evidence(known, [sight(at=3, run_id="r-2")])
    assert (found.times, found.seen_at, found.run_id) == (2, day(3), "r-2")


@pytest.mark.parametrize("at", [1, 3], ids=["older", "the same"])
def test_a_sight_that_was_counted_is_not_counted_again(at: int) -> None:
    known = extend_evidence([sight(at=1)], [sight(at=3)])
    assert extend_evidence(known, [sight(at=at)]) == known


def test_the_newest_sights_stay() -> None:
    old = [sight(line, at=1) for line in range(SIGHTS)]
    new = [sight(100 + line, at=2) for line in range(3)]
    found = extend_evidence(old, new)
    assert len(found) == SIGHTS
    assert set(new) <= set(found)
    seen_again = extend_evidence(old, [replace(old[0], seen_at=day(9)), *new])
    assert 0 in {one.line for one in seen_again}


def test_more_than_is_kept_settles_down() -> None:
    many = [sight(line, at=1) for line in range(SIGHTS + 10)]
    first = extend_evidence((), many)
    assert extend_evidence(first, many) == first


# nodes


def node_facts(*batches: ClaimBatch) -> list[NodeFact]:
    facts: list[NodeFact] = []
    for one in batches:
        work = plan_nodes(one, facts)
        changed = [*work.gone, *(old for old, _ in work.kept)]
        facts = [fact for fact in facts if not any(fact is other for other in changed)]
        facts += [*(new for _, new in work.kept), *work.new]
    return sorted(facts, key=lambda fact: fact.valid_from)


def says(at: int, *details: dict[str, object], complete: bool = True) -> ClaimBatch:
    return ClaimBatch(
        producer="file:a", at=day(at), edges=(), nodes=tuple(NodeClaim(A, one) for one in details), complete=complete
    )


def node_intervals(*batches: ClaimBatch) -> list[tuple[object, datetime, datetime | None]]:
    return [(fact.details.get("t"), fact.valid_from, fact.valid_to) for fact in node_facts(*batches)]


def test_what_is_said_of_a_node_holds_until_something_else_is() -> None:
    found = node_intervals(says(1, {"t": "int"}), says(2, {"t": "int"}), says(5, {"t": "long"}), says(8))
    assert found == [("int", day(1), day(5)), ("long", day(5), day(8))]


def test_a_node_that_is_taken_back_at_its_moment_can_be_said_again() -> None:
    found = node_intervals(says(1, {"t": "int"}), says(1), says(1, {"t": "int"}))
    assert found == [("int", day(1), None)]
    assert node_intervals(says(1, {"t": "int"}), says(1)) == []


def test_another_word_at_the_same_moment_takes_its_place() -> None:
    assert node_intervals(says(1, {"t": "int"}), says(1, {"t": "long"})) == [("long", day(1), None)]


def test_said_again_after_it_ended_where_it_began() -> None:
    found = node_intervals(says(1, {"t": "int"}), says(3), says(1, {"t": "long"}, complete=False))
    assert found == [("long", day(1), None)]


def test_two_claims_of_one_node_add_up() -> None:
    (fact,) = node_facts(says(1, {"t": "int", "a": 1}, {"t": "long", "b": 2}))
    assert fact.details == {"t": "long", "a": 1, "b": 2}


def test_of_several_producers_the_newest_word_counts() -> None:
    facts = [
        NodeFact(A, "b", day(2), None, {"t": "int", "b": 1}),
        NodeFact(A, "a", day(2), None, {"t": "text"}),
        NodeFact(A, "c", day(1), None, {"t": "long", "c": 1}),
    ]
    assert details_of(facts) == details_of(reversed(facts)) == {"t": "int", "b": 1, "c": 1}
