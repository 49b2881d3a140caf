"""Similar assets, beside a search that compares everything with everything."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.catalog.discovery.similar import AssetFeatures, SimilarAsset, SimilarityIndex, column_tokens, jaccard

TYPES = ("bigint", "string", "date", "decimal(12,2)", "boolean")
NAMES = [
    f"{a}_{b}" for a in ("customer", "order", "product", "store", "visit") for b in ("id", "name", "date", "total")
]


def asset(name: str, columns: str = "", **more: object) -> AssetFeatures:
    pairs = tuple(tuple(one.split(":", 1)) if ":" in one else (one, "string") for one in columns.split())
    return AssetFeatures(name=name, columns=pairs, **more)  # type: ignore[arg-type]


def random_assets(count: int, seed: int = 7) -> list[AssetFeatures]:
    dice = random.Random(seed)
    found: list[AssetFeatures] = []
    for number in range(count):
        columns = tuple((name, TYPES[len(name) % 5]) for name in dice.sample(NAMES, dice.randint(3, 10)))
        if number % 4 and found:
            columns = tuple(dict.fromkeys((*found[-1].columns[1:], *columns[:1])))
        found.append(AssetFeatures(name=f"s.t{number}", columns=columns))
    return found


def test_the_reason_names_the_shared_columns() -> None:
    index = SimilarityIndex(
        [
            asset("core.orders", "id:int customerId:int amount:double day:date"),
            asset("raw.orders", "ID:bigint customer_id:bigint amount:decimal(9,2)"),
        ]
    )
    (found,) = index.find("core.orders")
    assert found.name == "raw.orders"
    assert found.schema_score == 0.75
    assert found.reasons[0] == "shares 3 of 4 columns: id, customerId, amount"
    assert found.reasons[1] == "both speak of order"


def test_the_same_name_of_another_kind_of_type_is_another_column() -> None:
    index = SimilarityIndex([asset("a.x", "amount:double day:date"), asset("b.y", "amount:string day:boolean")])
    assert index.find("a.x") == ()


def test_assets_without_columns_are_compared_by_words() -> None:
    words = {"description": "Monthly churn of subscribers"}
    index = SimilarityIndex([asset("bi.churn_board", **words), asset("bi.subscriber_churn"), asset("bi.other")])
    (found,) = index.find("bi.churn_board")
    assert (found.name, found.schema_score) == ("bi.subscriber_churn", 0)
    assert "churn" in found.reasons[0]


def test_words_that_say_nothing_are_no_reason() -> None:
    words = {"description": "Everyone who ever had an account; who leaves stays here, as old orders point at them"}
    index = SimilarityIndex(
        [asset("a.x", **words), asset("b.y", description="Where everyone is who ever had one of them here")]
    )
    assert index.find("a.x") == ()


def test_a_domain_alone_makes_nothing_similar_but_adds_to_it() -> None:
    index = SimilarityIndex(
        [
            asset("a.x", "id:int b:int", domain="sales", tags=("gold",)),
            asset("a.y", "id:int b:int", domain="sales", tags=("gold",)),
            asset("a.z", "id:int b:int"),
            asset("a.w", "other:int", domain="sales", tags=("gold",)),
        ]
    )
    found = index.find("a.x")
    assert [one.name for one in found] == ["a.y", "a.z"]
    assert found[0].reasons[-1] == "the same domain sales and the same tag gold"


def test_an_unknown_asset_has_none_and_an_empty_index_too() -> None:
    assert SimilarityIndex([]).find("a") == ()
    assert SimilarityIndex([]).find_like(asset("a", "id:int b")) == ()
    assert SimilarityIndex([asset("a", "id")]).find("a") == ()


def test_hostile_names_are_only_names() -> None:
    odd = asset("s.\ud800", "\u202e:x ' :: %s", description="\x00" * 50)
    index = SimilarityIndex([odd, asset("s.t", "\u202e:x ' :: %s")])
    assert [one.name for one in index.find("s.t")] == ["s.\ud800"]


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=2, max_size=8))
def test_scores_are_the_exact_jaccard_index(schemas: list[list[str]]) -> None:
    assets = [asset(f"s.{n}", " ".join(columns)) for n, columns in enumerate(schemas)]
    for found in SimilarityIndex(assets).find("s.0", limit=99):
        mine, theirs = set(schemas[0]), set(schemas[int(found.name[2:])])
        assert found.schema_score == round(len(mine & theirs) / len(mine | theirs), 4)


def test_candidates_miss_few_of_what_a_full_search_finds() -> None:
    assets = random_assets(400)
    index, tokens = SimilarityIndex(assets), [column_tokens(one.columns) for one in assets]
    close = missed = 0
    for number in range(0, 400, 10):
        candidates = set(index.schema_candidates(assets[number]))
        assert number in candidates
        for other in range(400):
            if jaccard(tokens[number], tokens[other]) >= 0.5:
                close += 1
                missed += other not in candidates
    assert close > 60
    assert missed / close < 0.03


def test_the_order_of_assets_does_not_matter() -> None:
    assets = random_assets(60)
    assert SimilarityIndex(assets).find("s.t7") == SimilarityIndex(assets[::-1]).find("s.t7")


def test_thousands_of_equal_schemas_stay_bounded() -> None:
    index = SimilarityIndex([asset(f"s.t{n}", "id:int name day:date") for n in range(3000)])
    assert len(index.schema_candidates(index.assets[5])) <= 1000
    assert len(index.find("s.t5", limit=10)) == 10


@pytest.mark.slow
def test_of_twenty_thousand_assets_some_hundreds_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    plain = SimilarityIndex._compared

    def counted(index: SimilarityIndex, wanted: AssetFeatures, other: AssetFeatures) -> SimilarAsset:
        compared.append(other.name)
        return plain(index, wanted, other)

    monkeypatch.setattr(SimilarityIndex, "_compared", counted)
    index = SimilarityIndex(random_assets(20_000))
    for number in range(20):
        index.find(f"s.t{number * 900}")
    assert 0 < len(compared) / 20 <= 1500
