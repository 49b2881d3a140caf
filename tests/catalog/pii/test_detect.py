"""Personal data is found by name and by value, each with its evidence, and no value leaves the finder."""

from __future__ import annotations

import json

import pytest

from forge.catalog.pii import find_pii, rests_on_values

VALUES: dict[str, list[object]] = {
    "email": ["ada@example.com", "bob@example.org", "cy@example.net"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "FR1420041010050500013M02606"],
    "credit_card": ["4111 1111 1111 1111", "5500-0000-0000-0004", "4012888888881881"],
    "ssn": ["078-05-1120", "219-09-9999", "457-55-5462"],
    "ip_address": ["10.0.0.1", "192.168.1.254", "8.8.8.8"],
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_alone_are_enough_where_they_have_a_form(kind: str) -> None:
    (found,) = find_pii({"c1": VALUES[kind]})
    assert (found.type, found.score) == (kind, 0.9)
    assert found.evidence == ("3 of 3 values look like it",)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("email", "email"),
        ("customerEmail", "email"),
        ("CONTACT-E-MAIL", "email"),
        ("phone_number", "phone"),
        ("full_name", "name"),
        ("birth_date", "date_of_birth"),
        ("street_address", "address"),
        ("passport_no", "passport"),
        ("client_ip", "ip_address"),
    ],
)
def test_names_alone_are_enough_for_a_suspicion(name: str, kind: str) -> None:
    (found,) = find_pii([name])
    assert found.type == kind
    assert 0.7 <= found.score < 0.9


def test_name_and_values_together_are_sure() -> None:
    (found,) = find_pii({"mail": [*VALUES["email"], None, ""]})
    assert found.to_dict() == {
        "column": "mail",
        "type": "email",
        "score": 0.99,
        "evidence": ["the name says mail", "3 of 3 values look like it"],
    }


def test_values_that_are_something_else_take_the_suspicion_away() -> None:
    (found,) = find_pii({"mail": ["post", "courier", "post", "post", "post"]})
    assert found.to_dict() == {"column": "mail", "type": None, "score": 0.0, "evidence": []}


@pytest.mark.parametrize(
    "name", ["email_count", "has_phone", "email_verified", "mailing", "amount", "country", "shipment"]
)
def test_what_is_only_about_people_is_not_personal(name: str) -> None:
    assert find_pii([name])[0].type is None


def test_numbers_are_no_cards_and_no_phones() -> None:
    rows = {"order_id": list(range(4_000_000_000_000, 4_000_000_000_200)), "amount": [1234567, 2345678, 3456789]}
    assert [one.type for one in find_pii(rows)] == [None, None]


def test_wrong_digits_of_proof_are_no_iban_and_no_card() -> None:
    rows = {"a": ["DE00370400440532013000"] * 5, "b": ["4111111111111112"] * 5}
    assert [one.type for one in find_pii(rows)] == [None, None]


def test_quasi_identifiers_are_told_as_such() -> None:
    (found,) = find_pii({"zip": ["10115", "20095"]})
    assert found.to_dict()["quasi"] is True


def test_the_evidence_holds_no_value() -> None:
    assert not any("@" in line for one in find_pii({"x": VALUES["email"]}) for line in one.evidence)


@pytest.mark.parametrize(
    "name",
    [
        *("product_name", "company_name", "file_name", "email_opt_in", "mac_address", "address_type", "birth_rate"),
        *("name_length", "card_type", "passport_expiry", "phone_model", "wallet_address", "ip_address_count"),
        *("nom_produit", "tipo_direccion", "nombre_marca"),
    ],
)
def test_head_nouns_veto_what_a_name_seems_to_say(name: str) -> None:
    assert find_pii([name])[0].type is None


def test_an_ip_address_is_no_street_address() -> None:
    assert find_pii(["ip_address"])[0].type == "ip_address"


def test_city_and_postal_code_complete_a_street_address() -> None:
    alone = find_pii({"city": ["Berlin", "Rome"], "zip": ["10115", "20095"]})
    assert [(one.type, one.quasi) for one in alone] == [(None, True), (None, True)]
    beside = find_pii({"street_address": ["1 Main Street", "2 Main Street"], "city": ["Berlin", "Rome"]})
    assert [(one.type, one.quasi) for one in beside] == [("address", False), ("address", False)]


def test_hashed_values_are_quasi_identifiers() -> None:
    (found,) = find_pii({"email_sha256": ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"] * 3})
    assert (found.type, found.quasi) == (None, True)


def test_versions_are_no_ip_addresses() -> None:
    rows = {"c1": ["1.2.3.4", "1.2.3.5", "2.0.0.1"], "app_version": ["10.64.100.1", "10.64.101.2", "10.64.102.3"]}
    assert [one.type for one in find_pii(rows)] == [None, None]


def test_dates_of_birth_are_years_apart() -> None:
    births = {"dob": ["1961-04-02", "1999-12-31", "1984-07-13"]}
    days = {"dob": ["2026-07-01", "2026-07-02", "2026-07-03"]}
    assert [find_pii(each)[0].type for each in (births, days)] == ["date_of_birth", None]


def test_keys_of_objects_are_columns_of_their_own() -> None:
    values = [f'{{"id": {number}, "contact": {{"email": "p{number}@example.org"}}}}' for number in range(5)]
    (found,) = find_pii({"payload": values})
    assert found.type == "email"
    assert found.evidence[0] == "in email: the name says email"


PERSON = {"email": "p{}@example.org", "ssn": "078-05-11{}", "phone": "+49 171 12345{}", "sku": "{}"}


def people(count: int, *keys: str) -> list[object]:
    return [json.dumps({key: PERSON[key].format(number) for key in keys}) for number in range(20, 20 + count)]


@pytest.mark.parametrize("count", [1, 2, 20])
@pytest.mark.parametrize("keys", [("email", "ssn", "phone", "sku"), ("ssn", "sku", "phone", "email")])
def test_objects_are_of_their_most_confidential_type_and_tell_the_others(count: int, keys: tuple[str, ...]) -> None:
    (found,) = find_pii({"payload": people(count, *keys)})
    assert (found.type, found.score) == ("ssn", 0.99)
    assert found.evidence == (
        "in ssn: the name says ssn",
        f"in ssn: {count} of {count} values look like it",
        f"also email, in email: {count} of {count} values look like it",
        f"also phone, in phone: {count} of {count} values look like it",
    )


def test_types_of_objects_that_are_as_confidential_are_told_by_score_whatever_the_order() -> None:
    found = [find_pii({"payload": people(5, *keys)})[0] for keys in (("email", "phone"), ("phone", "email"))]
    assert found[0] == found[1]
    mixed = [json.dumps({"phone": "", "email": f"p{number}@example.org"}) for number in range(5)]
    (by_score,) = find_pii({"payload": mixed})
    assert (by_score.type, by_score.evidence[-1]) == ("email", "also phone, in phone: the name says phone")


def test_a_name_inside_of_objects_does_not_make_others_rest_on_values() -> None:
    (names,) = find_pii({"payload": [json.dumps({"ssn": "", "email": ""})] * 5})
    assert (names.type, rests_on_values(names.evidence)) == ("ssn", False)
    (values,) = find_pii({"payload": [json.dumps({"ssn": "", "email": "ada@example.org"})] * 5})
    assert (values.type, rests_on_values(values.evidence)) == ("ssn", True)


@pytest.mark.parametrize("count", [1, 2])
def test_few_objects_are_judged_by_their_keys_as_few_rows_by_their_columns(count: int) -> None:
    flat = find_pii({"email": [f"p{number}@example.org" for number in range(count)], "sku": ["7"] * count})
    (nested,) = find_pii({"payload": people(count, "email", "sku")})
    assert (nested.type, nested.score) == (flat[0].type, flat[0].score)


def test_few_objects_do_not_take_back_what_the_name_says() -> None:
    (found,) = find_pii({"address": ['{"a": "Main Street 1"}', '{"a": "2 Oak Road"}']})
    assert found.type == "address"


@pytest.mark.parametrize("text", ["{mail} has {ssn}", "{ssn}: write to {mail}"])
def test_texts_are_of_the_most_confidential_type_that_they_hold(text: str) -> None:
    texts = [text.format(mail=f"p{number}@example.org", ssn=f"078-05-11{number}") for number in range(20, 25)]
    (found,) = find_pii({"notes": [*texts, "nothing", "call p0@example.org"]})
    assert found.type == "ssn"
    assert found.evidence == ("5 of 7 texts hold one", "also email, 6 of 7 texts hold one")


def test_texts_that_hold_one_are_found_and_no_value_is_told() -> None:
    values = [f"write to p{number}@example.org today" for number in range(5)]
    (found,) = find_pii({"notes": values})
    assert found.type == "email"
    assert "example.org" not in str(found.to_dict())


@pytest.mark.slow
def test_hostile_values_end_soon_and_break_nothing() -> None:
    deep, long = "[" * 100_000, "a" * 1_000_000
    assert [one.type for one in find_pii({"deep": [deep] * 5, "long": [long] * 200, "at": ["@" * 100_000] * 50})] == [
        None,
        None,
        None,
    ]


def test_a_key_of_an_object_that_is_a_value_is_found_and_not_told() -> None:
    mails = [f"person{number}@secret.example" for number in range(8)]
    (finding,) = find_pii({"payload": [json.dumps({mail: {"phone": "+49 171 1234567", mail: 1}}) for mail in mails]})
    assert finding.type is not None
    assert "secret" not in repr(finding)
    (by_key,) = find_pii({"payload": [json.dumps({mail: 1}) for mail in mails]})
    assert by_key.type == "email"
    assert "secret" not in repr(by_key)


def test_a_key_that_is_a_value_is_not_told_however_often_it_occurs() -> None:
    same = json.dumps({"ada@secret.example": "ada@secret.example", "Ada Lovelace": "+49 171 1234567"})
    (finding,) = find_pii({"payload": [same] * 30})
    assert finding.type == "email"
    assert not any(word in repr(finding) for word in ("secret", "Lovelace"))
    numbers = json.dumps({"4111 1111 1111 1111": "4111 1111 1111 1111"})
    assert "4111" not in repr(find_pii({"payload": [numbers] * 30}))


@pytest.mark.parametrize("column", ["nom_assure", "NomeDoPaciente", "nombre_del_testigo"])
def test_a_name_and_who_is_meant_are_a_name_in_any_language(column: str) -> None:
    (finding,) = find_pii({column: ["DELORME", "GUICHARD", "VASSEUR", "LEMOINE", "PRUVOST", "ROUSSEL"] * 4})
    assert finding.type == "name"


@pytest.mark.parametrize("column", ["lead_name", "nombre_comercial", "driver_naam"])
def test_roles_of_things_and_companies_name_nobody(column: str) -> None:
    (finding,) = find_pii({column: ["Aurelia", "Norvena", "Soltek", "Vantis", "Quorum", "Brixa"] * 4})
    assert finding.type is None


def test_numbers_with_a_country_code_are_phones_though_nobody_may_have_them() -> None:
    (finding,) = find_pii({"f3": [f"+49 151 {number:06}" for number in range(100_000, 100_030)]})
    assert finding.type == "phone"
    (finding,) = find_pii({"f3": [f"+{number} %" for number in range(10, 40)]})
    assert finding.type is None


@pytest.mark.parametrize("column", ["geboren_op", "né_le", "nato_il", "født"])
def test_born_on_is_a_date_of_birth_in_other_languages(column: str) -> None:
    (finding,) = find_pii({column: ["1961-04-02", "1999-12-31", "1984-07-13"]})
    assert finding.type == "date_of_birth"


@pytest.mark.parametrize("values", [["True", "False"], ["yes", "no"], ["Y", "N"], ["oui", "non"], ["0", "1"]])
def test_yes_and_no_are_no_personal_data_whatever_the_name(values: list[str]) -> None:
    (finding,) = find_pii({"adresse_validee": values * 5})
    assert finding.type is None
    (finding,) = find_pii({"email": values * 5})
    assert finding.type is None


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("collected_by", ["K. Orwell", "F. Waugh", "N. Mitford", "E. Bowen", "G. Greene", "M. Spark"], "name"),
        ("x7", ["Dr. Ada Byron", "Prof. Karl Orff", "Frau Emmy Noet", "Mr. Max Born", "Mme Lise Meit"], "name"),
        ("birthdate", ["28APR75", "01JAN60", "13DEC99", "30JUN88", "02FEB51"], "date_of_birth"),
        ("dob", ["28 April 1975", "Jan 1, 1960", "13-Dec-1999", "30 June 1988", "2 Feb 1951"], "date_of_birth"),
        ("rack_address", ["DC1-R2-U3", "DC2-R34-U10", "DC1-R44-U34", "DC3-R9-U1", "DC2-R2-U2"], None),
        ("street_food", ["Arepa", "Pho", "Currywurst", "Takoyaki", "Falafel", "Gyros"], None),
    ],
)
def test_forms_of_names_dates_and_addresses(column: str, values: list[str], kind: str | None) -> None:
    (finding,) = find_pii({column: values})
    assert finding.type == kind


SSNS = ["078-05-1120", "219-09-9999", "457-55-5462", "123-45-6789", "321-54-9876", "555-12-3456"]
VISAS = ["4111111111111111", "4012888888881881", "4222222222222220", "4556737586899855", "4916338506082832"]
OFFICES = ["Sofia", "Paris", "Austin", "Charlotte", "Madison", "Victoria"]


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("order_number", SSNS, None),
        ("case no", SSNS, None),
        ("emp_no", SSNS, "ssn"),
        ("invoice_number", VISAS, None),  # one beginning: the shop's own, with Luhn's check
        ("invoice_note", [*VISAS, "5500000000000004", "340000000000009"], "credit_card"),
        ("order_no", ["212-555-0142", "415-555-0199", "312-555-0111", "617-555-0123"], None),
    ],
)
def test_numbers_of_things_are_no_numbers_of_persons_that_look_alike(
    column: str, values: list[str], kind: str | None
) -> None:
    assert find_pii({column: values})[0].type == kind


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("first_name", ["James", "Mary", "Priya", "Wei"] * 30, "name"),
        ("member_name", ["Gold", "Silver", "Trial", "Staff"] * 30, None),
        ("field_4", ["Ada King", "James Miller", "Maria Lopez", "Priya Sharma", "Peter Braun"] * 20, "name"),
        ("ship_name", ["Queen Mary", "Sir Walter Scott", "Lady Margaret", "Endeavour", "Sea Breeze"] * 20, None),
        ("name", ["James", "Mary", "Priya", "Peter", "Laura"] * 20, "name"),
        ("name", ["Mug", "Desk Lamp", "Oak Chair", "Yoga Mat", "Mouse"] * 20, None),
        ("office", OFFICES * 20, None),
    ],
)
def test_names_that_repeat_are_told_from_categories(column: str, values: list[str], kind: str | None) -> None:
    assert find_pii({column: values})[0].type == kind


@pytest.mark.parametrize("column", ["D.O.B.", "d_o_b", "DOB_DT", "bday", "birth", "BirthDt", "dob_ts", "생년월일"])
@pytest.mark.parametrize(
    "values",
    [
        ["04/28/75", "01/01/60", "12/13/99", "06/30/88", "02/02/51"],
        ["1975-04-28 00:00:00", "1960-01-01 00:00:00", "1999-12-13 00:00:00", "1988-06-30 00:00:00"],
        ["28.04.1975 00:00", "01.01.1960 00:00", "13.12.1999 00:00", "30.06.1988 00:00"],
        ["1991年8月6日", "2000年8月23日", "1970年9月10日", "1965年1月1日"],
        ["167875200", "-315619200", "945043200000", "-50000000"],  # seconds and milliseconds since 1970
    ],
)
def test_dates_of_birth_in_many_forms(column: str, values: list[str]) -> None:
    assert find_pii({column: values})[0].type == "date_of_birth"


@pytest.mark.parametrize("column", ["birth_weight", "birth_order", "birth_ward"])
def test_birth_says_a_date_only_at_the_end_of_a_name(column: str) -> None:
    assert find_pii([column])[0].type is None


@pytest.mark.parametrize("nothing", ["N/A", "null", "NaN", "-", "\\N", "unknown", float("nan")])
def test_words_for_no_value_are_no_values(nothing: object) -> None:
    (found,) = find_pii({"x": [*VALUES["email"], *[nothing] * 20]})
    assert (found.type, found.evidence) == ("email", ("3 of 3 values look like it",))


@pytest.mark.parametrize("values", [[2125550142.0, 4155550199.0, 3125550111.0], ["2125550142.0", "4155550199.0"]])
def test_whole_numbers_that_became_floats_are_read_as_numbers(values: list[object]) -> None:
    (found,) = find_pii({"phone": values})
    assert (found.type, found.score) == ("phone", 0.99)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("What is your home address?", "address"),
        ("Enter your phone number", "phone"),
        ("S.S.N.", "ssn"),
        ("SocSecNum", "ssn"),
        ("property_address", "address"),
        ("DRVR_LIC_NBR", "drivers_license"),
        ("PSPT_NBR", "passport"),
    ],
)
def test_questions_and_abbreviations_are_names_too(column: str, kind: str) -> None:
    assert find_pii([column])[0].type == kind


def test_british_licences_need_no_name() -> None:
    values = ["MORGA657054SM9IJ", "SMITH711215JA9AB", "FOX99802139A99CD", "JONES055286AB9XY"]
    assert find_pii({"c3": values})[0].type == "drivers_license"
    assert find_pii({"c3": ["MORGA697054SM9IJ", "SM1TH711215JA9AB", "KEY99ABCDEFG9XYZ"]})[0].type is None


def test_regions_of_sales_are_no_part_of_an_address() -> None:
    streets = {"street_address": ["1 Main Street", "2 Main Street"]}
    sales, state = find_pii(streets | {"region": ["EMEA", "APAC"]})[1], find_pii(streets | {"region": ["Ohio"]})[1]
    assert (sales.type, sales.quasi, state.type) == (None, True, "address")


def test_numbers_in_four_parts_with_small_beginnings_are_no_ip_addresses() -> None:
    enzymes = ["5.6.14.66", "1.8.11.71", "5.5.8.75", "3.6.12.110"]
    assert [one.type for one in find_pii({"a": enzymes, "b": ["10.0.0.4", "10.0.0.7", "10.0.1.9"]})] == [
        None,
        "ip_address",
    ]


def test_networks_are_no_ip_addresses() -> None:
    networks = [f"192.168.{part}.0/24" for part in range(9)]
    hosts = [f"from 192.168.{part}.7/32" for part in range(9)]
    found = find_pii({"pool": networks, "note": [f"allow {one}" for one in networks], "peer": hosts})
    assert [one.type for one in found] == [None, None, "ip_address"]


def test_measures_are_no_numbers_of_documents() -> None:
    assert find_pii({"dl_speed": ["522.53", "161.46", "688.48", "99.10", "310.22"]})[0].type is None


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("val_3", ["Paris", "Victoria", "Sofia", "Florence", "Charlotte", "Austin", "Madison"], None),
        ("project_lead", ["John Smith", "Mary Jones", "Wei Chen", "Ana Silva", "Omar Haddad"], "name"),
        ("project", ["John Smith", "Mary Jones", "Wei Chen", "Ana Silva", "Omar Haddad"], None),
        ("employer", ["Google", "Ford", "Wells Fargo", "John Deere", "Morgan Stanley"], None),
        (
            "location",
            ["10 Downing St", "350 Fifth Avenue, NY", "1 Market Plaza", "12 Oak Street", "9 Elm Rd"],
            "address",
        ),
    ],
)
def test_places_companies_and_persons_are_told_apart(column: str, values: list[str], kind: str | None) -> None:
    assert find_pii({column: values})[0].type == kind


@pytest.mark.parametrize("column", ["ip_rating", "ip_protocol", "mobile_app", "mobile_sessions", "ip_whitelist"])
def test_properties_of_things_with_such_names_are_not_personal(column: str) -> None:
    assert find_pii([column])[0].type is None


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("cc_number", ["4532-1234-5678-9012", "5425-2334-3010-9900", "3742-454554-00127", "6011-0009-9130-0001"], True),
        ("library_card", ["2901234567890", "2901234567891", "2901234567892", "2901234567893"], False),
        ("c4", ["4532-1234-5678-9012", "5425-2334-3010-9900", "6011-0009-9130-0001"], False),
    ],
)
def test_cards_without_a_check_digit_need_a_name(column: str, values: list[str], kind: bool) -> None:
    assert (find_pii({column: values})[0].type == "credit_card") is kind


@pytest.mark.parametrize(
    "values",
    [
        ["(555) 123-4567", "(555) 987-6543", "(555) 111-2222"],
        ["555-123-4567", "555-987-6543", "555-111-2222"],
        ["+1 555 123 4567", "+1 555 987 6543", "+1-555-111-2222"],
        ["303-555-0142", "720-555-0199", "808-555-0111"],
    ],
)
def test_fictional_phone_numbers_are_phone_numbers(values: list[str]) -> None:
    assert find_pii({"c7": values})[0].type == "phone"


def test_names_may_be_written_small() -> None:
    small = ["john smith", "mary jones", "maria garcia", "peter braun", "laura rossi"]
    assert find_pii({"full_name": small})[0].type == "name"
    assert find_pii({"display_name": ["total sales", "net profit", "open orders", "stock", "backlog"]})[0].type is None


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"email": []}, False),
        ({"email": ["a", "b", "c", "ada@example.com"]}, False),  # the values do not show it
        ({"email": VALUES["email"]}, True),
        ({"c1": [*VALUES["email"], *VALUES["email"], "wood"]}, True),
        ({"notes": ["ask ada@example.com"] * 7 + ["wood"] * 3}, True),
        ({"data": ['{"email": "x"}', '{"email": "y"}', '{"email": "z"}']}, False),
        ({"data": ['{"email": "ada@example.com"}', '{"email": "bo@example.com"}', '{"email": "c@example.com"}']}, True),
    ],
)
def test_evidence_tells_values_from_a_name_alone(columns: dict[str, list[object]], expected: bool) -> None:
    (found,) = find_pii(columns)
    assert found.type == "email"
    assert rests_on_values(found.evidence) is expected
