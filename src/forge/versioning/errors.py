"""Errors of versioning that code catches."""

from __future__ import annotations

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
