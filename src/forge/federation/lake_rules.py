"""Who may read tables of the lake, and what of them: masks, row filters and readers, in the words of sources."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from forge.federation.policy import Audience, ColumnMask, PolicySubject, RowFilter
from forge.model.errors import ForgeError


@dataclass(frozen=True, slots=True)
class KeptBack:
    """What is not for somebody. `columns`: table and column. `closed`: tables of which rows are kept back, or all.
    All in small letters."""

    columns: frozenset[tuple[str, str]] = frozenset()
    closed: frozenset[str] = frozenset()

    @property
    def tables(self) -> frozenset[str]:
        return self.closed | {table for table, _ in self.columns}


@dataclass(frozen=True, slots=True)
class LakeRules:
    """Tables are named as `schema.table`, in small letters. `readers`: of a table that names them; of any other,
    everyone who may read the lake."""

    masks: tuple[ColumnMask, ...] = ()
    rows: tuple[RowFilter, ...] = ()
    readers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.masks or self.rows or self.readers)

    def refuse_reader(self, table: str, user: str) -> None:
        """E885, which tells nothing of what the table holds."""
        named = self.readers.get(table.lower())
        if named is not None and user not in named:
            raise ForgeError(
                "E885",
                f"You may not read the table {table}",
                why="It names its readers, and you are not among them.",
                fix="Ask whoever declared it.",
            )

    def kept_back(self, subject: PolicySubject | None) -> KeptBack:
        """From who asks; None: from anybody, where an answer is for all."""

        def holds(audience: Audience) -> bool:
            return subject is None or audience.includes(subject)

        columns = {_split(one.column) for one in self.masks if holds(one.audience)}
        closed = {one.table for one in self.rows if not one.keeps_all and holds(one.audience)}
        closed |= {table for table, named in self.readers.items() if subject is None or subject.user not in named}
        return KeptBack(frozenset(columns), frozenset(closed))

    def with_views(self, views: Mapping[str, Collection[str]]) -> LakeRules:
        """Also of views, by the tables that each is made of: who reads one may read them all."""
        readers = dict(self.readers)
        for view, tables in views.items():
            named = [set(self.readers[table]) for table in (view, *tables) if table in self.readers]
            if named:
                readers[view] = tuple(sorted(set.intersection(*named)))
        return replace(self, readers=readers)

    def with_copies(self, endings: Collection[str]) -> LakeRules:
        """The same of tables that hold rows of these: `core.orders_failing`."""
        masks, rows, readers = list(self.masks), list(self.rows), dict(self.readers)
        for ending in endings:
            for mask in self.masks:
                table, column = _split(mask.column)
                masks.append(replace(mask, column=f"{table}{ending}.{column}"))
            rows += (replace(one, table=f"{one.table}{ending}") for one in self.rows)
            readers |= {f"{table}{ending}": named for table, named in self.readers.items()}
        return LakeRules(tuple(masks), tuple(rows), readers)


def _split(column: str) -> tuple[str, str]:
    table, _, name = column.rpartition(".")
    return table, name
