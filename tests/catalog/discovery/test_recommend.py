"""Recommendations, with cosines worked out in plain Python beside them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.catalog.discovery.recommend import (
    AssetLabels,
    RecommendationSource,
    blend,
    item_similarity,
    propose_by_domain,
    propose_by_lineage,
    propose_by_people,
    propose_popular,
    seeds_of,
)
from forge.catalog.discovery.usage import AssetUsage, UsageCell

CELLS = st.lists(
    st.builds(UsageCell, st.sampled_from("uvwxyz"), st.sampled_from("abcde"), st.integers(1, 30)),
    unique_by=lambda cell: (cell.actor, cell.asset),
    max_size=25,
)


@given(CELLS)
def test_the_cosine_is_that_of_the_vectors_over_people(cells: list[UsageCell]) -> None:
    actors = sorted({cell.actor for cell in cells})
    uses = {(cell.actor, cell.asset): cell.uses for cell in cells}

    def vector(asset: str) -> list[float]:
        return [math.log(1 + uses.get((actor, asset), 0)) for actor in actors]

    similar = item_similarity(cells, ["a", "b"])
    for seed in ("a", "b"):
        for asset in "abcde":
            left, right = vector(seed), vector(asset)
            dot = sum(x * y for x, y in zip(left, right, strict=True))
            if asset == seed or dot == 0:
                assert asset not in similar[seed]
                continue
            lengths = math.sqrt(sum(x * x for x in left)) * math.sqrt(sum(y * y for y in right))
            assert similar[seed][asset] == pytest.approx(dot / lengths)


def test_people_who_used_the_same_recommend_what_they_used() -> None:
    cells = [
        UsageCell("me", "orders", 3),
        UsageCell("me", "refunds", 1),
        UsageCell("eve", "orders", 2),
        UsageCell("eve", "revenue", 2),
        UsageCell("bob", "weather", 9),
    ]
    seeds = seeds_of(cells, "me")
    (found,) = propose_by_people(cells, "me", seeds)
    assert seeds == ("orders", "refunds")
    assert found.asset == "revenue"
    assert found.reason.text == "people who used orders also used it"


def test_my_own_use_makes_nothing_similar() -> None:
    cells = [UsageCell("me", "a", 1), UsageCell("me", "b", 1)]
    assert propose_by_people(cells, "me", ("a", "b")) == ()


def test_what_is_looked_at_counts_before_what_was_used() -> None:
    cells = [UsageCell("me", f"t{n:02}", 40 - n) for n in range(40)]
    assert seeds_of(cells, "me", "x")[:2] == ("x", "t00")
    assert len(seeds_of(cells, "me", "x")) == 20
    assert seeds_of(cells, "nobody") == ()


def test_neighbours_say_in_which_direction_they_stand() -> None:
    found = propose_by_lineage(
        {"orders": [("raw", "upstream"), ("revenue", "downstream")], "refunds": [("revenue", "downstream")]}
    )
    assert [(one.asset, one.reason.text) for one in found] == [
        ("revenue", "it is made from orders, which you used"),
        ("raw", "orders is made from it, which you used"),
    ]


def test_a_domain_and_tags_in_common() -> None:
    seeds = [AssetLabels("a", "sales", ("gold",)), AssetLabels("b", "sales")]
    others = [AssetLabels("x", "hr"), AssetLabels("y", None, ("gold", "new")), AssetLabels("z", "sales", ("gold",))]
    assert [(one.asset, one.reason.text) for one in propose_by_domain(seeds, others)] == [
        ("z", "of the domain sales and tagged gold, like what you used"),
        ("y", "tagged gold, like what you used"),
    ]
    assert propose_by_domain([], others) == ()


def popular(*names: str) -> list[AssetUsage]:
    return [AssetUsage(asset=name, views=2, users=1) for name in names]


def test_a_new_user_gets_what_is_popular() -> None:
    found = blend([(), (), (), propose_popular(popular("a", "b"))])
    assert [one.asset for one in found] == ["a", "b"]
    assert found[0].to_dict() == {
        "asset": "a",
        "score": 0.5,
        "reasons": [{"source": "popular", "text": "popular: 1 person used it 2 times in the last 30 days"}],
    }


def test_what_only_runs_read_is_not_said_to_be_used_by_people() -> None:
    (found,) = blend([propose_popular([AssetUsage(asset="a", runs=3, users=1)])])
    assert found.reasons[0].text == "popular: runs read it 3 times in the last 30 days"


def test_what_several_sources_propose_comes_first_once_with_all_reasons() -> None:
    lineage = propose_by_lineage({"s": [("a", "upstream"), ("b", "upstream")]})
    found = blend([lineage, propose_popular(popular("b", "c"))], limit=2)
    assert [one.asset for one in found] == ["b", "a"]
    assert [reason.source for reason in found[0].reasons] == [
        RecommendationSource.LINEAGE,
        RecommendationSource.POPULAR,
    ]


def test_what_was_seen_is_left_out() -> None:
    assert blend([propose_popular(popular("a", "b"))], seen=["a"])[0].asset == "b"


@given(CELLS, st.permutations(range(25)), st.integers(1, 5))
def test_the_order_of_records_does_not_matter(cells: list[UsageCell], order: list[int], limit: int) -> None:
    def answer(given_cells: list[UsageCell]) -> object:
        return blend([propose_by_people(given_cells, "u", seeds_of(given_cells, "u"))], seen=["a"], limit=limit)

    mixed = [cells[number] for number in order if number < len(cells)]
    found = answer(cells)
    assert found == answer(mixed)
