"""The files of one table on the three sides of a merge, and what the manifests prove without reading a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from forge.flows.versioning.tables import DataFile, FileSlice, TableFiles
from forge.versioning.field import Fields, Layout


@dataclass(frozen=True, slots=True)
class FileSides:
    """The files of the three sides, and those each side removed (`gone`) and added (`new`). A file that both have is
    the same on both, unless a side restored a column: then it holds values that the base does not show."""

    base: TableFiles | None
    ours: TableFiles
    theirs: TableFiles

    def _shared(self, side: TableFiles) -> frozenset[DataFile]:
        if self.base is None or _brought_back(side, self.base):
            return frozenset()
        return self.base.files & side.files

    @property
    def ours_gone(self) -> frozenset[DataFile]:
        return (self.base.files if self.base else frozenset()) - self._shared(self.ours)

    @property
    def ours_new(self) -> frozenset[DataFile]:
        return self.ours.files - self._shared(self.ours)

    @property
    def theirs_gone(self) -> frozenset[DataFile]:
        return (self.base.files if self.base else frozenset()) - self._shared(self.theirs)

    @property
    def theirs_new(self) -> frozenset[DataFile]:
        return self.theirs.files - self._shared(self.theirs)

    @property
    def has_old_columns(self) -> bool:
        """Whether a side has a column that the other had and dropped: the files there still hold values of it."""
        return _brought_back(self.ours, self.theirs) or _brought_back(self.theirs, self.ours)

    @property
    def changed_sides(self) -> tuple[str, ...]:
        """The sides that added or removed files."""
        ours, theirs = self.ours_gone | self.ours_new, self.theirs_gone | self.theirs_new
        return tuple(name for name, files in (("ours", ours), ("theirs", theirs)) if files)

    @property
    def touched(self) -> frozenset[DataFile]:
        return self.ours_gone | self.ours_new | self.theirs_gone | self.theirs_new


def _brought_back(side: TableFiles, other: TableFiles) -> bool:
    """For example by reverting the drop of a column."""
    return any(field.id in other.past_columns for field in _only(side.fields, other.fields))


def _only(mine: Fields, other: Fields) -> Fields:
    known = {field.id for field in other}
    return tuple(field for field in mine if field.id not in known)


def is_swappable(files: FileSides, layout: Layout, ours: Fields, theirs: Fields) -> bool:
    """Whether files of theirs can be added to ours as they are: no deletes to carry over, no file that both sides
    replaced, and every column under the same id on both sides."""
    if files.ours_gone & files.theirs_gone or any(file.deletes for file in files.touched):
        return False
    if files.theirs_new & files.ours.files or files.has_old_columns:
        return False
    if any(file.added_by in files.ours.ancestors for file in files.theirs_new):
        return False  # ours had it and took it out (theirs reverted that): a removed file never comes back
    ids_ours, ids_theirs = {f.name: f.id for f in ours}, {f.name: f.id for f in theirs}
    for column in layout.columns:
        sides = {ids_ours[column.ours]} if column.ours else set()
        sides |= {ids_theirs[column.theirs]} if column.theirs else set()
        if sides != {column.field.id}:
            return False
    needed = {f.id for f in layout.fields if f.required}
    optional = {f.id for f in (*ours, *theirs) if not f.required}
    return not layout.dropped and not needed & optional


def are_disjoint(files: FileSides, layout: Layout, key: tuple[str, ...]) -> bool:
    """Whether the manifests prove that no row was touched by both sides: in some column (of the key, if there is
    one) the value ranges of the files that ours and theirs touched are disjoint."""
    ids = [c.field.id for c in layout.columns if not key or c.field.name in key]
    mine, other = files.ours_gone | files.ours_new, files.theirs_gone | files.theirs_new
    return any(isinstance(i, int) and not ranges_overlap(ranges_of(mine, i), ranges_of(other, i)) for i in ids)


Ranges = list[tuple[Any, Any]] | None


def ranges_of(files: Iterable[DataFile], field_id: int) -> Ranges:
    """None where a file has no bounds."""
    found = [file.bounds.get(field_id) for file in files if file.rows]
    return None if None in found else [bounds for bounds in found if bounds is not None]


def ranges_overlap(mine: Ranges, other: Ranges) -> bool:
    if mine is None or other is None:
        return True
    try:
        both = sorted([(low, high, 0) for low, high in mine] + [(low, high, 1) for low, high in other])
        reach: list[Any] = [None, None]  # how far each side has come
        for low, high, side in both:
            far = reach[1 - side]
            if far is not None and far >= low:
                return True
            reach[side] = high if reach[side] is None else max(reach[side], high)
    except TypeError:  # bounds of two types: the column was retyped between the files
        return True
    return False


def sorted_files(files: Iterable[DataFile]) -> tuple[DataFile, ...]:
    return tuple(sorted(files, key=lambda file: (file.path, file.deletes)))


def slice_of(side: TableFiles | None, files: Iterable[DataFile]) -> FileSlice | None:
    chosen = sorted_files(files)
    return FileSlice(side.catalog, side.snapshot_id, chosen) if side and chosen else None
