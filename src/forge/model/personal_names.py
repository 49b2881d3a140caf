"""Typical names of columns with personal data: one list for detection and for required classification. Lower-case
words, consecutive as in a name."""

from __future__ import annotations

from collections.abc import Mapping

PERSONAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "email": ("email", "e mail", "mail", "mail address"),
    "iban": ("iban", "bank account", "account iban"),
    "credit_card": ("credit card", "card number", "creditcard", "pan"),
    "phone": ("phone", "telephone", "mobile", "cell", "fax", "msisdn"),
    "ssn": ("ssn", "social security", "sozialversicherung"),
    "passport": ("passport",),
    "national_id": ("national id", "identity card", "driver license", "drivers license", "driving licence"),
    "tax_id": ("tax id", "tax number", "tin", "steuer id"),
    "ip_address": ("ip", "ip address", "ip addr", "ipv4", "ipv6"),
    "name": (
        *("first name", "last name", "full name", "surname", "family name", "given name", "maiden name"),
        *("middle name", "customer name", "person name", "patient name", "employee name", "contact name"),
        *("firstname", "lastname", "fullname", "forename", "nickname"),
    ),
    "birth_date": ("birth date", "date of birth", "birthday", "birthdate", "dob", "birth day"),
    "address": ("street", "street address", "home address", "postal address", "address line"),
}
# Quasi-identifiers: identifying only together with others.
QUASI_NAMES: Mapping[str, tuple[str, ...]] = {
    "postal_code": ("zip", "zip code", "postal code", "postcode", "plz"),
    "gender": ("gender", "sex"),
    "birth_year": ("birth year", "year of birth"),
}
