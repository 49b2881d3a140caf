"""The key of a table: remembered once it was given, held by every append, and by merges whatever the files are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kept_folder import KeptFolder
from version_world import VersionWorld, kept_world, make_world

from forge.flows.versioning.merge.compare import preview_merge
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.pick import cherry_pick, revert
from forge.flows.versioning.merge.resolve import Resolution, continue_merge, resolve
from forge.flows.versioning.merge.result import Merged, MergeResult, conflicts_of
from forge.flows.versioning.tables import FileSlice
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.stores.lake.tables import IcebergTables
from forge.versioning.conflict import ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.merge import MergeType, Strategy

ORDERS = "raw.orders"
ROWS = [{"order_id": 1, "amount": 10}, {"order_id": 2, "amount": 20}, {"order_id": 3, "amount": 30}]


@pytest.fixture
def keyed_world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    """A table of which nobody has said a key yet."""
    yield from kept_world(world_folder, "orders without a key", lambda world: world.commit_rows(ORDERS, ROWS))


def refused(act: Callable[[], object]) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        act()
    return caught.value


def go(keyed_world: VersionWorld, source: str = "dev", **more: Any) -> MergeResult:
    return merge(MergeRequest(source=source, target="main", **more), keyed_world.ports)


def put(
    keyed_world: VersionWorld, branch: str, *rows: tuple[int, int], mode: str = "merge", key: tuple[str, ...] = ()
) -> None:
    keyed_world.commit_rows(ORDERS, [{"order_id": one, "amount": amount} for one, amount in rows], mode, key, branch)


def shown(keyed_world: VersionWorld, at: str = "main") -> list[tuple[int, int]]:
    return sorted((row["order_id"], row["amount"]) for row in keyed_world.rows(ORDERS, at))


def key_of(keyed_world: VersionWorld, at: str = "main") -> tuple[str, ...]:
    version = keyed_world.version(ORDERS, at)
    assert version is not None
    return version.key


def append_as_another_engine(keyed_world: VersionWorld, *rows: tuple[int, int]) -> None:
    """Written past Forge, so that nobody looked at the key."""
    keyed_world.append_past_forge(ORDERS, [{"order_id": one, "amount": amount} for one, amount in rows])


@pytest.mark.slow
def test_two_branches_that_change_one_row_by_its_key_are_asked_about_it(keyed_world: VersionWorld) -> None:
    for branch, amount in (("a", 11), ("b", 12)):
        keyed_world.branch(branch)
        put(keyed_world, branch, (1, amount), key=("order_id",))
    assert go(keyed_world, "a").type is MergeType.FAST_FORWARD
    result = go(keyed_world, "b")
    assert result.type is MergeType.CONFLICTED
    (conflict,) = result.conflicts
    assert (conflict.kind, conflict.key, conflict.column) == (ConflictKind.MODIFY_MODIFY, {"order_id": 1}, "amount")
    assert shown(keyed_world) == [(1, 11), (2, 20), (3, 30)]
    assert key_of(keyed_world) == ("order_id",)


@pytest.mark.slow
@pytest.mark.parametrize("squash", [False, True], ids=["merged", "squashed"])
def test_a_key_that_one_branch_alone_was_given_is_the_key_of_the_merge(keyed_world: VersionWorld, squash: bool) -> None:
    keyed_world.branch("dev")
    put(keyed_world, "dev", (1, 11), key=("order_id",))
    put(keyed_world, "main", (1, 10), (2, 22), (3, 30), mode="overwrite")
    assert key_of(keyed_world) == ()
    assert isinstance(go(keyed_world, strategy=Strategy.SQUASH if squash else Strategy.THREE_WAY), Merged)
    assert shown(keyed_world) == [(1, 11), (2, 22), (3, 30)]
    assert key_of(keyed_world) == ("order_id",)


def test_a_remembered_key_finds_the_rows_of_the_next_commit(keyed_world: VersionWorld) -> None:
    put(keyed_world, "main", (1, 11), key=("order_id",))
    put(keyed_world, "main", (1, 12))
    assert shown(keyed_world)[0] == (1, 12)


def test_a_merge_by_other_columns_holds_the_key_that_is_remembered(keyed_world: VersionWorld) -> None:
    put(keyed_world, "main", (1, 11), key=("order_id",))
    error = refused(lambda: put(keyed_world, "main", (1, 99), key=("amount",)))
    assert (error.code, error.fix) == ("E611", "Merge by order_id, the key of the table, or leave them out.")
    assert shown(keyed_world) == [(1, 11), (2, 20), (3, 30)]
    put(keyed_world, "main", (4, 99), key=("amount",))
    assert (shown(keyed_world)[-1], key_of(keyed_world)) == ((4, 99), ("order_id",))


def test_a_delete_by_what_is_no_key_does_not_make_it_one(keyed_world: VersionWorld) -> None:
    keyed_world.commit_rows(ORDERS, [{"amount": 10}], "delete", ["amount"])
    assert key_of(keyed_world) == ()
    put(keyed_world, "main", (2, 21), key=("order_id",))
    keyed_world.commit_rows(ORDERS, [{"amount": 21}], "delete", ["amount"])
    assert (key_of(keyed_world), shown(keyed_world)) == (("order_id",), [(3, 30)])


@pytest.mark.slow
def test_the_key_stays_with_what_another_engine_and_a_revert_make_of_the_table(keyed_world: VersionWorld) -> None:
    put(keyed_world, "main", (1, 11), key=("order_id",))
    first = keyed_world.head()
    append_as_another_engine(keyed_world, (4, 40))
    put(keyed_world, "main", (4, 41))
    assert key_of(keyed_world) == ("order_id",)
    assert first is not None
    revert(first, "main", keyed_world.ports)
    assert (key_of(keyed_world), shown(keyed_world)[0]) == (("order_id",), (1, 10))


def test_an_append_to_a_keyed_table_is_refused_where_the_key_is_there(keyed_world: VersionWorld) -> None:
    put(keyed_world, "main", (1, 11), key=("order_id",))
    head = keyed_world.head()
    error = refused(lambda: put(keyed_world, "main", (2, 99), (4, 40), mode="append"))
    assert (error.code, "order_id = 2" in error.what, "--mode merge" in str(error.fix)) == ("E611", True, True)
    assert refused(lambda: put(keyed_world, "main", (5, 1), (5, 2), mode="append")).code == "E611"
    nothing: list[dict[str, object]] = [{"order_id": None, "amount": 1}]
    assert refused(lambda: keyed_world.commit_rows(ORDERS, nothing)).code == "E612"
    assert (keyed_world.head(), shown(keyed_world)) == (head, [(1, 11), (2, 20), (3, 30)])
    put(keyed_world, "main", (4, 40), mode="append")
    assert shown(keyed_world)[-1] == (4, 40)


def test_a_declared_key_is_held_by_an_append_and_remembered(keyed_world: VersionWorld) -> None:
    declared = replace(keyed_world.ports, keys={TableName.parse(ORDERS): ("order_id",)})
    keyed_world.ports, before = declared, keyed_world.ports
    assert refused(lambda: put(keyed_world, "main", (3, 1), mode="append")).code == "E611"
    put(keyed_world, "main", (4, 40), mode="append")
    keyed_world.ports = before
    assert key_of(keyed_world) == ("order_id",)
    assert refused(lambda: put(keyed_world, "main", (4, 1), mode="append")).code == "E611"


class Opened:
    """Which data files are read, and how many bytes of them there are in all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files: list[str] = []
        self.columns: set[tuple[str, ...] | None] = set()
        read = IcebergTables.read_each

        def counted(tables: IcebergTables, part: FileSlice, columns: Any = None) -> Any:
            self.files += [file.path for file in part.files]
            self.columns.add(None if columns is None else tuple(columns))
            return read(tables, part, columns)

        monkeypatch.setattr(IcebergTables, "read_each", counted)


@pytest.mark.slow
def test_an_append_reads_the_keys_of_files_that_may_hold_them_and_no_others(
    keyed_world: VersionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(keyed_world, "main", *((one, one) for one in range(10)), mode="overwrite", key=("order_id",))
    for number in range(1, 30):
        put(keyed_world, "main", *((number * 10 + one, one) for one in range(10)), mode="append")
    old = keyed_world.paths(ORDERS)
    assert len(old) == 30
    opened = Opened(monkeypatch)
    put(keyed_world, "main", (1000, 1), (1001, 1), mode="append")
    assert not old & set(opened.files), "no file can hold a key beyond all ranges"
    opened.files.clear()
    assert refused(lambda: put(keyed_world, "main", (42, 1), (2000, 1), mode="append")).code == "E611"
    assert len(old & set(opened.files)) == 1, "42 is in the range of one file"
    assert opened.columns == {("order_id",)}


LAYOUTS = {
    # ours changes a row of one file, theirs adds a key that is in the other: joined without a row read before
    "apart": (((1, 10), (2, 20)), ((100, 1), (101, 1)), (101, 9), (1, 99)),
    # theirs' new file reaches over ours: rows are matched
    "across": (((1, 10), (2, 20)), ((100, 1), (101, 1)), (2, 9), (1, 99)),
    # the key that is twice is in a file that no side changed
    "elsewhere": (((1, 10), (2, 20)), ((100, 1), (101, 1)), (50, 9), (1, 99)),
}


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("is_ours", [False, True], ids=["theirs", "ours"])
def test_a_side_with_a_key_twice_is_refused_whatever_the_ranges_of_the_files(
    tmp_path: Path, layout: str, is_ours: bool
) -> None:
    one, two, changed, twice = LAYOUTS[layout]
    keyed_world = make_world(tmp_path)
    put(keyed_world, "main", *one, mode="append", key=("order_id",))
    put(keyed_world, "main", *two, mode="append")
    keyed_world.branch("dev")
    put(keyed_world, "dev", changed)
    append_as_another_engine(keyed_world, twice)  # on main
    source, target = ("dev", "main") if is_ours else ("main", "dev")
    error = refused(lambda: merge(MergeRequest(source=source, target=target), keyed_world.ports))
    assert error.code == "E611"
    assert f"{'ours' if is_ours else 'theirs'} has several rows with the key order_id = 1" in error.what
    keyed_world.close()


@pytest.mark.slow
def test_versions_that_forge_made_join_their_files_without_reading_a_key(
    keyed_world: VersionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(keyed_world, "main", (1, 10), mode="overwrite", key=("order_id",))
    keyed_world.branch("dev")
    put(keyed_world, "dev", (500, 1), mode="append")
    put(keyed_world, "main", (20, 1), mode="append")
    opened = Opened(monkeypatch)
    result = go(keyed_world)
    assert [tally.how for tally in result.tables] == ["zero_copy"]
    assert opened.files == []
    version = keyed_world.version(ORDERS)
    assert version is not None
    assert version.is_unique


@pytest.mark.slow
def test_two_keys_said_on_two_sides_are_a_question(keyed_world: VersionWorld) -> None:
    keyed_world.branch("dev")
    put(keyed_world, "dev", (1, 11), key=("order_id",))
    put(keyed_world, "main", (9, 20), (1, 10), (3, 30), mode="merge", key=("amount",))
    held = go(keyed_world)
    (conflict,) = conflicts_of(held)[0]
    assert (conflict.kind, conflict.ours, conflict.theirs, conflict.location) == (
        ConflictKind.SCHEMA_CHANGE,
        "amount",
        "order_id",
        "the key of the table",
    )
    assert held.merge is not None
    resolve(held.merge.id, [Resolution(ResolutionChoice.THEIRS)], keyed_world.ports)
    assert isinstance(continue_merge(held.merge.id, keyed_world.ports), Merged)
    assert (key_of(keyed_world), shown(keyed_world)) == (("order_id",), [(1, 11), (3, 30), (9, 20)])


# tables without a key


def test_the_same_row_inserted_on_both_sides_is_a_question_where_there_is_no_key(keyed_world: VersionWorld) -> None:
    keyed_world.branch("dev")
    put(keyed_world, "dev", (4, 40), mode="append")
    put(keyed_world, "main", (4, 40), mode="append")
    result = go(keyed_world)
    (conflict,) = conflicts_of(result)[0]
    assert (conflict.kind, conflict.key) == (ConflictKind.CARDINALITY, {"order_id": 4, "amount": 40})
    assert (conflict.base, conflict.ours, conflict.theirs) == (0, 1, 1)
    (tally,) = result.tables
    assert "has no key" in tally.warning
    assert (
        preview_merge(MergeRequest(source="dev", target="main"), keyed_world.ports).tables[0].warning == tally.warning
    )


def test_two_updates_of_one_row_without_a_key_never_leave_it_twice(keyed_world: VersionWorld) -> None:
    keyed_world.branch("dev")
    put(keyed_world, "dev", (1, 11), (2, 20), (3, 30), mode="overwrite")
    put(keyed_world, "main", (1, 12), (2, 20), (3, 30), mode="overwrite")
    result = go(keyed_world)
    assert [(c.kind, c.key) for c in conflicts_of(result)[0]] == [
        (ConflictKind.CARDINALITY, {"order_id": 1, "amount": 10})
    ]
    assert shown(keyed_world) == [(1, 12), (2, 20), (3, 30)]
    by_key = go(keyed_world, keys={TableName.parse(ORDERS): ("order_id",)})
    assert [c.kind for c in conflicts_of(by_key)[0]] == [ConflictKind.MODIFY_MODIFY]


@pytest.mark.slow
@pytest.mark.parametrize("key", [(), ("order_id",)], ids=["keyless", "keyed"])
def test_rows_that_were_picked_before_are_the_same_ones_only_where_a_key_says_so(
    keyed_world: VersionWorld, key: tuple[str, ...]
) -> None:
    put(keyed_world, "main", (1, 10), mode="overwrite", key=key)
    keyed_world.branch("dev")
    put(keyed_world, "dev", (4, 40), mode="append")
    picked = keyed_world.head("dev")
    assert picked is not None
    cherry_pick(picked, "main", keyed_world.ports)
    put(keyed_world, "main", (5, 50), mode="append")
    put(keyed_world, "dev", (6, 60), mode="append")
    held = go(keyed_world)
    if not key:
        assert [(c.kind, c.key) for c in conflicts_of(held)[0]] == [
            (ConflictKind.CARDINALITY, {"order_id": 4, "amount": 40}),
        ]
        assert isinstance(go(keyed_world, rules=(ResolutionRule(ResolutionChoice.OURS),)), Merged)
    assert shown(keyed_world) == [(1, 10), (4, 40), (5, 50), (6, 60)]


# a column of the key that is dropped


def without(keyed_world: VersionWorld, name: str, branch: str) -> None:
    keyed_world.set_fields(
        ORDERS, tuple(field for field in keyed_world.fields(ORDERS, branch) if field.name != name), branch
    )


@pytest.fixture
def keyed(keyed_world: VersionWorld) -> VersionWorld:
    put(keyed_world, "main", (1, 10), (2, 20), (3, 30), mode="overwrite", key=("order_id",))
    keyed_world.branch("dev")
    return keyed_world


ASKED = (ConflictKind.SCHEMA_CHANGE, "order_id", "order_id bigint")


@pytest.mark.parametrize("ours", ["nothing", "rows", "other"], ids=str)
def test_a_dropped_key_column_is_asked_about_whatever_the_target_did(keyed: VersionWorld, ours: str) -> None:
    without(keyed, "order_id", "dev")
    if ours == "rows":
        put(keyed, "main", (1, 11))
    if ours == "other":
        keyed.commit_rows("core.other", [{"x": 1}])
    head = keyed.head()
    preview = preview_merge(MergeRequest(source="dev", target="main"), keyed.ports)
    assert preview.conflict_count == 1
    result = go(keyed)
    assert result.type is MergeType.CONFLICTED
    (conflict,) = result.conflicts
    assert (conflict.kind, conflict.column, conflict.base) == ASKED
    assert (conflict.ours, conflict.theirs) == ("order_id bigint", None)
    assert keyed.head() == head


def test_a_key_column_that_the_target_dropped_is_asked_about_where_the_source_changed_rows(keyed: VersionWorld) -> None:
    put(keyed, "dev", (1, 11))
    without(keyed, "order_id", "main")
    (conflict,) = conflicts_of(go(keyed))[0]
    assert (conflict.kind, conflict.column, conflict.base) == ASKED
    assert (conflict.ours, conflict.theirs) == (None, "order_id bigint")


def test_a_fast_forward_that_would_drop_the_key_is_refused_and_moves_nothing(keyed: VersionWorld) -> None:
    without(keyed, "order_id", "dev")
    head = keyed.head()
    error = refused(lambda: go(keyed, strategy=Strategy.FF))
    assert (error.code, ORDERS in str(error.why), keyed.head()) == ("E609", True, head)


@pytest.mark.slow
def test_a_drop_of_the_key_that_was_answered_is_done_or_not(keyed: VersionWorld) -> None:
    without(keyed, "order_id", "dev")
    for take, names in ((ResolutionChoice.OURS, ["order_id", "amount"]), (ResolutionChoice.THEIRS, ["amount"])):
        keyed.branch(f"of-{take}")
        held = merge(MergeRequest(source="dev", target=f"of-{take}"), keyed.ports).merge
        assert held is not None
        resolve(held.id, [Resolution(take)], keyed.ports)
        assert isinstance(continue_merge(held.id, keyed.ports), Merged)
        assert keyed.arrow(ORDERS, f"of-{take}").column_names == names
        assert keyed.arrow(ORDERS, f"of-{take}").column("amount").to_pylist() == [10, 20, 30]


@pytest.mark.slow
def test_a_key_column_is_not_kept_for_rows_that_were_written_without_it(keyed: VersionWorld) -> None:
    without(keyed, "order_id", "dev")
    keyed.commit_rows(ORDERS, [{"amount": 7}], "append", (), "dev")
    put(keyed, "main", (1, 11))
    held = go(keyed).merge
    assert held is not None
    resolve(held.id, [Resolution(ResolutionChoice.OURS)], keyed.ports)
    error = refused(lambda: continue_merge(held.id, keyed.ports))
    assert (error.code, "theirs has rows without it" in error.what) == ("E613", True)


def test_a_renamed_key_column_is_no_dropped_one(keyed: VersionWorld) -> None:
    fields = keyed.fields(ORDERS)
    keyed.set_fields(ORDERS, tuple(replace(f, name="number") if f.name == "order_id" else f for f in fields), "dev")
    put(keyed, "main", (1, 11))
    assert isinstance(go(keyed), Merged)
    assert [row["number"] for row in keyed.rows(ORDERS)] == [1, 2, 3]
    assert key_of(keyed) == ("number",)
