"""Verification of table trees: content hashes against the files as they are now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from forge.flows.runs.records import Blob
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.flows.upkeep.verify.chain import RECORDS, unreadable_table
from forge.flows.versioning.content_hash import FileHasher, HashProgress, ListedFile
from forge.flows.versioning.record_ports import ContentHashes
from forge.model.canonical_json import digest_of
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, CommitId, TableName
from forge.versioning.commit import TableVersion
from forge.versioning.objects import Leaf, ManifestNode, TableTree, node_of, table_tree_of
from forge.versioning.verify_findings import BrokenKind, BrokenObject, VerifyFindings

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class CommittedVersion:
    """A version of a table and the oldest commit that holds it."""

    table: TableName
    version: TableVersion
    commit: CommitId
    catalog: CatalogName  # its current catalog row


@dataclass(frozen=True, slots=True)
class CommittedFile:
    held: CommittedVersion
    blob: Blob


def check_trees(
    metadata: ContentHashes,
    hasher: FileHasher,
    digests: Mapping[CommittedVersion, str],
    findings: VerifyFindings,
    progress: Progress,
) -> tuple[CommittedFile, ...]:
    """The data and delete files of the versions, each once."""
    bodies = metadata.table_trees(digests.values())
    trees = {held: tree for held, digest in digests.items() if (tree := _tree(held, digest, bodies, findings))}
    views = {tree.file[0]: (held, tree.file[1]) for held, tree in trees.items() if tree.file}
    _check_bytes(hasher, "view", views, findings)
    tables = {held: tree for held, tree in trees.items() if not tree.file}
    for held, tree in tables.items():
        _check_facts(hasher, held, tree, findings)
    lists: dict[str, tuple[CommittedVersion, str]] = {}
    manifests: dict[str, tuple[CommittedVersion, ManifestNode]] = {}
    for held, tree in tables.items():  # of the oldest version that names it
        if tree.manifest_list:
            lists.setdefault(tree.manifest_list[0], (held, tree.manifest_list[1]))
        for manifest in tree.manifests:
            manifests.setdefault(manifest.path, (held, manifest))
    _check_bytes(hasher, "manifest list", lists, findings)
    _check_bytes(hasher, "manifest", {path: (h, m.digest) for path, (h, m) in manifests.items()}, findings)
    return _check_manifests(metadata, hasher, manifests, findings, progress)


def _tree(
    held: CommittedVersion, digest: str, bodies: Mapping[str, Mapping[str, object]], findings: VerifyFindings
) -> TableTree | None:
    body = bodies.get(digest)
    if body is None:
        add_broken(findings, held, "table tree", digest, where=RECORDS, expected=digest, actual=None)
        return None
    actual = digest_of(body)
    if actual != digest:
        add_broken(findings, held, "table tree", digest, where=RECORDS, expected=digest, actual=actual)
        return None
    try:
        return table_tree_of(body)
    except ValueError as error:
        add_broken(findings, held, "table tree", digest, where=RECORDS, expected=digest, actual=str(error))
        return None


def add_broken(
    findings: VerifyFindings,
    held: CommittedVersion,
    kind: BrokenKind,
    name: str,
    *,
    where: str,
    expected: str,
    actual: str | None,
) -> None:
    found = BrokenObject(kind=kind, object=name, where=where, expected=expected, actual=actual)
    findings.add(replace(found, commit=held.commit, table=held.table))


def _check_facts(hasher: FileHasher, held: CommittedVersion, tree: TableTree, findings: VerifyFindings) -> None:
    """The table's current metadata of the committed snapshot."""
    version = held.version

    def broken(kind: BrokenKind, name: str, expected: str, actual: str | None) -> None:
        add_broken(findings, held, kind, name, where=str(held.catalog), expected=expected, actual=actual)

    try:
        facts = hasher.facts(held.catalog, version.snapshot_id, version.schema_id)
    except UnreadableMetadata as error:
        return findings.add(unreadable_table(error, replace(version, catalog=held.catalog), held.commit, held.table))
    except ForgeError as error:
        return broken("table", str(held.catalog), f"table {tree.uuid}", error.why or error.what)
    if facts is None:
        return broken("table", str(held.catalog), f"table {tree.uuid}", None)
    if facts.uuid != tree.uuid:
        return broken("table", str(held.catalog), f"table {tree.uuid}", f"table {facts.uuid}")
    listed = tree.manifest_list[0] if tree.manifest_list else None
    name = f"{held.catalog}@{version.snapshot_id}"
    if facts.manifest_list != listed:
        broken("snapshot", name, listed or "no snapshot", facts.manifest_list)
    if facts.schema != tree.schema:
        broken("schema", f"{held.catalog} schema {version.schema_id}", tree.schema, facts.schema)
    number = tree.spec.get("spec-id", 0)
    spec = facts.specs.get(number) if isinstance(number, int) else None
    if spec != tree.spec:
        broken("partition spec", f"{held.catalog} spec {number}", str(dict(tree.spec)), str(spec) if spec else None)
    return None


def _check_bytes(
    hasher: FileHasher,
    kind: BrokenKind,
    expected: Mapping[str, tuple[CommittedVersion, str]],
    findings: VerifyFindings,
    read: HashProgress | None = None,
) -> int:
    """Returns the number of bytes read."""
    found = hasher.hashes(expected, read)
    for path, hashed in found.items():
        held, digest = expected[path]
        if hashed.digest != digest:
            actual = hashed.digest or _problem(hashed.problem)
            add_broken(findings, held, kind, path, where=path, expected=digest, actual=actual)
    return sum(hashed.size for hashed in found.values())


def _problem(text: str) -> str | None:
    return None if text == "it is not there" else f"unreadable: {text}"


def _check_manifests(
    metadata: ContentHashes,
    hasher: FileHasher,
    manifests: Mapping[str, tuple[CommittedVersion, ManifestNode]],
    findings: VerifyFindings,
    progress: Progress,
) -> tuple[CommittedFile, ...]:
    files: dict[str, CommittedFile] = {}
    for number, (path, (held, manifest)) in enumerate(manifests.items()):
        progress("manifests", number, len(manifests))
        try:
            listed = hasher.listed(path)
        except ForgeError:
            continue  # its bytes have been found wrong already
        blobs = metadata.blobs(file.path for file in listed)
        for missing in (file for file in listed if file.path not in blobs):
            add_broken(findings, held, "file", missing.path, where=RECORDS, expected="its hash", actual=None)
        node = node_of(_leaf(file, blobs[file.path]) for file in listed if file.path in blobs)
        if node != manifest.node:
            add_broken(findings, held, "entries", path, where=path, expected=manifest.node, actual=node)
        for file in listed:
            if file.path in blobs:
                files.setdefault(file.path, CommittedFile(held, blobs[file.path]))
    sizes = hasher.sizes(files)
    for path, found in files.items():
        size, recorded = sizes[path], found.blob.size
        if size != recorded:
            actual = None if size is None else f"{size} bytes"
            add_broken(findings, found.held, "file", path, where=path, expected=f"{recorded} bytes", actual=actual)
    return tuple(files.values())


def _leaf(file: ListedFile, blob: Blob) -> Leaf:
    return Leaf(file.content, file.path, blob.digest, file.size, file.records)


def check_files(
    hasher: FileHasher, files: tuple[CommittedFile, ...], findings: VerifyFindings, progress: Progress
) -> int:
    """The bytes of every file. Returns the number of bytes read."""
    total, done = sum(file.blob.size for file in files), 0

    def add(count: int) -> None:
        nonlocal done
        done += count
        progress("bytes", done, total)

    expected = {file.blob.path: (file.held, file.blob.digest) for file in files}
    return _check_bytes(hasher, "file", expected, findings, add)
