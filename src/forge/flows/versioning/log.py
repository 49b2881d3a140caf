"""The log of a table, of a schema, or of all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forge.flows.versioning.read import table_at
from forge.model.errors import UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import CommitId, TableName

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from forge.flows.versioning.record_ports import Commits
    from forge.versioning.commit import Commit

_SCHEMA = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def find_log(
    metadata: Commits,
    head: CommitId,
    *,
    limit: int | None = None,
    paths: Iterable[str | None] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    author: str | None = None,
) -> tuple[Commit, ...]:
    """Commits from `head` back that changed each of the paths, newest first. A path is a table, or a schema and thus
    any of its tables; E108 where neither a commit nor the head knows it."""
    asked = [path.strip() for path in paths if path]
    tables = [TableName.parse(path) for path in asked if not _SCHEMA.fullmatch(path)]
    schemas = [path.lower() for path in asked if _SCHEMA.fullmatch(path)]
    is_plain = not schemas and len(tables) < 2  # then the store can do it all
    found = metadata.log(
        head,
        limit=limit if is_plain else None,
        table=tables[0] if tables else None,
        since=since,
        until=until,
        author=author,
    )
    kept = [
        commit
        for commit in found
        if all(table in commit.statistics for table in tables)
        and all(any(table.schema == schema for table in commit.statistics) for schema in schemas)
    ]
    if not kept:
        _refuse_unknown(metadata, head, tables, schemas)
    return tuple(kept[:limit])


def _refuse_unknown(metadata: Commits, head: CommitId, tables: list[TableName], schemas: list[str]) -> None:
    tree = metadata.tree(head)
    for table in tables:
        table_at(tree, table)
    known = {table.schema for table in tree}
    for schema in schemas:
        if schema not in known:
            raise UnknownNameError(
                f"There is no schema {schema}",
                why=did_you_mean(schema, known),
                fix=f"Known are {', '.join(sorted(known))}." if known else None,
            )
