"""Names of columns as words."""

from __future__ import annotations

import pytest

from forge.catalog.pii.tokens import words_of

KNOWN = frozenset({"email", "address", "street", "date", "of", "birth", "first", "name", "telefon"})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("custEmailAddr", "customer email address"),
        ("CUST_EMAIL_ADDR", "customer email address"),
        ("cust-email-addr", "customer email address"),
        ("IPAddress", "ip address"),
        ("streetaddress", "street address"),
        ("dateofbirth", "date of birth"),
        ("firstname", "first name"),
        ("telefonnr", "telefon number"),
        ("teléfono", "telefono"),
        ("Straße_2", "strasse 2"),
        ("電話番号", "電話番号"),
        ("Дата_рождения", "дата рождения"),
        ("", ""),
        ("__", ""),
    ],
)
def test_identifiers_are_split(name: str, words: str) -> None:
    assert words_of(name, KNOWN) == tuple(words.split())
