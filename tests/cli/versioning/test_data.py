"""`forge commit` and `forge blame`: rows by hand, and who wrote them. No JVM."""

from __future__ import annotations

import json
from typing import Any

import pytest

FOUR = {"order_id": 4, "customer": "di", "amount": 40.0, "status": "new"}

COUNTS = ("added", "modified", "deleted")


def test_a_new_table_gets_its_types_its_key_and_a_commit(house: Any) -> None:
    shown = house("show", "core.orders", "--json").json
    assert {c["name"]: (c["type"], c["nullable"]) for c in shown["columns"]} == {
        "order_id": ("bigint", False),
        "customer": ("string", True),
        "amount": ("double", True),
        "status": ("string", True),
    }
    assert (shown["table"]["version"], shown["table"]["rows"]) == (1, 3)
    assert len(shown["table"]["digest"]) == 64
    commit = house("show", "--json").json["commit"]
    assert (commit["message"], commit["author"]["email"]) == ("First load", "ada@example.com")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_rows_are_read_from_every_form_of_file(house: Any, form: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = house.root / f"four.{form}"
    match form:
        case "csv":
            file.write_text("order_id,customer,amount,status\n4,di,40,new\n")
        case "jsonl":
            file.write_text(json.dumps(FOUR) + "\n")
        case _:
            pq.write_table(pa.Table.from_pylist([FOUR]), file)
    ended = house("commit", "core.orders", "--file", file.name, "--json")
    assert ended.status == 0, ended.err
    assert {name: ended.json[f"rows_{name}"] for name in COUNTS} == {"added": 1, "modified": 0, "deleted": 0}
    assert house.rows("main")[-1] == FOUR


@pytest.mark.parametrize(
    ("mode", "text", "counts", "amounts"),
    [
        ("append", "order_id,amount\n9,90\n", (1, 0, 0), {1: 10.0, 2: 20.0, 3: 30.0, 9: 90.0}),
        ("overwrite", "order_id,amount\n9,90\n", (1, 0, 3), {9: 90.0}),
        ("merge", "order_id,amount\n1,11\n9,90\n", (1, 1, 0), {1: 11.0, 2: 20.0, 3: 30.0, 9: 90.0}),
        ("delete", "order_id\n1\n8\n", (0, 0, 1), {2: 20.0, 3: 30.0}),
    ],
    ids=["append", "overwrite", "merge", "delete"],
)
def test_every_mode_does_what_it_says(
    house: Any, mode: str, text: str, counts: tuple[int, int, int], amounts: dict[int, float]
) -> None:
    found = house.commit(text, "--mode", mode, "--json").json
    assert tuple(found[f"rows_{name}"] for name in COUNTS) == counts
    assert found["type"] == "committed"
    assert house.values("main", "amount") == amounts


def test_a_merge_by_key_leaves_columns_the_file_does_not_have(house: Any) -> None:
    house.change("order_id,status\n2,paid\n")
    assert house.rows("main")[1] == {"order_id": 2, "customer": "bob", "amount": 20.0, "status": "paid"}


def test_a_commit_is_on_its_branch_alone(house: Any) -> None:
    house("branch", "create", "fix")
    ended = house.change("order_id,amount\n1,11\n", "--branch", "fix", "-m", "On the side")
    assert ended.out.startswith("core.orders  +0 ~1 −0 rows  ")
    assert house.values("main", "amount")[1] == 10.0
    assert house.values("fix", "amount")[1] == 11.0
    assert [c["message"] for c in house("log", "--json").json["commits"]] == ["First load"]


def test_a_table_that_is_new_on_a_branch_is_not_on_main_until_it_is_merged(house: Any) -> None:
    house("branch", "create", "fix")
    house.commit("code,name\nde,Germany\n", "--branch", "fix", table="core.countries")
    missing = house("show", "core.countries")
    assert (missing.status, missing.err.startswith("FORGE-E108 ")) == (2, True)
    assert house("show", "core.countries@fix").status == 0
    assert house("merge", "fix").status == 0
    assert house.rows("main", "core.countries") == [{"code": "de", "name": "Germany"}]


@pytest.mark.parametrize(
    ("text", "name", "words", "code", "said"),
    [
        ("order_id,amount\n4,40\n5,12x\n", "rows.csv", (), "E621", "rows.csv:3"),
        ("order_id,amuont\n4,40\n", "rows.csv", (), "E621", "Did you mean amount?"),
        ('{"order_id": 4}\n{"order_id":\n', "rows.jsonl", (), "E621", "rows.jsonl:2"),
        ("", "rows.txt", (), "E621", "CSV"),
        ("order_id,amount\n1,1\n1,2\n", "rows.csv", ("--mode", "merge"), "E611", "1"),
        ("order_id,amount\n,1\n", "rows.csv", ("--mode", "merge"), "E6", "order_id"),
        ("order_id\n1\n", "rows.csv", ("--mode", "mrege"), "E105", "Did you mean merge?"),
        ("order_id\n1\n", "rows.csv", ("--branch", "mian"), "E602", "Did you mean main?"),
        ("order_id\n1\n", "rows.csv", ("--sql", "SELECT 1"), "E105", "--file or by --sql"),
    ],
    ids=["value", "column", "json", "form", "twins", "null-key", "mode", "branch", "both"],
)
def test_a_bad_file_is_refused_whole(
    house: Any, text: str, name: str, words: tuple[str, ...], code: str, said: str
) -> None:
    (house.root / name).write_text(text)
    ended = house("commit", "core.orders", "--file", name, *words)
    assert (ended.status, ended.out) == (1 if code == "E611" else 2, "")
    assert f"FORGE-{code}" in ended.err
    assert said in ended.err
    assert len(house("log", "--json").json["commits"]) == 1


def test_a_missing_file_and_a_commit_that_changes_nothing_are_told(house: Any) -> None:
    missing = house("commit", "core.orders", "--file", "nothing.csv")
    assert (missing.status, missing.err.startswith("FORGE-E629 ")) == (2, True)
    (house.root / "same.csv").write_text("order_id,amount\n1,10\n")
    same = house("commit", "core.orders", "--file", "same.csv", "--mode", "merge")
    assert (same.status, "FORGE-E627" in same.err, same.out) == (1, True, "")


def test_a_failed_check_holds_the_commit_back(checked: Any) -> None:
    (checked.root / "bad.csv").write_text("order_id,amount\n4,40\n")
    ended = checked("commit", "core.orders", "--file", "bad.csv", "--json")
    assert ended.status == 1, ended.err
    assert (ended.json["type"], ended.json["commit"]) == ("blocked", None)
    assert [v["blocks"] for v in ended.json["verdicts"]] == [True]
    assert f"forge runs {ended.json['run_id']}" in ended.err
    assert len(checked.rows("main")) == 3
    assert checked("runs", "--json").json["runs"][0]["status"] == "blocked"


@pytest.mark.slow
def test_blame_names_the_commit_of_each_cell(house: Any) -> None:
    house.change("order_id,amount\n2,21\n", "-m", "Dearer")
    first, second = [c["id"] for c in house("log", "--json").json["commits"]][::-1]
    (row,) = house("blame", "core.orders", "--key", "order_id=2", "--json").json["rows"]
    assert (row["key"], row["commit"], row["message"]) == ({"order_id": 2}, second, "Dearer")
    assert {cell["column"]: cell["commit"] for cell in row["cells"]} == {
        "order_id": first,
        "customer": first,
        "amount": second,
        "status": first,
    }
    lines = house("blame", "core.orders", "--key", "order_id=2").out.splitlines()
    assert lines[2] == "order_id=2"
    assert [line.split()[0] for line in lines[3:]] == ["order_id", "customer", "amount", "status"]
    every = house("blame", "core.orders").out.splitlines()
    assert [line.split()[:2] for line in every[3:]] == [["1", first[:12]], ["2", second[:12]], ["3", first[:12]]]


def test_blame_at_a_version_looks_back_from_there(house: Any) -> None:
    first = house("log", "--json").json["commits"][0]["id"]
    house.change("order_id,amount\n2,21\n", "-m", "Dearer")
    (row,) = house("blame", "core.orders@v1", "--key", "order_id=2", "--columns", "amount", "--json").json["rows"]
    assert [cell["commit"] for cell in row["cells"]] == [first]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("core.order",), "E108", "Did you mean core.orders?"),
        (("core.orders", "--key", "order=1"), "E108", "Did you mean order_id?"),
        (("core.orders", "--key", "order_id=99"), "E108", "order_id=99"),
        (("core.orders", "--key", "99"), "E105", "--key order_id=10017"),
        (("core.orders", "--columns", "amuont"), "E108", "Did you mean amount?"),
        (("core.orders@v9",), "E601", "v9"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_blame_of_what_is_not_there(house: Any, words: tuple[str, ...], code: str, said: str) -> None:
    ended = house("blame", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-{code} ")
    assert said in ended.err
