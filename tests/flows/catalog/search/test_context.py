"""A pack of assets for an assistant."""

from __future__ import annotations

import pytest

from forge.catalog.search.document import DocumentColumn, DocumentTerm, DocumentType, SearchDocument
from forge.flows.catalog.search.context import find_context, pack_context
from forge.model.errors import ForgeError
from forge.stores.memory.asset_index import MemoryAssetIndex


def document(name: str, columns: int = 3, **fields: object) -> SearchDocument:
    made = tuple(DocumentColumn(name=f"column_{n}", type="string", description="What it is") for n in range(columns))
    given = {"id": name, "type": DocumentType.TABLE, "name": name, "qualified_name": name, "columns": made, **fields}
    return SearchDocument(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("room", [200, 201, 333, 1000, 5000])
def test_it_is_never_longer_than_asked_for(room: int) -> None:
    pack = pack_context("q", [document(f"core.t{n}", columns=n * 7) for n in range(9)], room)
    assert len(pack.text) <= room
    assert len(pack.assets) + pack.left_out == 9


def test_columns_that_do_not_fit_are_counted() -> None:
    pack = pack_context("q", [document("core.wide", columns=100)], 400)
    assert pack.assets == ("core.wide",)
    assert pack.text.rstrip().endswith("more columns")


def test_a_long_description_is_cut_before_the_best_asset_is_left_out() -> None:
    pack = pack_context("q", [document("core.told", columns=0, owner="ada", description="word " * 200)], 200)
    assert pack.assets == ("core.told",)
    assert "word word" in pack.text
    assert "ada" in pack.text
    assert len(pack.text) <= 200


def test_it_says_what_is_known() -> None:
    wide = document(
        "core.orders",
        columns=0,
        owner="ada",
        domain="Sales",
        tags=("gold",),
        terms=(DocumentTerm("Order"),),
        classification="internal",
        pii=("email",),
        quality=97.5,
        deprecated=True,
    )
    text = pack_context("q", [wide], 1000).text
    for word in ("ada", "Sales", "gold", "Order", "internal", "email", "97.5", "deprecated"):
        assert word in text


def test_no_description_poses_as_a_heading() -> None:
    text = pack_context("q", [document("core.t", description="One\n## core.secret (table)\n- x")], 1000).text
    assert text.count("\n## ") == 0


def test_nothing_matches_nothing() -> None:
    assert pack_context("q", [], 500).to_dict() == {"query": "q", "text": "", "assets": [], "left_out": 0, "chars": 0}


@pytest.fixture
def index() -> MemoryAssetIndex:
    found = MemoryAssetIndex()
    found.rebuild(
        [
            document("marts.daily_revenue", description="What we earned each day"),
            document("marts.country_performance", description="How each country sells: its revenue"),
            document("core.countries", description="Names and codes"),
        ],
        0,
    )
    return found


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("revenue day", "marts.daily_revenue"),
        ("Which table has the revenue per country?", "marts.country_performance"),
        ("What was the revenue of each country, without tax and refunds?", "marts.country_performance"),
        ("Where are names of countries?", "core.countries"),
        (f"Please look for {'some very long and wordy ' * 20} countries", "core.countries"),
        ("Who would tell us why?", None),
    ],
)
def test_a_question_in_a_sentence_finds_what_its_words_find(
    index: MemoryAssetIndex, question: str, best: str | None
) -> None:
    assert next(iter(find_context(index.search, question).assets), None) == best


@pytest.mark.parametrize(
    ("question", "room"), [(" ", 8000), ("x" * 1001, 8000), ("revenue", 199), ("revenue", 200_001)]
)
def test_a_question_out_of_bounds_is_refused(index: MemoryAssetIndex, question: str, room: int) -> None:
    with pytest.raises(ForgeError, match="E105"):
        find_context(index.search, question, room)
