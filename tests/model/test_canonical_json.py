"""Hashes that projects have on disk and in their database, taken before there was one canonical JSON. They hold for
ever: another spelling would make every commit unverifiable, every contract changed and every run due."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

from forge.contracts.artifacts import freeze
from forge.contracts.canonical import content_hash, schema_hash
from forge.contracts.datacontract_results import read_results
from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.transforms.fingerprint import fingerprint
from forge.transforms.transform import PythonFunction, Transform
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion, make_commit
from forge.versioning.conflict import Conflict, ConflictKind
from forge.versioning.tag import Tag, tag_id_of

ORDERS = TableName("core", "orders")
ADA = Author("Ada Lövelace", "ada@shop.example", "u1")
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
CONTRACT: dict[str, object] = {
    "apiVersion": "v3.1.0",
    "id": "orders",
    "price": {"priceAmount": 9.0, "priceUnit": 0.25},
    "schema": [
        {
            "name": "Orders",
            "description": "Bestellungen, größer als 0",
            "properties": [
                {"name": "amount", "physicalType": "DECIMAL(12, 2)", "required": True, "unique": False},
                {"name": "Day", "logicalType": "date", "logicalTypeOptions": {"minimum": date(2020, 1, 1)}},
            ],
        }
    ],
}


def commit() -> Commit:
    tree = {
        ORDERS: TableVersion(
            catalog=CatalogName("core", "orders"), uuid="uuid-1", snapshot_id=SnapshotId(7), schema_id=2, number=3
        )
    }
    return make_commit(
        tree=tree,
        parents=(CommitId("p" * 64),),
        author=ADA,
        message="Größere Preise → „neu“",
        time=NOON,
        branch=BranchName("main"),
        statistics={
            ORDERS: TableStatistics(
                rows_added=1, rows_deleted=2, bytes_added=3, bytes_deleted=4, record_count=5, total_size=6
            )
        },
        metadata={"run_id": "r1", "pins": {"b": 1, "a": None}, "day": date(2026, 11, 15), "rate": Decimal("1.50")},
    )


def test_ids_of_commits_and_trees() -> None:
    assert (commit().id, commit().tree_id) == (
        "fbdc4d7bb38d1cf76c60101f570a200719fa35bcda04df0748c1e9fd5053730e",
        "e842e867f8374f9f6f3c5f2eed478719f9d6a8852baa6883684bf1d35a55b999",
    )


def test_ids_of_tags() -> None:
    assert (
        tag_id_of(Tag(name="v1 ü", target=CommitId("c" * 64), tagger=ADA, time=NOON, message='a "tag"'))
        == "e02e5e0d507cb507529bedec95ba3500cf149b9ea0ae404e162456804c352db4"
    )


def test_ids_of_conflicts() -> None:
    conflict = Conflict(
        kind=ConflictKind.MODIFY_MODIFY,
        key={"id": 1},
        column="ä",
        base=Decimal("1.0"),
        ours=date(2026, 1, 2),
        theirs=None,
        table="core.orders",
    )
    assert conflict.id == "905badf7b5be6496"


def test_fingerprints_of_runs() -> None:
    transform = Transform(
        output=ORDERS, body=PythonFunction(lambda: None, {}, False), file="a.py", line=1, code_hash="code"
    )
    params = {
        "day": date(2026, 11, 15),
        "at": NOON,
        "rate": Decimal("1.50"),
        "names": {"ü", "b"},
        "list": (1, 2.5, None),
    }
    found = fingerprint(transform, {ORDERS: SnapshotId(7)}, params, [{"path": "a", "size": 1}], "rules")
    assert (found.fingerprint, found.parts["parameters"]) == (
        "a6e51af78f1cf8ac1c8fc8605be7fe5bbb6f108fbad64bb9488573709ae751ee",
        "3e4dbe5ebd44a44c",
    )


def test_hashes_of_contracts_and_compiles() -> None:
    assert schema_hash(CONTRACT) == "sha256:64b98b6a76bc57b7386ab8c653706d13502dad063f2386e1840cbad0403af6df"
    assert content_hash(CONTRACT) == "sha256:431fe6cec85b22e4547237a5d714c6cffa8211ed17e208c50f8024b553e46141"
    assert (
        freeze({"contracts": [CONTRACT], "ratio": 2.0}, "now")["content_hash"]
        == "sha256:e70dd2760058232c55ad9072cbbd7bb9b233a5c2a0a31c4f0e818fb67d4c3414"
    )


def test_ids_of_results_that_bring_none() -> None:
    data = {"dataContractId": "orders", "result": "passed", "checks": [], "note": "ü\ud800"}
    assert read_results(data, at=NOON, by="ada").id == "659375c5e8ce00f9565aaefb0099b441"
