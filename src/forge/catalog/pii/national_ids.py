"""National identifiers by their form and check digits. Each function takes the value without spaces, dots and dashes,
upper-cased, and says whether it can be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text]


def _weighted(digits: Sequence[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def passes_luhn(text: str) -> bool:
    doubled = [digit * (2 if place % 2 else 1) for place, digit in enumerate(reversed(_digits(text)))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def is_us_ssn(text: str) -> bool:
    """Areas 000, 666 and 9xx, group 00 and serial 0000 were never given out."""
    area, group, serial = text[:3], text[3:5], text[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _cpf(text: str) -> bool:
    digits = _digits(text)
    if len(set(digits)) == 1:
        return False
    first = _weighted(digits, range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(digits, range(11, 1, -1)) * 10 % 11 % 10
    return digits[9:] == [first, second]


def _pesel(text: str) -> bool:
    digits = _digits(text)
    century, month = divmod(int(text[2:4]), 20)
    year = (1900, 2000, 2100, 2200, 1800)[century] + int(text[:2])
    return _is_date(year, month, int(text[4:6])) and _weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _personnummer(text: str) -> bool:
    short = text[-10:]
    day = int(short[4:6])
    return _is_date(2000, int(short[2:4]), day - 60 if day > 60 else day) and passes_luhn(short)


def _dni(text: str) -> bool:
    number = text[:-1].replace("X", "0", 1).replace("Y", "1", 1).replace("Z", "2", 1)
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


def _codice_fiscale(text: str) -> bool:
    odd = dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True)) | dict(
        zip(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
            strict=True,
        )
    )
    total = sum(
        odd[sign] if place % 2 == 0 else (int(sign) if sign.isdigit() else ord(sign) - 65)
        for place, sign in enumerate(text[:15])
    )
    return chr(total % 26 + 65) == text[15]


_VERHOEFF_D = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 4, 0, 6, 7, 8, 9, 5), (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7), (4, 0, 1, 2, 3, 9, 5, 6, 7, 8), (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2), (7, 6, 5, 9, 8, 2, 1, 0, 4, 3), (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)  # fmt: skip
_VERHOEFF_P = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 5, 7, 6, 2, 8, 3, 0, 9, 4), (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7), (9, 4, 5, 3, 1, 2, 6, 8, 7, 0), (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5), (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)  # fmt: skip


def _aadhaar(text: str) -> bool:
    check = 0
    for place, digit in enumerate(reversed(_digits(text))):
        check = _VERHOEFF_D[check][_VERHOEFF_P[place % 8][digit]]
    return check == 0


def _steuer_id(text: str) -> bool:
    """Ten digits of which one or two values repeat, and a check digit by ISO 7064."""
    repeated = [text[:10].count(sign) for sign in set(text[:10])]
    if max(repeated) not in (2, 3) or sum(count > 1 for count in repeated) != 1:
        return False
    product = 10
    for digit in _digits(text[:10]):
        total = (digit + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(text[10])


def _bsn(text: str) -> bool:
    return int(text) > 0 and _weighted(_digits(text), (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _nir(text: str) -> bool:
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(number) % 97 == int(text[13:])


def _ahv(text: str) -> bool:
    digits = _digits(text)
    return (10 - _weighted(digits[:12], (1, 3) * 6) % 10) % 10 == digits[12]


def _chinese_id(text: str) -> bool:
    total = _weighted(_digits(text[:17]), (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return "10X98765432"[total % 11] == text[17] and _is_date(int(text[6:10]), int(text[10:12]), int(text[12:14]))


def _tckn(text: str) -> bool:
    digits = _digits(text)
    tenth = (sum(digits[0:9:2]) * 7 - sum(digits[1:8:2])) % 10
    return digits[9] == tenth and digits[10] == sum(digits[:10]) % 10


def _hetu(text: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:6] + text[7:10]) % 31] == text[10]


def _belgian(text: str) -> bool:
    return any(97 - int(before + text[:9]) % 97 == int(text[9:]) for before in ("", "2"))


def _snils(text: str) -> bool:
    return _weighted(_digits(text), range(9, 0, -1)) % 101 % 100 == int(text[9:])


def _nhs(text: str) -> bool:
    check = 11 - _weighted(_digits(text), range(10, 1, -1)) % 11
    return check % 11 == int(text[9]) and check != 10


def _nino(text: str) -> bool:
    return text[:2] not in ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")


def _rvnr(text: str) -> bool:
    """German pension insurance: area, birthday, initial of the last name, serial, check digit."""
    digits = _digits(f"{text[:8]}{ord(text[8]) - 64:02d}{text[9:]}")
    products = [digit * weight for digit, weight in zip(digits[:12], (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True)]
    return sum(each // 10 + each % 10 for each in products) % 10 == digits[12] and 1 <= int(text[4:6]) <= 12


def _rodne_cislo(text: str) -> bool:
    """Czech and Slovak birth number: months of women are 50 higher, and 20 more where a day has no number left."""
    month = int(text[2:4]) % 50
    return 1 <= (month - 20 if month > 20 else month) <= 12 and 1 <= int(text[4:6]) <= 31 and int(text) % 11 == 0


def _cnp(text: str) -> bool:
    """Romanian."""
    check = _weighted(_digits(text), (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return 1 <= int(text[3:5]) <= 12 and 1 <= int(text[5:7]) <= 31 and (1 if check == 10 else check) == int(text[12])


def _fodselsnummer(text: str) -> bool:
    """Norwegian: two check digits."""
    digits = _digits(text)
    first = -_weighted(digits[:9], (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
    second = -_weighted(digits[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return digits[9:] == [first, second] and 1 <= int(text[2:4]) % 40 <= 12


def _egn(text: str) -> bool:
    """Bulgarian: the century is in the month."""
    check = _weighted(_digits(text), (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10
    return 1 <= int(text[2:4]) % 20 <= 12 and 1 <= int(text[4:6]) <= 31 and check == int(text[9])


def _baltic(text: str) -> bool:
    """Estonian and Lithuanian."""
    digits = _digits(text)
    check = _weighted(digits[:10], (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    if check == 10:
        check = _weighted(digits[:10], (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
    return check == digits[10] and 1 <= int(text[3:5]) <= 12 and 1 <= int(text[5:7]) <= 31


def _rrn(text: str) -> bool:
    """Korean."""
    check = (11 - _weighted(_digits(text), (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10
    return check == int(text[12]) and 1 <= int(text[2:4]) <= 12 and 1 <= int(text[4:6]) <= 31


def _south_african(text: str) -> bool:
    return passes_luhn(text) and 1 <= int(text[2:4]) <= 12 and 1 <= int(text[4:6]) <= 31 and text[10] in "012"


def _rut(text: str) -> bool:
    """Chilean: most companies have numbers above 50 million."""
    weights = [2 + place % 6 for place in range(len(text) - 1)]
    check = 11 - _weighted(list(reversed(_digits(text[:-1]))), weights) % 11
    return {11: "0", 10: "K"}.get(check, str(check)) == text[-1] and int(text[:-1]) < 50_000_000


def _pps(text: str) -> bool:
    """Irish."""
    extra = 9 * (ord(text[8]) - 64) if len(text) == 9 and text[8] != "W" else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[(_weighted(_digits(text[:7]), range(8, 1, -1)) + extra) % 23] == text[7]


# Form and check of each. A whole column that passes one of them is proof without a name.
SCHEMES: Mapping[str, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "CPF": (re.compile(r"\d{11}"), _cpf),
    "PESEL": (re.compile(r"\d{11}"), _pesel),
    "TCKN": (re.compile(r"[1-9]\d{10}"), _tckn),
    "Steuer-ID": (re.compile(r"[1-9]\d{10}"), _steuer_id),
    "national number": (re.compile(r"\d{11}"), _belgian),
    "SNILS": (re.compile(r"\d{11}"), _snils),
    "personnummer": (re.compile(r"(?:19|20)?\d{6}[+]?\d{4}"), lambda text: _personnummer(text.replace("+", ""))),
    "DNI": (re.compile(r"[\dXYZ]\d{7}[A-Z]"), _dni),
    "codice fiscale": (re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]"), _codice_fiscale),
    "Aadhaar": (re.compile(r"[2-9]\d{11}"), _aadhaar),
    "BSN": (re.compile(r"\d{9}"), _bsn),
    "SIN": (re.compile(r"[1-79]\d{8}"), passes_luhn),
    "NIR": (re.compile(r"[12]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d{2}|2[AB])\d{8}"), _nir),
    "AHV": (re.compile(r"756\d{10}"), _ahv),
    "identity card": (re.compile(r"[1-9]\d{16}[\dX]"), _chinese_id),
    "HETU": (re.compile(r"\d{6}[+A]?\d{3}[0-9A-Y]"), lambda text: len(text) == 11 and _hetu(text)),
    "NINO": (re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]"), _nino),
    "CURP": (re.compile(r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d"), lambda text: True),
    "Rentenversicherungsnummer": (re.compile(r"\d{8}[A-Z]\d{3}"), _rvnr),
    "rodné číslo": (re.compile(r"\d{10}"), _rodne_cislo),
    "CNP": (re.compile(r"[1-8]\d{12}"), _cnp),
    "fødselsnummer": (re.compile(r"\d{11}"), _fodselsnummer),
    "EGN": (re.compile(r"\d{10}"), _egn),
    "isikukood": (re.compile(r"[1-6]\d{10}"), _baltic),
    "RRN": (re.compile(r"\d{6}[1-8]\d{6}"), _rrn),
    "South African ID": (re.compile(r"\d{13}"), _south_african),
    "RUT": (re.compile(r"\d{7,8}[\dK]"), _rut),
    "PPS number": (re.compile(r"\d{7}[A-W][A-IW]?"), _pps),
    "NHS number": (re.compile(r"\d{10}"), _nhs),
}

_PUNCTUATION = re.compile(r"[\s.\-/]")


def schemes_of(value: str) -> frozenset[str]:
    """The schemes that a value can belong to."""
    text = _PUNCTUATION.sub("", value).upper()
    return frozenset(name for name, (form, check) in SCHEMES.items() if form.fullmatch(text) and check(text))
