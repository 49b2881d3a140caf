"""`forge compile` on projects in a folder: what it finds and freezes, without a lake and without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from contract_project import CONTRACT, FILES, NOW, ORDERS, SOURCE, Site, told, write

from forge.contracts.artifacts import artifacts_text
from forge.contracts.drift.table import drift_of
from forge.contracts.policy import Enforcement, Governance
from forge.contracts.policy.governance import CoveragePolicy, NamingPolicy, PlatformLevel
from forge.flows.contracts.compile.artifacts import artifacts_of
from forge.model.schema import Column, Schema

FILE = "contracts/core.orders.odcs.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_a_good_project_compiles_without_findings(root: Path) -> None:
    compiled = Site(root).compile()
    assert told(compiled) == []
    assert compiled.valid
    document = compiled.to_dict()
    assert document["summary"] == dict.fromkeys(
        ("naming", "coverage", "documentation", "semantic", "custom", "data_contract"), 0
    )
    assert document["validated_at"] == NOW.isoformat()
    assert str(document["schema_hash"]).startswith("sha256:")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"transforms/core/orders.sql": "SELECT id\nFROM raw.ordrs\n"},
            ["semantic E543 transforms/core/orders.sql:2"],
        ),
        (
            {"transforms/core/a.sql": "SELECT id\nFROM core.b\n", "transforms/core/b.sql": "SELECT id\nFROM core.a\n"},
            ["semantic E544 transforms/core/a.sql:2"],
        ),
        ({"transforms/core/orders.sql": "SELEC id FROM"}, ["semantic E201 transforms/core/orders.sql:1"]),
        ({"checks/core.yaml": "core.gone:\n  - {type: not_null, column: id}\n"}, ["semantic E543 checks/core.yaml:1"]),
        (
            {"contracts/core.orders.odcs.yaml": CONTRACT.replace("version: 1.0.0\n", "")},
            ["data_contract E501 contracts/core.orders.odcs.yaml:1"],
        ),
        (
            {"contracts/core.orders.odcs.yaml": CONTRACT.replace("logicalType: number", "logicalType: money")},
            ["data_contract E503 contracts/core.orders.odcs.yaml:14"],
        ),
        (
            {"contracts/core.orders.odcs.yaml": "apiVersion: [\n"},
            ["data_contract E502 contracts/core.orders.odcs.yaml:2"],
        ),
        (
            {"contracts/b.odcs.yaml": CONTRACT.replace("id: orders", "id: b")},
            ["data_contract E502 contracts/core.orders.odcs.yaml:8"],
        ),
        (
            {"contracts/b.odcs.yaml": CONTRACT.replace("id: orders", "id: b").replace("core.orders", "core.other")},
            ["semantic E543 contracts/b.odcs.yaml:8"],
        ),
        (
            {
                "datacontract.yaml": CONTRACT.replace("version: 1.0.0", "version: one").replace(
                    "core.orders", "raw.orders"
                )
            },
            ["data_contract E502 datacontract.yaml:5"],
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_a_finding_with_its_place(
    root: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert told(Site(write(root, files)).compile()) == expected


def test_one_broken_file_does_not_hide_what_is_wrong_with_others(root: Path) -> None:
    write(
        root,
        {
            "transforms/core/broken.sql": "SELEC",
            "transforms/core/reader.sql": "SELECT id FROM core.broken\n",
            "transforms/core/lost.sql": "SELECT id FROM core.nowhere\n",
            "contracts/bad.odcs.yaml": "a: [",
            "contracts/core.orders.odcs.yaml": CONTRACT.replace("1.0.0", "1.0"),
        },
    )
    found = told(Site(root).compile())
    assert [each.split()[1] for each in found] == ["E201", "E543", "E502", "E502"]
    assert "semantic E543 transforms/core/lost.sql:1" in found


def test_drift_is_against_the_table_as_it_is(root: Path) -> None:
    site = Site(root, {"core.orders": {"id": "bigint", "amount": "string", "note": "string"}})
    assert told(site.compile()) == [
        "data_contract E532 contracts/core.orders.odcs.yaml:9",
        "data_contract E530 contracts/core.orders.odcs.yaml:14",
    ]
    assert told(site.compile(Governance(drift_enabled=False))) == []
    assert told(site.compile(Governance(enforcement=Enforcement.OFF))) == []


def test_compile_and_drift_tell_of_the_same_places(root: Path) -> None:
    columns = {"id": "string", "note": "string"}
    compiled = Site(root, {"core.orders": columns}).compile()
    (one,) = compiled.project.standing
    schema = Schema(tuple(Column(name, type_) for name, type_ in columns.items()))
    expected = {each for drift in drift_of(one.effective, schema) for each in drift.violations if each.code}
    assert {each.violation for each in compiled.findings if each.is_drift} == expected
    assert {each.code for each in expected} == {"E530", "E531", "E532"}


def test_null_is_told_of_tables_that_the_project_does_not_make(root: Path) -> None:
    """Those that it makes are guarded: `required` is a check of every run."""
    site = Site(root, {"core.orders": {"id": "bigint", "amount": "double"}})
    assert told(site.compile()) == []
    (root / "transforms" / "core" / "orders.sql").unlink()
    assert told(site.compile()) == ["data_contract nullability contracts/core.orders.odcs.yaml:12"]


def test_only_strict_enforcement_blocks_and_wants_more(root: Path) -> None:
    site = Site(write(root, {"contracts/core.orders.odcs.yaml": CONTRACT.replace("1.0.0", "1.0")}))
    assert [each.blocks for each in site.compile().findings] == [False]
    strict = site.compile(Governance(enforcement=Enforcement.STRICT))
    assert strict.blocking
    assert {"E501", "E502"} <= {each.violation.code for each in strict.findings}, "the strict profile asks for owners"


def test_off_does_not_even_look_at_contracts(root: Path) -> None:
    write(root, {"contracts/core.orders.odcs.yaml": "a: ["})
    compiled = Site(root).compile(Governance(enforcement=Enforcement.OFF, required_for=("*",)))
    assert (told(compiled), compiled.facts.contracts) == ([], ())


def test_a_platform_s_contracts_bind_those_of_the_project(root: Path, tmp_path: Path) -> None:
    above = tmp_path / "platform"
    parent = CONTRACT.replace("id: orders", "id: floor").replace(
        "logicalType: number", "logicalType: number\n        required: true"
    )
    write(above, {"contracts/floor.odcs.yaml": parent})
    child = CONTRACT.replace("logicalType: number", "logicalType: number\n        required: false")
    write(root, {"contracts/core.orders.odcs.yaml": child})
    levels = (PlatformLevel("platform/forge.yaml", above),)
    found = Site(root).compile(Governance(levels=levels))
    assert told(found) == ["data_contract E510 contracts/core.orders.odcs.yaml:15"]
    permissive = Site(root).compile(Governance(levels=levels, inheritance="permissive"))
    assert (permissive.valid, len(permissive.warnings)) == (True, 1)


def test_what_a_parent_promises_is_checked_on_the_child_s_table(root: Path, tmp_path: Path) -> None:
    above = tmp_path / "platform"
    parent = CONTRACT.replace("id: orders", "id: floor").replace(
        "logicalType: number", "logicalType: number\n        unique: true"
    )
    write(above, {"contracts/floor.odcs.yaml": parent})
    compiled = Site(root).compile(Governance(levels=(PlatformLevel("platform/forge.yaml", above),)))
    checks = compiled.facts.tables["core.orders"].checks
    assert ("unique", ("amount",)) in [(check.type, check.columns) for check in checks]


def test_a_parent_in_the_project_speaks_for_no_table_of_its_heirs(root: Path) -> None:
    extends = "customProperties:\n  - {property: forge.extends, value: floor}\n"
    write(
        root,
        {
            "contracts/floor.odcs.yaml": CONTRACT.replace("id: orders", "id: floor"),
            "contracts/core.orders.odcs.yaml": CONTRACT + extends,
        },
    )
    compiled = Site(root).compile()
    assert told(compiled) == []
    holder = compiled.facts.tables["core.orders"].contract_of
    assert holder is not None
    assert holder.id == "orders"


def test_the_policies_see_checks_of_all_origins(root: Path) -> None:
    write(root, {"checks/core.yaml": "core.orders:\n  - {type: not_null, column: amount}\n"})
    for wanted, number in ((2, 0), (3, 1)):
        governance = Governance(coverage=(CoveragePolicy(min_checks=wanted),))
        assert len(Site(root).compile(governance).findings) == number


def frozen(site: Site) -> dict[str, Any]:
    return dict(json.loads(artifacts_text(artifacts_of(site.compile(), "shop", "1.2.3"))))


def test_artifacts_freeze_contracts_transforms_and_lineage(root: Path) -> None:
    document = frozen(Site(root))
    assert document["frozen"] is True
    (contract,) = document["data_contracts"]
    assert (contract["id"], contract["version"], contract["tables"]) == ("orders", "1.0.0", ["core.orders"])
    assert contract["schema_hash"] == document["schema_hash"], "of one contract, its own"
    assert contract["effective"]["schema"][0]["name"] == "core.orders"
    assert [(each["table"], each["contract"]) for each in document["transforms"]] == [
        ("core.orders", "orders"),
        ("raw.orders", None),
    ]
    edges = document["lineage"]["edges"]
    assert ("raw.orders.amount", "core.orders.amount") in {(edge["source"], edge["target"]) for edge in edges}


def test_the_same_files_freeze_to_the_same_hash_and_others_do_not(root: Path) -> None:
    first, second = frozen(Site(root)), frozen(Site(root))
    assert first == second
    write(root, {"transforms/core/orders.sql": ORDERS.replace("id,", "id + 1 AS id,")})
    assert frozen(Site(root))["content_hash"] != first["content_hash"]
    assert frozen(Site(root))["schema_hash"] == first["schema_hash"]


def test_what_only_the_parent_says_is_there_for_the_strict_profile(root: Path, tmp_path: Path) -> None:
    floor = CONTRACT.replace("id: orders", "id: floor").replace("status: active", "status: active\nteam: {name: sales}")
    floor = floor.replace("logicalType: number", "logicalType: number\n        description: What was paid")
    above = write(tmp_path / "platform", {"contracts/floor.odcs.yaml": floor})
    alone = Site(root).compile(Governance(enforcement=Enforcement.STRICT))
    assert [each.violation.message.split(";")[0] for each in alone.blocking] == [
        "nobody owns the contract",
        "id has no description",
        "amount has no description",
    ]
    levels = (PlatformLevel("platform/forge.yaml", above),)
    below = Site(root).compile(Governance(enforcement=Enforcement.STRICT, levels=levels))
    assert [each.violation.message.split(";")[0] for each in below.blocking] == ["id has no description"]


def test_a_contract_that_the_project_s_own_level_names_stands_above_the_others(root: Path) -> None:
    strict = CONTRACT.replace("id: orders", "id: floor").replace(
        "required: true", "required: true\n        unique: true"
    )
    weaker = CONTRACT.replace("required: true", "required: true\n        unique: false")
    write(root, {"contracts/floor.odcs.yaml": strict, FILE: weaker})
    governance = Governance(levels=(PlatformLevel("forge.yaml", root, ("contracts/floor.odcs.yaml",)),))
    assert told(Site(root).compile(governance)) == [f"data_contract E510 {FILE}:13"]


SNAKE = Governance(naming=(NamingPolicy(columns="[a-z][a-z0-9_]*"),))
PYTHON = """\
from forge import transform


@transform(inputs={"orders": "core.orders"})
def totals(orders):
    return orders.groupBy("id").agg({"amount": "sum"}).withColumnRenamed("sum(amount)", "sumAmount")
"""


def test_the_naming_policy_sees_columns_of_transforms_that_never_ran(root: Path) -> None:
    """Of SQL with the line that names them, of Python, of sources, and through `SELECT *` of another transform."""
    write(
        root,
        {
            "contracts/core.orders.odcs.yaml": None,
            "sources/shop.yaml": SOURCE.replace("{id: int,", "{id: int, PlacedAt: date,"),
            "transforms/core/orders.sql": "-- shop\nSELECT id, amount,\n  amount AS totalAmount\nFROM raw.orders\n",
            "transforms/marts/copies.sql": "SELECT * FROM core.orders\n",
            "transforms/marts/parts.sql": "WITH a AS (SELECT id,\n  id AS myId FROM core.orders)\nSELECT * FROM a\n",
            "transforms/marts/totals.py": PYTHON,
        },
    )
    found = Site(root).compile(SNAKE).findings
    assert sorted((each.violation.path, each.violation.where) for each in found) == [
        ("core.orders.totalAmount", "transforms/core/orders.sql:3"),
        ("marts.copies.totalAmount", "transforms/marts/copies.sql:1"),
        ("marts.parts.myId", "transforms/marts/parts.sql:2"),
        ("marts.totals.sumAmount", "transforms/marts/totals.py:4"),
        ("raw.orders.PlacedAt", "sources/shop.yaml:2"),
    ]
    assert {each.policy_type for each in found} == {"naming"}


def test_a_column_that_a_transform_gains_is_judged_before_it_runs_again(root: Path) -> None:
    write(root, {FILE: None, "transforms/core/orders.sql": "SELECT id, amount AS Amount2 FROM raw.orders\n"})
    site = Site(root, {"core.orders": {"id": "int"}})
    (only,) = site.compile(SNAKE).findings
    assert only.violation.path == "core.orders.Amount2"
    assert only.violation.fix.startswith("Call it amount2.")


def test_what_code_does_not_tell_is_not_made_up(root: Path) -> None:
    write(root, {FILE: None, "sources/shop.yaml": None, "transforms/core/orders.sql": "SELECT * FROM raw.orders\n"})
    compiled = Site(root, {}).compile(SNAKE)
    assert compiled.facts.tables["core.orders"].columns == ()


def test_artifacts_hold_the_columns_that_python_transforms_derive(root: Path) -> None:
    write(root, {"transforms/marts/totals.py": PYTHON})
    edges = frozen(Site(root))["lineage"]["edges"]
    assert ("core.orders.amount", "marts.totals.sumAmount") in {(one["source"], one["target"]) for one in edges}
