"""The request of a commit of data, and the key its rows are matched by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from forge.flows.versioning.ports import VersionPorts
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.versioning.errors import IncomparableError, NothingToDoError
from forge.versioning.field import Fields

if TYPE_CHECKING:
    import pyarrow


class CommitMode(StrEnum):
    APPEND = "append"
    OVERWRITE = "overwrite"
    MERGE = "merge"  # update the rows whose keys are there, insert the others
    DELETE = "delete"  # the rows with these keys

    @property
    def is_keyed(self) -> bool:
        return self in (CommitMode.MERGE, CommitMode.DELETE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest:
    """Exactly one of `rows`, `sql` and `frame` (an engine's own) is given."""

    table: TableName
    branch: str
    mode: CommitMode = CommitMode.APPEND
    key: tuple[str, ...] = ()
    message: str | None = None
    rows: pyarrow.Table | None = None
    sql: str | None = None
    frame: object | None = None
    action: Literal["commit", "upload"] = "commit"  # what a protected branch refuses, in words
    where: str | None = None  # what the rows are called in messages: a file


def nothing_changed(request: CommitRequest, why: str) -> ForgeError:
    return NothingToDoError(
        f"This changes nothing in {request.table}", where=request.where, why=why, fix="Nothing was committed."
    )


def effective_key(request: CommitRequest, ports: VersionPorts, remembered: tuple[str, ...]) -> tuple[str, ...]:
    """The key of the call, else the declared one, else the recorded one of the table; () where there is none."""
    return request.key or tuple(ports.keys.get(request.table, ())) or remembered


def find_key(
    request: CommitRequest, ports: VersionPorts, fields: Fields, remembered: tuple[str, ...]
) -> tuple[str, ...]:
    """The same, for a change that requires a key: E613 where there is none, or not in these columns."""
    key = effective_key(request, ports, remembered)
    if not key:
        raise IncomparableError(
            "E613",
            f"{request.table} has no key to {request.mode} by",
            why="Neither the call, nor the project, nor the table itself says what tells its rows apart.",
            fix=f"Give --key, or versioning.keys: {{{request.table}: [id]}} in forge.yaml.",
        )
    refuse_unknown(request, key, fields)
    return key


def refuse_unknown(request: CommitRequest, key: tuple[str, ...], fields: Fields) -> None:
    known = [field.name for field in fields]
    for name in key:
        if name not in known:
            near = did_you_mean(name, known)
            raise IncomparableError(
                "E613",
                f"{request.table} has no column {name} to be a key",
                why=near,
                fix=f"Its columns are {', '.join(known)}.",
            )
