"""A random walk through branches, commits, merges, picks, resets and gc, done both on a real lake and in the model of
version_model.py, which must agree after every step. A step is a number: what it does is chosen by it alone, so that a
walk can be repeated, and a failing one made shorter by leaving steps out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
from version_model import Col, History, Side, Table, fresh, plain
from version_model import Commit as ModelCommit
from version_model import Tree as ModelTree
from version_world import ADA, MAIN, VersionWorld, make_world

from forge.flows.upkeep.maintenance import collect_garbage, find_problems
from forge.flows.upkeep.verify.history import VerifyLevel, verify
from forge.flows.versioning.branches import delete_branch, list_branches, rename_branch
from forge.flows.versioning.reset import reset
from forge.flows.versioning.tags import create_tag, delete_tag
from forge.model.names import CommitId, TableName
from forge.stores.lake.arrow.rows import ArrowRows
from forge.stores.lake.file_hasher import IcebergFileHasher
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.lake.tables import IcebergTables
from forge.stores.sql.database import open_database
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.arrow_types import arrow_type
from forge.versioning.errors import NothingToDoError
from forge.versioning.field import TableField

NAMES = ("core.a", "core.b", "core.c")  # c never has a key
TYPES = ("int", "float", "string", "decimal(6,2)", "date", "binary")
WIDE = {"int": "bigint", "float": "double", "decimal(6,2)": "decimal(10,2)"}
VALUES: dict[str, tuple[Any, ...]] = {
    "int": (1, 2, 3, None),
    "float": (0.5, 1.5, float("nan"), 0.0, None),
    "string": ("a", "b", "", None),
    "decimal(6,2)": (Decimal("1.00"), Decimal("2.50"), None),
    "date": (date(2026, 1, 1), date(2026, 1, 2), None),
    "binary": (b"\x00", b"\xff", None),
}
VALUES |= {wide: VALUES[narrow] for narrow, wide in WIDE.items()}
SIDES: tuple[Side, ...] = ("ours", "theirs", "base")


def second_world(first: VersionWorld, folder: Path) -> VersionWorld:
    """Another process's objects on the same database and files: with caches of their own."""
    database = open_database(f"sqlite:///{folder}/forge.db")
    lake = IcebergLake(database, str(folder / "warehouse"))
    tables, metadata = IcebergTables(lake), SqlMetadata(database)
    ports = replace(
        first.ports,
        metadata=metadata,
        lake=lake,
        tables_=tables,
        small=ArrowRows(tables),
        hasher=IcebergFileHasher(lake),
    )
    return VersionWorld(ports, lake, metadata, tables, type(first.engine)(tables), first.checks, first.folder, database)


class Walk:
    """The steps without merges; `steps` says how often each is taken."""

    steps: ClassVar[dict[str, float]] = {
        "commit": 12,
        "change_columns": 3,
        "branch": 4,
        "drop_branch": 1,
        "rename": 1,
        "tag": 1,
        "reset": 1.5,
        "collect": 0.7,
    }

    def __init__(self, folder: Path) -> None:
        first = make_world(folder)
        first.ports = replace(first.ports, hasher=IcebergFileHasher(first.lake))
        self.worlds = (first, second_world(first, folder))
        self.world = first
        self.folder = folder
        self.history = History()
        self.heads: dict[str, str] = {}
        self.tags: dict[str, str] = {}
        self.columns: dict[tuple[str, int | str], str] = {}  # (uuid, field id) of the real → id of the model
        self.uids: dict[str, str] = {}
        self.names = 0
        self.told: list[str] = []
        self.rng = random.Random(0)
        for name in NAMES[::2]:
            self.new_table(name, "main")

    def close(self) -> None:
        for world in self.worlds:
            world.close()

    def step(self, number: int) -> None:
        self.rng = random.Random(number)
        self.world = self.rng.choice(self.worlds)
        names = list(self.steps)
        does = self.rng.choices(names, [self.steps[name] for name in names])[0]
        self.told.append(does)
        touched = getattr(self, does)()
        for branch in {touched, self.rng.choice(sorted(self.heads))} & self.heads.keys():
            self.check_branch(branch)
        self.check_commit(self.one_of(*self.heads.values(), *self.tags.values()))

    def say(self, *words: object) -> None:
        self.told.append("   " + " ".join(map(str, words)))

    def any_branch(self) -> str:
        return self.rng.choice(sorted(self.heads))

    def one_of(self, *heads: str) -> str:
        """A commit that they reach; ids are not the same each time, the order of the commits is."""
        reached = self.history.reached(*heads)
        return self.rng.choice([commit for commit in self.history.commits if commit in reached])

    def any_commit(self) -> str:
        return self.one_of(*self.heads.values())

    def tree(self, branch: str) -> ModelTree:
        return self.history.tree(self.heads[branch])

    # commits

    def landed(self, branch: str, tree: ModelTree, *more_parents: str) -> str:
        """The branch has one new commit, and the model knows what is in it."""
        head = self.world.head(branch)
        assert head is not None
        commit = self.world.metadata.commit(head)
        assert commit is not None
        before = self.heads.get(branch)
        assert commit.parents == ((before,) if before else ()) + more_parents
        self.history.commits[head] = ModelCommit(head, commit.parents, dict(tree))
        self.heads[branch] = head
        return branch

    def new_table(self, name: str, branch: str) -> str:
        keyed = name != NAMES[2]
        kinds = self.rng.sample(TYPES, self.rng.randint(1, 3))
        columns = (Col(fresh("c"), "id", "int"), *(Col(fresh("c"), f"x{i}", kind) for i, kind in enumerate(kinds)))
        table = Table(fresh("t"), fresh("v"), columns, (columns[0].id,) if keyed else (), ())
        table = replace(table, rows=tuple(self.row_of(table, i % (9 if keyed else 2)) for i in range(4)))
        self.say("new", name, branch, table.named())
        key = ["id"] if keyed else []
        self.world.commit_rows(name, self.arrow(table, table.rows), "append", key, branch)
        tree = self.tree(branch) if branch in self.heads else {}
        return self.landed(branch, {**tree, name: table})

    def arrow(self, table: Table, rows: Any, columns: tuple[Col, ...] | None = None) -> pa.Table:
        shown = columns or table.columns
        schema = pa.schema([(c.name, arrow_type(c.type)) for c in shown])
        return pa.Table.from_pylist([{c.name: row[c.id] for c in shown} for row in rows], schema=schema)

    def some_table(self) -> tuple[str, str] | None:
        branch = self.any_branch()
        tree = self.tree(branch)
        return (self.rng.choice(sorted(tree)), branch) if tree else None

    def commit(self) -> str | None:
        found = self.some_table()
        if found is None or self.rng.random() < 0.1:
            branch = self.any_branch()
            missing = [name for name in NAMES if name not in self.tree(branch)]
            return self.new_table(missing[0], branch) if missing else None
        name, branch = found
        table = self.tree(branch)[name]
        modes = ["append", "merge", "merge", "delete", "overwrite"] if table.key else ["append", "overwrite"]
        mode = self.rng.choice(modes)
        keys = {row[table.key[0]] for row in table.rows} if table.key else set()
        numbers = self.rng.sample(range(9), self.rng.randint(1, 3))
        if mode == "append" and table.key:
            numbers = [n for n in numbers if n not in keys]
        rows = [self.row_of(table, n if table.key else n % 3) for n in numbers]
        if mode == "overwrite" and self.rng.random() < 0.5:  # as a compaction does: other files, the same rows
            rows = self.rng.sample(table.rows, len(table.rows))  # type: ignore[arg-type]
        if not rows:
            return None
        after = self.written(table, mode, rows)
        self.say(mode, name, branch, [{c.name: row[c.id] for c in table.columns} for row in rows])
        shown = tuple(c for c in table.columns if c.id in table.key) if mode == "delete" else None
        try:
            self.world.commit_rows(name, self.arrow(table, rows, shown), mode, (), branch)
        except NothingToDoError:
            if after.content() != table.content():
                raise
            return branch
        return self.landed(branch, {**self.tree(branch), name: after})

    def row_of(self, table: Table, number: int) -> dict[str, Any]:
        id_column = table.key[0] if table.key else next((c.id for c in table.columns if c.name == "id"), None)
        return {c.id: number if c.id == id_column else self.rng.choice(VALUES[c.type]) for c in table.columns}

    def written(self, table: Table, mode: str, rows: list[dict[str, Any]]) -> Table:
        if mode == "overwrite":
            after = list(rows)
        elif mode == "append":
            after = [*table.rows, *rows]  # type: ignore[list-item]
        else:
            key = table.key[0]
            given = {row[key]: row for row in rows}
            after = [row for row in table.rows if row[key] not in given]  # type: ignore[misc]
            after += [] if mode == "delete" else rows
        return replace(table, version=fresh("v"), rows=tuple(after))

    def change_columns(self) -> str | None:
        found = self.some_table()
        if found is None:
            return None
        name, branch = found
        table = self.tree(branch)[name]
        column = self.rng.choice(table.columns)
        does = self.rng.choice(["add", "drop", "rename", "widen", "move"])
        columns = list(table.columns)
        at = columns.index(column)
        taken = {c.name for c in columns}
        if does == "add":
            word = self.rng.choice([w for w in ("n1", "n2", "n3") if w not in taken] or ["n9"])
            if word in taken:
                return None
            columns.append(Col(fresh("c"), word, self.rng.choice(TYPES[:3])))
        elif does == "drop" and column.id not in table.key and len(columns) > 2 and column.name != "id":
            columns.remove(column)
        elif does == "rename" and (word := self.rng.choice(("r1", "r2"))) not in taken and column.name != "id":
            columns[at] = replace(column, name=word)
        elif does == "widen" and column.type in WIDE and column.id not in table.key:
            columns[at] = replace(column, type=WIDE[column.type])
        elif does == "move":
            columns.append(columns.pop(at))
        if tuple(columns) == table.columns:
            return None
        self.say(does, name, branch, column.name, "->", [(c.name, c.type) for c in columns])
        known = {f.name: f for f in self.world.fields(name, branch)}
        old = {c.id: c.name for c in table.columns}
        fields = tuple(
            replace(known[old[c.id]], name=c.name, type=c.type) if c.id in old else TableField(c.name, c.name, c.type)
            for c in columns
        )
        self.world.set_fields(name, fields, branch)
        rows = tuple({c.id: row.get(c.id) for c in columns} for row in table.rows)
        after = replace(table, version=fresh("v"), columns=tuple(columns), rows=rows)
        return self.landed(branch, {**self.tree(branch), name: after})

    # branches and tags

    def branch(self) -> str | None:
        if len(self.heads) > 4:
            return None
        name = self.rng.choice(["dev", "b1", "feature/x", "b-2", "b3"])
        if name in self.heads:
            return None
        start = self.rng.choice([self.any_branch(), self.any_commit()])
        self.say(name, "from", start)
        made = self.world.branch(name, start)
        self.heads[name] = str(made.head)
        assert self.heads[name] == self.heads.get(start, start)
        return name

    def other_branch(self) -> str | None:
        names = sorted(set(self.heads) - {"main"})
        return self.rng.choice(names) if names else None

    def drop_branch(self) -> str | None:
        name = self.other_branch()
        if name is None:
            return None
        ports = self.world.ports
        self.say(name)
        delete_branch(
            ports.metadata, ports.lake, name, default=MAIN, author=ADA, clock=ports.clock, force=True
        )  # unmerged work goes, too
        del self.heads[name]
        self.branch_went(name)
        return None

    def branch_went(self, name: str) -> None:
        """For merges that wait."""

    def rename(self) -> str | None:
        name, new = self.other_branch(), self.rng.choice(["renamed", "dev", "b1"])
        if name is None or new in self.heads:
            return None
        self.branch_went(name)
        self.say(name, new)
        ports = self.world.ports
        rename_branch(ports.metadata, ports.lake, name, new, default=MAIN, author=ADA, clock=ports.clock)
        self.heads[new] = self.heads.pop(name)
        return new

    def tag(self) -> None:
        name, ports = self.rng.choice(["v1", "v2"]), self.world.ports
        if name in self.tags:
            delete_tag(ports.metadata, name, author=ADA, clock=ports.clock)
            del self.tags[name]
        else:
            self.tags[name] = self.any_commit()
            create_tag(ports.metadata, name, self.tags[name], author=ADA, clock=ports.clock, current=MAIN)

    def reset(self) -> str:
        branch, to = self.any_branch(), self.any_commit()
        self.say(branch, to[:8])
        reset(branch, to, self.world.ports)
        self.heads[branch] = to
        return branch

    def collect(self) -> None:
        for dry in (True, False):
            collect_garbage(
                self.world.metadata,
                self.world.lake,
                author=ADA,
                now=datetime.now(UTC) + timedelta(days=1),
                older_than=timedelta(0),
                keep=timedelta(0),
                dry_run=dry,
            )
        self.check_all()

    # what must hold

    def check_commit(self, commit: str) -> None:
        """Every table at a commit is as the model has it, whatever happened since."""
        real, wanted = self.world.metadata.tree(CommitId(commit)), self.history.tree(commit)
        assert {str(name) for name in real} == set(wanted), commit
        for name, table in wanted.items():
            self.check_table(commit, name, table)

    def check_table(self, commit: str, name: str, wanted: Table) -> None:
        version = self.world.metadata.tree(CommitId(commit))[TableName.parse(name)]
        assert self.uids.setdefault(version.uuid, wanted.uid) == wanted.uid, f"{name}: another table"
        fields = self.world.fields(name, commit)
        assert {(f.name, f.type) for f in fields} == {(c.name, c.type) for c in wanted.columns}, f"{name} at {commit}"
        ids = {c.name: c.id for c in wanted.columns}
        for field in fields:
            mine = self.columns.setdefault((version.uuid, field.id), ids[field.name])
            assert mine == ids[field.name], f"{name}.{field.name}: field id {field.id} is another column's"
        rows = self.world.arrow(name, commit).to_pylist()
        shown = Counter(frozenset((n, plain(v)) for n, v in row.items()) for row in rows)
        expected = wanted.counted()
        assert shown == expected, f"{name} at {commit}:\n  lake  {_told(shown)}\n  model {_told(expected)}"

    def check_branch(self, branch: str) -> None:
        metadata, head = self.world.metadata, self.world.head(branch)
        assert head == self.heads[branch]
        self.check_commit(head)
        log = metadata.log(head)
        assert {c.id for c in log} == self.history.reached(head)
        assert all(p not in {c.id for c in log[:n]} for n, c in enumerate(log) for p in c.parents)
        ref = "main" if branch == "main" else branch
        for name, version in metadata.tree(head).items():
            state = self.world.lake.state(version.catalog)
            assert state is not None, name
            assert state.uuid == version.uuid
            at = state.refs.get(ref)
            assert at == version.snapshot_id or (at is None and branch != "main"), f"{name} on {branch}"

    def check_all(self) -> None:
        for branch in self.heads:
            self.check_branch(branch)
        for commit in self.history.reached(*self.heads.values(), *self.tags.values()):
            self.check_commit(commit)
        main = self.history.reached(self.heads["main"])
        views = {str(v.branch.name): (v.ahead, v.behind) for v in list_branches(self.world.metadata, MAIN)}
        reached = {name: self.history.reached(head) for name, head in self.heads.items()}
        assert views == {name: (len(seen - main), len(main - seen)) for name, seen in reached.items()}
        shown = {f"{c.namespace}.{c.name}" for c in self.world.lake.tables()}
        assert shown == set(self.tree("main"))
        assert self.world.lake.stages() == ()
        assert find_problems(self.world.metadata, self.world.lake, MAIN) == ()

    def verify(self) -> None:
        database = open_database(f"sqlite:///{self.folder}/forge.db")
        lake = IcebergLake(database, str(self.folder / "warehouse"))
        found = verify(SqlMetadata(database), lake, IcebergFileHasher(lake), level=VerifyLevel.TREE, default=MAIN)
        lake.close()
        assert found.broken == (), found.broken


def _told(rows: Mapping[frozenset[tuple[str, Any]], int]) -> list[str]:
    return sorted(f"{n}x {sorted(row, key=repr)}" for row, n in rows.items())
