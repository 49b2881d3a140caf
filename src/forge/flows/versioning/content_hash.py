"""Sealing: what a commit says of a table becomes a hash over the table's files, schema, partitions and properties.

Every file is hashed once, when it is new; a manifest that is known is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from forge.flows.runs.records import Blob, BlobKind, Pointer, Sealed
from forge.flows.versioning.store import ContentHashes
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.versioning.commit import TableVersion
from forge.versioning.objects import Leaf, ManifestNode, TableTree, node_of

Told = Callable[[int], None]
"""Called with the number of bytes that were read since it was last called."""

KINDS: Mapping[int, BlobKind] = {0: "data", 1: "delete", 2: "delete"}  # by Iceberg's content of a file


@dataclass(frozen=True, slots=True)
class Hashed:
    """A file as it is now. No digest: it is not there, or cannot be read."""

    digest: str | None
    size: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A live file as its manifest has it."""

    content: int
    path: str
    size: int
    records: int


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a metadata file says of one snapshot."""

    uuid: str
    schema: str | None  # digest of the canonical schema; None: there is no such schema
    spec_id: int
    specs: Mapping[int, Mapping[str, object]]
    properties: Mapping[str, str]
    manifest_list: str | None  # None: there is no such snapshot


class Seals(Protocol):
    """The files of the lake as bytes, and who lists whom."""

    def facts(
        self, catalog: CatalogName, snapshot_id: SnapshotId | None, schema_id: int, location: str | None = None
    ) -> TableFacts | None:
        """From the metadata file at `location`, else from the one the catalog row points at; None: there is no row."""
        ...

    def manifests(self, manifest_list: str) -> tuple[str, ...]: ...
    def listed(self, manifest: str) -> tuple[Listed, ...]:
        """Its live files."""
        ...

    def hashes(self, paths: Iterable[str], told: Told | None = None) -> Mapping[str, Hashed]:
        """BLAKE3 of each; several files at once."""
        ...

    def sizes(self, paths: Iterable[str]) -> Mapping[str, int | None]:
        """None: the file is not there."""
        ...


def node_path(manifest: str) -> str:
    """Where the records keep the node of a manifest, beside the hash of its bytes."""
    return f"{manifest}#node"


def seal_versions(
    metadata: ContentHashes,
    seals: Seals | None,
    versions: Mapping[TableName, TableVersion],
    pointers: Sequence[Pointer] = (),
    before: Sealed | None = None,
) -> tuple[dict[TableName, TableVersion], Sealed]:
    """The versions with their digests, and what the publication has to record with them. A table whose pointer moves
    is read from the pointer's new metadata file. `before` is what an earlier try gave: nothing is hashed twice."""
    if seals is None:
        return {table: replace(version, digest=None) for table, version in versions.items()}, Sealed()
    return _Sealing(metadata, seals, before or Sealed()).run(versions, {p.catalog: p.location for p in pointers})


def seal_series(
    metadata: ContentHashes,
    seals: Seals | None,
    versions: Iterable[TableVersion],
    pointers: Sequence[Pointer] = (),
    before: Sealed | None = None,
) -> tuple[dict[TableVersion, TableVersion], Sealed]:
    """The same for several versions of one table, as the commits of a rebase and adopted snapshots are: those that have
    no digest yet, each with its digest."""
    digested: dict[TableVersion, TableVersion] = {}
    sealed = before or Sealed()
    if seals is None:
        return digested, sealed
    for version in versions:
        if version.digest is None and version not in digested:
            name = TableName(version.catalog.namespace, version.catalog.name)
            found, sealed = seal_versions(metadata, seals, {name: version}, pointers, sealed)
            digested[version] = found[name]
    return digested, sealed


@dataclass(slots=True)
class _Sealing:
    """Phases: what there is → what is new of it → hash that → nodes → digests."""

    metadata: ContentHashes
    seals: Seals
    before: Sealed
    known: dict[str, Blob] = field(default_factory=dict)
    new: dict[str, Blob] = field(default_factory=dict)

    def run(
        self, versions: Mapping[TableName, TableVersion], locations: Mapping[CatalogName, str]
    ) -> tuple[dict[TableName, TableVersion], Sealed]:
        self.known = {blob.path: blob for blob in self.before.blobs}
        self.new = dict(self.known)
        facts = {table: self._facts(v, locations) for table, v in versions.items() if v.kind != "view"}
        kept = self._kept(versions, facts)
        lists = {t: f.manifest_list for t, f in facts.items() if t not in kept and f.manifest_list is not None}
        manifests = {path: self.seals.manifests(path) for path in dict.fromkeys(lists.values())}
        nodes = self._nodes(dict.fromkeys(m for paths in manifests.values() for m in paths))
        views = [v.metadata_location for v in versions.values() if v.kind == "view" and v.metadata_location]
        self._hash({**dict.fromkeys(manifests, "manifest list"), **dict.fromkeys(views, "view")})
        trees = dict(self.before.table_trees)
        sealed = {}
        for table, version in versions.items():
            if table in kept:
                sealed[table] = version
                continue
            found = facts.get(table)
            tree = self._view(version) if found is None else self._table(found, manifests, nodes)
            trees[tree.digest] = tree.body()
            sealed[table] = replace(version, digest=tree.digest)
        return sealed, Sealed(tuple(self.new.values()), trees)

    def _facts(self, version: TableVersion, locations: Mapping[CatalogName, str]) -> TableFacts:
        location = locations.get(version.catalog)
        found = self.seals.facts(version.catalog, version.snapshot_id, version.schema_id, location)
        if found is None or found.schema is None or (found.manifest_list is None and version.snapshot_id is not None):
            raise ForgeError(
                "E624",
                f"{version.catalog} has no snapshot {version.snapshot_id} to seal",
                where=location,
                fix="forge doctor",
            )
        return found

    def _kept(
        self, versions: Mapping[TableName, TableVersion], facts: Mapping[TableName, TableFacts]
    ) -> frozenset[TableName]:
        """Versions whose digest is of the snapshot they are at: taken over from another commit as they are."""
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
        listed = {path: self.seals.listed(path) for path in unread}
        kinds = {file.path: KINDS.get(file.content, "data") for files in listed.values() for file in files}
        self._hash({**kinds, **dict.fromkeys(unread, "manifest")})
        for path, files in listed.items():
            node = node_of(Leaf(f.content, f.path, self.known[f.path].digest, f.size, f.records) for f in files)
            self._add(Blob(node_path(path), node, len(files), "node"))
        return {path: self.known[node_path(path)].digest for path in paths}

    def _look_up(self, paths: Iterable[str]) -> None:
        self.known |= self.metadata.blobs([path for path in paths if path not in self.known])

    def _hash(self, kinds: Mapping[str, BlobKind]) -> None:
        """What is not known yet of these files."""
        self._look_up(kinds)
        unknown = [path for path in kinds if path not in self.known]
        for path, found in self.seals.hashes(unknown).items():
            if found.digest is None:
                raise ForgeError(
                    "E624", f"A {kinds[path]} file cannot be read", where=path, why=found.problem, fix="forge doctor"
                )
            self._add(Blob(path, found.digest, found.size, kinds[path]))

    def _add(self, blob: Blob) -> None:
        self.known[blob.path] = self.new[blob.path] = blob

    def _table(self, facts: TableFacts, manifests: Mapping[str, Sequence[str]], nodes: Mapping[str, str]) -> TableTree:
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
    """Where the records keep the digest of a version that was committed before it could be sealed."""
    return f"{version.metadata_location or f'{version.uuid}@{version.snapshot_id}'}#tree"


def seal_late(metadata: ContentHashes, seals: Seals, versions: Mapping[TableName, TableVersion]) -> int:
    """Seal what is in commits without a digest. The commit's own id does not cover it, but from now on changes show."""
    sealed, found = seal_versions(metadata, seals, versions)
    marks = tuple(Blob(late_path(v), v.digest or "", 0, "tree") for v in sealed.values())
    metadata.seal(Sealed((*found.blobs, *marks), found.table_trees))
    return len(marks)
