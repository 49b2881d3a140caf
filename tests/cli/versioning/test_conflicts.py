"""`forge conflicts`: what a merge could not decide, and how people do. No JVM."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def merge(torn: Any) -> str:
    """The id of a merge with one conflict: amount of row 1, base 10, ours 11, theirs 12."""
    ended = torn("merge", "fix", "--json")
    assert (ended.status, ended.json["type"]) == (1, "conflicted")
    return str(ended.json["merge_id"])


def conflicts(house: Any, merge: str, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = house("conflicts", "show", merge, *words, "--json").json["conflicts"]
    return found


@pytest.mark.slow
def test_conflicts_are_told_with_what_to_type_next(torn: Any) -> None:
    ended = torn("merge", "fix")
    assert ended.status == 1
    lines = ended.out.splitlines()
    assert lines[0] == "fix → main: 1 conflict. Nothing moved."
    assert lines[-1].split()[1:] == ["core.orders", "order_id=1", "amount", "10.0", "11.0", "12.0", "modify_modify"]
    for words in ("forge conflicts resolve", "forge conflicts continue", "forge conflicts abort"):
        assert words in ended.err


@pytest.mark.slow
def test_a_merge_that_waits_is_listed_and_shown(torn: Any, merge: str) -> None:
    (listed,) = torn("conflicts", "list", "--json").json["merges"]
    assert (listed["merge_id"], listed["status"]) == (merge, "conflicted")
    assert (listed["total_count"], listed["resolved_count"]) == (1, 0)
    (found,) = conflicts(torn, merge)
    assert found == {
        "id": found["id"],
        "kind": "modify_modify",
        "table": "core.orders",
        "key": {"order_id": 1},
        "column": "amount",
        "base": 10.0,
        "ours": 11.0,
        "theirs": 12.0,
        "location": "column amount of row order_id = 1",
        "resolution": None,
        "resolved_value": None,
    }
    assert conflicts(torn, merge[:12]) == [found]
    assert f"forge conflicts show {merge}" in torn("conflicts", "list").err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "amount"),
    [
        (("--take", "ours"), 11.0),
        (("--take", "theirs"), 12.0),
        (("--take", "base"), 10.0),
        (("--value", "13.5"), 13.5),
        (("--value", "null"), None),
        (("--expr", "greatest(ours, theirs) + 1"), 13.0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_every_answer_is_taken(torn: Any, merge: str, answer: tuple[str, ...], amount: float | None) -> None:
    said = torn("conflicts", "resolve", merge, *answer)
    assert said.status == 0, said.err
    assert f"forge conflicts continue {merge}" in said.err
    done = torn("conflicts", "continue", merge, "--json")
    assert (done.status, done.json["type"]) == (0, "three_way")
    assert torn.values("main", "amount") == {1: amount, 2: 20.0, 3: 33.0, 4: 40.0}
    assert torn.values("main", "status")[2] == "paid"
    assert torn("conflicts", "list", "--json").json["merges"] == []


@pytest.mark.slow
def test_conflicts_are_chosen_by_id_row_column_or_table(torn: Any) -> None:
    torn.change("order_id,customer\n2,ben\n3,carl\n", "-m", "Ours by name")
    torn.change("order_id,customer\n2,bea\n3,cleo\n", "--branch", "fix", "-m", "Theirs by name")
    merge = torn("merge", "fix", "--json").json["merge_id"]
    first = next(c["id"] for c in conflicts(torn, merge) if c["column"] == "amount")
    torn("conflicts", "resolve", merge, "--take", "theirs", "--id", first[:8])
    assert len(conflicts(torn, merge, "--open")) == 2
    torn("conflicts", "resolve", merge, "--value", '"cyd"', "--key", "order_id=3")
    assert [c["key"] for c in conflicts(torn, merge, "--open")] == [{"order_id": 2}]
    torn("conflicts", "resolve", merge, "--take", "ours", "--column", "customer", "--table", "core.orders")
    assert conflicts(torn, merge, "--open") == []
    assert torn("conflicts", "continue", merge).status == 0
    # what was said of one row is narrower than what is said of its column afterwards; the last word counts
    assert torn.values("main", "customer") == {1: "ada", 2: "ben", 3: "carl", 4: "di"}
    assert torn.values("main", "amount")[1] == 12.0


@pytest.mark.slow
def test_a_deleted_row_against_a_changed_one_is_a_conflict_of_the_row(house: Any) -> None:
    house("branch", "create", "fix")
    house.commit("order_id\n3\n", "--mode", "delete")
    house.change("order_id,status\n3,lost\n", "--branch", "fix")
    ended = house("merge", "fix")
    row = ended.out.splitlines()[-1].split()
    assert row[2:] == ["order_id=3", "*row*", "exists", "deleted", "status=lost", "delete_modify"]
    merge = house("conflicts", "list", "--json").json["merges"][0]["merge_id"]
    refused = house("conflicts", "resolve", merge, "--expr", "greatest(ours, theirs)")
    assert (refused.status, refused.err.startswith("FORGE-E619 ")) == (2, True)
    house("conflicts", "resolve", merge, "--take", "theirs", "--key", "order_id=3")
    assert house("conflicts", "continue", merge).status == 0
    assert house.values("main", "status")[3] == "lost"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), "E619", "--take, --value and --expr"),
        (("--take", "ours", "--value", "1"), "E619", "--take, --value and --expr"),
        (("--take", "mine"), "E619", "ours, theirs or base"),
        (("--value", "abc"), "E619", '"abc"'),
        (("--value", '"abc"'), "E619", "no number"),
        (("--expr", "greatest(ours, "), "E625", "greatest(ours, theirs)"),
        (("--expr", "ours + amount"), "E625", "amount"),
        (("--take", "ours", "--column", "amuont"), "E616", "Did you mean amount?"),
        (("--take", "ours", "--table", "core.order"), "E616", "Did you mean core.orders?"),
        (("--take", "ours", "--id", "zzzz"), "E616", "forge conflicts show"),
        (("--take", "ours", "--key", "order_id=9"), "E616", "order_id=9"),
        (("--take", "ours", "--key", "order_id"), "E105", "--key order_id=10017"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_an_answer_that_does_not_fit_is_refused(
    torn: Any, merge: str, words: tuple[str, ...], code: str, said: str
) -> None:
    ended = torn("conflicts", "resolve", merge, *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-{code} ")
    assert said in ended.err
    assert [c["resolution"] for c in conflicts(torn, merge)] == [None]


def test_nothing_moves_until_all_are_resolved(torn: Any, merge: str) -> None:
    before = torn("log", "--json").json
    ended = torn("conflicts", "continue", merge)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("FORGE-E617 ")
    assert torn("log", "--json").json == before


@pytest.mark.slow
def test_a_merge_that_is_aborted_leaves_both_branches(torn: Any, merge: str) -> None:
    before = torn("branch", "list", "--json").json["branches"]
    ended = torn("conflicts", "abort", merge, "--json")
    assert (ended.status, ended.json["merges"][0]["status"]) == (0, "aborted")
    heads = [branch["head_commit"] for branch in torn("branch", "list", "--json").json["branches"]]
    assert heads == [branch["head_commit"] for branch in before]
    for word in ("continue", "abort"):
        closed = torn("conflicts", word, merge)
        assert (closed.status, closed.err.startswith("FORGE-E618 ")) == (1, True)
    assert [m["status"] for m in torn("conflicts", "list", "--all", "--json").json["merges"]] == ["aborted"]


@pytest.mark.slow
def test_a_merge_that_goes_on_is_worked_out_on_the_branches_as_they_are_then(torn: Any, merge: str) -> None:
    torn("conflicts", "resolve", merge, "--take", "theirs")
    torn.change("order_id,status\n3,late\n", "-m", "Meanwhile")
    assert torn("conflicts", "continue", merge).status == 0
    assert torn.values("main", "status")[3] == "late"


def test_an_unknown_merge_is_told(torn: Any) -> None:
    for word in ("show", "continue", "abort"):
        ended = torn("conflicts", word, "nothing")
        assert (ended.status, ended.err.startswith("FORGE-E616 ")) == (2, True)
    assert torn("conflicts", "list").err == "No merge waits.\n"


@pytest.mark.slow
def test_a_revert_may_conflict_and_is_resolved_alike(house: Any) -> None:
    house.change("order_id,amount\n1,11\n", "-m", "Once")
    house.change("order_id,amount\n1,12\n", "-m", "Twice")
    ended = house("revert", "HEAD~1", "--json")
    assert (ended.status, ended.json["kind"], ended.json["type"]) == (1, "revert", "conflicted")
    merge = ended.json["merge_id"]
    house("conflicts", "resolve", merge, "--take", "theirs")
    done = house("conflicts", "continue", merge)
    assert done.out.startswith("revert of ")
    assert house.values("main", "amount")[1] == 10.0
