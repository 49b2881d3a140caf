"""Lineage of the current folder, without opening anything first. It is in the graph of the project that the folder is
in; where there is none, in `.datalineage/` of the folder, which the first `ingest` makes:

from forge.datalineage import ingest, query

ingest("jobs", db="analytics")
query.upstream("users", "email")
query.erd("public")
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from forge.connection import ProjectLineage, connect
from forge.connection.lineage.arguments import WalkArguments
from forge.model.errors import NoProjectError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forge.connection.lineage.ingest_result import IngestResult
    from forge.lineage.erd.diagram import Erd
    from forge.lineage.graph.traversal import Traversal

T = TypeVar("T")
FOLDER = ".datalineage"
_SETTINGS = (
    "# The graph of this folder, as `datalineage ingest` read it. It can be removed and read again.\nproject: {name}\n"
)


def graph_folder(start: str | Path | None = None, *, create: bool = False) -> Path:
    """Where the graph is: the project that a folder (the current one) is in, else the `.datalineage` of the folder or
    of one above it. `create`: it is made where there is none. E102 where nothing was read yet."""
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        for found in (folder, folder / FOLDER):
            if (found / "forge.yaml").is_file():
                return found
    if not create:
        raise NoProjectError(
            "there is no lineage of this folder yet",
            where=str(here),
            why=f"Neither a Forge project nor a {FOLDER} is here or in a folder above.",
            fix="Read code first: datalineage ingest PATH",
        )
    made = here / FOLDER
    made.mkdir(mode=0o700, exist_ok=True)
    (made / ".gitignore").write_text("*\n")
    (made / "forge.yaml").write_text(_SETTINGS.format(name=json.dumps(here.name or "code")))
    return made


class Query:
    """Each query opens and closes the project. `project`: a folder other than the current one."""

    def __init__(self, project: str | Path | None = None) -> None:
        self.project = project

    def __call__(self, project: str | Path) -> Query:
        """The same questions to another project: `query("shop").upstream("users")`."""
        return Query(project)

    def upstream(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkArguments]
    ) -> Traversal:
        """What a table or column comes from."""
        return self._ask(lambda lineage: lineage.upstream(table, column, at=at, **options))

    def downstream(
        self, table: str, column: str | None = None, *, at: str | None = None, **options: Unpack[WalkArguments]
    ) -> Traversal:
        """What comes from a table or column."""
        return self._ask(lambda lineage: lineage.downstream(table, column, at=at, **options))

    def erd(self, schema: str | None = None, *, at: str | None = None) -> Erd:
        """The tables of a schema, their columns and how they hang together."""
        return self._ask(lambda lineage: lineage.erd(schema, at=at))

    def _ask(self, question: Callable[[ProjectLineage], T]) -> T:
        with connect(self.project or graph_folder()) as forge:
            return question(forge.lineage)


query = Query()


def ingest(
    path: str | Path,
    *,
    db: str | None = None,
    default_schema: str | None = None,
    schema: str | Path | Mapping[str, Mapping[str, str]] | None = None,
    dialect: str = "spark",
    project: str | Path | None = None,
) -> IngestResult:
    """Read a file or folder of SQL, Python, notebooks and dbt into the graph, and what lies there of YAML files of
    edges, OpenLineage events and exports of another graph. Nothing is executed. `db` and `default_schema` complete
    short names; `schema` is a file, or a mapping of table to columns and types. What did not change since the last
    time is not read again. E816, E817, E822."""
    with connect(project or graph_folder(create=True)) as forge:
        return forge.lineage.ingest(path, db=db, default_schema=default_schema, schema=schema, dialect=dialect)


__all__ = ["Query", "graph_folder", "ingest", "query"]
