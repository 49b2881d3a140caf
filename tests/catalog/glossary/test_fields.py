"""Fields of a term, read."""

from __future__ import annotations

import pytest

from forge.catalog.glossary.fields import read_term
from forge.catalog.glossary.term import GlossaryTerm, TermRevision, TermState, glossaries_of, name_key, term_id


def test_a_name_is_enough() -> None:
    read = read_term({"name": " Net revenue ", "domain": "Sales"})
    assert read.term == GlossaryTerm(id="sales.net-revenue", name="Net revenue", domain="Sales")
    assert read.faults == ()


def test_what_is_not_given_stays() -> None:
    before = GlossaryTerm(id="a", name="A", definition="old", synonyms=("x",), state=TermState.APPROVED, version=3)
    read = read_term({"definition": "new"}, before=before)
    assert read.term == GlossaryTerm(
        id="a", name="A", definition="new", synonyms=("x",), state=TermState.APPROVED, version=3
    )


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "name"),
        ({"name": "   "}, "name"),
        ({"name": None}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\ud800b"}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": {"a": 1}}, "name"),
        ({"name": True}, "name"),
        ({"name": "a", "definition": "x" * 100_001}, "definition"),
        ({"name": "a", "state": "final"}, "state"),
        ({"name": "a", "state": ["draft"]}, "state"),
        ({"name": "a", "synonyms": {"b": 1}}, "synonyms"),
        ({"name": "a", "synonyms": ["x"] * 101}, "synonyms"),
        ({"name": "a", "synonyms": [None]}, "synonyms"),
        ({"name": "a", "id": "A B"}, "id"),
        ({"name": "a", "id": "../x"}, "id"),
        ({"name": "a", "id": 7}, "id"),
        ({"name": "a", "nmae": "b"}, "nmae"),
        ([], ""),
        (None, ""),
    ],
)
def test_what_is_wrong_is_said_with_its_field(given: object, field: str) -> None:
    read = read_term(given)
    assert read.term is None
    assert field in [fault.field for fault in read.faults]


def test_all_faults_are_told_at_once() -> None:
    read = read_term({"name": "", "state": "x", "synonyms": 5, "owner": []})
    assert {fault.field for fault in read.faults} == {"name", "state", "owner"}


def test_texts_are_kept_in_one_form() -> None:
    read = read_term({"name": "Umsa\u0308tze", "definition": "a\r\nb\rc", "synonyms": ["x ", "x", ""]})
    assert read.term is not None
    assert (read.term.name, read.term.definition, read.term.synonyms) == ("Umsätze", "a\nb\nc", ("x",))


def test_ids_of_names_without_latin_letters_differ() -> None:
    assert term_id("", "売上") != term_id("", "利益")
    assert term_id("", "売上").startswith("term-")
    assert term_id("x" * 100, "y" * 200)[-1] != "-"
    assert len(term_id("x" * 100, "y" * 200)) <= 120


def test_names_that_people_take_as_the_same_have_one_key() -> None:
    assert len({name_key(name) for name in ("Net Revenue", "net_revenue", "netRevenue", " NET-REVENUE ")}) == 1
    assert name_key("%") != name_key("#")


def test_glossaries_are_counted_by_domain() -> None:
    terms = (
        GlossaryTerm(id="a", name="A", domain="sales", state=TermState.APPROVED, owner="eve"),
        GlossaryTerm(id="b", name="B", domain="sales"),
        GlossaryTerm(id="c", name="C"),
    )
    found = [one.to_dict() for one in glossaries_of(terms)]
    assert found == [
        {"domain": "", "terms": 1, "approved": 0, "owners": []},
        {"domain": "sales", "terms": 2, "approved": 1, "owners": ["eve"]},
    ]


def test_a_revision_names_the_changed_fields() -> None:
    from datetime import UTC, datetime

    before, after = GlossaryTerm(id="a", name="A").content, GlossaryTerm(id="a", name="A", owner="x").content
    made = TermRevision(term="a", version=2, at=datetime.now(UTC), by="eve", before=before, after=after)
    assert made.changed == ("owner",)
