"""Contracts hold back runs and merges as the project's enforcement says, by the functions of `forge compile`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

import pytest
from contract_project import CONTRACT, FILES, write
from orders_world import ORDERS, edit, go
from version_world import VersionWorld

from forge.contracts.document.file import read_document
from forge.contracts.lifecycle import ContractState, LifecycleStep
from forge.contracts.load import contract_of
from forge.contracts.policy import Enforcement, Governance
from forge.contracts.policy.governance import PlatformLevel
from forge.contracts.registry import registered_of
from forge.flows.catalog.personal_data import named_by
from forge.flows.contracts.facts import Versions
from forge.flows.contracts.gate import contract_verdicts
from forge.flows.contracts.judge import find_gated, versions_in
from forge.flows.contracts.lazy_gate import gated
from forge.flows.contracts.ports import LifecycleWrite, Registration
from forge.flows.runs.project import Project, load_project
from forge.flows.runs.records import RunStatus
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.versioning.branches import create_default_branch
from forge.flows.versioning.merge.result import Merged
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.model.schema import Column, Schema
from forge.quality.verdict import Severity, Verdict
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.contracts import MemoryContracts
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform
from forge.versioning.commit import Author
from forge.versioning.merge import MergeType, Strategy

NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)
TABLE = TableName.parse("core.orders")
GOOD = Schema((Column("id", "bigint"), Column("amount", "double")))
WRONG = Schema((Column("id", "string"), Column("note", "string")))
FILE = "contracts/core.orders.odcs.yaml"
OFF, WARN, STRICT = Enforcement.OFF, Enforcement.WARN, Enforcement.STRICT


def project(root: Path, governance: Governance, store: MemoryContracts | None = None) -> Project:
    found = load_project(write(root, FILES), lambda table: None, governance=governance)
    return replace(found, judged=gated(found, lambda: versions_in(store or MemoryContracts())))


def told(verdicts: tuple[Verdict, ...]) -> list[tuple[object, ...]]:
    return [(each.details["code"], str(each.severity), each.blocks) for each in verdicts]


@pytest.mark.parametrize(
    ("governance", "expected"),
    [
        (Governance(), [("E530", "error", True), ("E531", "error", True), ("E532", "info", False)]),
        (Governance(enforcement=STRICT), None),
        (
            Governance(enforcement=WARN),
            [("E530", "warning", False), ("E531", "warning", False), ("E532", "info", False)],
        ),
        (Governance(enforcement=OFF), []),
        (Governance(enforcement=OFF, drift_enforcement=STRICT), []),
        (Governance(drift_enabled=False), []),
        (Governance(enforcement=STRICT, drift_enforcement=OFF), []),
        (
            Governance(enforcement=WARN, drift_enforcement=STRICT),
            [("E530", "error", True), ("E531", "error", True), ("E532", "info", False)],
        ),
    ],
)
def test_a_table_of_another_shape_is_held_back_as_enforcement_says(
    tmp_path: Path, governance: Governance, expected: list[tuple[object, ...]] | None
) -> None:
    made = project(tmp_path, governance)
    of_shape = tuple(each for each in contract_verdicts(made, TABLE, WRONG) if each.check_type == "schema")
    if expected is None:  # not set and strict are alike
        expected = [("E530", "error", True), ("E531", "error", True), ("E532", "info", False)]
    assert told(of_shape) == expected
    assert not [each for each in contract_verdicts(made, TABLE, GOOD) if each.check_type == "schema"]


def test_a_column_that_may_be_null_is_no_verdict_of_a_run(tmp_path: Path) -> None:
    made = project(tmp_path, Governance())
    assert contract_verdicts(made, TABLE, GOOD) == ()


@pytest.mark.parametrize(("enforcement", "blocks"), [(None, False), (WARN, False), (STRICT, True)])
def test_an_output_without_the_contract_it_needs(tmp_path: Path, enforcement: Enforcement | None, blocks: bool) -> None:
    write(tmp_path, FILES)
    (tmp_path / FILE).unlink()
    made = load_project(
        tmp_path, lambda table: None, governance=Governance(enforcement=enforcement, required_for=("core.*",))
    )
    made = replace(made, judged=lambda: find_gated(made, lambda contract: ()))
    assert [(each[0], each[2]) for each in told(contract_verdicts(made, TABLE, WRONG))] == [("E500", blocks)]


def test_strict_wants_what_the_strict_profile_wants(tmp_path: Path) -> None:
    verdicts = contract_verdicts(project(tmp_path, Governance(enforcement=STRICT)), TABLE, GOOD)
    assert verdicts
    assert {each.details["code"] for each in verdicts} == {"E501"}
    assert all(each.blocks for each in verdicts)
    assert contract_verdicts(project(tmp_path, Governance(enforcement=WARN)), TABLE, GOOD) == ()


def register(store: MemoryContracts, text: str) -> None:
    contract = contract_of(read_document(text, FILE))
    first = LifecycleWrite(
        LifecycleStep(state=ContractState.ACTIVE, before=None, at=NOW, by="ada", version=contract.version)
    )
    store.register(Registration(registered_of(contract, text, "sha256:x", at=NOW, by="ada"), lambda head: first))


@pytest.mark.parametrize(("enforcement", "blocks"), [(WARN, False), (STRICT, True)])
def test_a_breaking_change_without_a_major_version(tmp_path: Path, enforcement: Enforcement, blocks: bool) -> None:
    store = MemoryContracts()
    register(store, CONTRACT + "      - name: gone\n        logicalType: string\n")
    made = project(tmp_path, Governance(enforcement=enforcement), store)
    verdicts = [each for each in contract_verdicts(made, TABLE, GOOD) if each.details["code"] == "E520"]
    assert [each.blocks for each in verdicts] == [blocks]
    assert verdicts[0].severity is (Severity.ERROR if blocks else Severity.WARNING)
    assert str(verdicts[0].details["where"]).startswith(FILE)


def test_contracts_are_judged_once_for_all_threads(tmp_path: Path) -> None:
    asked = []

    def versions() -> Versions:
        asked.append(1)
        sleep(0.05)
        return versions_in(MemoryContracts())

    found = load_project(write(tmp_path, FILES), lambda table: None, governance=Governance(enforcement=STRICT))
    judged = gated(found, versions)
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: judged(), range(4)))
    assert len(asked) == 1
    assert answers[0]
    assert all(answer == answers[0] for answer in answers)


def test_a_contract_that_is_registered_as_it_is_has_no_change(tmp_path: Path) -> None:
    store = MemoryContracts()
    register(store, CONTRACT.replace("status: active", "status: draft"))
    assert contract_verdicts(project(tmp_path, Governance(enforcement=WARN), store), TABLE, GOOD) == ()


@pytest.mark.parametrize(
    ("governance", "expected"),
    [
        (Governance(enforcement=WARN), [("E510", "warning", False)]),
        (Governance(enforcement=WARN, inheritance="permissive"), [("E510", "warning", False)]),
        (Governance(enforcement=STRICT), [("E510", "error", True)]),
        (Governance(enforcement=STRICT, inheritance="permissive"), [("E510", "warning", False)]),
    ],
)
def test_a_contract_that_weakens_one_above_it(
    tmp_path: Path, governance: Governance, expected: list[tuple[object, ...]]
) -> None:
    above = tmp_path / "platform"
    write(above, {"contracts/floor.odcs.yaml": CONTRACT.replace("id: orders", "id: floor")})
    root = write(tmp_path / "shop", {**FILES, FILE: CONTRACT.replace("required: true", "required: false")})
    governance = replace(governance, levels=(PlatformLevel("platform/forge.yaml", above),))
    made = load_project(root, lambda table: None, governance=governance)
    made = replace(made, judged=lambda: find_gated(made, lambda contract: ()))
    verdicts = contract_verdicts(made, TABLE, GOOD)
    assert [each for each in told(verdicts) if each[0] == "E510"] == expected


def run_orders(root: Path, governance: Governance, rows: list[dict[str, object]]) -> tuple[RunStatus, list[str]]:
    catalog = MemoryCatalog()
    metadata, lake = MemoryMetadata(catalog), MemoryLake(catalog)
    ada, main = Author("Ada", "ada@example.com"), BranchName("main")
    create_default_branch(metadata, main, ada, NOW)
    made = project(root, governance)
    transform = Transform(
        output=TABLE,
        body=PythonFunction(lambda: rows, {}, False),
        file="transforms/core/orders.py",
        line=1,
        code_hash="1",
    )
    made = replace(made, transforms={TABLE: transform}, checks={})
    ports = RunPorts(
        metadata=metadata,
        lake=lake,
        engine=MemoryEngine(lake),
        clock=lambda: NOW,
        author=ada,
        secrets=lambda reference: "",
    )
    result = run(RunRequest(branch=main), made, ports)
    return result.run.status, [str(each.details["code"]) for each in result.verdicts]


def test_a_run_is_blocked_by_its_contract_and_publishes_under_warn(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": 1, "note": "x"}]
    status, codes = run_orders(tmp_path, Governance(), rows)
    assert (status, "E531" in codes) == (RunStatus.BLOCKED, True)
    status, codes = run_orders(tmp_path, Governance(enforcement=WARN), rows)
    assert (status, "E531" in codes) == (RunStatus.SUCCEEDED, True)
    status, codes = run_orders(tmp_path, Governance(enforcement=OFF), rows)
    assert (status, codes) == (RunStatus.SUCCEEDED, [])


NARROW = CONTRACT.replace("amount", "total")


def with_contract(world: VersionWorld, root: Path, governance: Governance) -> VersionWorld:
    write(root, {**FILES, FILE: NARROW})
    found = replace(load_project(root, lambda table: None, governance=governance), transforms={}, checks={})
    world.ports = replace(world.ports, project=lambda: found, governance=governance)
    return world


@pytest.mark.parametrize(
    ("governance", "diverged", "expected"),
    [
        (Governance(enforcement=STRICT), False, MergeType.BLOCKED),
        (Governance(enforcement=WARN), False, MergeType.FAST_FORWARD),
        (Governance(enforcement=STRICT), True, MergeType.BLOCKED),
    ],
)
def test_a_merge_is_judged_by_the_same_gate(
    world: VersionWorld, tmp_path: Path, governance: Governance, diverged: bool, expected: MergeType
) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 5.0})
    if diverged:
        edit(world, "main", {"id": 2, "name": "m", "amount": 2.0})
    head = world.head("main")
    result = go(with_contract(world, tmp_path / "site", governance))
    assert result.type is expected
    if expected is MergeType.BLOCKED:
        assert [each.details["code"] for each in result.verdicts if each.blocks] == ["E531"]
        assert {each.table for each in result.verdicts} == {ORDERS}
        assert world.head("main") == head


def test_a_fast_forward_that_was_asked_for_by_name_becomes_no_other_merge(world: VersionWorld, tmp_path: Path) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 5.0})
    head = world.head("main")
    with pytest.raises(ForgeError) as caught:
        go(with_contract(world, tmp_path / "site", Governance(enforcement=STRICT)), strategy=Strategy.FF)
    assert caught.value.code == "E609"
    assert f"E531 {ORDERS}: " in (caught.value.why or "")
    assert world.head("main") == head
    assert world.ports.metadata.merges() == ()
    assert isinstance(
        go(with_contract(world, tmp_path / "site", Governance(enforcement=WARN)), strategy=Strategy.FF), Merged
    )


def test_a_contract_that_is_not_right_is_refused_unless_the_settings_say_that_it_holds_nothing_back(
    tmp_path: Path,
) -> None:
    write(tmp_path, {**FILES, FILE: CONTRACT.replace("version: 1.0.0", "version: one"), "contracts/b.odcs.yaml": "["})
    for governance in (Governance(), Governance(enforcement=STRICT)):
        refused = load_project(tmp_path, lambda table: None, governance=governance)
        assert [(fault.error.code, fault.file) for fault in refused.faults] == [
            ("E502", "contracts/b.odcs.yaml"),
            ("E502", FILE),
        ]
        with pytest.raises(ForgeError):
            refused.checks_of(TABLE)
    for governance in (Governance(enforcement=WARN), Governance(enforcement=OFF)):
        made = load_project(tmp_path, lambda table: None, governance=governance)
        assert list(made.contracts) == [TABLE]
        assert [note.partition(":")[0] for note in made.notes] == ["contracts/b.odcs.yaml is left out"]
    warned = load_project(tmp_path, lambda table: None, governance=Governance(enforcement=WARN))
    warned = replace(warned, judged=lambda: find_gated(warned, lambda contract: ()))
    assert told(contract_verdicts(warned, TABLE, GOOD)) == [("E502", "warning", False)]


def test_two_contracts_of_one_table_are_a_note_where_contracts_hold_nothing_back(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "contracts/second.odcs.yaml": CONTRACT.replace("id: orders", "id: second")})
    with pytest.raises(ForgeError):
        load_project(tmp_path, lambda table: None).checks_of(TABLE)
    (note,) = load_project(tmp_path, lambda table: None, governance=Governance(enforcement=WARN)).notes
    assert "core.orders has two contracts" in note


def test_where_enforcement_is_off_contracts_give_no_checks_but_their_personal_columns_stay_masked(
    tmp_path: Path,
) -> None:
    at = "      - {name: at, logicalType: timestamp}\n"
    sla = "slaProperties:\n  - {property: latency, value: 4, unit: h, element: core.orders.at}\n"
    text = CONTRACT + "        classification: pii\n" + at + sla
    write(tmp_path, {**FILES, FILE: text, "checks/core.yaml": "core.orders:\n  - {type: row_count, min: 1}\n"})
    found = {
        mode: load_project(tmp_path, lambda table: None, governance=Governance(enforcement=mode))
        for mode in (OFF, WARN, STRICT)
    }
    kinds = {mode: [check.type for check in made.checks[TABLE]] for mode, made in found.items()}
    assert kinds == {OFF: ["row_count"], WARN: ["row_count", "not_null"], STRICT: ["row_count", "not_null"]}
    assert not found[OFF].promises[TABLE]
    assert found[WARN].promises[TABLE]
    assert found[OFF].notes == ()
    assert all(named_by(made.contracts.values()) == {(str(TABLE), "amount")} for made in found.values())


def test_a_verdict_of_the_gate_is_at_the_value_in_the_contract(tmp_path: Path) -> None:
    verdicts = contract_verdicts(project(tmp_path, Governance(enforcement=WARN)), TABLE, WRONG)
    where = {each.details["code"]: each.details["where"] for each in verdicts}
    assert where == {"E530": f"{FILE}:11", "E531": f"{FILE}:13", "E532": f"{FILE}:9"}
