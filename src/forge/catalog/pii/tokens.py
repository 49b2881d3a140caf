"""Column names as words: `custEmailAddr`, `CUST_EMAIL_ADDR` and `cust-email-addr` are `customer email address`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

Words = tuple[str, ...]

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORT = {
    "addr": "address", "adr": "address", "acct": "account", "acc": "account", "cust": "customer", "usr": "user",
    "emp": "employee", "num": "number", "nbr": "number", "no": "number", "nr": "number", "nm": "name", "nme": "name",
    "eml": "email", "tel": "phone", "telephone": "phone", "ph": "phone", "phn": "phone", "mob": "mobile",
    "cel": "mobile", "cell": "mobile", "cellphone": "mobile", "fname": "first name", "lname": "last name",
    "mname": "middle name", "fst": "first", "lst": "last", "surname": "last name", "forename": "first name",
    "dt": "date", "bday": "birthday", "pssprt": "passport", "lic": "license", "licence": "license",
    "cc": "credit card", "crd": "card", "str": "street", "strt": "street", "st": "street", "zipcode": "zip code",
    "cntry": "country", "ctry": "country", "gndr": "gender", "pt": "patient", "cd": "code", "desc": "description",
    "cnt": "count", "qty": "count", "ts": "timestamp", "flg": "flag", "ind": "flag", "ver": "version",
    "drv": "driver", "drivers": "driver", "dl": "driver license",
    "dln": "driver license number", "dlno": "driver license number", "drvr": "driver", "pspt": "passport",
    "psprt": "passport", "ppt": "passport", "ipaddr": "ip address", "ipv4": "ip", "ipv6": "ip",
}  # fmt: skip


@lru_cache(maxsize=10_000)
def words_of(name: str, known: frozenset[str]) -> Words:
    """`known`: words that a run of letters is taken apart into, as in `streetaddress`."""
    parts = [part for run in _HUMPS.split(plain_text(name)) for part in _PARTS.findall(run)]
    words: list[str] = []
    for part in _joined_letters(parts):
        lower = part.lower()
        whole = _SHORT.get(lower) or (lower if lower in known else " ".join(_compound(lower, known)) or lower)
        words += whole.split()
    return _without_question(words)


def _joined_letters(parts: Iterable[str]) -> list[str]:
    """D.O.B. and d_o_b are one word."""
    joined: list[str] = []
    for is_letter, run in groupby(parts, lambda part: len(part) == 1 and part.isascii() and part.isalpha()):
        letters = list(run)
        joined += ["".join(letters)] if is_letter else letters
    return joined


def _without_question(words: Sequence[str]) -> Words:
    """`What is your home address?` asks for a home address."""
    asked = words.index("your") + 1 if "your" in words else 0
    return tuple(words[asked:])


def holds(words: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where the wanted words stand side by side: the place after the last of them."""
    size = len(wanted)
    places = (at + size for at in range(len(words) - size + 1) if tuple(words[at : at + size]) == tuple(wanted))
    return max(places, default=None)


def phrases(text: str) -> tuple[Words, ...]:
    """Comma-separated phrases, each as words without accents."""
    return tuple(tuple(plain_text(phrase).lower().split()) for phrase in text.split(",") if phrase.strip())


def words_in(groups: Iterable[Iterable[Words]]) -> frozenset[str]:
    return frozenset(word for group in groups for phrase in group for word in phrase)


def plain_text(text: str) -> str:
    """Latin letters without their accents; other scripts as they are."""
    spelled = text.replace("ß", "ss").replace("ł", "l").replace("Ł", "L").replace("ø", "o").replace("ı", "i")
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", spelled) if not _is_latin_accent(sign))
    return unicodedata.normalize("NFC", plain)


def _is_latin_accent(sign: str) -> bool:
    return "\u0300" <= sign <= "\u036f"


def _compound(word: str, known: frozenset[str]) -> list[str]:
    """`dateofbirth` is three words; empty where it cannot be told."""
    if len(word) < 6:
        return []
    ways: list[list[str] | None] = [[]] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for begin in range(max(0, end - 15), end):
            before, part = ways[begin], word[begin:end]
            if (
                before is not None
                and (part in known or part in _SHORT)
                and (len(part) > 2 or part in ("of", "ip", "nr", "no"))
            ):
                way = [*before, _SHORT.get(part, part)]
                if ways[end] is None or len(way) < len(ways[end] or way):
                    ways[end] = way
    return ways[-1] or []
