"""Known tables and the resolution of short names: the name qualified by the defaults if there is such a table, else the
only table with that suffix, else the qualified name of an unknown table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from forge.lineage.extract.definition import TableDefinition


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """`candidates`: tables with that suffix if the name is ambiguous; `name` is then the qualified one."""

    name: str
    definition: TableDefinition | None = None
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableCatalog:
    """`db` and `default_schema` qualify short names."""

    definitions: tuple[TableDefinition, ...] = ()
    db: str | None = None
    default_schema: str | None = None
    _by_name: dict[str, TableDefinition] = field(init=False, repr=False, compare=False, default_factory=dict)
    _by_suffix: dict[str, list[str]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        known: dict[str, TableDefinition] = {}
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

    def find(self, parts: Sequence[str]) -> ResolvedName:
        """What a statement means that reads, or writes into, a table that exists."""
        full = self.complete(parts)
        known = self._by_name.get(full.lower())
        if known is not None:
            return ResolvedName(self.name_of(known), known)
        ends = self._by_suffix.get(".".join(parts).lower(), [])
        if len(ends) == 1:
            known = self._by_name[ends[0]]
            return ResolvedName(self.name_of(known), known)
        return ResolvedName(full, None, tuple(sorted(ends)))

    def name_of(self, definition: TableDefinition) -> str:
        return self.complete(definition.name.split("."))

    def with_(self, more: Iterable[TableDefinition]) -> TableCatalog:
        return TableCatalog((*self.definitions, *more), self.db, self.default_schema)


def _rank(definition: TableDefinition) -> int:
    return 2 if definition.given else 0 if definition.inferred else 1


def _is_outside(part: str) -> bool:
    return "/" in part or ":" in part
