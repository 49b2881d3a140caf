"""What contracts call personal: files first, then the registry, whatever else is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.contracts.policy.governance import Governance
from forge.flows.catalog.declared_personal_data import DeclaredPersonalData
from forge.flows.contracts.files import read_text
from forge.flows.contracts.registration import register
from forge.model.classification import ClassificationLevel
from forge.model.names import TableName
from forge.wiring import Wiring

PEOPLE = TableName("core", "people")


def contract(*columns: str, id_: str = "people", version: str = "1.0.0", more: str = "") -> str:
    head = f"apiVersion: v3.1.0\nkind: DataContract\nid: {id_}\nname: {id_}\nversion: {version}\nstatus: active\n{more}"
    named = "".join(f"      - {column}\n" for column in columns)
    return f"{head}schema:\n  - name: people\n    physicalName: core.people\n    properties:\n{named}"


MAIL = "{name: Mail, logicalType: string, classification: pii}"
OPEN = "{name: Mail, logicalType: string}"
NESTED = "{name: home, logicalType: object, properties: [{name: street, logicalType: string, tags: [pii]}]}"


def declared(root: Path, **texts: str) -> DeclaredPersonalData:
    (root / "contracts").mkdir(exist_ok=True)
    for name, text in texts.items():
        (root / "contracts" / f"{name}.odcs.yaml").write_text(text)
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    return Wiring.of(root).catalog.declared


def test_a_file_counts_from_the_moment_it_is_there_and_no_longer(tmp_path: Path) -> None:
    found = declared(tmp_path)
    assert (found(), found.of(PEOPLE)) == (frozenset(), None)
    declared(tmp_path, people=contract(MAIL))
    assert found() == {("core.people", "mail")}
    assert found.of(PEOPLE) == frozenset({"mail"})
    declared(tmp_path, people=contract(OPEN + " "))
    assert (found(), found.of(PEOPLE)) == (frozenset(), frozenset())


def test_a_column_with_a_personal_field_inside_it_is_personal(tmp_path: Path) -> None:
    assert declared(tmp_path, people=contract(NESTED))() == {("core.people", "home")}


@pytest.mark.slow
def test_of_the_registry_counts_what_no_file_has(tmp_path: Path) -> None:
    found = declared(tmp_path)
    _register(tmp_path, contract(MAIL))
    assert found() == {("core.people", "mail")}
    declared(tmp_path, people=contract(OPEN, version="1.0.1"))
    assert found() == frozenset(), "the file is the newer word"
    declared(tmp_path, people="no: [yaml")
    assert found() == {("core.people", "mail")}, "a file that cannot be read takes nothing back"


def test_files_that_are_wrong_hide_no_others(tmp_path: Path) -> None:
    wrong = "schema: 5\nversion: 1.0\n"
    assert declared(tmp_path, a=wrong, b="{", people=contract(MAIL, version="'1.0'"))() == {("core.people", "mail")}


def test_what_a_parent_calls_personal_is_so_for_its_heirs(tmp_path: Path) -> None:
    extends = "customProperties: [{property: forge.extends, value: base}]\n"
    texts = {"base": contract(MAIL, id_="base"), "people": contract(OPEN, more=extends)}
    assert ("core.people", "mail") in declared(tmp_path, **texts)()


def _register(root: Path, text: str) -> None:
    file = read_text(text, "people.odcs.yaml")
    assert file.contract is not None
    register(file.contract, Wiring.of(root).contracts.ports(), text=text)


def test_the_rules_of_the_project_are_asked(tmp_path: Path) -> None:
    found = DeclaredPersonalData(tmp_path, Governance(), lambda: Wiring.of(tmp_path).contracts.registry)
    declared(tmp_path, people=contract(MAIL))
    assert found() == {("core.people", "mail")}


def test_a_classified_column_lifts_its_table_though_it_is_not_personal(tmp_path: Path) -> None:
    salary = "{name: salary, logicalType: integer, classification: restricted}"
    place = "{name: place, logicalType: string, classification: Public}"
    texts = {
        "people": contract(salary, place),
        "things": contract(place, id_="things").replace("core.people", "core.b"),
    }
    found = declared(tmp_path, **texts)
    assert found.levels() == {"core.people": ClassificationLevel.RESTRICTED}
    names = ["core.people", "core.b"]
    held = Wiring.of(tmp_path).catalog.classifications(names)
    assert [(held[name].level, held[name].why) for name in names] == [
        (ClassificationLevel.RESTRICTED, "proposed by its columns"),
        (None, "nobody set it, and no rule proposes one"),
    ]
