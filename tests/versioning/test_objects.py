"""The canonical forms of the history: equal content has one hash, and any change another."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.model.canonical_json import canonical_json, digest_of
from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.versioning.commit import (
    Author,
    Signature,
    TableStatistics,
    TableVersion,
    id_of,
    make_commit,
    tree_id_of,
)
from forge.versioning.objects import Leaf, ManifestNode, TableTree, node_of, table_tree_of

WORDS = st.text(max_size=12)
LEAVES = st.builds(Leaf, st.integers(0, 2), WORDS, WORDS, st.integers(0, 2**40), st.integers(0, 2**40))
NODES = st.builds(ManifestNode, WORDS, WORDS, WORDS)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
TABLES = st.builds(
    TableTree,
    kind=st.just("table"),
    uuid=WORDS,
    schema=WORDS,
    spec=st.dictionaries(WORDS, st.integers(), max_size=2),
    properties=st.dictionaries(WORDS, WORDS, max_size=3),
    manifest_list=st.none() | st.tuples(WORDS, WORDS),
    manifests=st.lists(NODES, max_size=3).map(tuple),
)
VIEWS = st.builds(TableTree, kind=st.just("view"), uuid=WORDS, file=st.tuples(WORDS, WORDS))
NAMES = st.builds(TableName, st.sampled_from(["core", "raw"]), st.text("abc", min_size=1, max_size=3))
VERSIONS = st.builds(
    TableVersion,
    catalog=st.just(CatalogName("core", "orders")),
    uuid=WORDS,
    snapshot_id=st.none() | st.integers(1, 2**62).map(SnapshotId),
    schema_id=st.integers(0, 9),
    digest=st.none() | WORDS,
)
COMMITS = st.fixed_dictionaries(
    {
        "tree": st.dictionaries(NAMES, VERSIONS, max_size=3),
        "parents": st.lists(WORDS.map(CommitId), max_size=2).map(tuple),
        "author": st.builds(Author, WORDS, WORDS, WORDS),
        "message": WORDS,
        "time": st.datetimes(timezones=st.just(UTC)),
        "branch": WORDS.map(BranchName),
        "statistics": st.dictionaries(
            NAMES, st.builds(TableStatistics, rows_added=st.integers(0, 9), rows_modified=st.integers(0, 2)), max_size=2
        ),
        "metadata": st.dictionaries(WORDS, PLAIN, max_size=2),
    }
)


@given(PLAIN)
def test_a_value_that_went_through_json_has_the_same_hash(value: object) -> None:
    assert digest_of(json.loads(json.dumps(value))) == digest_of(value)


@given(st.dictionaries(WORDS, PLAIN, min_size=2, max_size=4))
def test_the_order_of_keys_does_not_count(value: dict[str, object]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@given(st.lists(LEAVES, max_size=5), st.randoms())
def test_the_order_of_entries_does_not_count(leaves: list[Leaf], chance: object) -> None:
    shuffled = list(leaves)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert node_of(shuffled) == node_of(leaves)


@given(st.lists(LEAVES, max_size=4), st.lists(LEAVES, max_size=4))
def test_two_manifests_have_one_node_only_if_they_hold_the_same_files(one: list[Leaf], other: list[Leaf]) -> None:
    assert (node_of(one) == node_of(other)) == (sorted(one) == sorted(other))


@given(TABLES | VIEWS)
def test_a_body_read_back_is_the_same_tree(tree: TableTree) -> None:
    read = table_tree_of(json.loads(json.dumps(tree.body())))
    assert read.digest == tree.digest
    assert read.body() == tree.body()


@given(TABLES, TABLES)
def test_two_trees_have_one_digest_only_if_they_say_the_same(one: TableTree, other: TableTree) -> None:
    assert (one.digest == other.digest) == (one.body() == other.body())


@pytest.mark.parametrize(
    "change",
    [
        {"uuid": "u2"},
        {"schema": "s2"},
        {"spec": {"spec-id": 1}},
        {"properties": {"owner": "eve"}},
        {"manifest_list": ("list", "h2")},
        {"manifests": (ManifestNode("m", "h", "n2"),)},
        {"manifests": ()},
    ],
    ids=["uuid", "schema", "spec", "properties", "manifest list", "node", "no manifest"],
)
def test_any_part_of_a_table_changes_its_digest(change: dict[str, object]) -> None:
    tree = TableTree(
        kind="table",
        uuid="u",
        schema="s",
        spec={"spec-id": 0},
        properties={},
        manifest_list=("list", "h"),
        manifests=(ManifestNode("m", "h", "n"),),
    )
    assert replace(tree, **change).digest != tree.digest  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body",
    [{}, {"kind": "view", "uuid": "u", "file": []}, {"kind": "table", "uuid": "u"}, {"kind": 3}],
    ids=["empty", "view without a file", "half a table", "no kind"],
)
def test_what_is_no_tree_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a table tree"):
        table_tree_of(body)


def test_a_manifest_of_the_wrong_length_is_refused() -> None:
    body = {**TableTree(kind="table", uuid="u").body(), "manifests": [["path", "digest"]]}
    with pytest.raises(ValueError, match="not a table tree"):
        table_tree_of(body)


@settings(max_examples=examples(60))
@given(COMMITS)
def test_the_id_of_a_commit_can_be_worked_out_again(parts: dict[str, object]) -> None:
    commit = make_commit(**parts)  # type: ignore[arg-type]
    assert id_of(commit, tree_id_of(parts["tree"])) == commit.id  # type: ignore[arg-type]
    signed = replace(commit, signature=Signature("ed25519", "00", "k"))
    assert id_of(signed, tree_id_of(parts["tree"])) == commit.id  # type: ignore[arg-type]


@settings(max_examples=examples(60))
@given(COMMITS, COMMITS)
def test_two_commits_share_an_id_only_if_they_share_their_content(
    one: dict[str, object], other: dict[str, object]
) -> None:
    first, second = make_commit(**one), make_commit(**other)  # type: ignore[arg-type]
    assert (first.id == second.id) == (replace(first, id=second.id) == second)


def test_one_moment_has_one_id_whatever_the_zone_it_is_told_in() -> None:
    moment = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
    parts: dict[str, object] = {
        "tree": {},
        "parents": (),
        "author": Author("Ada", "a"),
        "message": "",
        "branch": BranchName("main"),
        "statistics": {},
        "metadata": {},
    }
    east = moment.astimezone(timezone(timedelta(hours=5)))
    assert make_commit(time=moment, **parts).id == make_commit(time=east, **parts).id  # type: ignore[arg-type]
