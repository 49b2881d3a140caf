"""The objects below a commit: the table tree, a Merkle root over the hashes of a table's files, its schema, its
partition spec and its properties. Its nodes are the manifests, so that the cost is proportional to the change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from forge.model.canonical_json import digest_of


@dataclass(frozen=True, slots=True, order=True)
class Leaf:
    """A live file of a manifest."""

    content: int  # Iceberg's: 0 data, 1 position deletes, 2 equality deletes
    path: str
    digest: str  # BLAKE3 of its bytes
    size: int
    records: int


def node_of(leaves: Iterable[Leaf]) -> str:
    """The Merkle node of a manifest, independent of the order of its entries."""
    return digest_of([[leaf.content, leaf.path, leaf.digest, leaf.size, leaf.records] for leaf in sorted(leaves)])


@dataclass(frozen=True, slots=True, order=True)
class ManifestNode:
    path: str
    digest: str  # BLAKE3 of the manifest's own bytes
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTree:
    """One version of a table. A view has its `file` alone."""

    kind: Literal["table", "view"]
    uuid: str
    schema: str = ""  # digest of the canonical schema
    spec: Mapping[str, object] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    manifest_list: tuple[str, str] | None = None  # path, BLAKE3; None: the table has no snapshot
    manifests: tuple[ManifestNode, ...] = ()
    file: tuple[str, str] | None = None  # of a view: path, BLAKE3

    def body(self) -> dict[str, object]:
        """The canonical form, as stored in the records."""
        if self.kind == "view":
            return {"kind": self.kind, "uuid": self.uuid, "file": list(self.file or ())}
        return {
            "kind": self.kind,
            "uuid": self.uuid,
            "schema": self.schema,
            "spec": dict(self.spec),
            "properties": dict(self.properties),
            "manifest_list": list(self.manifest_list or ()),
            "manifests": [[m.path, m.digest, m.node] for m in sorted(self.manifests)],
        }

    @property
    def digest(self) -> str:
        return digest_of(self.body())


def table_tree_of(body: Mapping[str, object]) -> TableTree:
    """From a recorded body. ValueError where it is malformed, so not written by Forge."""
    try:
        match body:
            case {"kind": "view", "uuid": str(uuid), "file": [str(path), str(digest)]}:
                return TableTree(kind="view", uuid=uuid, file=(path, digest))
            case {
                "kind": "table",
                "uuid": str(uuid),
                "schema": str(schema),
                "spec": dict(spec),
                "properties": dict(properties),
                "manifest_list": list(pair),
                "manifests": list(manifests),
            }:
                nodes = tuple(ManifestNode(*map(str, manifest)) for manifest in manifests)
                listed = (str(pair[0]), str(pair[1])) if pair else None
                return TableTree(
                    kind="table",
                    uuid=uuid,
                    schema=schema,
                    spec=spec,
                    properties=properties,
                    manifest_list=listed,
                    manifests=nodes,
                )
    except (TypeError, IndexError) as error:
        raise ValueError("not a table tree") from error
    raise ValueError("not a table tree")
