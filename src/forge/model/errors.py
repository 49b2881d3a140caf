"""One root of errors. Every error has a stable code; `forge.model.codes` says what each code means."""

from __future__ import annotations

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

    def __str__(self) -> str:
        place = f"{self.where}  " if self.where else ""
        return f"FORGE-{self.code} {place}{self.what}"

    def to_dict(self) -> dict[str, str | None]:
        return {
            "code": f"FORGE-{self.code}",
            "what": self.what,
            "where": self.where,
            "why": self.why,
            "fix": self.fix,
        }
