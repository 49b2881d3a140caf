"""Import and export, and terms that live in files of the project."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from forge.catalog.glossary.term import TermLink
from forge.flows.catalog.glossary.exchange import TermFormat, export_terms, import_terms, sync_glossary
from forge.flows.catalog.glossary.ports import GlossaryPorts
from forge.flows.catalog.glossary.terms import change_term, create_term
from forge.model.errors import ForgeError, errors_of
from forge.stores.memory.glossary import MemoryGlossary

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.fixture
def linked() -> set[str]:
    return set()


@pytest.fixture
def ports(linked: set[str]) -> GlossaryPorts:
    return GlossaryPorts(
        store=MemoryGlossary(),
        clock=lambda: NOW,
        actor="eve",
        links=lambda term: (TermLink("core.t"),) if term in linked else (),
    )


def ids(ports: GlossaryPorts) -> list[str]:
    return [term.id for term in ports.store.terms()]


@pytest.mark.parametrize("format", TermFormat)
def test_what_is_exported_can_be_imported_elsewhere(ports: GlossaryPorts, format: TermFormat) -> None:
    create_term({"name": "Net", "domain": "sales", "definition": "=1\nb", "synonyms": ["a|b", "@c"]}, ports)
    create_term({"name": "Gross", "related": ["Net"]}, ports)
    text = export_terms(ports.store.terms(), format)
    other = GlossaryPorts(store=MemoryGlossary(), clock=lambda: NOW, actor="bob")
    assert len(import_terms(text, "t", format, other).added) == 2
    assert [term.content for term in other.store.terms()] == [term.content for term in ports.store.terms()]
    assert len(import_terms(text, "t", format, other).unchanged) == 2
    assert {term.version for term in other.store.terms()} == {1}


def test_one_wrong_row_keeps_all_out_and_all_errors_are_told(ports: GlossaryPorts) -> None:
    with pytest.raises(ForgeError) as wrong:
        import_terms("name,state\nA,draft\nB,x\nC,y\n", "t.csv", TermFormat.CSV, ports)
    assert [one.where for one in errors_of(wrong.value)] == ["t.csv:3", "t.csv:4"]
    assert ids(ports) == []


def test_a_dry_run_says_what_would_change(ports: GlossaryPorts) -> None:
    create_term({"name": "A"}, ports)
    plan = import_terms("name,owner\nA,bob\nB,\n", "t.csv", TermFormat.CSV, ports, dry_run=True)
    assert plan.to_dict() == {"added": ["b"], "changed": ["a"], "unchanged": [], "errors": []}
    assert ids(ports) == ["a"]
    assert ports.store.terms()[0].owner is None


def test_the_ending_of_a_file_says_its_format() -> None:
    assert [TermFormat.of_file(name) for name in ("a.csv", "b.YML", "c.yaml", "d")] == ["csv", "yaml", "yaml", None]


def write(root: Path, text: str, name: str = "sales.yaml") -> None:
    (root / "glossary").mkdir(exist_ok=True)
    (root / "glossary" / name).write_text(text, encoding="utf-8")


def test_terms_of_files_come_change_and_go(ports: GlossaryPorts, tmp_path: Path) -> None:
    assert sync_glossary(tmp_path, ports).added == ()
    write(tmp_path, "domain: sales\nterms:\n- name: Net\n  owner: eve\n- name: Gross\n  related: [Net]\n")
    assert sync_glossary(tmp_path, ports).added == ("sales.net", "sales.gross")
    assert sync_glossary(tmp_path, ports).added == ()
    assert {term.file for term in ports.store.terms()} == {"glossary/sales.yaml"}
    write(tmp_path, "\n\ndomain: sales\nterms:\n- name: Net\n- name: Gross\n")
    synced = sync_glossary(tmp_path, ports)
    assert synced.changed == ("sales.net", "sales.gross")
    assert ports.store.terms()[1].owner is None
    write(tmp_path, "domain: sales\nterms:\n- name: Gross\n")
    assert sync_glossary(tmp_path, ports).removed == ("sales.net",)
    assert ids(ports) == ["sales.gross"]


def test_a_term_of_a_file_is_changed_there_only(ports: GlossaryPorts, tmp_path: Path) -> None:
    write(tmp_path, "terms:\n- name: Net\n")
    sync_glossary(tmp_path, ports)
    with pytest.raises(ForgeError) as refused:
        change_term("net", {"owner": "x"}, ports)
    assert (refused.value.code, refused.value.where) == ("E866", "glossary/sales.yaml")


def test_a_term_in_use_outlives_its_file(ports: GlossaryPorts, tmp_path: Path, linked: set[str]) -> None:
    write(tmp_path, "terms:\n- name: Net\n- name: Gross\n")
    sync_glossary(tmp_path, ports)
    linked.add("net")
    (tmp_path / "glossary" / "sales.yaml").unlink()
    synced = sync_glossary(tmp_path, ports)
    assert (synced.removed, synced.released) == (("gross",), ("net",))
    assert change_term("net", {"owner": "x"}, ports).owner == "x"
    assert sync_glossary(tmp_path, ports).released == ()


def test_an_exported_glossary_can_move_into_git(ports: GlossaryPorts, tmp_path: Path) -> None:
    made = create_term({"name": "Net", "id": "n1", "owner": "eve"}, ports)
    write(tmp_path, export_terms([made], TermFormat.YAML))
    assert sync_glossary(tmp_path, ports).changed == ("n1",)
    assert ports.store.terms()[0].file == "glossary/sales.yaml"


def test_an_error_in_one_file_changes_nothing(ports: GlossaryPorts, tmp_path: Path) -> None:
    write(tmp_path, "terms:\n- name: Net\n")
    sync_glossary(tmp_path, ports)
    write(tmp_path, "terms: [\n", "b.yaml")
    (tmp_path / "glossary" / "sales.yaml").unlink()
    (tmp_path / "glossary" / "c.yml").write_bytes(b"\xff\xfe")
    synced = sync_glossary(tmp_path, ports)
    assert sorted(str(error.where).partition(":")[0] for error in synced.errors) == [
        "glossary/b.yaml",
        "glossary/c.yml",
    ]
    assert ids(ports) == ["net"]


def test_two_files_with_one_term_are_an_error(ports: GlossaryPorts, tmp_path: Path) -> None:
    write(tmp_path, "terms:\n- name: Net\n")
    write(tmp_path, "terms:\n- name: net\n", "b.yaml")
    (error,) = sync_glossary(tmp_path, ports).errors
    assert (error.code, error.where, error.why) == (
        "E865",
        "glossary/sales.yaml:2",
        "The other one is at glossary/b.yaml:2.",
    )
