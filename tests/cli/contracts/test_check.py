"""`forge contract check`: files outside a project, and the parents that a project knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PARENT = """\
apiVersion: v3.0.2
kind: DataContract
id: sales
version: 1.0.0
status: active
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integer, required: true}
      - {name: name, logicalType: string, logicalTypeOptions: {minLength: 2}}
slaProperties:
  - {property: latency, value: 24, unit: h}
"""
CHILD = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
customProperties:
  - {property: forge.extends, value: sales}
schema:
  - name: orders
    properties:
      - {name: id, required: false}
      - {name: name, logicalTypeOptions: {minLength: 3}}
slaProperties:
  - {property: ly, value: 2, unit: d}
"""

Forge = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "sales.odcs.yaml").write_text(PARENT)
    (tmp_path / "orders.odcs.yaml").write_text(CHILD)
    return tmp_path


def test_a_child_that_weakens_its_parent_is_told_and_the_effective_contract_shown(forge: Forge, files: Path) -> None:
    ended = forge("contract", "check", "orders.odcs.yaml", "--parent", "sales.odcs.yaml", "--json", at=files)
    assert ended.status == 1
    found = [(v["code"], v["severity"], v["file"], v["line"], v["path"]) for v in ended.json["violations"]]
    assert found == [
        ("FORGE-E510", "error", "orders.odcs.yaml", 11, "schema[0].properties[0].required"),
        ("FORGE-E510", "error", "orders.odcs.yaml", 14, "slaProperties[0].value"),
    ]
    assert "sales.odcs.yaml:9" in ended.json["violations"][0]["message"]
    assert ended.json["effective"]["slaProperties"] == [{"property": "latency", "value": 24, "unit": "h"}]
    assert ended.json["origins"]["slaProperties[0]"] == "sales"
    assert ended.json["schema_version"] == 1


def test_in_permissive_mode_it_is_a_warning(forge: Forge, files: Path) -> None:
    words = ("contract", "check", "orders.odcs.yaml", "--parent", "sales.odcs.yaml", "--mode", "permissive")
    ended = forge(*words, "--json", at=files)
    assert ended.status == 0
    assert {v["severity"] for v in ended.json["violations"]} == {"warning"}


def test_people_read_the_findings_what_is_inherited_and_a_count(forge: Forge, files: Path) -> None:
    ended = forge("contract", "check", "orders.odcs.yaml", "--parent", "sales.odcs.yaml", at=files)
    lines = ended.out.splitlines()
    assert lines[0].startswith("FORGE-E510 orders.odcs.yaml:11:")
    assert "  slaProperties[0]: " in ended.out
    assert "(from sales)" in ended.out
    assert lines[-1] == "2 errors"


def test_options_of_a_type_that_only_the_parent_names_are_fine(forge: Forge, files: Path) -> None:
    text = CHILD.replace("required: false", "required: true").replace("value: 2, unit: d", "value: 2, unit: h")
    (files / "orders.odcs.yaml").write_text(text)
    ended = forge("contract", "check", "orders.odcs.yaml", "--parent", "sales.odcs.yaml", "--json", at=files)
    assert (ended.status, ended.json["violations"]) == (0, [])
    (files / "orders.odcs.yaml").write_text(text.replace("minLength: 3", "minimum: 3"))
    ended = forge("contract", "check", "orders.odcs.yaml", "--parent", "sales.odcs.yaml", "--json", at=files)
    assert (ended.status, {v["line"] for v in ended.json["violations"]}) == (1, {12})


def test_what_the_linter_finds_in_any_of_the_files_is_told(forge: Forge, files: Path) -> None:
    (files / "sales.odcs.yaml").write_text(PARENT.replace("1.0.0", "one"))
    (files / "orders.odcs.yaml").write_text(CHILD.replace("unit: d", "unit: moons"))
    ended = forge("contract", "check", "orders.odcs.yaml", "--parent", "sales.odcs.yaml", "--json", at=files)
    found = {(v["code"], v["file"]) for v in ended.json["violations"]}
    assert found >= {("FORGE-E502", "sales.odcs.yaml"), ("FORGE-E502", "orders.odcs.yaml")}
    assert ended.status == 1


def test_a_file_that_is_no_contract_has_no_effective_contract(forge: Forge, files: Path) -> None:
    (files / "sales.odcs.yaml").write_text("a: [")
    ended = forge("contract", "check", "orders.odcs.yaml", "--parent", "sales.odcs.yaml", "--json", at=files)
    assert (ended.status, ended.json["effective"], ended.json["origins"]) == (1, None, {})
    assert [v["code"] for v in ended.json["violations"] if v["file"] == "sales.odcs.yaml"] == ["FORGE-E502"]


def test_a_file_that_is_not_there_could_not_be_checked(forge: Forge, files: Path) -> None:
    ended = forge("contract", "check", "orders.odcs.yaml", "--parent", "nobody.yaml", at=files)
    assert ended.status == 3
    assert "nobody.yaml cannot be read" in ended.err


def test_without_parents_those_beside_the_file_count(forge: Forge, files: Path) -> None:
    (files / "orders.odcs.yaml").write_text(CHILD.replace("value: sales", "value: sales.odcs.yaml"))
    ended = forge("contract", "check", "orders.odcs.yaml", "--json", at=files)
    assert [v["code"] for v in ended.json["violations"]] == ["FORGE-E510", "FORGE-E510"]
    (files / "sales.odcs.yaml").unlink()
    ended = forge("contract", "check", "orders.odcs.yaml", "--json", at=files)
    assert "FORGE-E511" in [v["code"] for v in ended.json["violations"]]


def test_those_beside_the_file_are_known_by_their_ids_and_names_too(forge: Forge, files: Path) -> None:
    (files / "sales.odcs.yaml").rename(files / "above.odcs.yaml")
    ended = forge("contract", "check", "orders.odcs.yaml", "--json", at=files)
    assert [v["code"] for v in ended.json["violations"]] == ["FORGE-E510", "FORGE-E510"]
    (files / "orders.odcs.yaml").write_text(CHILD.replace("value: sales", "value: salse"))
    ended = forge("contract", "check", "orders.odcs.yaml", "--json", at=files)
    (found,) = [v for v in ended.json["violations"] if v["code"] == "FORGE-E511"]
    assert "sales" in found["fix"]


def test_in_a_project_its_contracts_and_its_mode_count(forge: Forge, files: Path) -> None:
    (files / "contracts").mkdir()
    for name in ("sales", "orders"):
        (files / f"{name}.odcs.yaml").rename(files / "contracts" / f"{name}.odcs.yaml")
    (files / "forge.yaml").write_text("project: shop\ngovernance:\n  contracts:\n    inheritance: permissive\n")
    ended = forge("contract", "check", "contracts/orders.odcs.yaml", "--json", at=files)
    assert ended.status == 0, ended.err
    assert [v["severity"] for v in ended.json["violations"]] == ["warning", "warning"]
    assert ended.json["origins"]["slaProperties[0]"] == "sales"


def test_the_contract_may_come_through_a_pipe(forge: Forge, tmp_path: Path) -> None:
    done = forge("contract", "check", "-", at=tmp_path, stdin=PARENT)
    assert (done.status, done.out) == (0, "no findings\n"), done.err
