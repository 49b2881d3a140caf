"""A project with keyed tables on branches, worked on by other processes, and read here as any other engine reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from forge.flows.versioning.branches import create_branch
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, CommitResult, commit_data
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.ports import VersionPorts
from forge.model.names import BranchName, TableName
from forge.wiring import Wiring

MAIN = BranchName("main")
SETTINGS = "user: {name: Ada, email: ada@example.com}\nspark: {master: 'local[2]', spark.driver.memory: 1g}\n"
SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), ("value", pa.string())])

Rows = list[tuple[int, str]]


def rows_of(given: Iterable[tuple[int, str]]) -> pa.Table:
    return pa.Table.from_pylist([{"id": key, "value": value} for key, value in given], schema=SCHEMA)


def write(
    ports: VersionPorts, table: str, branch: str, rows: Iterable[tuple[int, str]], mode: str = "append"
) -> CommitResult:
    """A new table gets the key with its first rows."""
    return commit_data(
        CommitRequest(
            table=TableName.parse(table),
            branch=branch,
            mode=CommitMode(mode),
            key=("id",),
            message=None,
            rows=rows_of(rows),
        ),
        ports,
    )


def perform(ports: VersionPorts, work: Mapping[str, Any]) -> str:
    """A piece of work as another process is told it: a write with the names of `write`, or a merge. What came of it."""
    if "source" in work:
        return str(merge(MergeRequest(source=work["source"], target=work["target"]), ports).type)
    return write(ports, **work).status


@dataclass(frozen=True)
class BranchedProject:
    root: Path
    url: str

    @classmethod
    def make(cls, root: Path, url: str) -> BranchedProject:
        root.mkdir(parents=True, exist_ok=True)
        (root / "forge.yaml").write_text(SETTINGS)
        return cls(root, url)

    def wiring(self) -> Wiring:
        return Wiring.of(self.root, overrides={"database": self.url})

    def branch(self, wiring: Wiring, name: str) -> None:
        create_branch(wiring.metadata, name, "main", current=MAIN, author=wiring.author, clock=wiring.clock)

    def state(self, wiring: Wiring, *names: str) -> dict[str, tuple[str | None, dict[str, tuple[int, Rows]]]]:
        """By branch (all, or those named): its head, and where each of its tables stands by the table's own ref, with
        the rows there. A table in which the branch has no ref, since it has not touched it, is left out."""
        from pyiceberg.catalog.sql import SqlCatalog

        settings = wiring.settings
        catalog = SqlCatalog("forge", uri=settings.database_url(), warehouse=str(settings.warehouse_path()))
        try:
            found: dict[str, tuple[str | None, dict[str, tuple[int, Rows]]]] = {}
            for branch in wiring.metadata.branches():
                if names and branch.name not in names:
                    continue
                held: dict[str, tuple[int, Rows]] = {}
                for name, version in sorted(wiring.metadata.tree(branch.head).items()):
                    table = catalog.load_table((version.catalog.namespace, version.catalog.name))
                    ref = table.metadata.refs.get(branch.name)
                    if ref is not None:
                        rows = table.scan(snapshot_id=ref.snapshot_id).to_arrow().to_pylist()
                        held[str(name)] = (ref.snapshot_id, sorted((row["id"], row["value"]) for row in rows))
                found[str(branch.name)] = (branch.head, held)
            return found
        finally:
            catalog.engine.dispose()

    def recorded(self, wiring: Wiring) -> dict[str, dict[str, int | None]]:
        """By branch: the snapshots of its tables as the commit at its head says them."""
        return {
            str(branch.name): {
                str(name): version.snapshot_id for name, version in wiring.metadata.tree(branch.head).items()
            }
            for branch in wiring.metadata.branches()
        }
