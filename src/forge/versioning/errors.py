"""Errors of versioning that code catches."""

from __future__ import annotations

from collections.abc import Sequence

from forge.model.errors import CellError, ForgeError, NamedError


class UnknownRevisionError(NamedError):
    code = "E601"


class BranchExistsError(NamedError):
    code = "E603"


class NoCommitsError(NamedError):
    code = "E606"


class NothingToDoError(NamedError):
    code = "E627"


class PersonalFilterError(NamedError):
    code = "E631"


class FilterValueError(NamedError):
    """A filter's text is no value of its column."""

    code = "E105"


class IncomparableError(ForgeError):
    """Two versions cannot be compared or merged: they have no common ancestor (E610), no key that identifies
    their rows (E611, E612, E613), values that do not fit (E630), or a catalog that keeps no versions (E626)."""


class IncomparableCellsError(IncomparableError, CellError):
    """The same, in words that repeat values of cells."""


def null_keys(what: str, table: str | None) -> IncomparableError:
    """E612: `what` says where NULL is in a key."""
    why = "A row without its key cannot be told from others."
    return IncomparableError(
        "E612", what, where=table, why=why, fix="Fill the column, delete these rows, or use another key."
    )


def duplicate_keys(side: str, shown: str, key: Sequence[str], table: str | None) -> IncomparableCellsError:
    """E611: `shown` are the keys that several rows of the side have."""
    why = "Rows that share a key cannot be told apart, so no one can say which of them changed."
    return IncomparableCellsError(
        "E611",
        f"{side} has several rows with the key {shown}",
        without=f"{side} has several rows with the same {', '.join(key)}",
        columns=key,
        where=table,
        why=why,
        why_without=why,
        fix="Remove the duplicates, or use a key that is unique.",
    )
