"""Terms as CSV and YAML: round trip, errors with their line, and what a spreadsheet must not run."""

from __future__ import annotations

import csv
import io
import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.catalog.glossary.csv_text import COLUMNS, load_terms_csv, shielded, terms_csv, unshielded
from forge.catalog.glossary.entry import TermFile
from forge.catalog.glossary.fields import read_term
from forge.catalog.glossary.import_plan import plan_import
from forge.catalog.glossary.term import GlossaryTerm, TermState, name_key
from forge.catalog.glossary.yaml_text import load_terms_yaml, terms_yaml
from forge.model.errors import ForgeError

LINES = st.text(st.characters(codec="utf-8"), max_size=30) | st.text("=+-@|\\'\";,\n\t #:[]{}&*!%>ab", max_size=20)
TEXTS = LINES.map(lambda text: " ".join(text.split()))


@st.composite
def one_term(draw: st.DrawFn) -> GlossaryTerm:
    """As a person could have made it: what the fields of a term take."""
    fields = {
        "id": draw(st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8)),
        "name": draw(TEXTS),
        "domain": draw(TEXTS),
        "definition": draw(LINES),
        "synonyms": draw(st.lists(TEXTS, max_size=3)),
        "examples": draw(st.lists(LINES, max_size=3)),
        "owner": draw(TEXTS),
        "state": draw(st.sampled_from(TermState)),
    }
    read = read_term(fields)
    return read.term or GlossaryTerm(id=str(fields["id"]), name="plain")


def unique(terms: list[GlossaryTerm]) -> list[GlossaryTerm]:
    by_id = {term.id: term for term in terms}
    by_name = {(term.domain, name_key(term.name)): term for term in by_id.values()}
    found = list(by_name.values())
    return [replace(term, related=tuple(one.id for one in found[:2] if one.id != term.id)) for term in found]


GLOSSARIES = st.lists(one_term(), max_size=4).map(unique)


def taken(file: TermFile) -> list[GlossaryTerm]:
    plan = plan_import(file.entries, ())
    assert (file.errors, plan.errors) == ((), ())
    return list(plan.added)


@given(GLOSSARIES)
def test_csv_gives_back_what_it_took(terms: list[GlossaryTerm]) -> None:
    assert taken(load_terms_csv(terms_csv(terms), "t.csv")) == terms


@given(GLOSSARIES)
def test_yaml_gives_back_what_it_took(terms: list[GlossaryTerm]) -> None:
    assert taken(load_terms_yaml(terms_yaml(terms), "t.yaml")) == terms


@given(GLOSSARIES)
def test_what_is_exported_changes_nothing_when_it_is_imported(terms: list[GlossaryTerm]) -> None:
    for file in (load_terms_csv(terms_csv(terms), "t.csv"), load_terms_yaml(terms_yaml(terms), "t.yaml")):
        plan = plan_import(file.entries, terms)
        assert (plan.added, plan.changed, plan.errors) == ((), (), ())
        assert list(plan.unchanged) == terms


@given(GLOSSARIES)
def test_python_reads_the_same_table_and_no_cell_begins_a_formula(terms: list[GlossaryTerm]) -> None:
    rows = list(csv.reader(io.StringIO(terms_csv(terms), newline=""), strict=True))
    assert rows[0] == list(COLUMNS)
    assert [row[0] for row in rows[1:]] == [term.id for term in terms]
    assert [unshielded(row[3]) for row in rows[1:]] == [term.definition for term in terms]
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


@given(LINES)
def test_a_shield_is_taken_away_as_it_was_put_on(text: str) -> None:
    shield = shielded(text)
    assert shield[:1] not in ("=", "+", "-", "@", "\t", "\r")
    if shield != text:
        assert unshielded(shield) == text


@given(st.text(max_size=300))
def test_no_text_makes_reading_raise(text: str) -> None:
    for file in (load_terms_csv(text, "t"), load_terms_yaml(text, "t"), load_terms_csv(f"id,name\n{text}", "t")):
        plan = plan_import(file.entries, ())
        assert all(isinstance(error, ForgeError) for error in (*file.errors, *plan.errors))


def test_formulas_of_a_hostile_term_are_harmless() -> None:
    term = GlossaryTerm(id="x", name="=HYPERLINK(1)", synonyms=("a", "=1+1", "@x"), definition="+cmd|' /C calc'!A0")
    text = terms_csv([term])
    row = next(csv.DictReader(io.StringIO(text, newline="")))
    assert row["name"] == "'=HYPERLINK(1)"
    assert row["definition"] == "'+cmd|' /C calc'!A0"
    assert row["synonyms"] == "a | '=1+1 | '@x"
    assert taken(load_terms_csv(text, "t")) == [term]


def test_spreadsheets_of_other_countries_and_programs_are_read() -> None:
    for text in ("\ufeffname;domain\r\nA;sales\r\n", "name\tdomain\nA\tsales", '"Name","Domain"\n\n"A","sales"\n'):
        assert [(term.name, term.domain) for term in taken(load_terms_csv(text, "t"))] == [("A", "sales")]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "g.csv", "empty"),
        ("foo,name\n1,2\n", "g.csv:1", "no column 'foo'"),
        ("definition\nx\n", "g.csv:1", "no column 'name'"),
        ("name,name\na,b\n", "g.csv:1", "twice"),
        ("name,domain\na,b\nc\n", "g.csv:3", "1 cells"),
        ('name,definition\na,"x\ny"\nb,c,d\n', "g.csv:4", "3 cells"),
        ('name\n"a\n', "g.csv:2", "not CSV"),
        ("name,state\na,draft\nb,nope\n", "g.csv:3", "state"),
        ('name,definition,state\na,"x\ny",draft\nb,z,nope\n', "g.csv:4", "state"),
        ("name\na\nA\n", "g.csv:3", "twice"),
        ("name,related\na,b\n", "g.csv:2", "not there: b"),
        ("id,name\na,Same\nb,same\n", "g.csv:3", "has a term"),
        (f"name,definition\na,{'x' * 200_000}\n", "g.csv:2", "200,000 characters"),
    ],
)
def test_an_error_of_csv_has_its_line(text: str, where: str, what: str) -> None:
    file = load_terms_csv(text, "g.csv")
    errors = (*file.errors, *plan_import(file.entries, ()).errors)
    assert len(errors) == 1
    assert errors[0].where == where
    assert what in errors[0].what


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("- a\n", "g.yaml"),
        ("term: []\n", "g.yaml:1"),
        ("terms: x\n", "g.yaml:1"),
        ("terms:\n  - name: a\n  - 5\n", "g.yaml:3"),
        ("terms:\n  - name: a\n    state: nope\n", "g.yaml:3"),
        ("terms:\n  - name: a\n    related: [b]\n", "g.yaml:3"),
        ("terms:\n  - name: a\n  - name: A\n", "g.yaml:3"),
        ("terms: [\n", "g.yaml:2:1"),
        ("terms: !!python/object:os.system [x]\n", "g.yaml:1:8"),
    ],
)
def test_an_error_of_yaml_has_its_line(text: str, where: str) -> None:
    file = load_terms_yaml(text, "g.yaml")
    errors = (*file.errors, *plan_import(file.entries, ()).errors)
    assert [error.where for error in errors] == [where]


def test_the_domain_of_a_yaml_file_is_that_of_its_terms() -> None:
    text = "domain: sales\nterms:\n- name: A\n- {name: B, domain: hr}\n- {name: C, related: [a, B]}\n"
    found = taken(load_terms_yaml(text, "g.yaml"))
    assert [(term.domain, term.related) for term in found] == [
        ("sales", ()),
        ("hr", ()),
        ("sales", ("sales.a", "hr.b")),
    ]


def test_a_term_is_known_again_by_its_name_and_keeps_what_the_file_leaves_out() -> None:
    known = GlossaryTerm(id="old", name="Net revenue", domain="sales", owner="eve", version=2)
    plan = plan_import(load_terms_csv("name,domain,state\nnet_revenue,sales,approved\n", "t").entries, [known])
    (before, after), *rest = plan.changed
    assert (before, rest, plan.added) == (known, [], ())
    assert (after.id, after.owner, after.state, after.version) == ("old", "eve", TermState.APPROVED, 2)


def test_two_terms_may_swap_their_names() -> None:
    known = [GlossaryTerm(id="a", name="A"), GlossaryTerm(id="b", name="B")]
    plan = plan_import(load_terms_csv("id,name\na,C\nb,A\n", "t").entries, known)
    assert plan.errors == ()
    assert [after.name for _, after in plan.changed] == ["C", "A"]


def test_a_term_of_a_project_file_is_changed_by_that_only() -> None:
    known = [GlossaryTerm(id="a", name="A", file="glossary/x.yaml")]
    entries = load_terms_csv("id,name,owner\na,A,eve\n", "t").entries
    assert [error.code for error in plan_import(entries, known).errors] == ["E866"]
    assert plan_import(entries, known, from_project=True).errors == ()
