"""National identifiers by published examples, and by one wrong digit."""

from __future__ import annotations

import pytest

from forge.catalog.pii.national_ids import is_us_ssn, passes_luhn, schemes_of

EXAMPLES = {
    "CPF": "529.982.247-25",
    "PESEL": "44051401359",
    "TCKN": "10000000146",
    "Steuer-ID": "86095742719",
    "SNILS": "112-233-445 95",
    "personnummer": "811228-9874",
    "DNI": "12345678Z",
    "codice fiscale": "RSSMRA85T10A562S",
    "BSN": "111222333",
    "SIN": "193 456 787",
    "NIR": "2 55 08 14 168 025 38",
    "AHV": "756.9217.0769.85",
    "identity card": "11010519491231002X",
    "HETU": "131052A308T",
    "NHS number": "943 476 5919",
    "national number": "93.05.18-223.61",
    "Rentenversicherungsnummer": "15 070649 C 103",
    "rodné číslo": "710319/2745",
    "CNP": "1630615123457",
    "fødselsnummer": "151086 95088",
    "EGN": "7523169263",
    "isikukood": "36805280109",
    "South African ID": "8001015009087",
    "RUT": "12531909-2",
    "PPS number": "6433435F",
}


@pytest.mark.parametrize("scheme", EXAMPLES)
def test_the_published_example_passes(scheme: str) -> None:
    assert scheme in schemes_of(EXAMPLES[scheme])


@pytest.mark.parametrize("scheme", EXAMPLES)
def test_another_last_sign_does_not(scheme: str) -> None:
    value = EXAMPLES[scheme]
    others = "0123456789" if value[-1].isdigit() else "ABCDEFGHJKLMNPQRSTVWXYZ"
    wrong = [value[:-1] + sign for sign in others if sign != value[-1]]
    assert not any(scheme in schemes_of(each) for each in wrong)


def test_a_nino_has_no_check_digit_but_a_form() -> None:
    assert "NINO" in schemes_of("AB 12 34 56 C")
    assert "NINO" not in schemes_of("GB 12 34 56 C")


@pytest.mark.parametrize("area", ["000", "666", "900", "999"])
def test_areas_that_were_never_given_out_are_no_ssn(area: str) -> None:
    assert not is_us_ssn(f"{area}051120")


def test_luhn() -> None:
    assert passes_luhn("79927398713")
    assert not any(passes_luhn(f"7992739871{digit}") for digit in (0, 1, 2, 4, 5, 6, 7, 8, 9))
