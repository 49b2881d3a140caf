"""Where something comes from, in sentences."""

from __future__ import annotations

from dataclasses import replace

from lineage_walks import walk

from forge.lineage.explain import SourceFacts, explain
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeKind, EdgeType

USES = EdgeKind(EdgeType.CONSUMES, None)
CHURN = walk(
    "model:churn@3",
    [
        Link(source="core.orders.amount", target="model:churn@3", kind=USES, confidence=0.95),
        Link(source="core.orders.day", target="model:churn@3", kind=USES, confidence=0.8),
        Link(source="core.users.hash", target="model:churn@3", kind=USES),
        Link(source="raw.users.email", target="core.users.hash", masking=True),
    ],
    depths={"raw.users.email": 2},
)
FACTS = {
    "core.orders": SourceFacts(
        "@fin", "9ac1f00d", "fix amounts\n\nlong story", {"amount not null": "failed", "fresh": "passed"}
    ),
    "core.users": SourceFacts("@crm", verdicts={"unique id": "passed", "fresh": "passed"}),
}


def facts_of(table: str) -> SourceFacts:
    return FACTS.get(table, SourceFacts())


def test_sources_owners_commits_and_verdicts_are_told_nearest_first() -> None:
    assert explain(CHURN, facts_of) == [
        "model:churn@3 comes from core.orders, core.users and raw.users.",
        "core.orders (amount and day) is 1 step away; the way there is high (0.95).",
        "It belongs to @fin, is at commit 9ac1f00d (fix amounts) and has 2 checks, of which 1 passed"
        " (1 failed: amount not null).",
        "core.users (hash) is 1 step away; the way there is certain (1.00).",
        "It belongs to @crm and passed all its 2 checks.",
        "raw.users (email) is 2 steps away; the way there is certain (1.00).",
        "core.users.hash has raw.users.email masked only.",
        "Nothing is recorded before core.orders and raw.users: there the data begins.",
    ]


def test_what_limits_the_answer_is_said() -> None:
    short = replace(CHURN, ask=replace(CHURN.ask, depth=2), hidden=1, total=9)
    assert explain(short, facts_of)[-3:] == [
        "It was followed for 2 steps only; there may be more.",
        "Only the nearest 4 of 9 are told.",
        "1 edge below the confidence 0.5 was not followed.",
    ]
    assert not any("begins" in sentence for sentence in explain(short, facts_of))


def test_downstream_tells_where_it_goes_and_not_where_it_begins() -> None:
    found = explain(walk("raw.a.x", [Link(source="raw.a.x", target="core.b.x")], direction="downstream"), facts_of)
    assert found == ["raw.a.x goes to core.b.", "core.b (x) is 1 step away; the way there is certain (1.00)."]


def test_nothing_recorded_is_a_sentence() -> None:
    assert explain(walk("raw.a.x", []), facts_of) == ["Nothing that it comes from is recorded for raw.a.x."]
    assert explain(walk("raw.a.x", [], direction="downstream", hidden=2), facts_of) == [
        "Nothing that comes from it is recorded for raw.a.x.",
        "2 edges below the confidence 0.5 were not followed.",
    ]


def test_a_long_list_is_cut() -> None:
    links = [Link(source=f"s.t{number}.c", target="a.b.c") for number in range(12)]
    assert explain(walk("a.b.c", links), facts_of)[0] == (
        "a.b.c comes from s.t0, s.t1, s.t10, s.t11, s.t2, s.t3, s.t4 and 5 more."
    )
