"""Who may read a source, and what of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log10

from sqlglot import exp

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.dialects.predicates import all_of
from forge.federation.policy import ColumnMask, MaskKind, PolicySubject, RowFilter
from forge.federation.relation import MaskedAs, RelationName, SourceColumn, SourceRelation
from forge.federation.row_filter import parse_filter, refuse_misfit
from forge.federation.source import Source
from forge.federation.statistics import NOTHING_KNOWN
from forge.model.errors import ForgeError
from forge.model.types import DataType


def may_read(source: Source, user: str) -> bool:
    """Names are compared as they are written. None named: everyone who may read the lake."""
    return not source.readers or user in source.readers


def is_for_everyone(source: Source) -> bool:
    """Whether what it has may be told to all who may read the lake: it names no readers, and shows no user other tables
    than another."""
    return not source.readers and not source.credentials


def refuse_reader(source: Source, user: str) -> None:
    """E885, which tells nothing of what the source holds."""
    if not may_read(source, user):
        raise ForgeError(
            "E885",
            f"You may not read the source {source.name}",
            why="It names its readers, and you are not among them.",
            fix="Ask whoever declared it.",
        )


def hidden_columns(source: Source, relation: SourceRelation) -> frozenset[str]:
    """In small letters. `customers.email` is said of a table in any schema, and `public.customers.email` also of one
    whose source has no schemas; points within names hide rather too much than too little. Of files, which are one
    table without a name, any name will do."""
    columns = [column.name.lower() for column in relation.columns]
    return frozenset(one for one in columns if any(_names_column(relation, one, said) for said in source.hidden))


def _names_column(relation: SourceRelation, column: str, said: str) -> bool:
    """It, or a field in it: a part of a value is neither hidden nor masked alone."""
    parts = said.split(".")
    named = [".".join(parts[:end]) for end in range(2, len(parts) + 1)]
    if not relation.name.path:
        return any(one.endswith(f".{column}") for one in named)
    return any(_is_said(f"{table}.{column}", one) for table in _tables_of(relation) for one in named)


def _tables_of(relation: SourceRelation) -> Iterator[str]:
    """It, and those whose rules are its own."""
    return (".".join(path).lower() for path in (relation.name.path, *relation.shares_rows))


def _is_said(column: str, said: str) -> bool:
    return column == said or column.endswith(f".{said}") or said.endswith(f".{column}")


@dataclass(frozen=True, slots=True)
class RelationRights:
    """What of a relation is for who asks: the same value, the same rows."""

    relation: RelationName
    hidden: tuple[str, ...] = ()
    masks: tuple[tuple[str, str], ...] = ()
    row_filter: str = ""


@dataclass(frozen=True, slots=True)
class Rights:
    """Of all relations that a query reads. Part of the key of whatever keeps its rows."""

    relations: tuple[RelationRights, ...] = ()
    key: str = ""  # of hashes: with another one, the same rows have other values

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr(self).encode()).hexdigest()


def rights_of(relations: Iterable[SourceRelation], key: Callable[[], bytes]) -> Rights:
    """Of relations with what `restricted` filled in."""
    relations = tuple(relations)
    hashed = any(one.mask and one.mask.kind is MaskKind.HASH for relation in relations for one in relation.columns)
    found = (
        RelationRights(
            one.name,
            tuple(sorted(one.hidden)),
            tuple((column.name.lower(), column.mask.kind.value) for column in one.columns if column.mask),
            one.row_filter.sql("spark") if one.row_filter is not None else "",
        )
        for one in relations
    )
    mark = hashlib.sha256(b"mark" + key()).hexdigest() if hashed else ""
    return Rights(tuple(sorted(found, key=lambda one: one.relation)), mark)


def restricted(
    relation: SourceRelation, masks: Iterable[ColumnMask], rows: Iterable[RowFilter], subject: PolicySubject
) -> SourceRelation:
    """The relation as it is for who asks: with its row filter, and its masked columns of the type that they then have.
    A mask that does not fit the type of its column, or differs from another one, is NULL. E892."""
    filters = [one.filter for one in rows if _is_of(relation, one.table) and one.audience.includes(subject)]
    row_filter = _all_of(filters, relation)
    relation = relation if row_filter is None else _coarse(relation)
    applying = [one for one in masks if one.audience.includes(subject)]
    columns: list[SourceColumn] = []
    hidden = set(relation.hidden)
    for column in relation.columns:
        kinds = {one.kind for one in applying if _names_column(relation, column.name.lower(), one.column)}
        masked = _masked_type(kinds, column)
        if kinds and masked is None:
            hidden.add(column.name.lower())
        if column.name.lower() in hidden or masked is not None:
            column = replace(column, statistics=NOTHING_KNOWN)
        if masked is None or column.name.lower() in hidden:
            columns.append(column)
            continue
        (kind,) = kinds
        columns.append(replace(column, type=masked, nullable=True, mask=MaskedAs(kind, column.type)))
    return replace(relation, columns=tuple(columns), hidden=frozenset(hidden), row_filter=row_filter)


def _coarse(relation: SourceRelation) -> SourceRelation:
    """Of which rows are kept back: to the next power of ten how large it is, and nothing of its values. Which of two
    tables is read first, and who computes, would tell more to who tries other tables and conditions beside it."""
    rows = None if relation.rows is None else 10 ** round(log10(max(relation.rows, 1)))
    columns = tuple(replace(one, statistics=NOTHING_KNOWN) for one in relation.columns)
    return replace(relation, rows=rows, bytes=None, columns=columns)


def has_rules(
    path: tuple[str, ...], masks: Iterable[ColumnMask], rows: Iterable[RowFilter], subject: PolicySubject
) -> bool:
    """Whether a mask or row filter of the table is for who asks."""
    table = ".".join(path).lower()
    ruled = [one.audience for one in rows if _is_said(table, one.table) and not one.keeps_all]
    ruled += [one.audience for one in masks if _is_said(table, one.column.rpartition(".")[0])]
    return any(one.includes(subject) for one in ruled)


def is_restricted(source: Source, subject: PolicySubject) -> bool:
    """Whether a mask or row filter of the source is for this user: then he does not change it."""
    audiences = [*(one.audience for one in source.masks), *(one.audience for one in source.rows if not one.keeps_all)]
    return any(one.includes(subject) for one in audiences)


def may_show_others(source: Source, relation: SourceRelation, subject: PolicySubject) -> bool:
    """Whether it could show what the source keeps back from who asks: a view and the like, where the source has rules
    for him and none of them is its own. `relation`: with what `restricted` filled in."""
    if not relation.is_derived or relation.is_restricted:
        return False
    if any(_is_of(relation, one.table) and one.audience.includes(subject) for one in source.rows):
        return False
    return bool(source.hidden) or is_restricted(source, subject)


def refuse_others(source: Source, relation: SourceRelation, subject: PolicySubject) -> None:
    """E892 for what `may_show_others`."""
    if may_show_others(source, relation, subject):
        table = ".".join(relation.name.path)
        raise ForgeError(
            "E892",
            f"{relation.name} may show rows and values of {source.name} that are not for you",
            why="It is made of other tables, some of which have rules for you; it has none of its own.",
            fix=f"Let whoever declared {source.name} say what of it is read: "
            f"`rows: [{{table: {table}, filter: …}}]`, with `true` for all of it.",
        )


def _all_of(filters: Sequence[str], relation: SourceRelation) -> exp.Expr | None:
    """None: all of its rows."""
    trees = [tree for tree in map(parse_filter, dict.fromkeys(filters)) if not isinstance(tree, exp.Boolean)]
    types = {column.name.lower(): column.type for column in relation.columns}
    doubled = len(types) < len(relation.columns)
    for tree in trees:
        refuse_misfit(tree, {} if doubled else types, str(relation.name))
    return all_of([tree.copy() for tree in trees])


def _is_of(relation: SourceRelation, table: str) -> bool:
    """Of files, which are one table without a name, any name will do."""
    return not relation.name.path or any(_is_said(one, table) for one in _tables_of(relation))


def _masked_type(kinds: Collection[MaskKind], column: SourceColumn) -> DataType | None:
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    family = family_of(column.type)
    match kind:
        case MaskKind.HASH if family in (TypeFamily.STRING, TypeFamily.INTEGER):
            return DataType("string")
        case MaskKind.PARTIAL if family is TypeFamily.STRING:
            return DataType("string")
        case MaskKind.YEAR if family in (TypeFamily.DATE, TypeFamily.TIMESTAMP, TypeFamily.TIMESTAMP_NTZ):
            return column.type
    return None
