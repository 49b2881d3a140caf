"""A term as a file has it: its fields, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.model.errors import ForgeError

MOST_TERMS = 50_000
LARGEST_FILE = 10_000_000  # characters


@dataclass(frozen=True, slots=True)
class TermEntry:
    """`places`: `file:line` of single fields, where they are known."""

    fields: Mapping[str, object] | object
    where: str
    places: Mapping[str, str] = field(default_factory=dict)

    def place_of(self, name: str) -> str:
        return self.places.get(name, self.where)


@dataclass(frozen=True, slots=True)
class TermFile:
    entries: tuple[TermEntry, ...] = ()
    errors: tuple[ForgeError, ...] = ()


def bad_file(what: str, where: str, fix: str | None = None) -> ForgeError:
    return ForgeError("E865", what, where=where, fix=fix)
