"""`verify` on a real lake: whatever is changed behind Forge's back is named, at the level that looks there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from kept_folder import KeptFolder
from sealed_lake import ITEMS, MAIN, ORDERS, SealedLake, flip, local, numbers, swap

from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.verify.history import VerifyLevel, error_of
from forge.flows.versioning.branches import create_branch
from forge.flows.versioning.content_hash import hash_versions, node_path
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.versioning.commit import Author, Commit
from forge.versioning.signing import load_public, public_text, signer_of
from forge.versioning.tag import Tag, tag_id_of

VIEW = TableName("core", "recent")


@pytest.fixture(scope="module")
def lake_folder(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder:
    return KeptFolder(tmp_path_factory.mktemp("sealed"))


@pytest.fixture
def sealed_lake(lake_folder: KeptFolder) -> Iterator[SealedLake]:
    """Orders and items; more orders; a view."""

    def make(root: Path) -> None:
        made = SealedLake(root)
        made.append({ORDERS: numbers(1, 2, 3), ITEMS: numbers(1)}, message="First load")
        made.append({ORDERS: numbers(4, 5, 6)}, message="More orders")
        made.add_view(VIEW, "SELECT id FROM core.orders")
        made.close()

    laid = SealedLake(lake_folder.lay("history", make), ticks=count(60))
    yield laid
    laid.close()


@pytest.fixture
def history(sealed_lake: SealedLake) -> tuple[Commit, ...]:
    """From the first commit on."""
    head = sealed_lake.metadata.branch(MAIN)
    assert head is not None
    assert head.head is not None
    return tuple(reversed(sealed_lake.metadata.log(head.head)))


def data_of(sealed_lake: SealedLake, table: TableName) -> list[str]:
    return [blob.path for blob in sealed_lake.blobs("data") if f"/{table.name}-" in blob.path]


def new_key() -> str:
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.mark.slow
@pytest.mark.parametrize("level", [VerifyLevel.CHAIN, VerifyLevel.TREE, VerifyLevel.FULL])
def test_nothing_is_wrong_with_what_nobody_touched(
    sealed_lake: SealedLake, history: tuple[Commit, ...], level: VerifyLevel
) -> None:
    found = sealed_lake.verify(level)
    assert found.is_good
    assert found.commits == 3
    assert found.unsealed == 0
    assert found.files == (0 if level is VerifyLevel.CHAIN else 3)
    assert found.bytes == (sum(blob.size for blob in sealed_lake.blobs("data")) if level is VerifyLevel.FULL else 0)


@pytest.mark.slow
def test_a_flipped_byte_is_named_with_the_first_commit_that_holds_the_file(
    sealed_lake: SealedLake, history: tuple[Commit, ...]
) -> None:
    path = data_of(sealed_lake, ORDERS)[0]
    flip(path)
    assert sealed_lake.found(VerifyLevel.TREE) == []
    (broken,) = sealed_lake.verify(VerifyLevel.FULL).broken
    assert (broken.kind, broken.object, broken.commit, broken.table) == ("file", path, history[0].id, ORDERS)
    assert broken.expected == sealed_lake.blobs("data")[[b.path for b in sealed_lake.blobs("data")].index(path)].digest
    assert broken.actual not in (None, broken.expected)


@pytest.mark.slow
def test_two_files_of_equal_size_that_were_swapped_are_both_named(
    sealed_lake: SealedLake, history: tuple[Commit, ...]
) -> None:
    one, other = data_of(sealed_lake, ORDERS)
    swap(one, other)
    assert sealed_lake.found(VerifyLevel.TREE) == []
    found = sealed_lake.verify(VerifyLevel.FULL).broken
    assert {(b.kind, b.object, b.commit) for b in found} == {
        ("file", one, history[0].id),
        ("file", other, history[1].id),
    }


@pytest.mark.parametrize("level", [VerifyLevel.TREE, VerifyLevel.FULL])
def test_a_file_that_is_gone_is_named_without_reading_any_data(
    sealed_lake: SealedLake, history: tuple[Commit, ...], level: VerifyLevel
) -> None:
    path = data_of(sealed_lake, ORDERS)[1]
    os.unlink(local(path))
    broken = sealed_lake.verify(level).broken[0]
    assert (broken.kind, broken.object, broken.commit) == ("file", path, history[1].id)
    assert broken.actual is None
    assert error_of(broken).code == "E624"


def test_a_file_that_grew_is_named_without_reading_any_data(
    sealed_lake: SealedLake, history: tuple[Commit, ...]
) -> None:
    path = data_of(sealed_lake, ITEMS)[0]
    with local(path).open("ab") as file:
        file.write(b"x")
    assert sealed_lake.found(VerifyLevel.TREE) == [("file", path)]


def test_a_manifest_with_the_same_entries_in_other_bytes_is_named(
    sealed_lake: SealedLake, history: tuple[Commit, ...]
) -> None:
    path = sealed_lake.blobs("manifest")[0].path
    content = local(path).read_bytes()
    marker = content[-16:]  # what separates the blocks of an Avro file; any other sixteen bytes would do
    local(path).write_bytes(content.replace(marker, bytes(16)))
    assert sealed_lake.found(VerifyLevel.CHAIN) == []
    (broken,) = sealed_lake.verify(VerifyLevel.TREE).broken
    assert (broken.kind, broken.object, broken.commit) == ("manifest", path, history[0].id)


def test_a_manifest_that_lost_an_entry_is_named_by_its_bytes_and_by_its_entries(
    sealed_lake: SealedLake, history: tuple[Commit, ...]
) -> None:
    from pyiceberg.manifest import write_manifest
    from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC

    _, metadata = sealed_lake.lake.table(CatalogName("core", "items"))
    io, snapshot = sealed_lake.lake.files.io, metadata.current_snapshot()
    assert snapshot is not None
    (manifest,) = snapshot.manifests(io)
    (entry,) = manifest.fetch_manifest_entry(io)
    path, spec = manifest.manifest_path, UNPARTITIONED_PARTITION_SPEC
    os.unlink(local(path))
    with write_manifest(2, spec, metadata.schema(), io.new_output(path), snapshot.snapshot_id, "null") as writer:
        writer.delete(entry)
    assert sealed_lake.found(VerifyLevel.TREE)[:2] == [("manifest", path), ("entries", path)]


def test_a_manifest_list_that_was_changed_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    path = sealed_lake.blobs("manifest list")[0].path
    flip(path, at=-1)
    assert ("manifest list", path) in sealed_lake.found(VerifyLevel.TREE)


def test_a_view_whose_text_was_changed_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    path = sealed_lake.blobs("view")[0].path
    local(path).write_text(local(path).read_text().replace("SELECT id", "SELECT 42"))
    (broken,) = sealed_lake.verify(VerifyLevel.TREE).broken
    assert (broken.kind, broken.object, broken.commit, broken.table) == ("view", path, history[2].id, VIEW)


def test_a_message_that_was_edited_in_the_database_is_named(
    sealed_lake: SealedLake, history: tuple[Commit, ...]
) -> None:
    sealed_lake.execute("UPDATE forge_commits SET message = 'Nothing to see' WHERE id = :id", id=history[1].id)
    (broken,) = sealed_lake.verify(VerifyLevel.CHAIN).broken
    assert (broken.kind, broken.object, broken.commit) == ("commit", history[1].id, history[1].id)
    assert error_of(broken).code == "E623"


@pytest.mark.parametrize(
    "change",
    [
        "author_name = 'Eve'",
        "committer_email = 'eve@example.com'",
        "time = '2026-11-15T06:10:00.000001+00:00'",
        "branch = 'dev'",
        """metadata = '{"run_id":"r0"}'""",
    ],
    ids=["author", "committer", "time", "branch", "metadata"],
)
def test_no_field_of_a_commit_can_be_edited(sealed_lake: SealedLake, history: tuple[Commit, ...], change: str) -> None:
    sealed_lake.execute(f"UPDATE forge_commits SET {change} WHERE id = :id", id=history[0].id)
    assert ("commit", history[0].id) in sealed_lake.found(VerifyLevel.CHAIN)


def test_statistics_that_were_edited_are_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    sealed_lake.execute("UPDATE forge_commit_tables SET rows_added = 4 WHERE commit_id = :id", id=history[1].id)
    assert sealed_lake.found(VerifyLevel.CHAIN) == [("commit", history[1].id)]


def test_a_parent_that_was_edited_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    sealed_lake.execute(
        "UPDATE forge_commit_parents SET parent_id = :first WHERE commit_id = :third",
        first=history[0].id,
        third=history[2].id,
    )
    assert sealed_lake.found(VerifyLevel.CHAIN) == [("commit", history[2].id)]


def test_a_circle_of_parents_ends_and_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    sealed_lake.execute(
        "UPDATE forge_commit_parents SET parent_id = :third WHERE commit_id = :second",
        second=history[1].id,
        third=history[2].id,
    )
    assert sealed_lake.found(VerifyLevel.CHAIN) == [("commit", history[1].id)]


def test_a_commit_that_was_deleted_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    sealed_lake.execute("DELETE FROM forge_commits WHERE id = :id", id=history[0].id)
    broken = sealed_lake.verify(VerifyLevel.CHAIN).broken[0]
    assert (broken.kind, broken.object, broken.commit) == ("commit", history[0].id, history[1].id)
    assert broken.actual is None


def test_a_tree_that_was_edited_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    """The second commit's orders become those of the first."""
    tree = sealed_lake.metadata.tree(history[0].id)[ORDERS]
    newer = sealed_lake.metadata.tree(history[1].id)[ORDERS]
    sealed_lake.execute(
        "UPDATE forge_trees SET body = replace(body, :new, :old) WHERE id = :id",
        new=str(newer.snapshot_id),
        old=str(tree.snapshot_id),
        id=history[1].tree_id,
    )
    assert sealed_lake.found(VerifyLevel.CHAIN)[0] == ("tree", history[1].tree_id)


def test_a_head_that_was_moved_back_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    sealed_lake.execute("UPDATE forge_branches SET head = :id WHERE name = 'main'", id=history[0].id)
    (broken,) = sealed_lake.verify(VerifyLevel.CHAIN).broken
    assert (broken.kind, broken.object, broken.commit) == ("ref", "main:core.orders", history[0].id)


def test_a_head_that_was_moved_to_no_commit_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    sealed_lake.execute("UPDATE forge_branches SET head = :id WHERE name = 'main'", id="0" * 64)
    assert sealed_lake.found(VerifyLevel.CHAIN) == [("branch", "main")]


def test_a_ref_of_the_lake_that_was_moved_back_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    old = sealed_lake.metadata.tree(history[0].id)[ORDERS].snapshot_id
    sealed_lake.lake.set_ref(CatalogName("core", "orders"), "main", old)
    assert sealed_lake.found(VerifyLevel.CHAIN) == [("ref", "main:core.orders")]


def test_rows_of_another_engine_are_not_broken(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    import pyarrow as pa

    sealed_lake.catalog.load_table("core.orders").append(pa.table({"id": pa.array([9], pa.int64())}))
    found = sealed_lake.verify(VerifyLevel.FULL)
    assert found.is_good
    assert found.foreign == (ORDERS,)


def test_a_snapshot_that_another_engine_expired_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    old = sealed_lake.metadata.tree(history[0].id)[ORDERS].snapshot_id
    assert old is not None
    sealed_lake.catalog.load_table("core.orders").maintenance.expire_snapshots().by_id(old).commit()
    broken = sealed_lake.verify(VerifyLevel.TREE).broken[0]
    assert (broken.kind, broken.object, broken.commit) == ("snapshot", f"core.orders@{old}", history[0].id)


def test_a_recorded_hash_that_was_edited_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    """The file and the record of its hash changed together: the manifest's node does not agree."""
    path = data_of(sealed_lake, ORDERS)[0]
    flip(path)
    now = sealed_lake.hasher.hashes([path])[path].digest
    sealed_lake.execute("UPDATE forge_blobs SET digest = :digest WHERE path = :path", digest=now, path=path)
    (broken,) = sealed_lake.verify(VerifyLevel.FULL).broken
    assert broken.kind == "entries"
    assert broken.table == ORDERS


def test_a_table_tree_that_was_edited_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    digest = sealed_lake.metadata.tree(history[1].id)[ORDERS].digest
    sealed_lake.execute("UPDATE forge_table_trees SET body = replace(body, '\"table\"', '\"other\"')")
    assert ("table tree", digest) in sealed_lake.found(VerifyLevel.TREE)


def test_a_table_tree_that_is_gone_is_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    digest = sealed_lake.metadata.tree(history[1].id)[ORDERS].digest
    sealed_lake.execute("DELETE FROM forge_table_trees WHERE digest = :digest", digest=digest)
    assert sealed_lake.found(VerifyLevel.TREE) == [("table tree", digest)]


def test_only_the_named_table_and_revision_are_looked_at(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    flip(data_of(sealed_lake, ORDERS)[1])
    assert sealed_lake.found(VerifyLevel.FULL, table=ITEMS) == []
    assert sealed_lake.found(VerifyLevel.FULL, start=history[0].id) == []
    assert sealed_lake.found(VerifyLevel.FULL, start=history[1].id, table=ORDERS) != []


def test_what_only_a_tag_reaches_is_verified(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    sealed_lake.metadata.put_tag(
        Tag(name="v1", target=history[2].id, tagger=Author("Ada", "a"), time=sealed_lake.clock()),
        AuditRecord(sealed_lake.clock(), "ada", "tag.create", "v1"),
        replace=False,
    )
    sealed_lake.execute("UPDATE forge_branches SET head = NULL WHERE name = 'main'")
    assert sealed_lake.verify(VerifyLevel.FULL).commits == 3
    sealed_lake.execute("UPDATE forge_tags SET target = :id", id="1" * 64)
    assert sealed_lake.found(VerifyLevel.CHAIN) == [("tag", "v1")]


# signatures


@pytest.fixture
def pem() -> str:
    return new_key()


@pytest.fixture
def signed(tmp_path: Path, pem: str) -> Iterator[SealedLake]:
    made = SealedLake(tmp_path, signer=signer_of(pem))
    made.append({ORDERS: numbers(1)})
    made.append({ORDERS: numbers(2)})
    yield made
    made.close()


def test_signatures_of_a_trusted_key_hold(signed: SealedLake, pem: str) -> None:
    found = signed.verify(VerifyLevel.CHAIN, load_public([public_text(pem)]))
    assert (found.is_good, found.signed, found.unchecked) == (True, 2, 0)


def test_without_a_trusted_key_signatures_are_counted_as_unchecked(signed: SealedLake) -> None:
    found = signed.verify(VerifyLevel.CHAIN)
    assert (found.is_good, found.signed, found.unchecked) == (True, 0, 2)


def test_a_forged_signature_is_named(signed: SealedLake, pem: str) -> None:
    """Eve edits the message and puts in the id that fits; what she cannot make is Ada's signature of that id."""
    head = signed.head()
    assert head is not None
    commit = signed.metadata.commits([head])[head]
    assert commit.signature is not None
    digits = commit.signature.signature
    forged = ("0" if digits[0] != "0" else "1") + digits[1:]
    signed.execute("UPDATE forge_commits SET signature = replace(signature, :old, :new)", old=digits, new=forged)
    (broken,) = signed.verify(VerifyLevel.CHAIN, load_public([public_text(pem)])).broken
    assert (broken.kind, broken.object, broken.commit) == ("signature", f"commit {head}", head)
    assert error_of(broken).code == "E628"


def test_a_signature_by_a_key_nobody_trusts_is_named(signed: SealedLake) -> None:
    found = signed.verify(VerifyLevel.CHAIN, load_public([public_text(new_key())]))
    assert [b.kind for b in found.broken] == ["signature", "signature"]


def test_a_signed_tag_that_was_moved_is_named(signed: SealedLake, pem: str) -> None:
    head = signed.head()
    assert head is not None
    tag = Tag(name="v1", target=head, tagger=Author("Ada", "a"), time=signed.clock())
    tag = replace(tag, signature=signer_of(pem)(tag_id_of(tag)))
    signed.metadata.put_tag(tag, AuditRecord(tag.time, "ada", "tag.create", "v1"), replace=False)
    keys = load_public([public_text(pem)])
    assert signed.verify(VerifyLevel.CHAIN, keys).signed == 3
    parent = signed.metadata.ancestry([head])[head][0]
    signed.execute("UPDATE forge_tags SET target = :id", id=parent)
    assert [(b.kind, b.object) for b in signed.verify(VerifyLevel.CHAIN, keys).broken] == [("signature", "tag v1")]


def test_a_signing_key_that_cannot_be_read_is_told_without_showing_it() -> None:
    with pytest.raises(ForgeError) as told:
        signer_of("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----", "versioning.signing_key")
    assert told.value.code == "E628"
    assert "c2VjcmV0" not in str(told.value.to_dict())


# sealing


def test_only_files_that_are_new_are_hashed(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    read: list[str] = []
    hashes = sealed_lake.hasher.hashes

    def counted(paths: object, progress: object = None) -> object:
        wanted = list(paths)  # type: ignore[call-overload]
        read.extend(wanted)
        return hashes(wanted)

    sealed_lake.hasher.hashes = counted  # type: ignore[method-assign, assignment]
    before = {blob.path for kind in ("data", "manifest", "manifest list") for blob in sealed_lake.blobs(kind)}
    sealed_lake.append({ORDERS: numbers(7)})
    assert not before & set(read)
    assert len([path for path in read if path.endswith(".parquet")]) == 1


def test_a_manifest_that_is_known_is_not_read_again(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    for blob in sealed_lake.blobs("manifest"):
        os.unlink(local(blob.path))
    version = sealed_lake.metadata.tree(history[1].id)[ORDERS]
    hashed, new = hash_versions(sealed_lake.metadata, sealed_lake.hasher, {ORDERS: replace(version, digest=None)})
    assert hashed[ORDERS].digest == version.digest
    assert new.blobs == ()


def test_a_digest_of_another_snapshot_is_not_taken_over(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    old, new = (sealed_lake.metadata.tree(commit.id)[ORDERS] for commit in history[:2])
    stale = replace(new, digest=old.digest)
    hashed, _ = hash_versions(sealed_lake.metadata, sealed_lake.hasher, {ORDERS: stale})
    assert hashed[ORDERS] == new


def test_the_digest_follows_the_properties_of_the_table(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    with sealed_lake.catalog.load_table("core.orders").transaction() as change:
        change.set_properties({"owner": "ada"})
    version = replace(sealed_lake.metadata.tree(history[1].id)[ORDERS], digest=None)
    hashed, _ = hash_versions(sealed_lake.metadata, sealed_lake.hasher, {ORDERS: version})
    assert hashed[ORDERS].digest != sealed_lake.metadata.tree(history[1].id)[ORDERS].digest


def test_a_snapshot_that_is_not_there_cannot_be_sealed(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    version = replace(sealed_lake.metadata.tree(history[1].id)[ORDERS], snapshot_id=SnapshotId(5), digest=None)
    with pytest.raises(ForgeError) as told:
        hash_versions(sealed_lake.metadata, sealed_lake.hasher, {ORDERS: version})
    assert told.value.code == "E624"


@pytest.mark.slow
def test_commits_without_a_hash_are_not_broken_and_can_be_sealed_later(tmp_path: Path) -> None:
    sealed_lake = SealedLake(tmp_path, is_sealing=False)
    sealed_lake.append({ORDERS: numbers(1)})
    sealed_lake.append({ORDERS: numbers(2)})
    found = sealed_lake.verify(VerifyLevel.FULL)
    assert (found.is_good, found.unsealed, found.files) == (True, 2, 0)
    assert sealed_lake.verify(VerifyLevel.TREE, seal=True).sealed == 2
    found = sealed_lake.verify(VerifyLevel.FULL)
    assert (found.is_good, found.unsealed, found.files) == (True, 0, 2)
    flip(data_of(sealed_lake, ORDERS)[0])
    assert sealed_lake.found(VerifyLevel.FULL) == [("file", data_of(sealed_lake, ORDERS)[0])]
    sealed_lake.close()


def test_a_table_new_on_a_branch_is_sealed_and_verified(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    create_branch(sealed_lake.metadata, "dev", "HEAD", current=MAIN, author=Author("Ada", "a"), clock=sealed_lake.clock)
    table = TableName("core", "ideas")
    commit = sealed_lake.append({table: numbers(1), ORDERS: numbers(8)}, BranchName("dev"))
    assert sealed_lake.verify(VerifyLevel.FULL).is_good
    flip(data_of(sealed_lake, table)[0])
    (broken,) = sealed_lake.verify(VerifyLevel.FULL).broken
    assert (broken.commit, broken.table) == (commit.id, table)


# rows


def test_a_checksum_of_rows_is_recorded_once_and_compared_from_then_on(
    sealed_lake: SealedLake, history: tuple[Commit, ...]
) -> None:
    asked: list[SnapshotId] = []

    def checksum(catalog: CatalogName, snapshot_id: SnapshotId) -> str:
        asked.append(snapshot_id)
        return f"rows of {catalog}"

    assert sealed_lake.verify(VerifyLevel.LOGICAL, checksum=checksum).is_good
    assert len(asked) == 3
    assert sealed_lake.verify(VerifyLevel.LOGICAL, checksum=checksum).is_good
    found = sealed_lake.verify(VerifyLevel.LOGICAL, checksum=lambda catalog, snapshot_id: "others").broken
    assert [(b.kind, b.table) for b in found] == [("rows", ITEMS), ("rows", ORDERS), ("rows", ORDERS)]
    assert {b.commit for b in found} == {history[0].id, history[1].id}


def test_only_so_many_broken_objects_are_named(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    for path in data_of(sealed_lake, ORDERS):
        flip(path)
    assert len(sealed_lake.verify(VerifyLevel.FULL, limit=1).broken) == 1


def test_the_node_of_a_manifest_is_kept_beside_its_hash(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    manifests = [blob.path for blob in sealed_lake.blobs("manifest")]
    assert {blob.path for blob in sealed_lake.blobs("node")} == set(map(node_path, manifests))


def test_an_unknown_start_reaches_nothing(sealed_lake: SealedLake, history: tuple[Commit, ...]) -> None:
    assert sealed_lake.verify(VerifyLevel.CHAIN, start=CommitId("0" * 64)).commits == 0
