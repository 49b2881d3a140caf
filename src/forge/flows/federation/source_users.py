"""Who uses a source: virtual tables, loads and saved queries, straight or through virtual tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from forge.federation.lake_rules import LakeRules
from forge.federation.names import find_relations
from forge.federation.saved_query import SavedQuery
from forge.federation.source import VIRTUAL, Source
from forge.federation.virtual.rights import has_rights
from forge.federation.virtual_table import VirtualTable
from forge.model.errors import ForgeError
from forge.transforms.sql_parse import parse_query
from forge.transforms.transform import JdbcSource, Transform


class SourceUserKind(StrEnum):
    VIRTUAL_TABLE = "virtual_table"
    LOAD = "load"
    SAVED_QUERY = "saved_query"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUser:
    """`name`: of a virtual table, the table that a load writes, or a saved query; `id` of the latter. `through`: the
    virtual tables between it and the source. `where`: file and line of its declaration."""

    kind: SourceUserKind
    name: str
    id: str = ""
    owner: str = ""
    is_shared: bool = False
    through: tuple[str, ...] = ()
    where: str | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "kind": self.kind.value,
            "name": self.name,
            "id": self.id or self.name,
            "owner": self.owner,
            "is_shared": self.is_shared,
            "through": list(self.through),
            "where": self.where,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUsers:
    """All that could use a source. `saved`: those that who asks may see. `user`: None for whoever may see every
    virtual table. `rules`: of the lake, and of its views that virtual tables read."""

    sources: Mapping[str, Source]
    virtual: Mapping[str, VirtualTable]
    loads: Iterable[Transform]
    saved: Iterable[SavedQuery]
    user: str | None = None
    rules: LakeRules = field(default_factory=LakeRules)

    def of(self, source: str) -> tuple[SourceUser, ...]:
        """By kind, then by name. What is not for who asks is not among them."""
        reading = self._virtual_over(source)
        return (*self._tables(reading), *self._loads(source), *self._saved(source, reading))

    def _tables(self, reading: Mapping[str, tuple[str, ...]]) -> Iterator[SourceUser]:
        for name in sorted(reading):
            table = self.virtual[name]
            if self.user is None or has_rights(table, self.virtual, self.sources, self.user, self.rules):
                yield SourceUser(kind=SourceUserKind.VIRTUAL_TABLE, name=name, through=reading[name], where=table.where)

    def _loads(self, source: str) -> Iterator[SourceUser]:
        for load in sorted(self.loads, key=lambda one: one.output):
            if isinstance(load.body, JdbcSource) and load.body.source.lower() == source:
                yield SourceUser(kind=SourceUserKind.LOAD, name=str(load.output), where=str(load.where))

    def _saved(self, source: str, reading: Mapping[str, tuple[str, ...]]) -> Iterator[SourceUser]:
        for query in self.saved:
            named = self._named(query.sql)
            ways = sorted(named & reading.keys())
            if source in named or ways:
                yield SourceUser(
                    kind=SourceUserKind.SAVED_QUERY,
                    name=query.name,
                    id=query.id,
                    owner=query.owner,
                    is_shared=query.is_shared,
                    through=() if source in named else tuple(dict.fromkeys((*ways, *reading[ways[0]]))),
                )

    def _named(self, sql: str) -> Collection[str]:
        """Sources and virtual tables; none of what cannot be read."""
        try:
            tree = parse_query(sql, "query").tree
            found = find_relations(tree, {*self.sources, VIRTUAL})
        except (ForgeError, RecursionError):
            return frozenset()
        return frozenset(one.path[0].lower() if one.source == VIRTUAL and one.path else one.source for one in found)

    def _virtual_over(self, source: str) -> dict[str, tuple[str, ...]]:
        """Each virtual table over it, with those that are between."""
        found: dict[str, tuple[str, ...]] = {}
        while True:
            more: dict[str, tuple[str, ...]] = {}
            for name, table in self.virtual.items():
                if name in found:
                    continue
                inner = [one.table_name for one in table.sources if one.connector_id == VIRTUAL]
                way = next((one for one in inner if one in found), None)
                if any(one.connector_id == source for one in table.sources):
                    more[name] = ()
                elif way is not None:
                    more[name] = (way, *found[way])
            if not more:
                return found
            found |= more
