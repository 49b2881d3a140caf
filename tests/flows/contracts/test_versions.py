"""A contract against the version before it, and who is hit by what breaks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from committed_lineage import CommittedLineage, edge, filtered

from forge.contracts import find_breaking_changes
from forge.contracts.contract import Contract
from forge.contracts.load import load_contract
from forge.contracts.registry import RegisteredContract, registered_of
from forge.flows.contracts.versions import (
    compare_with_registered,
    find_affected,
    find_contract,
    old_document,
    registered_before,
)
from forge.lineage.edge import TableEdge
from forge.model.errors import ForgeError

TEXT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: Orders
version: 1.0.0
status: active
schema:
  - name: orders
    physicalName: core.orders
    properties:
      - {name: amount, logicalType: number, physicalType: "decimal(12,2)"}
      - {name: status, logicalType: string}
      - {name: note, logicalType: string}
"""
FILE = "contracts/core.orders.odcs.yaml"


def at(version: str, **changed: str) -> Contract:
    text = TEXT.replace("1.0.0", version)
    for old, new in changed.items():
        text = text.replace(old, new)
    return load_contract(text, FILE)


class Shelf:
    """Registered versions, each by its number."""

    def __init__(self, *contracts: Contract) -> None:
        self._kept = {one.version: _registered(one) for one in contracts}

    def versions(self, contract_id: str) -> tuple[RegisteredContract, ...]:
        return tuple(self._kept.values()) if contract_id == "orders" else ()

    def version(self, contract_id: str, version: str) -> RegisteredContract | None:
        return self._kept.get(version) if contract_id == "orders" else None


def _registered(contract: Contract) -> RegisteredContract:
    text = TEXT.replace("1.0.0", contract.version)
    if "note" not in [one.column for one in contract.tables[0].columns]:
        text = text.replace("note", "remark")
    return registered_of(contract, text, "sha256:0", at=datetime(2026, 11, 1, tzinfo=UTC), by="ada")


class Commits:
    def __init__(self, **files: bytes) -> None:
        self._files = {name.replace("__", "/") + ".odcs.yaml": content for name, content in files.items()}

    def files(self, ref: str) -> Iterable[str]:
        return list(self._files)

    def read(self, ref: str, file: str) -> bytes | None:
        return self._files.get(file)


def test_a_contract_is_held_against_the_version_before_it() -> None:
    shelf = Shelf(at("1.0.0"), at("1.2.0"), at("2.0.0"))
    assert _version(at("1.1.0"), shelf) == "1.0.0"
    assert _version(at("1.3.0"), shelf) == "1.2.0"
    assert _version(at("2.0.1"), shelf) == "2.0.0"
    assert _version(at("0.9.0"), shelf) == "1.0.0"  # a version that goes back is held against the next one


def _version(contract: Contract, shelf: Shelf) -> str | None:
    found = registered_before(contract, shelf)
    return found.version if found else None


def test_a_version_that_was_registered_otherwise_is_held_against_itself() -> None:
    shelf = Shelf(at("1.0.0"), at("1.1.0"))
    changed = at("1.1.0", note="remark")
    assert _version(changed, shelf) == "1.1.0"
    found = compare_with_registered(changed, shelf)
    assert found is not None
    assert (found.required_bump, found.actual_bump) == ("major", "none")
    assert _version(at("1.1.0"), shelf) == "1.0.0"  # what is registered as it is goes by the one before


def test_a_first_version_has_nothing_to_be_held_against() -> None:
    assert compare_with_registered(at("1.0.0"), Shelf()) is None
    assert compare_with_registered(at("1.0.0"), Shelf(at("1.0.0"))) is None
    with pytest.raises(ForgeError, match=r"No version of orders before 1\.0\.0") as refused:
        old_document(at("1.0.0"), None, Shelf(), Commits())
    assert refused.value.code == "E504"


def test_a_version_can_be_named() -> None:
    shelf = Shelf(at("1.0.0"), at("1.2.0"))
    assert old_document(at("1.3.0"), "1.0.0", shelf, Commits()).data["version"] == "1.0.0"
    with pytest.raises(ForgeError, match=r"has no version 1\.1\.0") as refused:
        old_document(at("1.3.0"), "1.1.0", shelf, Commits())
    assert refused.value.code == "E504"


def test_a_commit_has_the_file_or_the_contract_under_another_name() -> None:
    same = Commits(contracts__x=b"id: other\n", **{"contracts__core.orders": TEXT.encode()})
    moved = Commits(contracts__x=b"id: other\n", contracts__old=TEXT.encode())
    for commits, file in ((same, f"HEAD~1:{FILE}"), (moved, "HEAD~1:contracts/old.odcs.yaml")):
        assert old_document(at("1.1.0"), "git:HEAD~1", Shelf(), commits).file == file
    with pytest.raises(ForgeError, match="HEAD has no contract orders"):
        old_document(at("1.1.0"), "git:HEAD", Shelf(), Commits())


@pytest.fixture
def contract_lineage() -> CommittedLineage:
    contract_lineage = CommittedLineage()
    contract_lineage.commit(
        {
            "core.orders": [edge("raw.orders.amount", "core.orders.amount")],
            "marts.daily": [
                edge("core.orders.amount", "marts.daily.net"),
                filtered("core.orders.status", "marts.daily"),
                TableEdge("core.orders", "marts.daily"),
            ],
            "marts.notes": [edge("core.orders.note", "marts.notes.text")],
            "marts.board": [edge("marts.daily.net", "marts.board.net")],
        },
        columns={"core.orders": {"amount": "decimal(12,2)", "status": "string", "note": "string"}},
    )
    return contract_lineage


def hit(contract_lineage: CommittedLineage, **changed: str) -> dict[str, tuple[str, ...]]:
    old, new = at("1.0.0"), at("1.1.0", **changed)
    found = find_affected(
        find_breaking_changes(old, new), old, contract_lineage.ports, owner=lambda table: f"@{table.schema}"
    )
    return {one.consumer.name: one.breaks for one in found}


def test_a_broken_column_hits_those_who_read_it(contract_lineage: CommittedLineage) -> None:
    told = ("orders.amount: decimal(12,2) → string",)
    assert hit(contract_lineage, **{'"decimal(12,2)"': "string"}) == {"marts.daily": told, "marts.board": told}
    assert hit(contract_lineage, **{"name: status": "name: state"}) == {
        "marts.daily": ("column orders.status is gone",),
        "marts.board": ("column orders.status is gone",),
    }


def test_a_table_that_is_gone_hits_everybody(contract_lineage: CommittedLineage) -> None:
    assert set(hit(contract_lineage, **{"name: orders": "name: purchases", "core.orders": "core.purchases"})) == {
        "marts.daily",
        "marts.board",
        "marts.notes",
    }


def test_what_breaks_nobody_hits_nobody(contract_lineage: CommittedLineage) -> None:
    assert hit(contract_lineage, note="note, description: more") == {}


def test_a_hit_names_who_answers(contract_lineage: CommittedLineage) -> None:
    old, new = at("1.0.0"), at("1.1.0", note="remark")
    [found] = find_affected(
        find_breaking_changes(old, new), old, contract_lineage.ports, owner=lambda table: f"@{table.schema}"
    )
    assert found.to_dict() == {
        "name": "marts.notes",
        "owner": "@marts",
        "depth": 1,
        "reads": ["core.orders"],
        "columns": ["core.orders.note"],
        "breaks": ["column orders.note is gone"],
    }


def test_a_contract_of_the_project_is_found_by_any_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / FILE).write_text(TEXT)
    for name in ("orders", "Orders", "core.orders", "CORE.ORDERS", FILE, f"./{FILE}", "core.orders.odcs.yaml"):
        assert find_contract(tmp_path, name).file == FILE
    with pytest.raises(ForgeError, match="There is no contract order ") as refused:
        find_contract(tmp_path, "order")
    assert "orders" in (refused.value.why or "")
    (tmp_path / "contracts/copy.odcs.yaml").write_text(TEXT)
    with pytest.raises(ForgeError, match="more than one contract"):
        find_contract(tmp_path, "orders")
