"""Content hashes: a hash over the files, schema, partitions and properties of each table version of a commit.

Every file is hashed once, when it is new; a known manifest is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from forge.flows.runs.records import Blob, BlobKind, HashRecords, Pointer
from forge.flows.versioning.record_ports import ContentHashes
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.versioning.commit import TableVersion
from forge.versioning.objects import Leaf, ManifestNode, TableTree, node_of

HashProgress = Callable[[int], None]
"""Called with the number of bytes that were read since it was last called."""

KINDS: Mapping[int, BlobKind] = {0: "data", 1: "delete", 2: "delete"}  # by Iceberg's content of a file


@dataclass(frozen=True, slots=True)
class FileHash:
    """A file as it is now. No digest: it is missing or unreadable."""

    digest: str | None
    size: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A live file of a manifest."""

    content: int
    path: str
    size: int
    records: int


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """The metadata of one snapshot."""

    uuid: str
    schema: str | None  # digest of the canonical schema; None: there is no such schema
    spec_id: int
    specs: Mapping[int, Mapping[str, object]]
    properties: Mapping[str, str]
    manifest_list: str | None  # None: there is no such snapshot


class FileHasher(Protocol):
    """The files of the lake as bytes, and which manifest lists which files."""

    def facts(
        self, catalog: CatalogName, snapshot_id: SnapshotId | None, schema_id: int, location: str | None = None
    ) -> SnapshotFacts | None:
        """From the metadata file at `location`, else from the one the catalog row points at; None: there is no row."""

    def manifests(self, manifest_list: str) -> tuple[str, ...]: ...
    def listed(self, manifest: str) -> tuple[ListedFile, ...]:
        """Its live files."""

    def hashes(self, paths: Iterable[str], progress: HashProgress | None = None) -> Mapping[str, FileHash]:
        """BLAKE3 of each; files in parallel."""

    def sizes(self, paths: Iterable[str]) -> Mapping[str, int | None]:
        """None: the file is missing."""


def node_path(manifest: str) -> str:
    """The record key of the node of a manifest, next to the hash of its bytes."""
    return f"{manifest}#node"


def hash_versions(
    metadata: ContentHashes,
    hasher: FileHasher | None,
    versions: Mapping[TableName, TableVersion],
    pointers: Sequence[Pointer] = (),
    before: HashRecords | None = None,
) -> tuple[dict[TableName, TableVersion], HashRecords]:
    """The versions with their digests, and the records that the publication has to write with them. A table whose
    pointer moves is read from its new metadata file. `before` are results of an earlier attempt: nothing is hashed
    twice."""
    if hasher is None:
        return {table: replace(version, digest=None) for table, version in versions.items()}, HashRecords()
    return _VersionHashing(metadata, hasher, before or HashRecords()).run(
        versions, {p.catalog: p.location for p in pointers}
    )


def hash_series(
    metadata: ContentHashes,
    hasher: FileHasher | None,
    versions: Iterable[TableVersion],
    pointers: Sequence[Pointer] = (),
    before: HashRecords | None = None,
) -> tuple[dict[TableVersion, TableVersion], HashRecords]:
    """The same for all versions of one table, as in a rebase or adoption: those without a digest, each with its
    digest."""
    digested: dict[TableVersion, TableVersion] = {}
    hashes = before or HashRecords()
    if hasher is None:
        return digested, hashes
    for version in versions:
        if version.digest is None and version not in digested:
            name = TableName(version.catalog.namespace, version.catalog.name)
            found, hashes = hash_versions(metadata, hasher, {name: version}, pointers, hashes)
            digested[version] = found[name]
    return digested, hashes


@dataclass(slots=True)
class _VersionHashing:
    """Phases: list → find new → hash → nodes → digests."""

    metadata: ContentHashes
    hasher: FileHasher
    before: HashRecords
    known: dict[str, Blob] = field(default_factory=dict)
    new: dict[str, Blob] = field(default_factory=dict)

    def run(
        self, versions: Mapping[TableName, TableVersion], locations: Mapping[CatalogName, str]
    ) -> tuple[dict[TableName, TableVersion], HashRecords]:
        self.known = {blob.path: blob for blob in self.before.blobs}
        self.new = dict(self.known)
        facts = {table: self._facts(v, locations) for table, v in versions.items() if v.kind != "view"}
        kept = self._kept(versions, facts)
        lists = {t: f.manifest_list for t, f in facts.items() if t not in kept and f.manifest_list is not None}
        manifests = {path: self.hasher.manifests(path) for path in dict.fromkeys(lists.values())}
        nodes = self._nodes(dict.fromkeys(m for paths in manifests.values() for m in paths))
        views = [v.metadata_location for v in versions.values() if v.kind == "view" and v.metadata_location]
        self._hash({**dict.fromkeys(manifests, "manifest list"), **dict.fromkeys(views, "view")})
        trees = dict(self.before.table_trees)
        hashed = {}
        for table, version in versions.items():
            if table in kept:
                hashed[table] = version
                continue
            found = facts.get(table)
            tree = self._view(version) if found is None else self._table(found, manifests, nodes)
            trees[tree.digest] = tree.body()
            hashed[table] = replace(version, digest=tree.digest)
        return hashed, HashRecords(tuple(self.new.values()), trees)

    def _facts(self, version: TableVersion, locations: Mapping[CatalogName, str]) -> SnapshotFacts:
        location = locations.get(version.catalog)
        found = self.hasher.facts(version.catalog, version.snapshot_id, version.schema_id, location)
        if found is None or found.schema is None or (found.manifest_list is None and version.snapshot_id is not None):
            raise ForgeError(
                "E624",
                f"{version.catalog} has no snapshot {version.snapshot_id} to seal",
                where=location,
                fix="forge doctor",
            )
        return found

    def _kept(
        self, versions: Mapping[TableName, TableVersion], facts: Mapping[TableName, SnapshotFacts]
    ) -> frozenset[TableName]:
        """Versions whose digest matches their snapshot: taken from another commit unchanged."""
        bodies = self.metadata.table_trees({v.digest for v in versions.values() if v.digest is not None})
        kept = set()
        for table, version in versions.items():
            body = bodies.get(version.digest or "", {})
            if table in facts:
                here = facts[table].manifest_list
                listed = body.get("manifest_list")
            else:
                here, listed = version.metadata_location, body.get("file")
            if isinstance(listed, list) and listed and listed[0] == here:
                kept.add(table)
        return frozenset(kept)

    def _nodes(self, manifests: Iterable[str]) -> dict[str, str]:
        paths = list(manifests)
        self._look_up([*paths, *map(node_path, paths)])
        unread = [path for path in paths if path not in self.known or node_path(path) not in self.known]
        listed = {path: self.hasher.listed(path) for path in unread}
        kinds = {file.path: KINDS.get(file.content, "data") for files in listed.values() for file in files}
        self._hash({**kinds, **dict.fromkeys(unread, "manifest")})
        for path, files in listed.items():
            node = node_of(Leaf(f.content, f.path, self.known[f.path].digest, f.size, f.records) for f in files)
            self._add(Blob(node_path(path), node, len(files), "node"))
        return {path: self.known[node_path(path)].digest for path in paths}

    def _look_up(self, paths: Iterable[str]) -> None:
        self.known |= self.metadata.blobs([path for path in paths if path not in self.known])

    def _hash(self, kinds: Mapping[str, BlobKind]) -> None:
        """Hash those of these files that are not known yet."""
        self._look_up(kinds)
        unknown = [path for path in kinds if path not in self.known]
        for path, found in self.hasher.hashes(unknown).items():
            if found.digest is None:
                raise ForgeError(
                    "E624", f"A {kinds[path]} file cannot be read", where=path, why=found.problem, fix="forge doctor"
                )
            self._add(Blob(path, found.digest, found.size, kinds[path]))

    def _add(self, blob: Blob) -> None:
        self.known[blob.path] = self.new[blob.path] = blob

    def _table(
        self, facts: SnapshotFacts, manifests: Mapping[str, Sequence[str]], nodes: Mapping[str, str]
    ) -> TableTree:
        listed = facts.manifest_list
        return TableTree(
            kind="table",
            uuid=facts.uuid,
            schema=facts.schema or "",
            spec=facts.specs.get(facts.spec_id, {}),
            properties=facts.properties,
            manifest_list=(listed, self.known[listed].digest) if listed else None,
            manifests=tuple(ManifestNode(p, self.known[p].digest, nodes[p]) for p in manifests.get(listed or "", ())),
        )

    def _view(self, version: TableVersion) -> TableTree:
        path = version.metadata_location or ""
        return TableTree(kind="view", uuid=version.uuid, file=(path, self.known[path].digest))


def late_path(version: TableVersion) -> str:
    """The record key of the digest of a version that was committed without one."""
    return f"{version.metadata_location or f'{version.uuid}@{version.snapshot_id}'}#tree"


def hash_late(metadata: ContentHashes, hasher: FileHasher, versions: Mapping[TableName, TableVersion]) -> int:
    """Hash versions that were committed without a digest. The commit id does not cover it, but later changes are
    detected."""
    hashed, found = hash_versions(metadata, hasher, versions)
    marks = tuple(Blob(late_path(v), v.digest or "", 0, "tree") for v in hashed.values())
    metadata.add_hashes(HashRecords((*found.blobs, *marks), found.table_trees))
    return len(marks)
