"""Pinning: every table a run reads or writes is resolved to a snapshot on its branch before anything is read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.flows.runs.pin import Pin
from forge.flows.versioning.revisions import find_branch
from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from forge.flows.ports import Lake
    from forge.flows.versioning.record_ports import CommitHistory
    from forge.versioning.commit import TableVersion, Tree

MAIN_REF = "main"  # Iceberg's own name; it always carries the default branch


@dataclass(frozen=True, slots=True)
class PinnedBranch:
    """The branch a run works on, as it was when the run began."""

    branch: BranchName
    is_default: bool
    head: CommitId | None
    tree: Tree

    @property
    def ref(self) -> str:
        return MAIN_REF if self.is_default else str(self.branch)


def pin_branch(metadata: CommitHistory, name: BranchName, default: BranchName) -> PinnedBranch:
    branch = find_branch(metadata, name)
    return PinnedBranch(branch.name, branch.name == default, branch.head, metadata.tree(branch.head))


@dataclass(frozen=True, slots=True)
class BaseVersion:
    """The version of a table that a branch has. `ref` is the native Iceberg ref, which a foreign engine may have
    moved; a branch that has not touched the table has none and falls back to the fork point."""

    version: TableVersion | None
    catalog: CatalogName | None
    snapshot_id: SnapshotId | None
    ref: SnapshotId | None

    @property
    def is_foreign(self) -> bool:
        """Another engine wrote it last."""
        known = self.version.snapshot_id if self.version else None
        return self.ref is not None and self.ref != known


def find_base(table: TableName, line: PinnedBranch, lake: Lake) -> BaseVersion:
    version = line.tree.get(table)
    if version is not None and version.kind == "view":
        return BaseVersion(version, version.catalog, None, None)
    # A table that no commit knows may still be in the catalog: another engine made it.
    catalog = version.catalog if version else CatalogName(table.schema, table.name)
    state = lake.state(catalog)
    if state is None:
        return BaseVersion(version, None, None, None)
    ref = state.refs.get(line.ref)
    if version is None and ref is None:
        return BaseVersion(None, None, None, None)
    return BaseVersion(version, catalog, ref if ref is not None else (version.snapshot_id if version else None), ref)


def find_pin(table: TableName, line: PinnedBranch, lake: Lake) -> Pin | None:
    """The table on the branch, or None where the branch does not have it."""
    version = line.tree.get(table)
    if version is not None and version.kind == "view":
        return _view_pin(table, version, line, lake)
    base = find_base(table, line, lake)
    return None if base.catalog is None else Pin(table, base.catalog, base.snapshot_id)


def _view_pin(table: TableName, version: TableVersion, line: PinnedBranch, lake: Lake) -> Pin:
    sql = lake.read_view(version.metadata_location or "")
    return view_pin(table, sql, {t: p for t in inputs_of(sql, str(table)) if (p := find_pin(t, line, lake))})


def inputs_of(sql: str, name: str, known: Iterable[TableName] = ()) -> tuple[TableName, ...]:
    """`known`: the existing tables, to suggest the nearest name."""
    from forge.transforms.sql import find_inputs  # the parser costs a third of a second; most commands need none

    return tuple(dict.fromkeys(ref.table for ref in find_inputs(sql, name, known)))


def view_pin(table: TableName, sql: str, inputs: Mapping[TableName, Pin]) -> Pin:
    return Pin(table, CatalogName(table.schema, table.name), None, sql, tuple(inputs[t] for t in sorted(inputs)))


def at_commit(table: TableName, tree: Tree, lake: Lake) -> Pin | None:
    """The table exactly as a commit has it."""
    version = tree.get(table)
    if version is None:
        return None
    if version.kind != "view":
        return Pin(table, version.catalog, version.snapshot_id)
    sql = lake.read_view(version.metadata_location or "")
    return view_pin(table, sql, {t: p for t in inputs_of(sql, str(table)) if (p := at_commit(t, tree, lake))})


def key_of(pin: Pin) -> str:
    """The part of a fingerprint that identifies an input."""
    if pin.view_sql is None:
        return str(pin.snapshot_id)
    inner = "|".join([pin.view_sql, *(f"{p.table}={key_of(p)}" for p in pin.view_inputs)])
    return hashlib.sha256(inner.encode()).hexdigest()
