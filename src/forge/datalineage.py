"""Lineage of the project of the current folder, without opening anything first:

from forge.datalineage import ingest, query

ingest("lineage.jsonl")
query.upstream("users", "email")
query.erd("public")
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from forge.connection import LineageView, connect
from forge.connection.lineage_asked import WalkWords
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from forge.connection.lineage_results import ImportedFile
    from forge.lineage.erd import Erd
    from forge.lineage.traversal import Traversal

T = TypeVar("T")


class Query:
    """Each question opens the project, asks and closes it. `project`: a folder, if it is not the current one."""

    def __init__(self, project: str | Path | None = None) -> None:
        self.project = project

    def __call__(self, project: str | Path) -> Query:
        """The same questions to another project: `query("shop").upstream("users")`."""
        return Query(project)

    def upstream(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkWords]
    ) -> Traversal:
        """What a table or column comes from."""
        return self._ask(lambda lineage: lineage.upstream(table, column, at=at, **options))

    def downstream(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkWords]
    ) -> Traversal:
        """What comes from a table or column."""
        return self._ask(lambda lineage: lineage.downstream(table, column, at=at, **options))

    def erd(self, schema: str | None = None, *, at: str | None = None) -> Erd:
        """The tables of a schema, their columns and how they hang together."""
        return self._ask(lambda lineage: lineage.erd(schema, at=at))

    def _ask(self, question: Callable[[LineageView], T]) -> T:
        with connect(self.project) as forge:
            return question(forge.lineage)


query = Query()


def ingest(path: str | Path, *, project: str | Path | None = None) -> tuple[ImportedFile, ...]:
    """Add what exports of lineage hold (`forge lineage export`): a file, or all .jsonl files of a folder. Again, it
    changes nothing."""
    place = Path(path)
    files = sorted(place.rglob("*.jsonl")) if place.is_dir() else [place]
    if not files:
        raise ForgeError(
            "E813",
            f"There is no export of lineage in {place}",
            why="Files that end in .jsonl are read.",
            fix="Write one with `forge lineage export lineage.jsonl`.",
        )
    with connect(project) as forge:
        return tuple(forge.lineage.import_(file) for file in files)


__all__ = ["Query", "ingest", "query"]
