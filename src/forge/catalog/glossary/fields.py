"""The fields of a term as people, files and requests give them: read, and all that is wrong with them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from forge.catalog.glossary.term import CONTENT, GlossaryTerm, TermState, is_term_id, term_id
from forge.model.name_suggestions import did_you_mean

LONGEST_NAME = 200
LONGEST_DEFINITION = 100_000
LONGEST_EXAMPLE = 1_000
MOST_ITEMS = 100
_TEXTS = {"name": LONGEST_NAME, "domain": 100, "owner": 255, "definition": LONGEST_DEFINITION}
_LISTS = {"synonyms": LONGEST_NAME, "related": LONGEST_NAME, "examples": LONGEST_EXAMPLE}
_OF_LINES = ("definition", "examples")  # may have more than one line
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TermFault:
    """`field` is empty where the whole is meant."""

    field: str
    message: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class TermReading:
    """The term, unless it has a fault."""

    term: GlossaryTerm | None
    faults: tuple[TermFault, ...] = ()


def read_term(given: object, *, before: GlossaryTerm | None = None) -> TermReading:
    """`before`: what the fields that are not given stay as. The id is never changed."""
    if not isinstance(given, Mapping):
        return TermReading(None, (TermFault("", "A term is a mapping of its fields", "Begin with name: …"),))
    faults = [*_unknown(given)]
    values: dict[str, Any] = {}
    for key in CONTENT:
        if key in given:
            values[key] = _value(key, given[key], faults)
    own = given.get("id")
    if own is not None and not (isinstance(own, str) and is_term_id(own)):
        faults.append(TermFault("id", "is no id", "An id has small letters, digits, '.', '-' and '_', at most 120."))
    if not values.get("name", before.name if before else ""):
        faults.append(TermFault("name", "is missing", "Say what the term is called."))
    if faults:
        return TermReading(None, tuple(faults))
    if before is not None:
        return TermReading(replace(before, **values))
    made = str(own) if own is not None else term_id(values.get("domain", ""), values["name"])
    return TermReading(GlossaryTerm(id=made, **values))


def _unknown(given: Mapping[Any, object]) -> list[TermFault]:
    known = ("id", *CONTENT)
    return [
        TermFault(str(key), "is no field of a term", did_you_mean(str(key), known) or f"Fields: {', '.join(known)}.")
        for key in given
        if key not in known
    ]


def _value(key: str, value: object, faults: list[TermFault]) -> object:
    if key in _LISTS:
        return _items(key, value, faults)
    if key == "state":
        return _state(value, faults)
    if value is None or value == "":
        return None if key == "owner" else ""
    text = _text(key, value, _TEXTS[key], faults)
    return (text or None) if key == "owner" else text


def _state(value: object, faults: list[TermFault]) -> TermState:
    word = value.strip().lower() if isinstance(value, str) else value
    if word in (None, ""):
        return TermState.DRAFT
    if word not in list(TermState):
        faults.append(TermFault("state", f"is not {str(value)[:50]!r}", "Write draft or approved."))
        return TermState.DRAFT
    return TermState(str(word))


def _items(key: str, value: object, faults: list[TermFault]) -> tuple[str, ...]:
    """Without repetitions."""
    given = [] if value in (None, "") else [value] if isinstance(value, str | int | float) else value
    if not isinstance(given, list | tuple):
        faults.append(TermFault(key, "is a list of texts"))
        return ()
    if len(given) > MOST_ITEMS:
        faults.append(TermFault(key, f"has {len(given)} items", f"At most {MOST_ITEMS} are kept."))
        return ()
    texts = [_text(key, item, _LISTS[key], faults) for item in given]
    return tuple(dict.fromkeys(text for text in texts if text))


def _text(key: str, value: object, longest: int, faults: list[TermFault]) -> str:
    """In one Unicode form and with one kind of line end, so that files give back what they took."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        faults.append(TermFault(key, "is a text", "Put it in quotes."))
        return ""
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(text) or (key not in _OF_LINES and re.search(r"[\n\t]", text.strip())):
        faults.append(TermFault(key, "has a line break or control character", "Remove it."))
        return ""
    text = unicodedata.normalize("NFC", text).strip()
    if len(text) > longest:
        faults.append(TermFault(key, f"has {len(text):,} characters", f"At most {longest:,} are kept."))
        return ""
    return text
