"""Names of tables and columns as words: `custOrderID`, `CUST_ORDER_ID` and `cust-order-id` are cust, order, id."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@lru_cache(maxsize=50_000)
def identifier_words(name: str) -> tuple[str, ...]:
    """In lower case, without accents."""
    return tuple(part.casefold() for run in _HUMPS.split(_plain(name)) for part in _PARTS.findall(run))


def singular(word: str) -> str:
    """The singular of an English plural, by its ending: orders, countries, boxes. Others stay as they are."""
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def _plain(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(sign for sign in spread if not "\u0300" <= sign <= "\u036f"))
