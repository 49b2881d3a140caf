"""Searching names, after the order that the product promises."""

from __future__ import annotations

import random
import re
import string

import pytest

from forge.catalog.search import MatchRank, SearchEntry, SearchIndex, fold, is_one_typo, words_of


def table(name: str, description: str = "") -> SearchEntry:
    schema, _, own = name.partition(".")
    return SearchEntry("table", schema, own, description)


def column(name: str, description: str = "") -> SearchEntry:
    place, _, own = name.rpartition(".")
    return SearchEntry("column", place, own, description)


def found(entries: list[SearchEntry], query: str, *types: str) -> list[str]:
    return [hit.entry.qualified_name for hit in SearchIndex(entries).find(query, types)]


def test_exact_comes_before_prefix_word_start_part_typo_and_description() -> None:
    entries = [
        table("z.orders"),
        table("y.orders_daily"),
        table("x.open_orders"),
        table("w.backorders"),
        table("v.odrers"),
        table("u.sales", "All orders of the shop"),
        table("t.other"),
    ]
    assert found(entries, "orders") == [
        "z.orders",
        "y.orders_daily",
        "x.open_orders",
        "w.backorders",
        "v.odrers",
        "u.sales",
    ]


def test_tables_come_before_columns_of_the_same_rank() -> None:
    entries = [column("a.b.total"), table("z.total"), column("a.c.total_net"), table("y.total_tax")]
    assert found(entries, "total") == ["z.total", "a.b.total", "y.total_tax", "a.c.total_net"]


def test_every_word_of_the_query_must_be_found() -> None:
    entries = [column("core.orders.amount"), column("core.refunds.amount"), column("core.orders.day")]
    assert found(entries, "orders amount") == ["core.orders.amount"]
    assert found(entries, "amount orders") == ["core.orders.amount"]
    assert found(entries, "amount nothing") == []


def test_the_name_of_a_table_alone_does_not_find_its_columns() -> None:
    entries = [table("core.orders"), column("core.orders.amount"), column("core.orders.orders_open")]
    assert found(entries, "orders") == ["core.orders", "core.orders.orders_open"]


def test_a_schema_finds_its_tables_last() -> None:
    assert found([table("core.customers"), table("marts.core_values")], "core") == [
        "marts.core_values",
        "core.customers",
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("core.orders", ["core.orders"]),
        ("core.ord", ["core.orders"]),
        ("core.orders.am", ["core.orders.amount"]),
        ("core.orders.", ["core.orders.amount", "core.orders.day"]),
        ("orders.day", ["core.orders.day"]),
    ],
)
def test_a_name_with_dots_is_found_as_it_is_written(query: str, expected: list[str]) -> None:
    entries = [table("core.orders"), column("core.orders.amount"), column("core.orders.day")]
    assert found(entries, query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cutsomers", True),  # two neighbours swapped
        ("custmers", True),  # one left out
        ("custoomers", True),  # one too many
        ("customars", True),  # one other
        ("cutsomars", False),  # two typos
        ("custome", True),  # no typo at all: the beginning
    ],
)
def test_one_typo_is_forgiven(query: str, expected: bool) -> None:
    assert (found([table("core.customers")], query) == ["core.customers"]) is expected


def test_a_word_of_three_letters_must_be_right() -> None:
    assert found([table("core.day")], "dya") == []
    assert found([table("core.days")], "dasy") == ["core.days"]


def test_a_typo_in_one_word_of_a_long_name_is_forgiven() -> None:
    assert found([column("core.orders.customer_email")], "emial") == ["core.orders.customer_email"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("order_id", ("order", "id")),
        ("netAmount", ("net", "Amount")),
        ("HTTPCode", ("HTTP", "Code")),
        ("a.b-c d", ("a", "b", "c", "d")),
        ("v2Total", ("v2", "Total")),
        ("_hidden", ("hidden",)),
        ("größeÄnderung", ("größe", "Änderung")),
        ("", ()),
        ("___", ()),
    ],
)
def test_names_are_cut_into_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


def test_words_within_camel_case_are_found_at_their_start() -> None:
    hits = SearchIndex([column("a.t.netAmount"), column("a.t.bigamount")]).find("amount")
    assert [(hit.entry.name, hit.ranks) for hit in hits] == [
        ("netAmount", (MatchRank.WORD,)),
        ("bigamount", (MatchRank.PART,)),
    ]


@pytest.mark.parametrize("query", ["STRASSE", "straße", "Straße", "ＳＴＲＡＳＳＥ"])
def test_case_and_spelling_do_not_matter(query: str) -> None:
    assert found([column("a.t.Straße")], query) == ["a.t.Straße"]


def test_letters_of_every_script_are_found() -> None:
    entries = [column("a.t.金额_合计"), column("a.t.اسم"), column("a.t.e\u0301t\u00e9")]
    assert found(entries, "合计") == ["a.t.金额_合计"]
    assert found(entries, "اسم") == ["a.t.اسم"]
    assert found(entries, "été") == ["a.t.e\u0301t\u00e9"]


def test_an_empty_query_browses_by_name_tables_first() -> None:
    entries = [column("a.t.x"), table("b.t"), table("a.t")]
    assert found(entries, "  ") == ["a.t", "b.t", "a.t.x"]
    assert found(entries, "", "column") == ["a.t.x"]


def test_only_the_types_asked_for_are_found() -> None:
    entries = [table("a.total"), column("a.t.total"), SearchEntry("view", "b", "total")]
    assert found(entries, "total", "view", "column") == ["b.total", "a.t.total"]


def test_the_order_does_not_depend_on_that_of_the_entries() -> None:
    entries = [column(f"s{i % 3}.t{i % 7}.order_{i}") for i in range(60)] + [table(f"s.order_{i}") for i in range(9)]
    expected = found(entries, "order")
    for seed in range(5):
        random.Random(seed).shuffle(entries)
        assert found(entries, "order") == expected


def _distance(left: str, right: str) -> int:
    """The slow way: letters added, taken, changed, or swapped with a neighbour (each letter touched once)."""
    rows = [[max(i, j) if 0 in (i, j) else 0 for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def test_one_typo_is_a_distance_of_one() -> None:
    chance = random.Random(7)
    seen = set()
    for _ in range(4000):
        left = "".join(chance.choices("abc", k=chance.randint(0, 6)))
        right = "".join(chance.choices("abc", k=chance.randint(0, 6)))
        seen.add(_distance(left, right) == 1)
        assert is_one_typo(left, right) == (_distance(left, right) == 1), (left, right)
    assert seen == {True, False}


_START = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))(?=[A-Za-z0-9])"
)  # of a word, in plain letters


def _slow_ranks(word: str, entry: SearchEntry) -> MatchRank | None:
    """The promise, said again without an index; for tables and words without dots."""
    name, words = fold(entry.name), [fold(w) for w in words_of(entry.name)]
    near = len(word) >= 4 and any(_distance(word, w) == 1 for w in (name, *words))
    rules = (
        (MatchRank.EXACT, name == word),
        (MatchRank.PREFIX, name.startswith(word)),
        (MatchRank.WORD, any(fold(entry.name[at.end() :]).startswith(word) for at in _START.finditer(entry.name))),
        (MatchRank.PART, word in name),
        (MatchRank.TYPO, near),
        (MatchRank.DESCRIPTION, word in fold(entry.description)),
        (MatchRank.PLACE, word in fold(entry.place)),
    )
    return next((rank for rank, holds in rules if holds), None)


@pytest.mark.slow
def test_the_index_finds_what_looking_at_each_entry_finds() -> None:
    chance = random.Random(3)
    syllables = ["ord", "er", "item", "net", "Sum", "x", "_", "1"]

    def text(most: int) -> str:
        return "".join(chance.choices(syllables, k=chance.randint(1, most)))

    entries = [
        SearchEntry("table", chance.choice(["core", "net"]), text(4), f"{text(2)} {text(2)}") for _ in range(300)
    ]
    index = SearchIndex(entries)
    for _ in range(150):
        word = fold(text(2).replace("_", "")) or "er"
        if chance.random() < 0.4:
            at = chance.randrange(len(word))
            word = word[:at] + chance.choice(string.ascii_lowercase) + word[at + 1 :]
        got = {(hit.entry, hit.ranks[0]) for hit in index.find(word)}
        assert got == {(e, rank) for e in entries if (rank := _slow_ranks(word, e)) is not None}, word
