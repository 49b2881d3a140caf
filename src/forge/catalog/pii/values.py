"""What single values say: whether one is an e-mail address, a card number, a person's name…"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache

from forge.catalog.pii.gazetteer import COMPANY_WORDS, GIVEN_NAMES, LAST_NAMES, PLACES, STREET_WORDS
from forge.catalog.pii.national_ids import is_us_ssn, passes_luhn

EMAIL = re.compile(r"(?<![<\w])(?!git@)[A-Za-z0-9._%+'-]{1,64}@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}")
US_PHONE = re.compile(r"(?<![\w.-])(?:\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]?\d{3}[ .-]\d{4}(?![\w-])")
# A network, 10.4.0.0/16, is no address of anybody; one with all its bits is.
IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])(?!/(?!32\b)\d{1,2}\b)")
PASSPORT_IN_TEXT = re.compile(
    r"\bpassports?\b\W{0,3}(?:no\.?|number|nr\.?|#)?\W{0,3}[A-Z]{0,2}\d{6,9}\b", re.IGNORECASE
)
LICENSE_IN_TEXT = re.compile(
    r"\b(?:DL|driver'?s?'? licen[cs]e)\b\W{0,3}(?:no\.?|number|#)?\W{0,3}[A-Z]{0,3}\d[A-Z0-9-]{4,}", re.IGNORECASE
)
INTERNATIONAL_PHONE = re.compile(r"(?<![\w.])\+[1-9][\d ().\-/]{7,20}\d")
SSN = re.compile(r"(?<![\d-])(\d{3})-(\d{2})-(\d{4})(?![\d-])")
LONG_NUMBER = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")
# Where a number without a country code may be from.
_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "NL", "PL", "BR", "MX", "IN", "JP", "CN", "TR", "RU", "AU", "SE", "CH")
_PHONE_SHAPE = re.compile(r"[+(]?[\d][\d ().\-/]{5,22}(?:\s?(?:x|ext\.?)\s?\d{1,6})?", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")
_EAST_ASIAN_NAME = re.compile(
    r"[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]{1,4}[ 　]?[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]{1,6}"
)
_TITLES = frozenset(
    {
        *("mr", "mrs", "ms", "dr", "prof", "herr", "frau", "sr", "sra", "mme", "m", "jr", "van", "von"),
        *("de", "der", "den", "da", "di", "bin", "ibn", "al", "el", "la", "le", "del", "dos", "ter", "du"),
    }
)


YES_OR_NO = frozenset(
    {
        *("true", "false", "yes", "no", "y", "n", "t", "f", "0", "1", "on", "off"),
        *("ja", "nein", "oui", "non", "si", "sí", "sim", "não", "nao", "tak", "nie"),
    }
)
# LAST/FIRST MR, as airlines write it
_SLASHED = re.compile(r"[^\W\d_a-z][^\d_a-z/]+/[^\W\d_a-z][^\d_a-z/]+")
_ADDRESSED = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Miss|Herr|Frau|Sr|Sra|Srta|Don|Doña|Mme|Mlle|Capt|Cpt|Ing|Dott|Pan|Pani|Sig|Dhr|Mevr)\.? "
    r"(?:(?:med|rer|nat)\. )*[^\W\d_]|[^\W\d_a-z]\. ?[^\W\d_a-z][^\W\d_A-Z]).*"
)


# What programs write where there is no value.
NO_VALUE = frozenset(
    {
        *(
            "n/a",
            "na",
            "#n/a",
            "<na>",
            "null",
            "none",
            "nil",
            "nan",
            "nat",
            "\\n",
            "-",
            "--",
            "?",
            ".",
            "unknown",
            "(null)",
        )
    }
)
WHOLE_FLOAT = re.compile(r"\d{5,19}\.0")
SALES_REGIONS = frozenset(
    {
        *("emea", "apac", "amer", "amers", "americas", "latam", "nam", "noram", "dach", "mena", "anz", "benelux"),
        *("nordics", "cee", "row", "global", "north", "south", "east", "west", "central", "northeast", "northwest"),
        *("southeast", "southwest", "midwest", "europe", "asia", "africa", "oceania"),
    }
)
_US_STATES = re.compile(
    r"a[klrz]|c[aot]|d[ce]|fl|ga|hi|i[adln]|k[sy]|la|m[adeinost]|n[cdehjmvy]|o[hkr]|p[ar]|ri|s[cd]|t[nx]|ut|v[at]|w[aivy]"
)


def is_us_state(value: str) -> bool:
    return _US_STATES.fullmatch(value.lower()) is not None


def is_addressed_person(value: str) -> bool:
    """With a title, or with an initial and a last name: Dr. Ada Lovelace, A. Lovelace."""
    return _ADDRESSED.fullmatch(value) is not None and has_name_shape(value)


def is_email(value: str) -> bool:
    return EMAIL.fullmatch(value) is not None


def is_iban(value: str) -> bool:
    text = value.replace(" ", "").replace("-", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", text):
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


# Digits that a number begins with, and how many it has.
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,13}"  # American Express, Diners Club
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12}"  # Discover, JCB
    r"|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}"  # UnionPay, Maestro
    r"|(?:4011|4312|4389|5041|5066|5067|5090|6277|6362|6363|650|6516|6550)\d{9,12}|220[0-4]\d{12}"  # Elo, Mir
)


def is_card(value: str) -> bool:
    digits = re.sub(r"[ -]", "", value)
    return _ISSUERS.fullmatch(digits) is not None and len(set(digits)) > 1 and passes_luhn(digits)


def has_card_shape(value: str) -> bool:
    """Begins and is as long as of an issuer: numbers made up for a test have no check digit."""
    return _ISSUERS.fullmatch(re.sub(r"[ -]", "", value)) is not None


def is_ssn(value: str) -> bool:
    found = SSN.fullmatch(value)
    return found is not None and is_us_ssn("".join(found.groups()))


def is_ip(value: str) -> bool:
    try:
        ipaddress.ip_address(value.split("%")[0])
    except ValueError:
        return False
    return True


_USUAL_NETWORKS = frozenset({10, 127, 169, 172, 192})


def is_unlike_a_version(value: str) -> bool:
    """An IP address that no version number looks like."""
    if ":" in value:
        return True
    first, *others = [int(part) for part in value.split(".")[:3] if part.isdigit()]
    return first in _USUAL_NETWORKS or max(first, *others) > 63


# Of films and of data made up for a test: nobody has one, but nothing else is written so.
_FICTIONAL = re.compile(r"(?:\+?1[ .-]?)?(?:\(?555\)?|\(?\d{3}\)?[ .-]?555(?=[ .-]?01))[ .-]?\d")


@cache
def phone_regions(value: str) -> frozenset[str]:
    """Where it is a number by the numbering plan: with a country code everywhere, else by those of large countries.
    Without one it must be written as there: with the 0 that goes before it, or in the groups of America."""
    if not _PHONE_SHAPE.fullmatch(value) or not 7 <= sum(sign.isdigit() for sign in value) <= 15:
        return frozenset()
    american = US_PHONE.fullmatch(value) is not None
    is_fictional = american and _FICTIONAL.match(value) is not None
    if value.startswith(("+", "00")):
        valid = is_fictional or _is_valid_phone("+" + value.removeprefix("00").lstrip("+"), None)
        return frozenset(_REGIONS) if valid else frozenset()
    if is_fictional:
        return frozenset({"US"})
    regions = ("US",) if american else _REGIONS if value.startswith(("0", "(0")) and not value.isdigit() else ()
    return frozenset(region for region in regions if _is_valid_phone(value, region))


def _is_valid_phone(value: str, region: str | None) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(value, region))
    except phonenumbers.NumberParseException:
        return False


def may_be_international(value: str) -> bool:
    """A country code, and as many digits as numbers of that country have; whether anybody has it is not asked."""
    import phonenumbers

    if not _PHONE_SHAPE.fullmatch(value):
        return False
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(value, None))
    except phonenumbers.NumberParseException:
        return False


def has_phone_shape(value: str) -> bool:
    return _PHONE_SHAPE.fullmatch(value) is not None and 6 <= sum(sign.isdigit() for sign in value) <= 15


def is_name(value: str) -> bool:
    """A word of it is a known given or last name, and all of it has the form of a name."""
    return has_name_shape(value) and (
        any(word in GIVEN_NAMES or word in LAST_NAMES for word in _name_words(value))
        or (_EAST_ASIAN_NAME.fullmatch(value) is not None and value[0] in LAST_NAMES)
    )


def is_full_name(value: str) -> bool:
    """A known given name and a known last name."""
    words = _name_words(value)
    givens = [word for word in words if word in GIVEN_NAMES]
    lasts = [word for word in words if word in LAST_NAMES]
    return len(words) > 1 and bool(givens) and bool(lasts) and len({*givens, *lasts}) > 1 and has_name_shape(value)


def is_place(value: str) -> bool:
    return _folded(value) in PLACES


def has_name_shape(value: str) -> bool:
    """One to five words of letters, none of which is of a company."""
    if _EAST_ASIAN_NAME.fullmatch(value):
        return True
    parts = [
        part for part in re.split(r"[\s,]+", value.replace("/", " ") if _SLASHED.fullmatch(value) else value) if part
    ]
    if not 1 <= len(parts) <= 5 or not all(_WORD.fullmatch(part) for part in parts):
        return False
    words = _name_words(value)
    if COMPANY_WORDS.intersection(words):
        return False
    cased = [part for part in parts if part.lower().strip(".") not in _TITLES]
    return bool(cased) and all(part[0].isupper() or not part[0].islower() for part in cased)


def _name_words(value: str) -> list[str]:
    return [word for word in re.split(r"[\s,./\-]+", _folded(value)) if word]


def _folded(text: str) -> str:
    from forge.catalog.pii.tokens import plain_text

    return plain_text(text).lower()


_HOUSE_NUMBER = re.compile(r"(?<!\w)\d{1,5}[A-Za-z]?(?!\w)|\d{1,4}[-−]\d{1,4}|\d+(?:号|丁目|番地?|弄|室)")


def is_address(value: str) -> bool:
    """A word for a street, and a house number."""
    folded = _folded(value)
    if not 6 <= len(value) <= 200 or not _HOUSE_NUMBER.search(value):
        return False
    words = set(re.split(r"[\s,.;/]+", folded))
    return (
        bool(words & STREET_WORDS)
        or any(word.endswith(STREET_ENDINGS) for word in words if len(word) > 5)
        or any(sign in value for sign in ("路", "街", "丁目", "番", "شارع", "ул.", "пр.", "улица"))
    )


STREET_ENDINGS = (
    *("strasse", "str", "weg", "gasse", "platz", "allee", "straat", "laan", "gatan", "vagen"),
    *("gade", "vej", "damm", "ring", "plein", "kade", "gracht", "steg", "ufer", "veien", "katu", "tie"),
)


def has_address_shape(value: str) -> bool:
    """A word, perhaps with numbers, longer than a code."""
    return (
        4 <= len(value) <= 250 and _LETTERS.search(value) is not None and not EMAIL.search(value) and "://" not in value
    )


_LETTERS = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7af]")


_DATE = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})(?: .*)?"
)


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_WORDED_DATE = re.compile(  # 28APR75, 28 April 1975, April 28, 1975
    rf"\d{{1,2}}[ -]?{_MONTH}[ -]?(\d{{4}}|\d{{2}})|{_MONTH} \d{{1,2}},? (\d{{4}})", re.IGNORECASE
)


# Seconds or milliseconds since 1970, negative before. Fewer digits are a day as it is written: 19750428.
_EPOCH = re.compile(r"(-?\d{9,10})(\d{3})?|-\d{8}")


def year_of(value: str) -> int | None:
    """Of a date as text or since 1970; None where it is none."""
    found = _DATE.fullmatch(value)
    if found is None and (worded := _WORDED_DATE.fullmatch(value)) is not None:
        return _whole_year(int(worded[1] or worded[2]))
    if found is None:
        compact = re.fullmatch(r"((?:19|20)\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", value)
        if compact is None and (epoch := _EPOCH.fullmatch(value)) is not None:
            return 1970 + int(epoch[1] or value) // _SECONDS_OF_A_YEAR
        return int(compact[1]) if compact else None
    return _whole_year(int(found[1] or found[4]))


_SECONDS_OF_A_YEAR = 31_556_952


def _whole_year(year: int) -> int:
    """75 is 1975: a year of two digits is of the past."""
    return year if year > 99 else year + (2000 if year <= date.today().year % 100 else 1900)  # noqa: DTZ011


def are_births(values: Sequence[str]) -> bool:
    """Births lie years apart; what happened in the shop lies close together, and not long ago."""
    years = sorted(year for value in values if (year := year_of(value)))
    return not years or years[-1] - years[0] >= 5 or years[len(years) // 2] < date.today().year - 5  # noqa: DTZ011


def is_birth_date(value: str) -> bool:
    year = year_of(value)
    return year is not None and date.today().year - 115 <= year <= date.today().year  # noqa: DTZ011  a year is enough


def is_document_number(value: str) -> bool:
    """A passport or licence number: letters and digits, some of them digits."""
    if re.fullmatch(r"-?\d*\.\d+", value):
        return False  # a measure
    text = re.sub(r"[\s\-/.*]", "", value)
    return re.fullmatch(r"[A-Z0-9]{5,20}", text, re.IGNORECASE) is not None and sum(c.isdigit() for c in text) >= 3


def is_machine_readable_passport(value: str) -> bool:
    """One of the two lines at its foot."""
    return re.match(r"P[A-Z<][A-Z]{3}[A-Z<]{10,}|[A-Z0-9<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}", value) is not None


_BRITISH_LICENSE = re.compile(
    r"(?:[A-Z]{5}|[A-Z]{4}9|[A-Z]{3}99|[A-Z]{2}999)\d(?:[05][1-9]|[16][0-2])(?:0[1-9]|[12]\d|3[01])\d[A-Z][A-Z9][A-Z0-9][A-Z]{2}"
)


def is_british_license(value: str) -> bool:
    """Last name, date of birth and initials, of which no other number is made."""
    return _BRITISH_LICENSE.fullmatch(value.replace(" ", "")) is not None


def is_hash(value: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}", value, re.IGNORECASE) is not None


Test = Callable[[str], bool]
# What a value of a column must look like where the name says the kind: not so strict as without a name.
BESIDE_A_NAME: Mapping[str, Test] = {
    "email": is_email,
    "phone": has_phone_shape,
    "credit_card": has_card_shape,
    "iban": is_iban,
    "address": has_address_shape,
    "name": has_name_shape,
    "date_of_birth": is_birth_date,
    "ip_address": is_ip,
    "passport": is_document_number,
    "drivers_license": is_document_number,
}
