"""The tables that code may mean, and what a short name stands for: the name completed by the defaults if there is such
a table, else the one table whose name ends so, else the completed name, of a table nobody has described."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from forge.lineage.extract.definition import Definition


@dataclass(frozen=True, slots=True)
class Meant:
    """`candidates`: several tables end so, and the name does not tell which is meant; `name` is then the completed
    one."""

    name: str
    definition: Definition | None = None
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalog:
    """`db` and `default_schema` stand before names that lack them."""

    definitions: tuple[Definition, ...] = ()
    db: str | None = None
    default_schema: str | None = None
    _by_name: dict[str, Definition] = field(init=False, repr=False, compare=False, default_factory=dict)
    _by_suffix: dict[str, list[str]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        known: dict[str, Definition] = {}
        for one in self.definitions:
            name = self.complete(one.name.split("."))
            before = known.get(name.lower())
            if before is None or _rank(one) >= _rank(before):
                known[name.lower()] = one
        suffixes: dict[str, list[str]] = defaultdict(list)
        for name in known:
            parts = name.split(".")
            for start in range(1, len(parts)):
                suffixes[".".join(parts[start:])].append(name)
        self._by_name.update(known)
        self._by_suffix.update(suffixes)

    def complete(self, parts: Sequence[str]) -> str:
        """The name with the defaults before it; that of a path or of something outside is left as it is."""
        if len(parts) == 1 and self.default_schema and not _is_outside(parts[0]):
            parts = (*self.default_schema.split("."), *parts)
        if len(parts) == 2 and self.db and not _is_outside(parts[0]):
            parts = (self.db, *parts)
        return ".".join(parts)

    def find(self, parts: Sequence[str]) -> Meant:
        """What a statement means that reads, or writes into, a table that exists."""
        full = self.complete(parts)
        known = self._by_name.get(full.lower())
        if known is not None:
            return Meant(self.name_of(known), known)
        ends = self._by_suffix.get(".".join(parts).lower(), [])
        if len(ends) == 1:
            known = self._by_name[ends[0]]
            return Meant(self.name_of(known), known)
        return Meant(full, None, tuple(sorted(ends)))

    def name_of(self, definition: Definition) -> str:
        return self.complete(definition.name.split("."))

    def with_(self, more: Iterable[Definition]) -> Catalog:
        return Catalog((*self.definitions, *more), self.db, self.default_schema)


def _rank(definition: Definition) -> int:
    return 2 if definition.given else 0 if definition.inferred else 1


def _is_outside(part: str) -> bool:
    return "/" in part or ":" in part
