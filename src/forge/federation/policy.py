"""Column masks and row filters as they are declared: what of a relation is for whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from forge.model.errors import ForgeError


class MaskKind(StrEnum):
    NULL = "null"
    HASH = "hash"
    PARTIAL = "partial"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class PolicySubject:
    """Who asks. `roles`: all that forge.yaml declares, with the users of each."""

    user: str
    roles: Mapping[str, Collection[str]] = field(default_factory=dict)

    def is_named(self, name: str) -> bool:
        """A name that is a role means the users of the role alone."""
        return self.user in self.roles[name] if name in self.roles else self.user == name


@dataclass(frozen=True, slots=True)
class Audience:
    """Everyone; or only these users and roles; or all but these."""

    only: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()

    def includes(self, subject: PolicySubject) -> bool:
        """A misspelled role must not let anyone in: E892 where a name of `only` is neither a role nor an address."""
        for name in self.only:
            if name not in subject.roles and "@" not in name:
                raise ForgeError(
                    "E892",
                    f"A mask or row filter is for the role {name}, which forge.yaml does not declare",
                    fix=f"Add it: `roles: {{{name}: [ada@example.com]}}`.",
                )
        if self.only:
            return any(subject.is_named(name) for name in self.only)
        return not any(subject.is_named(name) for name in self.except_)

    @property
    def keys(self) -> dict[str, object]:
        every = {"for": list(self.only), "except": list(self.except_)}
        return {key: names for key, names in every.items() if names}


@dataclass(frozen=True, slots=True)
class ColumnMask:
    """`column`: as `table.column` or `schema.table.column`, in small letters."""

    column: str
    kind: MaskKind
    audience: Audience = Audience()

    def to_dict(self) -> dict[str, object]:
        return {"column": self.column, "as": self.kind.value, **self.audience.keys}


@dataclass(frozen=True, slots=True)
class RowFilter:
    """`filter`: a condition on columns of the table, or `true`. `table`: with or without its schema, in small
    letters."""

    table: str
    filter: str
    audience: Audience = Audience()

    @property
    def keeps_all(self) -> bool:
        """It says of a view that all of it may be read."""
        return self.filter.lower() == "true"

    def to_dict(self) -> dict[str, object]:
        return {"table": self.table, "filter": self.filter, **self.audience.keys}
