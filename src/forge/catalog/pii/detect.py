"""Personal data in columns, from what their names and their values say. Values are never kept: evidence counts them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from forge.catalog.classification import NONE_DECLARED, Levels, rank_of_type
from forge.catalog.pii import values as looks
from forge.catalog.pii.national_ids import schemes_of
from forge.catalog.pii.own_types import PiiType, levels_of
from forge.catalog.pii.tokens import Words, holds, words_of
from forge.catalog.pii.vocabulary import (
    FLAGS,
    GENERIC_NAMES,
    GEOGRAPHIC,
    HASHES,
    KNOWN_WORDS,
    MEANINGLESS,
    OTHER_NUMBERS,
    PII_PHRASES,
    PROPERTIES,
    QUASI_PHRASES,
    ROLES,
    THINGS,
)

RULES = 7  # grows with every change of what is found: tables are scanned again
ENOUGH = 0.8  # share of the values that must match where no name says it
WITH_NAME = 0.5  # and where one does
KNOWN_WHEN_FEW = 0.6  # share of different values that must be known names where they repeat
EMBEDDED = 0.5  # share of texts that must hold one
FEW = 3  # fewer values prove nothing by themselves
MANY = 5  # so many values that do not match refute a name
SURE, BY_VALUES, BY_NAME = 0.99, 0.9, 0.75
SALES_REGIONS = "values are regions of sales"
_NAME_SAYS, _BESIDE = "the name says ", "it is beside a street address"
LOOKED_AT = 1000  # values of a column
LONGEST_TEXT = 2000  # characters of a text that are searched


@dataclass(frozen=True, slots=True)
class PiiFinding:
    """`type` is None where nothing was found, and for quasi-identifiers, which identify only together with others."""

    column: str
    type: str | None = None
    score: float = 0.0
    evidence: tuple[str, ...] = ()
    quasi: bool = False

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {"column": self.column, "type": self.type, "score": self.score}
        found["evidence"] = list(self.evidence)
        return found | ({"quasi": True} if self.quasi else {})


def rests_on_values(evidence: Iterable[str]) -> bool:
    """Not by a name alone. Evidence of objects begins with the place in them."""
    says = (one.rpartition(": ")[2] for one in evidence)
    return not all(one.startswith(_NAME_SAYS) or one == _BESIDE for one in says)


def find_pii(
    columns: Mapping[str, Iterable[object]] | Sequence[str], types: Sequence[PiiType] = ()
) -> tuple[PiiFinding, ...]:
    """One finding for each column of a table, in their order. `columns`: some values of each by name, or names
    alone. `types`: of the project, beside those that Forge knows."""
    given: Mapping[str, Iterable[object]] = columns if isinstance(columns, Mapping) else dict.fromkeys(columns, ())
    found = tuple(_find(name, _texts(values), types) for name, values in given.items())
    if not any(finding.type == "address" for finding in found):
        return found
    return tuple(_beside_an_address(finding) for finding in found)


def _texts(values: Iterable[object]) -> list[str]:
    texts: list[str] = []
    for value in values:
        if text := _text(value):
            texts.append(text)
        if len(texts) == LOOKED_AT:
            break
    return texts


def _text(value: object) -> str:
    """Empty where there is no value, which many programs write as a word."""
    if isinstance(value, bytes | bytearray):
        value = _decoded(bytes(value))
    if value is None:
        return ""
    # An integer column with gaps is a column of floats to many programs: 2125550199.0
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    if looks.WHOLE_FLOAT.fullmatch(text):
        text = text.partition(".")[0]
    return "" if text.lower() in looks.NO_VALUE else text


def _decoded(value: bytes) -> str | None:
    """Some programs write text as bytes."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _beside_an_address(finding: PiiFinding) -> PiiFinding:
    """City and postal code complete a street address."""
    if not finding.quasi or not any(kind in finding.evidence[0] for kind in GEOGRAPHIC):
        return finding
    if SALES_REGIONS in finding.evidence:
        return finding
    evidence = (*finding.evidence, _BESIDE)
    return replace(finding, type="address", quasi=False, score=BY_NAME, evidence=evidence)


def _find(column: str, values: Sequence[str], types: Sequence[PiiType]) -> PiiFinding:
    """Of what is as sure the project's own type: somebody declared it."""
    found = _find_known(column, values, types)
    own = max((_find_own(column, values, one) for one in types), key=lambda one: one.score, default=found)
    return own if own.type is not None and (found.type is None or own.score >= found.score) else found


def _find_own(column: str, values: Sequence[str], own: PiiType) -> PiiFinding:
    """A type of the project: by its names, and by its pattern as strictly as known types by their forms."""
    if len(values) >= FEW and all(value.lower() in looks.YES_OR_NO for value in values):
        return PiiFinding(column)
    named, matching = _named(own.words_of(column), {own.name: own.phrases}), own.matching(values)
    share = matching / len(values) if own.pattern and values else None
    seen = f"{matching} of {len(values)} values look like it"
    if named is None:
        if share is None or share < ENOUGH or len(values) < FEW:
            return PiiFinding(column)
        return PiiFinding(column, own.name, round(BY_VALUES * share, 2), (seen,))
    says = f"{_NAME_SAYS}{named[1]}"
    if share is not None and share >= WITH_NAME:
        return PiiFinding(column, own.name, SURE if share >= ENOUGH else BY_VALUES, (says, seen))
    if share is not None and share < 0.2 and len(values) >= MANY:
        return PiiFinding(column)
    return PiiFinding(column, own.name, BY_NAME, (says,))


def _find_known(column: str, values: Sequence[str], types: Sequence[PiiType]) -> PiiFinding:
    words = words_of(column, KNOWN_WORDS)
    if all(word in MEANINGLESS or word.isdigit() for word in words):
        words = ()
    if len(values) >= FEW and all(value.lower() in looks.YES_OR_NO for value in values):
        return PiiFinding(column)
    embedded = _in_objects(column, values, types)
    if embedded is not None:
        return embedded
    named = _named(words, PII_PHRASES) or _named_after_a_role(words)
    if (named is not None and HASHES.intersection(words)) or (named is None and _is_hashed(words, values)):
        return PiiFinding(column, None, BY_NAME, ("hashed values stand for persons",), quasi=True)
    by_values = _by_values(column, words, values)
    if by_values is not None and (named is None or (by_values.type in _CHECKED and by_values.type != named[0])):
        return by_values
    if named is not None:
        finding = _judge_named(column, *named, values)
        if finding.type is not None or finding.quasi:
            return finding
    return by_values or _in_texts(column, words, values) or _quasi(column, words, values) or PiiFinding(column)


# by name


def _named(words: Words, vocabulary: Mapping[str, tuple[Words, ...]]) -> _NamedKind | None:
    """The kind that a name says, and in which words; the longest phrase wins."""
    found: list[tuple[int, _NamedKind]] = []
    for kind, phrases in vocabulary.items():
        for phrase in phrases:
            end = holds(words, phrase)
            if end is not None and not _is_vetoed(kind, words, end - len(phrase), end):
                is_head = all(word in _AFTER_A_HEAD or word.isdigit() for word in words[end:])
                if phrase in _ONLY_AS_HEADS and words[end:]:
                    continue
                found.append((len(phrase), (kind, " ".join(phrase), is_head)))
    return max(found, key=lambda one: one[0])[1] if found else None


def _named_after_a_role(words: Words) -> _NamedKind | None:
    """The plain word for a name and who is meant, in any language and order: nom assure, naam verzekerde."""
    if not GENERIC_NAMES.intersection(words) or not set(words) - _BETWEEN <= GENERIC_NAMES | _PERSONS:
        return None
    return ("name", " ".join(words), True) if _PERSONS.intersection(words) else None


# Roles that things and companies have, too: the lead of an ECG, a trade name, a software agent, the driver of a device.
_PERSONS = ROLES - {
    *("lead", "leader", "comercial", "agent", "broker", "operator", "actor", "driver", "tenant", "principal", "editor"),
    *("tutor", "titular", "arts", "gestor", "by", "contact", "client", "klient", "kunde", "cliente", "kund", "klant"),
    *("reporter", "guardian", "crew", "pilot", "founder", "coach", "host", "speaker", "sender", "seller", "buyer"),
}
_BETWEEN = frozenset({"de", "du", "del", "di", "da", "do", "van", "des", "der", "of", "le", "la", "l", "d", "el", "il"})
_NamedKind = tuple[str, str, bool]  # the kind, the phrase, and whether the name is about it, not about what has it
_AFTER_A_HEAD = frozenset({"line", "number", "name", "full", "text", "1", "2", "home", "work", "old", "new", "code"})


_ONLY_AS_HEADS: frozenset[Words] = frozenset({("birth",)})  # of much else, as in birth weight
_KINDS_WITH_KEYS = frozenset({"address", "name", "phone", "ip_address", "date_of_birth", "credit_card"})
_DOCUMENTS = frozenset({"passport", "drivers_license", "credit_card", "ssn", "iban"})


def _is_vetoed(kind: str, words: Words, begin: int, end: int) -> bool:
    before, after = words[:begin], words[end:]
    if kind == "date_of_birth" and after[:1] in (("date",), ("timestamp",)):
        after = after[1:]  # DOB_DT, dob_ts
    if PROPERTIES.intersection(after) or FLAGS.intersection(before):
        return True
    if kind in _KINDS_WITH_KEYS and "id" in after:
        return True
    if kind in _DOCUMENTS and {"country", "nationality", "last4", "last", "holder", "name", "code"}.intersection(after):
        return True
    if kind == "name":
        return bool(THINGS.intersection((*before[-1:], *after)))
    if kind == "address" and before[-1:] in (("property",), ("service",), ("premises",)):
        return False  # where somebody lives, or what somebody owns
    return kind in ("address", "passport", "drivers_license") and bool(THINGS.intersection(before[-1:]))


def _judge_named(column: str, kind: str, phrase: str, is_head: bool, values: Sequence[str]) -> PiiFinding:
    says = f"{_NAME_SAYS}{phrase}"
    if not values:
        return PiiFinding(column, kind, BY_NAME, (says,))
    if kind == "date_of_birth" and all(value.isdecimal() and len(value) == 4 for value in values):
        return PiiFinding(column, None, BY_NAME, (says, "values are years"), quasi=True)
    test = _test_of(kind, values) if is_head or kind != "address" else looks.is_address
    matching = sum(map(test, values))
    share = matching / len(values)
    if kind == "date_of_birth" and not looks.are_births(values):
        return PiiFinding(column)
    if share >= WITH_NAME:
        score = SURE if share >= ENOUGH else BY_VALUES
        return PiiFinding(column, kind, score, (says, f"{matching} of {len(values)} values look like it"))
    if len(values) >= MANY and (share < 0.2 or kind in ("name", "address")):
        return PiiFinding(column)
    return PiiFinding(column, kind, BY_NAME, (says,))


def _test_of(kind: str, values: Sequence[str]) -> looks.Test:
    if kind == "ssn":
        return lambda value: bool(schemes_of(value)) or looks.is_ssn(value) or looks.is_document_number(value)
    are_few = kind == "name" and len(set(values)) < max(2, len(values) // 6)
    if are_few and not _are_known_names(values, 0.3):
        return lambda value: False  # a few words that repeat are categories, unless they are names that many have
    if kind == "name":
        return lambda value: looks.has_name_shape(value) or (value.islower() and looks.is_name(value.title()))
    return looks.BESIDE_A_NAME[kind]


def _are_known_names(values: Sequence[str], share: float) -> bool:
    """How often each of them occurs does not count."""
    different = set(values)
    return bool(different) and sum(map(looks.is_name, different)) >= share * len(different)


# by values

_CHECKED = frozenset({"email", "iban", "credit_card", "ssn"})  # no name weighs more than their form


def _by_values(column: str, words: Words, values: Sequence[str]) -> PiiFinding | None:
    """Kinds whose values are proof without a name."""
    if len(values) < FEW:
        return None
    best: tuple[float, str, str] | None = None
    for kind, test in _PROOFS.items():
        if kind == "ip_address" and not (_may_be_ip(words) and _are_unlike_versions(values)):
            continue
        if kind in ("ssn", "credit_card") and _is_other_number(kind, words, values):
            continue
        matching = sum(map(test, values))
        share = matching / len(values)
        if share >= ENOUGH and (best is None or share > best[0]):
            best = share, kind, f"{matching} of {len(values)} values look like it"
    if best is None:
        best = _by_scheme(values) or _by_phone(words, values) or _by_person(words, values)
    return best and PiiFinding(column, best[1], round(BY_VALUES * best[0], 2), (best[2],))


_PROOFS: Mapping[str, Callable[[str], bool]] = {
    "email": looks.is_email,
    "iban": looks.is_iban,
    "credit_card": looks.is_card,
    "ssn": looks.is_ssn,
    "ip_address": looks.is_ip,
    "passport": looks.is_machine_readable_passport,
    "drivers_license": looks.is_british_license,
}


def _numbers_a_thing(words: Words) -> bool:
    """Order number, case, invoice id; not order notes."""
    head = [word for word in words if word not in _NUMBERS and not word.isdigit()]
    return bool(head) and head[-1] in OTHER_NUMBERS


_NUMBERS = frozenset({"number", "id", "code", "key", "ref", "reference", "original", "old", "new", "external"})


def _is_other_number(kind: str, words: Words, values: Sequence[str]) -> bool:
    """The name says what is numbered. A social security number has no check digits that could say otherwise; cards of
    one shop have many issuers, while its own numbers, should they pass Luhn's check, begin alike."""
    if not _numbers_a_thing(words):
        return False
    return kind != "credit_card" or len({value[:1] for value in values}) == 1


def _may_be_ip(words: Words) -> bool:
    return not {"version", "release", "build", "firmware", "mask", "subnet", "netmask", "gateway"}.intersection(words)


def _are_unlike_versions(values: Sequence[str]) -> bool:
    return sum(looks.is_ip(value) and looks.is_unlike_a_version(value) for value in values) > 0.3 * len(values)


def _by_scheme(values: Sequence[str]) -> tuple[float, str, str] | None:
    """National identifiers: nearly all values pass the same check, and they are not few."""
    if len(values) < MANY or len(set(values)) < MANY:
        return None
    counts: dict[str, int] = {}
    for value in values:
        for scheme in schemes_of(value):
            counts[scheme] = counts.get(scheme, 0) + 1
    if not counts:
        return None
    scheme, matching = max(counts.items(), key=lambda one: one[1])
    share = matching / len(values)
    return (share, "ssn", f"{matching} of {len(values)} values pass the check of {scheme}") if share >= 0.85 else None


def _by_phone(words: Words, values: Sequence[str]) -> tuple[float, str, str] | None:
    """Numbers of one country, or with the code of theirs."""
    if {"id", "code", "version", "date"}.intersection(words) or _numbers_a_thing(words):
        return None
    counts: dict[str, int] = {}
    for value in values:
        for region in looks.phone_regions(value):
            counts[region] = counts.get(region, 0) + 1
    matching = max(counts.values(), default=0)
    if all(value.startswith("+") for value in values):
        # Nothing else is written so: numbers nobody has, as plans change and hands err, are numbers of phones, too.
        matching = max(matching, sum(map(looks.may_be_international, values)))
    share = matching / len(values)
    return (share, "phone", f"{matching} of {len(values)} values look like it") if share >= ENOUGH else None


def _by_person(words: Words, values: Sequence[str]) -> tuple[float, str, str] | None:
    """Names and addresses of persons: many values that differ, most of a known form."""
    is_by = words[-1:] == ("by",)  # collected by, signed by: whom
    if len(set(values)) < MANY or (PROPERTIES.intersection(words) and not is_by):
        return None
    if sum(map(looks.is_place, set(values))) > len(set(values)) / 2:
        return None  # Charlotte, Paris, Austin: where, not who
    if len(set(values)) < len(values) // 3:
        return _by_repeated_person(words, values)
    addresses = sum(map(looks.is_address, values)) / len(values)
    if addresses >= 0.6 and not (THINGS - {"location"}).intersection(words):
        return addresses, "address", f"{addresses:.0%} of {len(values)} values look like street addresses"
    if _is_of_a_thing(words):
        return None
    shaped = sum(map(looks.has_name_shape, values)) / len(values)
    if shaped < ENOUGH:
        return None
    addressed = sum(map(looks.is_addressed_person, values)) / len(values)
    if addressed >= ENOUGH:
        return shaped, "name", f"{addressed:.0%} of {len(values)} values are names with a title or initial"
    known = sum(map(looks.is_name, values)) / len(values)
    if known >= _needed(words, values):
        return shaped, "name", f"{known:.0%} of {len(values)} values are known names of persons"
    return None


def _by_repeated_person(words: Words, values: Sequence[str]) -> tuple[float, str, str] | None:
    """A few persons in many rows: each must be known by given and last name, or the column be called name."""
    test = looks.is_name if words and GENERIC_NAMES.issuperset(words) else looks.is_full_name
    different = set(values)
    known = sum(map(test, different)) / len(different)
    if known < KNOWN_WHEN_FEW or _is_of_a_thing(words):
        return None
    return known, "name", f"{known:.0%} of {len(different)} different values are known names of persons"


def _is_of_a_thing(words: Words) -> bool:
    """What is named is a project, not who leads it."""
    return bool(THINGS.intersection(words)) and not ROLES.intersection(words[-1:])


def _needed(words: Words, values: Sequence[str]) -> float:
    """The share of known names that is enough: less where the column is named after who is meant, and where values
    are given and last names."""
    if THINGS.intersection(words):
        return 0.5
    if ROLES.intersection(words) and sum(len(value.split()) > 1 or "/" in value for value in values) > len(values) / 2:
        return 0.2
    return 0.3 if GENERIC_NAMES.intersection(words) or ROLES.intersection(words) else 0.5


def _is_hashed(words: Words, values: Sequence[str]) -> bool:
    about_people = {"user", "customer", "client", "patient", "employee", "member", "person", "visitor"}
    return bool(HASHES.intersection(words) and about_people.intersection(words)) and (
        not values or sum(map(looks.is_hash, values)) >= ENOUGH * len(values)
    )


# inside of texts and objects


def _in_objects(column: str, values: Sequence[str], types: Sequence[PiiType]) -> PiiFinding | None:
    """Values that are JSON objects: each key is judged as a column of its own, and the most confidential one stands for
    all."""
    if not values or sum(value[0] in "{[" for value in values) < ENOUGH * len(values):
        return None
    keys: dict[str, list[object]] = {}
    for value in values:
        try:
            _collect(json.loads(value), "", keys)
        except (ValueError, RecursionError):
            continue
    if not keys:
        return None
    # Keys that differ from object to object are data, like the addresses in {"ada@example.com": 3}.
    # And so is a key of that form wherever it occurs: evidence names keys, and may never name a person.
    rare = [key for key, found in keys.items() if key and (len(found) <= len(values) // 5 or not is_key(key))]
    by_key = {key: found for key, found in keys.items() if key not in set(rare)} | {"": [*keys.get("", ()), *rare]}
    by_key[""] += [one for key in rare for one in keys[key]]
    inside = [_placed(finding) for finding in find_pii(by_key, types) if finding.type is not None]
    # Few objects prove as little as few rows: what the name says holds.
    return _joined(column, inside, levels_of(types)) or (PiiFinding(column) if len(values) >= FEW else None)


def _placed(finding: PiiFinding) -> PiiFinding:
    place = f"in {finding.column}" if finding.column else "in keys and values"
    return replace(finding, evidence=tuple(f"{place}: {one}" for one in finding.evidence))


def _joined(column: str, found: Iterable[PiiFinding], levels: Levels = NONE_DECLARED) -> PiiFinding | None:
    """One finding for all that a column holds: of its most confidential type, as that classifies it, and of equal ones
    the surest. Evidence tells the others. In which order they were found does not count."""
    by_type: dict[str, PiiFinding] = {}
    for one in sorted(found, key=lambda one: (-rank_of_type(one.type, levels), -one.score, str(one.type), one.column)):
        by_type.setdefault(str(one.type), one)
    if not by_type:
        return None
    first, *others = by_type.values()
    also = (f"also {one.type}, {one.evidence[-1]}" for one in others)
    return replace(first, column=column, evidence=(*first.evidence, *also))


_KEY = re.compile(r"[^\W\d]\w{0,39}(?:[ .:/-]?[^\W\d]\w{0,39}){0,5}")


def is_key(key: str) -> bool:
    """It reads as the name of a field. One that is personal data itself, or holds a number, is data."""
    if not _KEY.fullmatch(key) or re.search(r"\d{4}", key):
        return False
    return not (" " in key or key[:1].isupper()) or not looks.is_name(key)


def _collect(value: object, key: str, keys: dict[str, list[object]]) -> None:
    if isinstance(value, dict):
        for name, each in value.items():
            _collect(each, str(name), keys)
    elif isinstance(value, list):
        for each in value:
            _collect(each, key, keys)
    else:
        keys.setdefault(key, []).append(value)


def _in_texts(column: str, words: Words, values: Sequence[str]) -> PiiFinding | None:
    """Free text that holds an e-mail address, a phone number, a card or an SSN."""
    if len(values) < FEW or "id" in words:
        return None
    values = [value[:LONGEST_TEXT] for value in values]
    held = []
    for kind, finds in _EMBEDDED.items():
        if kind == "ip_address" and not _may_be_ip(words):
            continue
        if kind in ("ssn", "credit_card", "phone") and _is_other_number(kind, words, values):
            continue
        matching = sum(map(finds, values))
        if matching >= (ENOUGH if kind == "ip_address" else EMBEDDED) * len(values):
            evidence = f"{matching} of {len(values)} texts hold one"
            held.append(PiiFinding(column, kind, round(BY_VALUES * matching / len(values), 2), (evidence,)))
    return _joined(column, held)


_EMBEDDED: Mapping[str, Callable[[str], bool]] = {
    "email": lambda text: looks.EMAIL.search(text) is not None,
    "phone": lambda text: any(
        looks.phone_regions(found.strip())
        for pattern in (looks.INTERNATIONAL_PHONE, looks.US_PHONE)
        for found in pattern.findall(text)
    ),
    "ssn": lambda text: any(looks.is_ssn(found[0]) for found in looks.SSN.finditer(text)),
    "credit_card": lambda text: any(looks.is_card(found) for found in looks.LONG_NUMBER.findall(text)),
    "passport": lambda text: looks.PASSPORT_IN_TEXT.search(text) is not None,
    "drivers_license": lambda text: looks.LICENSE_IN_TEXT.search(text) is not None,
    "ip_address": lambda text: any(
        looks.is_ip(found) and looks.is_unlike_a_version(found) for found in looks.IPV4.findall(text)
    ),
}


def _quasi(column: str, words: Words, values: Sequence[str]) -> PiiFinding | None:
    named = _named(words, QUASI_PHRASES)
    if words == ("state",) and values and all(map(looks.is_us_state, values)):
        named = "region", "state", True
    if named is None or (values and all(value.lower() in ("true", "false", "0", "1") for value in values)):
        return None
    if named[0] == "region" and values and all(value.lower() in looks.SALES_REGIONS for value in values):
        return PiiFinding(column, None, BY_NAME, (f"{_NAME_SAYS}{named[0]}", SALES_REGIONS), quasi=True)
    return PiiFinding(column, None, BY_NAME, (f"{_NAME_SAYS}{named[0]}",), quasi=True)
