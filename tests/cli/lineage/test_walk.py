"""`forge upstream`, `forge downstream` and `forge lineage TABLE` on recorded and declared lineage. No JVM."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest
import yaml

AMOUNT, REVENUE, FILE = "raw.orders.amount", "marts.revenue.revenue", "files:data/*.csv.amount"
DASHBOARD = "dashboard:revenue"


def names(ended: Any) -> list[str]:
    assert ended.status == 0, ended.err
    return [item["id"] for item in ended.json["items"]]


def test_downstream_ends_at_who_consumes_it(traced: Any) -> None:
    assert traced("downstream", AMOUNT).out.splitlines() == [
        "raw.orders.amount goes to 1 column of 1 table and 1 dashboard",
        "└─ marts.revenue.revenue  (aggregation: sum(amount))",
        "   └─ dashboard:revenue  (consumes)",
        "1 edge below the confidence of 0.5 is not followed. All: --min-confidence 0",
    ]


def test_the_option_that_is_named_shows_what_was_hidden(traced: Any) -> None:
    ended = traced("downstream", AMOUNT, "--min-confidence", "0", "--json")
    assert "marts.guess.value" in names(ended)
    assert ended.json["hidden"] == 0
    assert {item["id"]: item["confidence"] for item in ended.json["items"]}["marts.guess.value"] == 0.3


@pytest.mark.parametrize(
    "words",
    [
        (AMOUNT,),
        ("orders.amount",),
        ("RAW.orders.amount",),
        ("--table", "raw.orders", "--column", "amount"),
        ("raw.orders", "--column", "amount"),
        ("--table", AMOUNT),
    ],
    ids=" ".join,
)
def test_a_column_can_be_named_in_many_ways(traced: Any, words: tuple[str, ...]) -> None:
    ended = traced("downstream", *words, "--json")
    assert (ended.json["root_id"], names(ended)) == (AMOUNT, [REVENUE, DASHBOARD])


def test_a_table_starts_from_all_its_columns(traced: Any) -> None:
    assert names(traced("upstream", "marts.revenue", "--json")) == [AMOUNT, FILE]


def test_something_that_is_no_data_has_an_upstream_too(traced: Any) -> None:
    assert names(traced("upstream", DASHBOARD, "--json")) == [REVENUE, AMOUNT, FILE]


def test_what_shapes_rows_is_followed_when_asked_for(traced: Any) -> None:
    assert "raw.orders.status" not in names(traced("upstream", REVENUE, "--json"))
    ended = traced("upstream", REVENUE, "--indirect", "--json")
    assert {item["id"]: item["subtype"] for item in ended.json["items"]} == {
        AMOUNT: None,
        "raw.orders.status": "filter",
        FILE: None,
    }
    assert traced("downstream", "raw.orders.status", "--indirect").out.splitlines() == [
        "raw.orders.status goes to 1 column of 1 table and 1 dashboard",
        "└─ marts.revenue  (filter)",
        "   └─ marts.revenue.revenue",
        "      └─ dashboard:revenue  (consumes)",
    ]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--type", "dashboard"), [DASHBOARD]),
        (("--type", "column"), [REVENUE]),
        (("--type", "column", "--type", "dashboard"), [REVENUE, DASHBOARD]),
        (("--schema", "marts"), [REVENUE]),
        (("--edge-type", "derives_from"), [REVENUE]),
        (("--depth", "1"), [REVENUE]),
        (("--limit", "1"), [REVENUE]),
        (("--level", "table"), ["marts.revenue", DASHBOARD]),
    ],
    ids=lambda value: " ".join(value),
)
def test_options_choose_what_is_followed_and_shown(traced: Any, options: tuple[str, ...], found: list[str]) -> None:
    assert names(traced("downstream", AMOUNT, *options, "--json")) == found


def test_a_limit_says_that_there_is_more(traced: Any) -> None:
    document = traced("upstream", REVENUE, "--limit", "1", "--json").json
    assert (document["total_entities"], document["truncated"], len(document["items"])) == (2, True, 1)
    assert "1 of 2 are listed" in traced("upstream", REVENUE, "--limit", "1").out


def test_paths_are_given_on_request(traced: Any) -> None:
    (path,) = traced("downstream", FILE, "--paths", "2", "--json").json["paths"]
    assert [hop["id"] for hop in path["hops"]] == [AMOUNT, REVENUE, DASHBOARD]
    assert (path["start"], path["confidence"], path["length"]) == (FILE, 1.0, 3)


def test_beside_the_head_of_a_branch_stands_what_is_declared_now(traced: Any) -> None:
    assert names(traced("downstream", AMOUNT, "--at", "dev", "--json")) == [REVENUE, DASHBOARD]


@pytest.mark.parametrize("words", [("--at", "2026-11-14T12:00"), ("--at", "HEAD~1")], ids=" ".join)
def test_the_graph_of_another_time_or_commit(traced: Any, words: tuple[str, ...]) -> None:
    """The dashboard was declared on the 15th, after all of these."""
    assert names(traced("downstream", AMOUNT, *words, "--json")) == [REVENUE]
    assert names(traced("downstream", f"{AMOUNT}@{words[1]}", "--json")) == [REVENUE]
    assert names(traced("downstream", AMOUNT, "--json")) == [REVENUE, DASHBOARD]


def test_lineage_of_a_table_stays_what_it_was(traced: Any) -> None:
    assert traced("lineage", "raw.orders", "--min-confidence", "0").out.splitlines() == [
        "raw.orders comes from 1 table",
        "└─ files:data/*.csv",
        "raw.orders goes to 2 tables and 1 dashboard",
        "├─ marts.guess  (0.30)",
        "└─ marts.revenue",
        "   └─ dashboard:revenue  (consumes)",
    ]
    assert traced("lineage", "raw.orders").out == traced("lineage", "show", "raw.orders").out
    assert traced("lineage", "--json", "raw.orders").json["direction"] == "both"


def test_json_is_the_same_as_in_python(traced: Any) -> None:
    import forge

    document = traced("lineage", "raw.orders", "--json").json
    with forge.connect(traced.root) as connection:
        said = connection.lineage.both("raw.orders").to_dict()
    assert document == {"schema_version": 1, **json.loads(json.dumps(said))}


def test_every_form_has_one_row_an_entity(traced: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(traced("downstream", AMOUNT, "--format", "csv").out)))
    assert [(row["id"], row["type"], row["depth"], row["level"]) for row in rows] == [
        (REVENUE, "column", "1", "certain"),
        (DASHBOARD, "dashboard", "2", "certain"),
    ]
    lines = [json.loads(line) for line in traced("downstream", AMOUNT, "--format", "ndjson").out.splitlines()]
    assert [line["id"] for line in lines] == [REVENUE, DASHBOARD]
    document = yaml.safe_load(traced("downstream", AMOUNT, "--format", "yaml").out)
    assert document == traced("downstream", AMOUNT, "--json").json


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("upstream", "marts.revenu"), "E801", "Did you mean marts.revenue"),
        (("downstream", "nothing_like_it"), "E801", "forge lineage search"),
        (("lineage", "marts.revenu"), "E801", "Did you mean marts.revenue"),
        (("upstream", "amount"), "E807", "files:data/*.csv.amount, raw.orders.amount"),
        (("upstream", "raw.orders", "--column", "nope"), "E801", "raw.orders.nope"),
        (("upstream", "raw.orders", "--level", "colum"), "E105", "Did you mean column"),
        (("upstream", "raw.orders", "--type", "dashbord"), "E105", "Did you mean dashboard"),
        (("upstream", "raw.orders", "--edge-type", "eats"), "E105", "consumes"),
        (("upstream", "raw.orders", "--min-confidence", "1.5"), "E803", "1.5"),
        (("upstream", "raw.orders", "--at", "no-such"), "E601", "no-such"),
        (("upstream",), "E105", "Name one table or column"),
        (("upstream", "raw.orders", "--table", "raw.orders"), "E105", "Name one table or column"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_answered_is_a_usage_error(traced: Any, words: tuple[str, ...], code: str, told: str) -> None:
    ended = traced(*words)
    assert (ended.status, ended.out) == (2, ""), ended.err
    assert ended.err.startswith(f"FORGE-{code} ")
    assert told in ended.err


def test_an_unknown_name_is_an_error_in_json_too(traced: Any) -> None:
    ended = traced("upstream", "marts.revenu", "--json")
    assert ended.status == 2
    assert (ended.json["schema_version"], ended.json["error"]["code"]) == (1, "FORGE-E801")
    assert "marts.revenue" in ended.json["error"]["fix"]


def test_it_is_explained_in_sentences(traced: Any) -> None:
    said = traced("upstream", DASHBOARD, "--explain", "--json").json["explanation"]
    for words in ("marts.revenue", "finance@example.com", "First load", "passed its only check"):
        assert any(words in sentence for sentence in said)
    text = traced("upstream", DASHBOARD, "--explain").out.splitlines()
    assert text[-len(said) :] == said


def test_a_misspelt_word_of_the_group_is_recognised(traced: Any) -> None:
    ended = traced("lineage", "snapshto")
    assert (ended.status, "`forge lineage snapshot`" in ended.err) == (2, True)


def test_a_project_without_runs_has_no_lineage(forge: Any, project: Any) -> None:
    ended = forge("upstream", "core.orders", at=project)
    assert (ended.status, ended.err.startswith("FORGE-E801 ")) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("given", [None, "2"])
def test_numpy_starts_no_threads_of_its_own_and_leaves_the_environment(given: str | None) -> None:
    code = (
        "import os; from forge.cli.lineage.walk import import_numpy; import_numpy();"
        "print(len(os.listdir('/proc/self/task')), os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    environ = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    if given:
        environ["OPENBLAS_NUM_THREADS"] = given
    ended = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    threads, left = ended.stdout.split()
    assert left == str(given)
    assert given or threads == "1"
