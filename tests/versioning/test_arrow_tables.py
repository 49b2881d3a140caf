"""Whole tables merged: what must hold for any tables, and the forms in which tables come."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

import forge.versioning
from forge.model.errors import ForgeError
from forge.versioning import diff_tables, merge_tables
from forge.versioning.arrow_types import arrow_type, fields_of, type_name
from forge.versioning.conflict import Conflict, ConflictKind
from forge.versioning.rows.apply import apply_rows
from forge.versioning.rows.codes import code_rows, count_before, find_different, sort_rows
from forge.versioning.rows.merge import merge_rows
from forge.versioning.schema.merge import merge_schemas

SCHEMA = pa.schema([("k", pa.string()), ("l", pa.int32()), ("a", pa.int64()), ("b", pa.float64())])
CELLS = st.tuples(st.one_of(st.none(), st.integers(0, 2)), st.sampled_from([None, 0.0, -0.0, 1.5, float("nan")]))
KEYED = st.dictionaries(st.tuples(st.sampled_from("xyz"), st.integers(0, 2)), CELLS, max_size=9)
BAG = st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 1), st.none(), st.none()), max_size=8)


def keyed(rows: dict[tuple[str, int], tuple[int | None, float | None]]) -> pa.Table:
    return bag([(*key, *cells) for key, cells in rows.items()])


def bag(rows: Sequence[tuple[object, ...]]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)


def content(table: pa.Table | None) -> Counter[str] | None:
    """Rows in any order; NaN is NaN and -0.0 is 0.0."""
    if table is None:
        return None
    rows = table.select(sorted(table.schema.names)).to_pylist()
    return Counter(repr([value + 0.0 if isinstance(value, float) else value for value in row.values()]) for row in rows)


MIRROR = {
    ConflictKind.DELETE_MODIFY: ConflictKind.MODIFY_DELETE,
    ConflictKind.MODIFY_DELETE: ConflictKind.DELETE_MODIFY,
}


def mirrored(conflict: Conflict) -> Conflict:
    kind = MIRROR.get(conflict.kind, conflict.kind)
    return replace(conflict, kind=kind, ours=conflict.theirs, theirs=conflict.ours)


def told(conflicts: tuple[Conflict, ...]) -> list[str]:
    return [repr(conflict) for conflict in conflicts]


KEYS = pytest.mark.parametrize("key", [("k", "l"), ()], ids=["keyed", "keyless"])


def tables_of(data: st.DataObject, key: tuple[str, ...], count: int) -> list[pa.Table]:
    return [keyed(data.draw(KEYED)) if key else bag(data.draw(BAG)) for _ in range(count)]


@pytest.mark.slow
@KEYS
@settings(max_examples=examples(80), deadline=None)
@given(data=st.data())
def test_sides_swapped_give_the_same_table_and_mirrored_conflicts(key: tuple[str, ...], data: st.DataObject) -> None:
    base, ours, theirs = tables_of(data, key, 3)
    one, other = merge_tables(base, ours, theirs, key), merge_tables(base, theirs, ours, key)
    assert content(one.table) == content(other.table)
    assert told(one.conflicts) == told(tuple(mirrored(conflict) for conflict in other.conflicts))


@KEYS
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_what_only_one_side_changed_is_the_result(key: tuple[str, ...], data: st.DataObject) -> None:
    base, side = tables_of(data, key, 2)
    for ours, theirs in ((side, base), (base, side), *([(side, side)] if key else [])):
        merged = merge_tables(base, ours, theirs, key)
        assert merged.conflicts == ()
        assert content(merged.table) == content(side)
    merged = merge_tables(base, side, base, key)
    assert merged.table is not None
    assert merged.table.select(["k", "l"]) == side.select(["k", "l"])  # and in the order it had


@settings(max_examples=examples(80), deadline=None)
@given(rows=st.tuples(BAG, BAG, BAG))
def test_without_a_key_a_row_conflicts_exactly_where_both_sides_changed_its_count(
    rows: tuple[list[tuple[object, ...]], ...],
) -> None:
    base, ours, theirs = (Counter(each) for each in rows)
    wanted = {row for row in {*base, *ours, *theirs} if ours[row] != base[row] and theirs[row] != base[row]}
    first, second, third = (bag(each) for each in rows)
    merged = merge_tables(first, second, third)
    assert {tuple((conflict.key or {}).values()) for conflict in merged.conflicts} == wanted
    assert {conflict.kind for conflict in merged.conflicts} <= {ConflictKind.CARDINALITY}
    if not wanted:
        after = Counter({row: ours[row] + theirs[row] - base[row] for row in {*ours, *theirs}})
        assert content(merged.table) == content(bag(list(after.elements())))


@pytest.mark.slow
@KEYS
@settings(max_examples=examples(80), deadline=None)
@given(data=st.data())
def test_changed_files_alone_merge_as_the_whole_tables_do(key: tuple[str, ...], data: st.DataObject) -> None:
    """Rows of the base lie in files; each side keeps some files as they are and replaces the others."""
    base, one, other = tables_of(data, key, 3)
    files = np.array(data.draw(st.lists(st.integers(0, 3), min_size=base.num_rows, max_size=base.num_rows)), dtype=int)
    sides = []
    for changed in (one, other):
        kept = np.isin(files, list(data.draw(st.sets(st.integers(0, 3)))))
        rest, new = base.filter(pa.array(kept)), changed
        if key:
            held = {(row["k"], row["l"]) for row in rest.to_pylist()}
            fresh = [row for row in new.to_pylist() if (row["k"], row["l"]) not in held]
            new = pa.Table.from_pylist(fresh, schema=SCHEMA)
        sides.append((base.filter(pa.array(~kept)), new, pa.concat_tables([rest, new]), kept))
    (base_ours, new_ours, ours, _), (base_theirs, new_theirs, theirs, kept) = sides
    whole = merge_tables(base, ours, theirs, key)
    before, mine, yours = fields_of(base, ours, theirs)
    layout, _ = merge_schemas(before, mine, yours, key)
    parts = merge_rows(layout, base_ours=base_ours, ours=new_ours, base_theirs=base_theirs, theirs=new_theirs)
    assert parts.conflict_count == whole.conflict_count
    assert (parts.inserted, parts.updated, parts.deleted) == (whole.inserted, whole.updated, whole.deleted)
    if key:  # of a bag only what came and went is known, not how often a row is there in all
        assert told(parts.conflicts) == told(whole.conflicts)
    if whole.table is not None:
        assert content(apply_rows(ours, parts, layout)) == content(whole.table)


@KEYS
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_a_diff_tells_how_to_get_from_left_to_right(key: tuple[str, ...], data: st.DataObject) -> None:
    left, right = tables_of(data, key, 2)
    rows = diff_tables(left, right, key).rows
    assert rows.is_empty == (content(left) == content(right))
    assert right.num_rows - left.num_rows == rows.inserted - rows.deleted
    back = diff_tables(right, left, key).rows
    assert (back.inserted, back.updated, back.deleted) == (rows.deleted, rows.updated, rows.inserted)
    whole = merge_tables(left, left, right, key)
    assert (whole.inserted, whole.updated, whole.deleted) == (rows.inserted, rows.updated, rows.deleted)


def test_the_package_gives_both_functions_without_loading_arrow_for_the_rest() -> None:
    assert forge.versioning.merge_tables is merge_tables
    with pytest.raises(AttributeError, match="no attribute 'merge_table'"):
        forge.versioning.merge_table  # noqa: B018
    script = "import sys, forge.versioning.conflict, forge.versioning.schema.merge; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_one_column_may_be_given_as_its_name() -> None:
    base = pa.table({"id": [1], "v": [1]})
    assert merge_tables(base, base, pa.table({"id": [1], "v": [2]}), "id").updated == 1  # type: ignore[arg-type]


def test_tables_without_a_common_past_merge_as_if_both_were_added() -> None:
    ours, theirs = pa.table({"id": [1, 2], "v": ["a", "b"]}), pa.table({"id": [2, 3], "v": ["x", "c"]})
    (conflict,) = merge_tables(None, ours, theirs, ("id",)).conflicts
    assert (conflict.kind, conflict.key, conflict.ours, conflict.theirs) == ("add_add", {"id": 2}, "b", "x")


def test_tables_come_in_every_encoding() -> None:
    base = pa.table({"id": pa.array(["1", "2"]), "v": pa.array(["a", "b"])})
    ours = pa.table(
        {"v": pa.array(["a", "b"], pa.large_string()), "id": pa.chunked_array([["1"], [], ["2"]], pa.string())}
    )
    theirs = pa.table({"id": pa.array(["2", "1"]).dictionary_encode(), "v": pa.array(["B", "a"], pa.string_view())})
    merged = merge_tables(base, ours, theirs, ("id",)).table
    assert merged is not None
    assert merged.to_pylist() == [{"v": "a", "id": "1"}, {"v": "B", "id": "2"}]
    assert merged.schema.field("v").type == pa.large_string()


def test_the_result_carries_field_ids_and_what_is_required() -> None:
    fields = [
        pa.field("id", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "7"}),
        pa.field("v", pa.int32(), metadata={"PARQUET:field_id": "3"}),
    ]
    base = pa.table({"id": [1], "v": pa.array([1], pa.int32())}, schema=pa.schema(fields))
    wider = pa.schema([fields[0], pa.field("value", pa.int64(), metadata={"PARQUET:field_id": "3"})])
    merged = merge_tables(base, base, base.rename_columns(["id", "value"]).cast(wider), ("id",)).table
    assert merged is not None
    assert merged.schema.equals(wider, check_metadata=True)


def test_field_ids_count_only_where_every_column_has_one() -> None:
    known = pa.schema([pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    with_ids, without = pa.table({"a": [1]}, schema=known), pa.table({"a": [1]})
    assert fields_of(with_ids)[0][0].id == 1
    assert [fields[0].id for fields in fields_of(with_ids, without)] == ["a", "a"]


def test_a_column_of_nothing_takes_the_type_of_the_other_side() -> None:
    base, ours = pa.table({"id": [1], "v": [None]}), pa.table({"id": [1], "v": ["a"]})
    merged = merge_tables(base, ours, base, ("id",)).table
    assert merged is not None
    assert merged["v"].to_pylist() == ["a"]


def test_unknown_keys_are_refused_with_the_nearest_name() -> None:
    base = pa.table({"order_id": [1]})
    with pytest.raises(ForgeError) as error:
        merge_tables(base, base, base, ("orderid",))
    assert (error.value.code, error.value.fix) == ("E613", "Did you mean order_id?")


@pytest.mark.parametrize(
    "name",
    [
        *("tinyint", "bigint", "double", "decimal(12,2)", "decimal(60,4)", "timestamp", "timestamp_ntz", "date"),
        *("binary", "array<int>", "map<string,decimal(5,1)>", "struct<a:int,b:array<struct<c:map<string,int>>>>"),
        *("uint8", "void", "time64[us]"),
    ],
)
def test_names_of_types_go_to_arrow_and_back(name: str) -> None:
    assert type_name(arrow_type(name)) == name


def test_rows_are_equal_exactly_where_their_numbers_are() -> None:
    left = [pa.array(["a", None, "a"]), pa.array([0.0, float("nan"), -0.0])]
    right = [pa.array([None, "b"]), pa.array([float("nan"), 1.0])]
    (first, second), size = code_rows([left, right], [3, 2])
    assert first[0] == first[2]
    assert first[1] == second[0]
    assert len({*first.tolist(), *second.tolist()}) == 3
    assert max(*first, *second) < size


def test_many_columns_of_many_values_stay_apart() -> None:
    columns = [pa.array([f"{number}" for number in range(2000)]) for _ in range(8)]
    (codes,), _ = code_rows([columns], [2000])
    assert len(set(codes.tolist())) == 2000


def test_orders_counts_and_differences_of_small_arrays() -> None:
    assert sort_rows([pa.array([2, 1, 2]), pa.array(["b", "c", "a"])], 3).tolist() == [1, 2, 0]
    assert count_before(np.array([5, 3, 5, 5, 3])).tolist() == [0, 0, 1, 2, 1]
    assert count_before(np.array([], dtype=np.int64)).tolist() == []
    left, right = pa.array([1.0, float("nan"), None, None]), pa.array([1.0, float("nan"), None, 2.0])
    assert find_different(left, right).tolist() == [False, False, False, True]


def test_two_columns_of_one_name_are_refused_with_the_name_and_the_side() -> None:
    fine = pa.table({"k": [1], "a": [1]})
    twins = pa.table([[1], [2], [3]], names=["k", "a", "a"])
    with pytest.raises(ForgeError, match="called a") as merging:
        merge_tables(fine, fine, twins, ("k",))
    assert (merging.value.code, merging.value.where) == ("E629", "theirs")
    with pytest.raises(ForgeError) as comparing:
        diff_tables(twins, fine, ("k",))
    assert (comparing.value.code, comparing.value.where) == ("E629", "left")
