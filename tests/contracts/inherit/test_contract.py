"""What a child may say below its parent, case by case (inherit.yaml), and what holds for any pair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.contracts.contract import Contract
from forge.contracts.document.file import read_document
from forge.contracts.inherit.contract import EffectiveContract, effective_of
from forge.contracts.linter.standard_schema import raw_errors
from forge.contracts.load import contract_of

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("inherit.yaml").read_text())
COLUMNS = [{"name": "id"}, {"name": "ts"}, {"name": "email"}]
ORDERS = {"name": "orders", "physicalName": "core.orders", "properties": COLUMNS}


def contract(name: str, version: str = "v3.2.0", **parts: object) -> Contract:
    data = {
        "apiVersion": version,
        "kind": "DataContract",
        "id": name,
        "version": "1.0.0",
        "status": "active",
        **parts,
    }
    return contract_of(read_document(yaml.safe_dump(data, sort_keys=False), f"{name}.odcs.yaml"))


def of_column(name: str, said: dict[str, Any], version: str = "v3.2.0") -> Contract:
    return contract(name, version, schema=[{"name": "orders", "properties": [{"name": "amount", **said}]}])


def pairs() -> Iterator[Any]:
    for kind, cases in CASES.items():
        for case in cases:
            match kind:
                case "slas":
                    parent = contract("parent", schema=[ORDERS], slaProperties=[case["parent"]])
                    child = contract("child", slaProperties=[case["child"]])
                case "columns":
                    parent, child = of_column("parent", case["parent"]), of_column("child", case["child"])
                case _:
                    tables = [{"name": "orders", **case[side]} for side in ("parent", "child")]
                    parent, child = contract("parent", schema=tables[:1]), contract("child", schema=tables[1:])
            yield pytest.param(parent, child, case, id=f"{kind}: {case['parent']} → {case['child']}")


PAIRS = list(pairs())


@pytest.mark.parametrize(("parent", "child", "case"), PAIRS)
def test_a_child_may_add_and_tighten_and_not_weaken(parent: Contract, child: Contract, case: dict[str, Any]) -> None:
    effective = effective_of([parent, child])
    weaker = [v for v in effective.violations if v.code == "E510"]
    unclear = [v for v in effective.violations if v.code == ""]
    assert len(weaker) == ("weaker" in case), [v.message for v in effective.violations]
    assert len(unclear) == ("unclear" in case), [v.message for v in effective.violations]
    for found in effective.violations:
        assert (case.get("weaker") or case["unclear"]) in found.message
        assert "parent.odcs.yaml:" in found.message
        assert found.file == "child.odcs.yaml"
        assert found.line > 5, "it stands where the child says it"
        assert found.severity == ("error" if found.code else "warning")


def test_no_effective_contract_weakens_its_parents() -> None:
    for parent, child in both_of_each():
        effective = effective_of([parent, child])
        again = effective_of([parent, contract_of(effective.document)])
        assert not [v.message for v in again.violations if v.code == "E510"]
        assert again.document.data == effective.document.data


def test_no_contract_weakens_itself() -> None:
    for each in (contract for pair in both_of_each() for contract in pair):
        assert effective_of([each, each]).violations == ()


@pytest.mark.parametrize("version", ["v3.0.2", "v3.1.0", "v3.2.0"])
def test_what_is_inherited_is_valid_in_the_version_of_the_child(version: str) -> None:
    below = contract("below", version, schema=[{"name": "orders", "properties": [{"name": "mine"}]}])
    for parent, _ in both_of_each():
        effective = effective_of([parent, below])
        assert effective.violations == ()
        assert valid(effective, version), effective.document.data


def both_of_each() -> Iterator[tuple[Contract, Contract]]:
    for pair in PAIRS:
        yield pair.values[0], pair.values[1]


def valid(effective: EffectiveContract, version: str) -> bool:
    return not list(raw_errors(version, effective.document.data))


def test_in_permissive_mode_weakening_is_a_warning() -> None:
    parent, child = of_column("parent", {"required": True}), of_column("child", {"required": False})
    (found,) = effective_of([parent, child], "permissive").violations
    assert (found.code, found.severity) == ("E510", "warning")


def test_another_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="strict or permissive"):
        effective_of([of_column("one", {})], "lenient")


def test_a_chain_needs_a_contract() -> None:
    with pytest.raises(ValueError, match="at least"):
        effective_of([])
