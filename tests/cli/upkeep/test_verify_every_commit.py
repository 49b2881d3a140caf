"""However a commit came to be, its files have a hash, and one that is replaced later is named by `verify`. No JVM."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sealed_lake import flip

from forge.flows.versioning.content_hash import ListedFile
from forge.model.names import CommitId, TableName
from forge.wiring import Wiring

House = Any  # as tests/cli/conftest.py makes it
ORDERS = TableName("core", "orders")
FOUR = "order_id,customer,amount,status\n4,di,40,new\n"
FILL = "{action: impute, method: constant, columns: amount, value: 5}"


def done(house: House, *words: str) -> Any:
    ended = house(*words)
    assert ended.status == 0, ended.err
    return ended


def fork(house: House) -> None:
    """Two commits on `fix` and one on main, in other cells of the same row."""
    done(house, "branch", "create", "fix")
    house.change("order_id,amount\n1,12\n", "--branch", "fix", "-m", "Amount of 1")
    house.commit(FOUR, "--branch", "fix", "-m", "Order 4")
    house.change("order_id,status\n1,paid\n", "-m", "Paid")


def merge_with(strategy: str) -> Callable[[House], None]:
    def make(house: House) -> None:
        fork(house)
        done(house, "merge", "fix", "--strategy", strategy)

    return make


def rebase_a_new_table(house: House) -> None:
    """It is born on the branch and changed twice there, while main goes on."""
    done(house, "branch", "create", "fix")
    house.commit(FOUR, "--branch", "fix", "--key", "order_id", table="core.more")
    house.commit(
        "order_id,amount\n4,41\n", "--mode", "merge", "--key", "order_id", "--branch", "fix", table="core.more"
    )
    house.change("order_id,status\n1,paid\n", "-m", "Paid")
    done(house, "merge", "fix", "--strategy", "rebase")


def fast_forward(house: House) -> None:
    done(house, "branch", "create", "fix")
    house.commit(FOUR, "--branch", "fix")
    done(house, "merge", "fix")


def cherry_pick(house: House) -> None:
    fork(house)
    done(house, "cherry-pick", "fix~1")


def revert(house: House) -> None:
    fork(house)
    done(house, "revert", "HEAD")


def reset(house: House) -> None:
    fork(house)
    done(house, "reset", "HEAD~1", "--yes")


def continue_conflicts(strategy: str) -> Callable[[House], None]:
    def make(house: House) -> None:
        done(house, "branch", "create", "fix")
        house.change("order_id,amount\n1,11\n", "-m", "Ours")
        house.change("order_id,amount\n1,12\n", "--branch", "fix", "-m", "Theirs")
        house.commit(FOUR, "--branch", "fix", "-m", "Order 4")
        held = house("merge", "fix", "--strategy", strategy, "--json")
        assert held.status == 1, held.err
        merge = held.json["merge_id"]
        done(house, "conflicts", "resolve", merge, "--take", "theirs")
        done(house, "conflicts", "continue", merge)

    return make


def remediate(house: House) -> None:
    house.commit("order_id,customer,amount,status\n4,dee,,new\n")
    done(house, "quality", "remediate", "propose", "core.orders", "--action", FILL, "--now")


def approve_and_take_back(house: House) -> None:
    house.commit("order_id,customer,amount,status\n4,dee,,new\n")
    made = done(house, "quality", "remediate", "propose", "core.orders", "--action", FILL, "--json")
    (item,) = made.json["remediations"]
    done(house, "quality", "remediate", "approve", item["id"], "-m", "yes")
    done(house, "quality", "remediate", "revert", item["id"])


def adopt(house: House) -> None:
    """Another engine writes twice, before Forge commits another table."""
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog

    folder = house.root / ".forge"
    catalog = SqlCatalog("forge", uri=f"sqlite:///{folder}/forge.db", warehouse=str(folder / "warehouse"))
    table = catalog.load_table("core.orders")
    for number in (8, 9):
        rows = {"order_id": [number], "customer": ["eve"], "amount": [1.0], "status": ["new"]}
        table.append(pa.table(rows).cast(table.schema().as_arrow()))
    catalog.engine.dispose()
    house.commit(FOUR, table="core.more")


WAYS: dict[str, Callable[[House], None]] = {
    "three-way merge": merge_with("three_way"),
    "squash": merge_with("squash"),
    "rebase": merge_with("rebase"),
    "rebase of a new table": rebase_a_new_table,
    "fast forward": fast_forward,
    "cherry-pick": cherry_pick,
    "revert": revert,
    "reset": reset,
    "continued merge": continue_conflicts("three_way"),
    "continued rebase": continue_conflicts("rebase"),
    "remediation": remediate,
    "approved and reverted remediation": approve_and_take_back,
    "adoption": adopt,
}


def files_of(root: Path) -> dict[str, set[CommitId]]:
    """Every data file that a commit of main holds, and those commits."""
    wiring = Wiring.of(root)
    assert wiring.versioning.hasher is not None
    found: dict[str, set[CommitId]] = {}
    head = wiring.branch_head(wiring.default_branch)
    assert head is not None
    for commit in wiring.metadata.log(head):
        for table, version in wiring.metadata.tree(commit.id).items():
            assert version.digest, f"{table} at '{commit.message}' has no hash"
            facts = wiring.versioning.hasher.facts(version.catalog, version.snapshot_id, version.schema_id)
            assert facts is not None
            assert facts.manifest_list is not None
            listed: list[ListedFile] = []
            for manifest in wiring.versioning.hasher.manifests(facts.manifest_list):
                listed += wiring.versioning.hasher.listed(manifest)
            for file in listed:
                found.setdefault(file.path, set()).add(commit.id)
    wiring.close()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_replaced_file_is_named_however_its_commit_was_made(house: House, way: str) -> None:
    WAYS[way](house)
    good = done(house, "verify", "--level", "full", "--json").json
    assert (good["ok"], good["not_sealed"]) == (True, 0)
    files = files_of(house.root)
    for path in files:
        flip(path)
    ended = house("verify", "--level", "full", "--json")
    assert ended.status == 1
    assert {item["object"] for item in ended.json["broken"] if item["kind"] == "file"} == set(files)
