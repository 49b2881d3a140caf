"""One root of errors. Every error has a stable code; `forge.model.codes` says what each code means. Errors that code
catches have a class: those of one room are defined there, shared ones below."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Self


class ErrorKind(StrEnum):
    INVALID = "invalid"
    NOT_FOUND = "not found"
    CONFLICT = "conflict"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"


class ForgeError(Exception):
    """What happened, where, why, and what to do next."""

    def __init__(
        self,
        code: str,
        what: str,
        *,
        where: str | None = None,
        why: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.where = where
        self.why = why
        self.fix = fix

    @property
    def line(self) -> str:
        """What happened and where, in one line, for records and lists."""
        place = f"{self.where}  " if self.where else ""
        return f"FORGE-{self.code} {place}{self.what}"

    def __str__(self) -> str:
        """All of it: in a notebook this is the only thing that a person sees."""
        more = (("why", self.why), ("fix", self.fix))
        return "\n".join((self.line, *(f"  {name}: {text}" for name, text in more if text)))

    def but(self, **words: str | None) -> Self:
        """The same error, of the same class, with other words: `error.but(where="orders.sql:3")`."""
        other = type(self).__new__(type(self), words.get("what", self.what))
        other.__dict__.update(self.__dict__ | words)
        return other

    def to_dict(self) -> dict[str, str | None]:
        return {
            "code": f"FORGE-{self.code}",
            "what": self.what,
            "where": self.where,
            "why": self.why,
            "fix": self.fix,
        }


class NamedError(ForgeError):
    """One of a class that has a single code: `raise UnknownNameError("There is no table core.orders")`."""

    def __init__(self, what: str, *, where: str | None = None, why: str | None = None, fix: str | None = None) -> None:
        super().__init__(self.code, what, where=where, why=why, fix=fix)


class NoProjectError(NamedError):
    code = "E102"


class UnknownNameError(NamedError):
    code = "E108"


class CancellationError(NamedError):
    code = "E901"


class SourceUnavailableError(ForgeError):
    """The secret, the file or the answer of a source is not there. It may be later, and the query is not wrong."""


class MissingSecretError(NamedError, SourceUnavailableError):
    code = "E107"


class MissingFileError(NamedError, SourceUnavailableError):
    code = "E208"


class SourceUnreachableError(NamedError, SourceUnavailableError):
    code = "E308"


class RefusedQueryError(NamedError):
    code = "E309"


class SourceNotAllowedError(NamedError):
    code = "E886"


class StorageError(ForgeError):
    """The database or the disk below it does not do what was asked."""


class DiskFullError(NamedError, StorageError):
    code = "E305"


class DatabaseUnreachableError(NamedError, StorageError):
    code = "E401"


class DatabaseVersionError(NamedError, StorageError):
    code = "E402"


class DatabaseBusyError(NamedError, StorageError):
    code = "E404"


class CellError(ForgeError):
    """An error whose message contains cell values. `columns`: of which; none: of any. `without` and `why_without`
    are the same text without them, for readers who may not see the values."""

    def __init__(
        self,
        code: str,
        what: str,
        *,
        without: str,
        columns: Iterable[str] = (),
        where: str | None = None,
        why: str | None = None,
        why_without: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(code, what, where=where, why=why, fix=fix)
        self.columns = frozenset(name.lower() for name in columns)
        self._without, self._why_without = without, why_without

    def without_values(self) -> Self:
        return self.but(what=self._without, why=self._why_without)


class ForgeErrors(ForgeError):
    """Several errors found at once, so that a person can fix them together. Its code is the first one's."""

    def __init__(self, errors: Iterable[ForgeError]) -> None:
        self.errors: tuple[ForgeError, ...] = tuple(one for error in errors for one in errors_of(error))
        if not self.errors:
            raise ValueError("a group of errors holds at least one")
        first = self.errors[0]
        super().__init__(first.code, first.what, where=first.where, why=first.why, fix=first.fix)

    @property
    def line(self) -> str:
        return "\n".join(error.line for error in self.errors)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


def errors_of(error: ForgeError) -> tuple[ForgeError, ...]:
    """The single errors of a group; of any other error, itself."""
    return error.errors if isinstance(error, ForgeErrors) else (error,)


def raise_errors(errors: Iterable[ForgeError]) -> None:
    """Raise nothing, the only error as it is, or all of them as one."""
    found = tuple(one for error in errors for one in errors_of(error))
    if len(found) == 1:
        raise found[0]
    if found:
        raise ForgeErrors(found)
