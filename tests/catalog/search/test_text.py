"""Text as search sees it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.catalog.search.text import fold, is_near, parts_of, squash, typos_forgiven, word_spans, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("order_itemID", "order item id"),
        ("custOrderId", "cust order id"),
        ("HTTPCode2", "http code2"),
        ("parseHTMLPage", "parse html page"),
        ("orders2024Q1", "orders2024 q1"),
        ("GrößeÄndern", "grosse andern"),
        ("顧客ID", "顧 客 id"),
        ("заказыКлиентов", "заказы клиентов"),
        ("a--b..c", "a b c"),
        ("__", ""),
        ("", ""),
    ],
)
def test_names_are_cut_into_folded_words(name: str, words: str) -> None:
    assert words_of(name) == tuple(words.split())


@pytest.mark.parametrize(
    ("text", "folded"),
    [("É", "e"), ("ＡＢＣ", "abc"), ("ß", "ss"), ("İ", "i"), ("ﬁ", "fi"), ("हिन्दी", "हिन्दी"), ("한글", "한글")],
)
def test_text_is_folded_without_losing_vowels_of_other_scripts(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_name_is_the_same_however_it_is_written() -> None:
    assert {squash(name) for name in ("custOrderId", "cust_order_id", "Cust order ID", "cust-order-id")} == {
        "custorderid"
    }
    assert squash("Core.custOrder") == "core.custorder"


def test_letters_and_digits_are_apart() -> None:
    assert parts_of("code2") == ("code", "2")
    assert parts_of("s3a") == ("s", "3", "a")


@pytest.mark.parametrize(("word", "typos"), [("abc", 0), ("abcd", 1), ("abcdefg", 1), ("abcdefgh", 2), ("20241201", 0)])
def test_longer_words_are_forgiven_more(word: str, typos: int) -> None:
    assert typos_forgiven(word) == typos


def _distance(a: str, b: str) -> int:
    """Plainly: insertions, deletions, substitutions, transpositions of neighbours."""
    rows = [[max(i, j) if 0 in (i, j) else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 2))
def test_typos_are_counted_as_by_definition(left: str, right: str, most: int) -> None:
    assert is_near(left, right, most) == (_distance(left, right) <= most)


@given(st.text(max_size=40))
def test_words_lie_within_the_text_and_do_not_overlap(text: str) -> None:
    spans = list(word_spans(text))
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
