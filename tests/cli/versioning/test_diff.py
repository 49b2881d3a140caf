"""`forge diff` by rows, and what `forge show` says of commits and versions. No JVM."""

from __future__ import annotations

from typing import Any

import pytest

import forge


def ids(house: Any, revision: str = "main") -> list[str]:
    return [commit["id"] for commit in house("log", revision, "--json").json["commits"]]


def test_rows_are_told_with_old_and_new_values(torn: Any) -> None:
    ended = torn("diff", "main~2..fix", "--rows")
    assert ended.status == 0
    assert ended.out.splitlines() == [
        "core.orders  changed   +1 ~2 rows   key order_id",
        "  ~ order_id=1   amount 10.0 → 12.0",
        "  ~ order_id=3   amount 30.0 → 33.0",
        "  + order_id=4   customer di, amount 40.0, status new",
        "",
        f"1 table changed between {ids(torn)[-1][:12]} and {ids(torn, 'fix')[0][:12]}",
    ]


def test_the_same_as_data(torn: Any) -> None:
    found = torn("diff", "main~2", "fix", "--table", "core.orders", "--json").json
    assert (found["base_commit"], found["compare_commit"]) == (ids(torn)[-1], ids(torn, "fix")[0])
    (table,) = found["tables"]
    assert (table["inserted"], table["updated"], table["deleted"]) == (1, 2, 0)
    assert table["changed_columns"] == {"amount": 2}
    assert table["key"] == ["order_id"]
    assert table["rows"][0] == {
        "kind": "updated",
        "key": {"order_id": 1},
        "before": {"order_id": 1, "customer": "ada", "amount": 10.0, "status": "new"},
        "after": {"order_id": 1, "customer": "ada", "amount": 12.0, "status": "new"},
        "columns": ["amount"],
        "count": 1,
    }


def test_three_dots_are_since_the_fork(torn: Any) -> None:
    fork = ids(torn)[-1]
    two, three = torn("diff", "main..fix", "--rows", "--json").json, torn("diff", "main...fix", "--rows", "--json").json
    assert two["base_commit"] == ids(torn)[0]
    assert three["base_commit"] == fork
    assert [row["key"]["order_id"] for row in two["tables"][0]["rows"]] == [1, 2, 3, 4]
    assert [row["key"]["order_id"] for row in three["tables"][0]["rows"]] == [1, 3, 4]
    assert torn("diff", "main...fix", "--json").json["base_commit"] == fork


def test_rows_are_paged(torn: Any) -> None:
    ended = torn("diff", "main...fix", "--rows", "--limit", "1")
    assert "  … and 2 more rows: --limit 100" in ended.out.splitlines()
    (table,) = torn("diff", "main...fix", "--rows", "--limit", "1", "--offset", "2", "--json").json["tables"]
    assert [row["key"] for row in table["rows"]] == [{"order_id": 4}]
    assert table["inserted"] == 1


def test_only_some_columns_are_compared(torn: Any) -> None:
    (table,) = torn("diff", "main~2..main", "--rows", "--columns", "status", "--json").json["tables"]
    assert (table["updated"], list(table["changed_columns"])) == (1, ["status"])


@pytest.mark.slow
def test_a_table_without_a_key_is_a_bag_of_rows(house: Any) -> None:
    house.commit("code\nde\nfr\n", table="core.countries")
    house.commit("code\nde\nde\n", "--mode", "append", table="core.countries")
    lines = house("diff", "HEAD~1..HEAD", "--rows").out.splitlines()
    assert lines[:2] == ["core.countries  changed   +2 rows   no key", "  + code=de   × 2"]
    keyed = house("diff", "HEAD~1..HEAD", "--table", "core.countries", "--key", "code")
    assert (keyed.status, keyed.err.startswith("FORGE-E611 ")) == (1, True)


def test_a_column_that_came_is_told(house: Any) -> None:
    with forge.connect(house.root) as connection:
        connection.commit("core.orders", rows=[{"order_id": 1, "amount": 10.0, "note": "x"}], mode="overwrite")
    (table,) = house("diff", "HEAD~1..HEAD", "--rows", "--json").json["tables"]
    assert [(change["change"], change["column"]) for change in table["schema_changes"]] == [("added", "note")]
    assert "  + column note string" in house("diff", "HEAD~1..HEAD", "--rows").out.splitlines()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("mian..fix",), "E601", "Did you mean main?"),
        (("main..fix", "--table", "core.order"), "E108", "Did you mean core.orders?"),
        (("main..fix", "--rows", "--columns", "amuont"), "E108", "Did you mean amount?"),
        (("main..fix", "--table", "core.orders", "--key", "custmer"), "E613", "custmer"),
        (("--files", "a.parquet"), "E105", "forge diff --files A.parquet B.parquet"),
        (("forge.yaml", "rows.csv"), "E105", "forge diff --files forge.yaml rows.csv"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_slip_is_told_with_the_way_out(torn: Any, words: tuple[str, ...], code: str, said: str) -> None:
    ended = torn("diff", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-{code} ")
    assert said in ended.err


def test_a_commit_is_shown_with_parents_counts_and_digests(torn: Any) -> None:
    torn("merge", "fix", "--take", "theirs")
    ended = torn("show")
    lines = ended.out.splitlines()
    head = {line.split()[0]: line.split()[1:] for line in lines[:6]}
    assert head["merge"] == [commit[:12] for commit in (ids(torn, "main^1")[0], ids(torn, "fix")[0])]
    found = torn("show", "--json").json
    assert found["commit"]["signature"] is None
    (table,) = found["tables"]
    assert (table["rows_added"], table["rows_modified"], table["rows_deleted"]) == (1, 2, 0)
    assert (table["version"], len(table["digest"])) == (4, 64)
    assert lines[-1].split()[:6] == ["core.orders", "v4", "4", "1", "2", "0"]


def test_commits_and_tags_are_signed_by_the_key_of_the_settings(house: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    monkeypatch.setenv("HOUSE_KEY", key)
    with (house.root / "forge.yaml").open("a") as file:
        file.write("versioning: {signing_key: env:HOUSE_KEY}\n")
    house.change("order_id,amount\n1,11\n")
    signature = house("show", "--json").json["commit"]["signature"]
    assert signature["algorithm"] == "ed25519"
    assert f"signed  ed25519 by key {signature['key_id']}" in house("show").out.splitlines()
    assert house("verify", "--json").json["signatures"] == 1
    tag = house("tag", "create", "v1", "--json").json["tags"][0]
    assert tag["signature"]["key_id"] == signature["key_id"]
    assert house("verify", "--json").json["signatures"] == 2


def test_a_table_is_shown_at_a_version_of_it(torn: Any) -> None:
    first = ids(torn)[-1]
    assert torn("show", "core.orders@v1", "--json").json["table"]["commit"] == first
    unknown = torn("show", "core.orders@v9")
    assert (unknown.status, "It has v1 to v3." in unknown.err) == (2, True)
    assert "Did you mean core.orders?" in torn("show", "orders").err


def test_a_log_that_is_cut_says_so(torn: Any) -> None:
    assert "--limit all" in torn("log", "-n", "2").err
    assert torn("log", "-n", "3").err == ""
