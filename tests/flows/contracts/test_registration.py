"""Which contracts come into the registry by a run or a compile, and as what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract_project import FILES, Site, write

from forge.contracts.canonical import schema_hash
from forge.contracts.policy.governance import Enforcement, Governance
from forge.contracts.registry import RegisteredContract
from forge.flows.contracts.compile.record import keep_compiled
from forge.flows.contracts.effective import resolve_contracts
from forge.flows.contracts.files import project_files, read_text
from forge.flows.contracts.judge import versions_in
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.registration import register, register_all, registrations_of_run
from forge.model.names import TableName
from forge.stores.memory.contracts import MemoryContracts
from forge.stores.memory.metadata import MemoryMetadata

FILE = "contracts/core.orders.odcs.yaml"
NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)


def text(version: str, columns: str = "ab", contract_id: str = "orders", extends: str = "", more: str = "") -> str:
    properties = ", ".join(f"{{name: {name}, logicalType: string}}" for name in columns)
    above = f"customProperties: [{{property: forge.extends, value: {extends}}}]\n" if extends else ""
    return (
        f"apiVersion: v3.1.0\nkind: DataContract\nid: {contract_id}\nname: {contract_id}\nversion: {version}\n"
        f"status: active\nschema: [{{name: core.orders, properties: [{properties}]}}]\n{above}{more}"
    )


class World:
    def __init__(self, root: Path) -> None:
        self.root, self.store, self.listed = root, MemoryContracts(), list[RegisteredContract]()
        (root / "contracts").mkdir()

    def ports(self, enforcement: Enforcement | None = Enforcement.WARN) -> ContractPorts:
        def no_lake() -> object:
            raise AssertionError("the lake is not asked")

        return ContractPorts(
            store=self.store,
            root=self.root,
            clock=lambda: NOW,
            actor="ada@example.com",
            metadata=MemoryMetadata(),
            lake=no_lake,  # type: ignore[arg-type]
            governance=Governance(enforcement=enforcement),
            published=self._list,
        )

    def _list(self, registered: Sequence[RegisteredContract]) -> None:
        self.listed = list(registered)

    def write(self, text: str, file: str = FILE) -> None:
        (self.root / file).write_text(text)

    def register(self, text: str) -> None:
        contract = read_text(text, FILE).contract
        assert contract is not None
        register(contract, self.ports(), text=text)

    def run(self, enforcement: Enforcement | None = Enforcement.WARN) -> tuple[list[RegisteredContract], list[str]]:
        """What a run that publishes core.orders registers, and what it notes."""
        notes: list[str] = []
        tables = [TableName.parse("core.orders")]
        found = registrations_of_run(self.ports(enforcement), tables, project_files(self.root), "r1", notes.append)
        self.store.register_all(found)
        return [one.new for one in found], notes


@pytest.fixture
def registration_world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("enforcement", [None, Enforcement.WARN])
@pytest.mark.parametrize(
    "wrong",
    [
        text("1.1.0", "a"),  # E520: a column is gone
        text("1.1.0", "abc", extends="nobody"),  # E511
        text("1.1.0", "abc", more="slaProperties: [{property: latency, value: 1, unit: parsecs}]\n"),  # the linter's
    ],
)
def test_a_run_registers_nothing_that_a_compile_would_not(
    registration_world: World, wrong: str, enforcement: Enforcement | None
) -> None:
    registration_world.register(text("1.0.0"))
    registration_world.write(wrong)
    assert registration_world.run(enforcement) == ([], [f"{FILE} has errors and is not registered"])
    assert [one.version for one in registration_world.store.versions("orders")] == ["1.0.0"]


def test_what_breaks_is_still_told_after_a_run(registration_world: World) -> None:
    registration_world.register(text("1.0.0"))
    registration_world.write(text("1.1.0", "a"))
    registration_world.run()
    (file,) = project_files(registration_world.root)
    assert file.contract is not None
    assert [one.code for one in versions_in(registration_world.store)(file.contract)] == ["E520"]


def test_a_run_registers_a_sound_contract_of_its_tables(registration_world: World) -> None:
    registration_world.register(text("1.0.0"))
    registration_world.write(text("1.1.0", "abc"))
    (new,), notes = registration_world.run()
    assert (new.version, new.run_id, notes) == ("1.1.0", "r1", [])


def test_a_catalog_lists_the_newest_version_when_an_older_file_is_compiled(registration_world: World) -> None:
    registration_world.register(text("1.0.0"))
    registration_world.register(text("1.1.0", "abc"))
    registration_world.write(text("1.0.0"))
    files = project_files(registration_world.root)
    standing = resolve_contracts([one.contract for one in files if one.contract], Governance(), registration_world.root)
    register_all(standing, {one.file: one.text for one in files}, registration_world.ports())
    assert [one.version for one in registration_world.listed] == ["1.1.0"]


def test_a_file_whose_contract_has_a_new_id_is_registered_as_what_it_is_now(registration_world: World) -> None:
    registration_world.write(
        text("1.0.0", "a", "base").replace("core.orders", "core.base"), "contracts/core.base.odcs.yaml"
    )
    registration_world.write(text("1.0.0", "ab", "before", extends="base"))
    assert [one.id for one in registration_world.run()[0]] == ["before"]
    registration_world.write(text("1.0.0", "abcde", "now", extends="base"))
    files = [one.contract for one in project_files(registration_world.root) if one.contract]
    standing = {one.contract.id: one for one in resolve_contracts(files, Governance(), registration_world.root)}
    (new,), _ = registration_world.run()
    assert (new.id, new.schema_hash) == ("now", schema_hash(standing["now"].effective))


def test_a_compile_notes_that_another_contract_has_the_name(registration_world: World) -> None:
    registration_world.register(text("1.0.0").replace("id: orders", "id: urn:other"))
    write(registration_world.root, FILES | {FILE: text("1.0.0")})
    kept = keep_compiled(
        Site(registration_world.root).compile(Governance(enforcement=Enforcement.WARN)), registration_world.ports()
    )
    assert kept.registered == ("orders 1.0.0",)
    (note,) = (one for one in kept.notes if "urn:other" in one)
    assert note.startswith(f"{FILE}:4: urn:other is called orders, too")
