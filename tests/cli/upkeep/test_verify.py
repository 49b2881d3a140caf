"""`forge verify` and what `forge gc` says of versions that nothing needs."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from recorded_history import History

from forge.wiring import Wiring


@pytest.fixture
def copy(history: History, tmp_path: Path) -> Path:
    """A project of one's own to change behind Forge's back; its tables stay where they are."""
    return Path(shutil.copytree(history.root, tmp_path / "copy"))


def edit(root: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(root / ".forge" / "forge.db")) as connection, connection:
        connection.execute(sql, values)


def test_a_history_that_nobody_touched_is_good(forge: Any, history: History) -> None:
    ended = forge("verify", "--json", at=history.root)
    assert ended.status == 0, ended.err
    assert (ended.json["ok"], ended.json["level"], ended.json["commits"]) == (True, "tree", 2)
    assert ended.json["broken"] == []
    assert "is as it was committed." in ended.err


def test_versions_committed_without_a_hash_are_told_and_can_be_sealed(forge: Any, copy: Path) -> None:
    ended = forge("verify", at=copy)
    assert ended.status == 0
    assert "3 table versions committed without a hash" in ended.err
    assert "What has a hash is as it was committed." in ended.err
    told = forge("verify", "--json", at=copy).json["unsealed"]
    assert len(told) == 3
    assert all(one["table"] in ended.err and one["commit"][:12] in ended.err for one in told)
    assert forge("verify", "--seal", "--json", at=copy).json["sealed_now"] == 3
    told = forge("verify", "--full", "--json", at=copy).json
    assert (told["level"], told["not_sealed"], told["files"], told["ok"]) == ("full", 0, 3, True)
    assert told["bytes"] > 0
    assert "All is as it was committed." in forge("verify", at=copy).err


def test_the_first_bad_object_is_named_and_the_exit_status_is_1(forge: Any, history: History, copy: Path) -> None:
    edit(copy, "UPDATE forge_commits SET message = 'x' WHERE id = ?", history.first.id)
    ended = forge("verify", "--level", "chain", "--json", at=copy)
    assert ended.status == 1
    (broken,) = ended.json["broken"]
    assert (broken["kind"], broken["object"], broken["code"]) == ("commit", history.first.id, "FORGE-E623")
    assert "FORGE-E623" in ended.err
    assert history.first.id in ended.err
    assert "fix:" in ended.err


def test_a_revision_limits_what_is_looked_at(forge: Any, history: History, copy: Path) -> None:
    edit(copy, "UPDATE forge_commits SET message = 'x' WHERE id = ?", history.second.id)
    assert forge("verify", "--ref", "HEAD~1", "--json", at=copy).json["commits"] == 1
    assert forge("verify", "--ref", "HEAD", at=copy).status == 1


def test_a_table_limits_what_is_looked_at(forge: Any, copy: Path) -> None:
    forge("verify", "--seal", at=copy)
    assert forge("verify", "--table", "marts.revenue", "--json", at=copy).json["trees"] == 1


@pytest.mark.parametrize(("words", "status"), [(("--level", "deep"), 2), (("--table", "a.b.c.d"), 2)])
def test_words_it_does_not_know_are_refused(forge: Any, history: History, words: tuple[str, ...], status: int) -> None:
    assert forge("verify", *words, at=history.root).status == status


def test_the_key_that_signs_is_trusted_and_the_trusted_keys_are_files_of_the_project(
    forge: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from forge.versioning.signing import public_text

    key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    monkeypatch.setenv("SIGNING_KEY", key)
    settings = project / "forge.yaml"
    settings.write_text(settings.read_text() + "\nversioning:\n  signing_key: env:SIGNING_KEY\n")
    own = Wiring.of(project).versioning.trusted_keys()
    (project / "ada.pub").write_text(public_text(key))
    settings.write_text(settings.read_text() + "  trusted_keys: [ada.pub]\n")
    wiring = Wiring.of(project)
    assert list(wiring.versioning.trusted_keys()) == list(own)
    assert wiring.versioning.signer is not None
    assert wiring.versioning.signer("a").key_id in own


def test_a_key_file_that_is_not_there_is_told(forge: Any, project: Path) -> None:
    settings = project / "forge.yaml"
    settings.write_text(settings.read_text() + "\nversioning:\n  trusted_keys: [nobody.pub]\n")
    ended = forge("verify", at=project)
    assert ended.status != 0
    assert "nobody.pub cannot be read" in ended.err


@pytest.mark.slow
def test_gc_tells_what_it_would_let_go_and_then_lets_it_go(forge: Any, tmp_path: Path, project: Path) -> None:
    """A version on a branch that was deleted: kept for a while, unless told otherwise."""
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog
    from recorded_history import write_history

    wiring = Wiring.of(project)
    write_history(wiring)
    catalog = SqlCatalog("forge", uri=wiring.settings.database_url(), warehouse=str(wiring.settings.warehouse_path()))
    table = catalog.load_table("raw.orders")
    lost = table.refresh().current_snapshot()
    assert lost is not None
    table.append(pa.table({"amount": pa.array([1], pa.int64())}), branch="dev")
    stray = catalog.load_table("raw.orders").refs()["dev"].snapshot_id
    with catalog.load_table("raw.orders").manage_snapshots() as change:
        change.remove_branch("dev")
    catalog.engine.dispose()
    wiring.close()
    expected = [{"table": "raw.orders", "snapshots": [stray], "dropped": False}]
    told = forge("gc", "--dry-run", "--older-than", "0h", "--keep-days", "0", "--json", at=project)
    assert told.json["expired"] == expected
    assert "come on top" in told.err
    done = forge("gc", "--older-than", "0h", "--keep-days", "0", "--json", "--yes", at=project)
    assert done.json["expired"] == expected
    assert forge("gc", "--dry-run", "--keep-days", "0", "--json", at=project).json["expired"] == []
