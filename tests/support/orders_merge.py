"""Two branches of the table of orders, edited from one base, and the work of merging them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from orders_house import DEV, MAIN, ORDERS, ROW, House, table_of

from forge.flows.versioning.tables import FileSlice, MergedRows, TableMerge
from forge.model.names import BranchName, RunId, SnapshotId
from forge.versioning.conflict import Answers, ResolutionRule
from forge.versioning.schema.merge import merge_schemas

BASE = (((1, "a", 1.0), (2, "b", 2.0)), ((11, "k", 11.0), (12, "l", 12.0)), ((21, "u", 21.0),))
Edit = Callable[[Any], None]


def edited(house: House, base: SnapshotId, edit: Edit, branch: BranchName) -> SnapshotId:
    stage = house.stage(base)
    edit(house.write(stage))
    snapshot = house.head(stage.catalog)
    house.publish(stage, branch, expected=base)
    return snapshot


def put(*rows: tuple[object, ...], where: str) -> Edit:
    """Copy-on-write: the files with such rows are written again without them, and these rows come."""
    return lambda table: table.overwrite(table_of(*rows), overwrite_filter=where)


def add(*rows: tuple[object, ...]) -> Edit:
    return lambda table: table.append(table_of(*rows))


def drop(where: str) -> Edit:
    return lambda table: table.delete(where)


class Merge:
    """Ours and theirs, edited from one base, and the work of merging them as it is found from the files."""

    def __init__(self, house: House, ours: Edit, theirs: Edit, key: tuple[str, ...] = ("id",)) -> None:
        self.house = house
        self.base = house.create(*BASE)
        self.theirs = edited(house, self.base, theirs, DEV)
        self.ours = edited(house, self.base, ours, MAIN)
        files = {name: house.tables.files(ROW, getattr(self, name)) for name in ("base", "ours", "theirs")}
        layout, conflicts = merge_schemas(files["base"].fields, files["ours"].fields, files["theirs"].fields, key)
        assert conflicts == ()
        b, o, t = (files[name].files for name in ("base", "ours", "theirs"))
        self.work = TableMerge(
            table=ORDERS,
            layout=layout,
            base_ours=self.part(self.base, b - o),
            ours=self.part(self.ours, o - b),
            base_theirs=self.part(self.base, b - t),
            theirs=self.part(self.theirs, t - b),
            rewritten=self.part(self.ours, (o - b) | ((b - t) & o)),
        )

    def part(self, snapshot: SnapshotId, files: Any) -> FileSlice | None:
        return FileSlice(ROW, snapshot, tuple(sorted(files, key=lambda file: file.path))) if files else None

    def run(self, *rules: ResolutionRule) -> MergedRows:
        return self.house.work.merge(replace(self.work, answers=Answers(rules)), RunId("r-merge"))

    def write(self, merged: MergedRows) -> list[tuple[object, ...]]:
        stage = self.house.stage(self.ours)
        made = merged.write(stage)
        self.house.publish(stage, expected=self.ours)
        assert self.house.head() == made
        return sorted(self.house.rows(made), key=lambda row: int(str(row[0])))
