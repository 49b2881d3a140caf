"""One root of errors. Every error has a stable code; `forge.model.codes` says what each code means."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Kind(StrEnum):
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

    def to_dict(self) -> dict[str, str | None]:
        return {
            "code": f"FORGE-{self.code}",
            "what": self.what,
            "where": self.where,
            "why": self.why,
            "fix": self.fix,
        }


class CellError(ForgeError):
    """One whose words repeat values of cells. `columns`: of which; none: of any. `without` and `why_without` say the
    same without them, for tables whose values not all may see."""

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

    def without_values(self) -> ForgeError:
        return ForgeError(self.code, self._without, where=self.where, why=self._why_without, fix=self.fix)


class ForgeErrors(ForgeError):
    """Several problems found in one go, so that a person can mend them all at once. Its code is the first one's."""

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
