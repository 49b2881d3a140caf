"""Key enforcement: reads the new files, and those that may hold the same keys. Nothing else of the table is read,
however large it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forge.flows.versioning.file_sides import ranges_of, ranges_overlap, slice_of
from forge.flows.versioning.tables import (
    DataFile,
    DuplicateKeys,
    FileSlice,
    NeedsEngine,
    RowOperations,
    TableFiles,
    Tables,
)
from forge.versioning.commit import TableVersion
from forge.versioning.errors import IncomparableCellsError
from forge.versioning.field import by_name

if TYPE_CHECKING:
    import pyarrow

SHOWN = 3  # keys named in a message
KEY_FIX = "Remove the duplicates, or use a key that is unique."


def remembered_key(version: TableVersion | None, files: TableFiles | None) -> tuple[str, ...]:
    """The recorded key of the table, else Iceberg's identifier fields, which follow renames."""
    known = version.key if version is not None else ()
    if files is None:
        return known
    return known if known and {field.name for field in files.fields}.issuperset(known) else files.identifier


def with_remembered_key(version: TableVersion, files: TableFiles) -> TableFiles:
    """The files with the recorded key as their identifier."""
    return replace(files, identifier=remembered_key(version, files))


@dataclass(frozen=True, slots=True)
class KeyCheck:
    tables: Tables
    small: RowOperations | None
    large: Callable[[], RowOperations]
    small_bytes: int

    def refuse_twins(
        self,
        table: str,
        after: TableFiles,
        new: Collection[DataFile],
        key: Sequence[str],
        *,
        whose: str,
        fix: str = KEY_FIX,
    ) -> None:
        """E611 where a key of the new files is a duplicate, within them or of an existing file."""
        found = self.find_twins(after, new, key)
        if not found.count:
            return
        named = "; ".join(", ".join(f"{name} = {value}" for name, value in one.items()) for one in found.keys)
        more = f" and {found.count - len(found.keys)} more" if found.count > len(found.keys) else ""
        why = f"{', '.join(key)} is the key of {table}: rows that share it cannot be told apart."
        raise IncomparableCellsError(
            "E611",
            f"{whose} has several rows with the key {named}{more}",
            without=f"{whose} has several rows with the same {', '.join(key)}",
            columns=key,
            where=table,
            why=why,
            why_without=why,
            fix=fix,
        )

    def find_twins(self, after: TableFiles, new: Collection[DataFile], key: Sequence[str]) -> DuplicateKeys:
        fresh = slice_of(after, new)
        if fresh is None or not key:
            return DuplicateKeys()
        old = slice_of(after, self._candidates(after, fresh, key))
        size = fresh.size + (old.size if old else 0)
        if self.small is not None and size <= self.small_bytes:
            try:
                return self.small.find_twins(fresh, old, key, SHOWN)
            except NeedsEngine:
                pass
        return self.large().find_twins(fresh, old, key, SHOWN)

    def _candidates(self, after: TableFiles, fresh: FileSlice, key: Sequence[str]) -> Collection[DataFile]:
        """Files that may hold one of the keys: by the keys themselves if few, else by their ranges."""
        others = after.files - frozenset(fresh.files)
        keys = self._few(fresh, key)
        if keys is None:
            fields = by_name(after.fields)
            return [file for file in others if all(_may_share(file, fresh, fields[name].id) for name in key)]
        from forge.flows.versioning.key_bounds import find_candidates

        return find_candidates(replace(after, files=others), keys, key)

    def _few(self, fresh: FileSlice, key: Sequence[str]) -> pyarrow.Table | None:
        if self.small is None or fresh.size > self.small_bytes:
            return None
        try:
            return self.tables.read(fresh, list(key))
        except NeedsEngine:
            return None


def _may_share(file: DataFile, fresh: FileSlice, field_id: int | str) -> bool:
    if not file.rows:
        return False
    return not isinstance(field_id, int) or ranges_overlap(
        ranges_of((file,), field_id), ranges_of(fresh.files, field_id)
    )
