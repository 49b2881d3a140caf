"""The words of `forge lineage`: snapshots, differences, paths, edges, records, files. No JVM."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

AMOUNT, REVENUE, FILE = "raw.orders.amount", "marts.revenue.revenue", "files:data/*.csv.amount"
MASKED = "core.people.mail->marts.contacts.mail_hash#anonymized"
NOON = "2026-11-14T12:00"  # after the first commit, before anything was declared
LATER = "2026-11-15T12:00"  # after all

READS: tuple[tuple[str, ...], ...] = (
    ("show", "raw.orders"),
    ("snapshot",),
    ("diff", NOON, LATER),
    ("path", FILE, "dashboard:revenue"),
    ("edge", MASKED),
    ("search", "mail"),
    ("order",),
    ("stats",),
    ("propagate", "core.people.mail"),
    ("trace", "raw.orders@v1", "amount=3"),
)


@pytest.mark.slow
@pytest.mark.parametrize("words", READS, ids=lambda words: words[0])
def test_every_word_speaks_every_form(traced: Any, words: tuple[str, ...]) -> None:
    ended = traced("lineage", *words, "--json")
    assert ended.status == 0, ended.err
    assert ended.json["schema_version"] == 1
    assert yaml.safe_load(traced("lineage", *words, "--format", "yaml").out).keys() == ended.json.keys()
    for form in ("table", "csv", "ndjson"):
        other = traced("lineage", *words, "--format", form, "-q")
        assert (other.status, other.err) == (0, "")
        assert "\x1b" not in other.out


# snapshots and differences


def test_a_snapshot_is_saved_listed_asked_for_and_forgotten(traced_copy: Any) -> None:
    made = traced_copy("lineage", "snapshot", "before", "--at", NOON, "-d", "as it began", "--json")
    assert made.status == 0, made.err
    (item,) = made.json["snapshots"]
    assert (item["name"], item["at"], item["description"]) == ("before", "2026-11-14T12:00:00+00:00", "as it began")
    assert item["edges"] == {"aggregated": 1, "copied": 1}
    assert (item["node_count"], item["edge_count"]) == (sum(item["nodes"].values()), 2)
    assert traced_copy("lineage", "snapshot").out.splitlines()[1].split()[:3] == ["before", "2026-11-14", "12:00:00"]
    then = traced_copy("downstream", AMOUNT, "--at", "before", "--json")
    assert [one["id"] for one in then.json["items"]] == [REVENUE]
    assert traced_copy("lineage", "snapshot", "before", "--delete").status == 0
    assert traced_copy("lineage", "snapshot", "--json").json["snapshots"] == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("snapshot", "taken"), "E808"),
        (("snapshot", "main"), "E808"),
        (("snapshot", "2026-11-14"), "E808"),
        (("snapshot", "gone", "--delete"), "E809"),
        (("snapshot", "--delete"), "E105"),
        (("diff", "takn"), "E601"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_snapshot_that_cannot_be_is_refused(traced_copy: Any, words: tuple[str, ...], code: str) -> None:
    assert traced_copy("lineage", "snapshot", "taken", "--at", NOON).status == 0
    ended = traced_copy("lineage", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-{code} ")


def test_without_snapshots_it_says_how_to_make_one(traced: Any) -> None:
    ended = traced("lineage", "snapshot")
    assert (ended.status, ended.out) == (0, "")
    assert "forge lineage snapshot" in ended.err


def test_a_diff_tells_what_came(traced: Any) -> None:
    document = traced("lineage", "diff", NOON, LATER, "--json").json
    assert document["counts"]["edges"] == {"added": 7, "removed": 0, "modified": 0}
    assert document["seconds"] == 86400.0
    added = {change["id"] for change in document["changes"] if change["change"] == "added"}
    assert {"dashboard:revenue", f"{REVENUE}->dashboard:revenue#consumes", MASKED} <= added
    lines = traced("lineage", "diff", NOON, LATER).out.splitlines()
    assert lines[0].startswith(f"{NOON} → {LATER}, 24 h apart: +")
    assert "+ node  dashboard:revenue" in lines
    assert traced("lineage", "diff", f"{NOON}..{LATER}").out.splitlines() == lines


def test_the_other_way_round_it_goes(traced: Any) -> None:
    document = traced("lineage", "diff", LATER, NOON, "--json").json
    assert document["counts"]["edges"] == {"added": 0, "removed": 7, "modified": 0}


def test_nothing_changed_is_said(traced: Any) -> None:
    assert traced("lineage", "diff", LATER, LATER).out == f"{LATER} → {LATER}: nothing changed\n"


def test_what_changed_of_an_edge_is_told(traced_copy: Any) -> None:
    words = ("lineage", "record", AMOUNT, "marts.guess.value", "--transformation", "transformation")
    assert traced_copy(*words, "--confidence", "0.9").status == 0
    lines = traced_copy("lineage", "diff", LATER, "now").out.splitlines()
    assert "~ edge  raw.orders.amount->marts.guess.value#transformed" in lines
    assert "          confidence: 0.3 → 0.9" in lines


# paths, edges, names


def test_a_path_is_told_hop_by_hop(traced: Any) -> None:
    assert traced("lineage", "path", FILE, "dashboard:revenue").out.splitlines() == [
        f"1.00  {FILE}",
        f"      → {AMOUNT}",
        f"      → {REVENUE}  (aggregation: sum(amount))",
        "      → dashboard:revenue  (consumes)",
    ]
    (row,) = csv.DictReader(io.StringIO(traced("lineage", "path", AMOUNT, REVENUE, "--format", "csv").out))
    assert (row["start"], row["end"], row["length"]) == (AMOUNT, REVENUE, "1")


def test_no_path_is_an_answer(traced: Any) -> None:
    ended = traced("lineage", "path", "dashboard:revenue", FILE)
    assert (ended.status, ended.out) == (0, "")
    assert "No way leads" in ended.err
    words = ("lineage", "path", "raw.orders.status", "marts.revenue", "--json")
    assert traced(*words).json["total"] == 0
    first, *_ = traced(*words, "--indirect").json["paths"]
    assert [(hop["id"], hop["relationship"]) for hop in first["hops"]] == [("marts.revenue", "filter")]


def test_an_edge_tells_how_sure_it_is_and_why(traced: Any) -> None:
    document = traced("lineage", "edge", f"{AMOUNT}->{REVENUE}#aggregated", "--json").json
    assert document["edge"]["expression"] == "sum(amount)"
    assert (document["edge"]["confidence"], document["edge"]["level"]) == (1.0, "certain")
    assert [(one["producer"], one["basis"], one["run_id"]) for one in document["evidence"]] == [
        ("table:marts.revenue", "observed", "r1")
    ]
    text = traced("lineage", "edge", f"{REVENUE}->dashboard:revenue#consumes").out
    assert "reason   the board's page" in text
    assert "manual    declared" in text


def test_only_what_was_declared_is_taken_back(traced_copy: Any) -> None:
    declared = f"{REVENUE}->dashboard:revenue#consumes"
    ended = traced_copy("lineage", "edge", declared, "--close", "--reason", "page is gone", "--json")
    assert ended.status == 0, ended.err
    assert ended.json["edge"]["valid_to"] is not None
    assert "dashboard:revenue" not in traced_copy("downstream", AMOUNT).out
    then = traced_copy("downstream", AMOUNT, "--at", LATER).out
    assert "dashboard:revenue" in then
    seen = traced_copy("lineage", "edge", f"{AMOUNT}->{REVENUE}#aggregated", "--close")
    assert (seen.status, seen.err.startswith("FORGE-E815 ")) == (2, True)


def test_a_search_finds_all_words_in_any_order(traced: Any) -> None:
    found = traced("lineage", "search", "mail contacts", "--json").json["nodes"]
    assert [node["id"] for node in found] == ["marts.contacts.mail_hash", "marts.contacts.mail_length"]
    assert [n["id"] for n in traced("lineage", "search", "revenue", "--type", "dashboard", "--json").json["nodes"]] == [
        "dashboard:revenue"
    ]
    nothing = traced("lineage", "search", "zebra")
    assert (nothing.status, nothing.out) == (0, "")


# the whole graph


def test_the_order_of_tables_tells_circles(traced: Any) -> None:
    document = traced("lineage", "order", "--json").json
    stages = {step["name"]: step["stage"] for step in document["order"]}
    assert stages["files:data/*.csv"] < stages["raw.orders"] < stages["marts.revenue"] < stages["dashboard:revenue"]
    assert document["cycles"] == [["core.people", "marts.contacts"]]
    ended = traced("lineage", "order")
    assert "core.people        in a circle with marts.contacts" in ended.out
    assert "1 circle: core.people, marts.contacts" in ended.err


def test_the_numbers_of_the_graph(traced: Any) -> None:
    document = traced("lineage", "stats", "--json").json
    assert (document["edges"]["total"], document["edges"]["by_indirect"]) == (9, {"filter": 1})
    assert document["nodes"]["by_type"]["dashboard"] == 1
    assert traced("lineage", "stats", "--at", NOON, "--json").json["edges"]["total"] == 2


def test_a_property_is_stopped_by_masking(traced: Any) -> None:
    document = traced("lineage", "propagate", "core.people.mail", "--property", "pii", "--json").json
    assert [one["id"] for one in document["carriers"]] == ["marts.contacts.mail_length", "core.people.score"]
    assert [(one["reason"], one["edge"]["target"]) for one in document["stopped"]] == [
        ("masking", "marts.contacts.mail_hash")
    ]
    through = traced("lineage", "propagate", "core.people.mail", "--through-masking", "--json").json
    assert "marts.contacts.mail_hash" in [one["id"] for one in through["carriers"]]


def test_a_record_is_traced_to_where_it_came_from(traced: Any) -> None:
    document = traced("lineage", "trace", "raw.orders", "amount=3", "--at", "HEAD~1", "--json").json
    assert [(one["table"], one["match"]) for one in document["records"]] == [
        ("raw.orders", "one"),
        ("files:data/*.csv", "outside"),
    ]
    ended = traced("lineage", "trace", "raw.orders", "amount=99")
    assert (ended.status, ended.err.startswith("FORGE-E814 ")) == (2, True)


# what is declared


def test_a_declared_edge_is_idempotent(traced_copy: Any) -> None:
    words = ("lineage", "record", AMOUNT, "dashboard:sales", "--type", "consumes", "--node", "dashboard:sales")
    first = traced_copy(*words, "--json")
    assert first.status == 0, first.err
    assert (first.json["recorded"][0]["added"], first.json["recorded"][0]["nodes"]) == (1, 1)
    again = traced_copy(*words)
    assert "knew that already" in again.err
    assert traced_copy("upstream", "dashboard:sales", "--depth", "1", "--json").json["items"][0]["id"] == AMOUNT


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((AMOUNT, "dashboard:revenu", "--type", "consumes"), "E802", "dashboard:revenue"),
        ((AMOUNT, REVENUE, "--confidence", "1.5"), "E803", "1.5"),
        ((AMOUNT, REVENUE, "--type", "consumes", "--relationship", "copied"), "E805", "relationship"),
        ((AMOUNT, REVENUE, "--valid-from", "2026-11-15", "--valid-to", "2026-11-14"), "E804", "valid_to"),
        ((AMOUNT, REVENUE, "--relationship", "coppied"), "E105", "Did you mean copied"),
        ((AMOUNT, REVENUE, "--indirect", "joins"), "E105", "join"),
        ((AMOUNT, REVENUE, "--derivation", "a", "--anonymization", "b"), "E105", "exclude"),
    ],
    ids=["unknown end", "confidence", "relationship", "ends first", "misspelt", "way", "two kinds"],
)
def test_a_bad_edge_is_refused_with_its_code(traced_copy: Any, words: tuple[str, ...], code: str, told: str) -> None:
    ended = traced_copy("lineage", "record", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-{code} ")
    assert told in ended.err


def test_a_derivation_and_an_anonymization_name_what_made_them(traced_copy: Any) -> None:
    made = traced_copy(
        *("lineage", "record", "raw.orders@v1", "training@3", "--derivation", "sample@2"),
        *("--param", "share=0.1", "--code-hash", "abc"),
    )
    assert made.status == 0, made.err
    edge = traced_copy("lineage", "edge", "raw.orders@v1->training@3#derived", "--json").json["edge"]
    assert edge["metadata"]["transformation"] == {
        "name": "sample",
        "version": "2",
        "parameters": {"share": "0.1"},
        "code_hash": "abc",
    }
    assert traced_copy("lineage", "record", "core.people", "public.people", "--anonymization", "k5@1").status == 0
    masked = traced_copy("lineage", "edge", "core.people->public.people#anonymized", "--json").json["edge"]
    assert (masked["masking"], masked["metadata"]["policy"]["name"]) == (True, "k5")


# files


def test_an_export_is_imported_elsewhere_and_again(traced: Any, house: Any, tmp_path: Path) -> None:
    file = tmp_path / "lineage.jsonl"
    ended = traced("lineage", "export", str(file))
    assert (ended.status, ended.out) == (0, "")
    assert f"forge lineage import {file}" in ended.err
    lines = file.read_text().splitlines()
    assert json.loads(lines[0]) == {"format": "forge-lineage", "schema_version": 1}
    assert traced("lineage", "export").out.splitlines() == lines
    first = house("lineage", "import", str(file), "--json").json["imported"][0]
    assert (first["written"], first["left"]) == (len(lines) - 2, 0)
    again = house("lineage", "import", str(file), "--json").json["imported"][0]
    assert (again["written"], again["same"]) == (0, len(lines) - 2)
    assert REVENUE in house("downstream", FILE).out


@pytest.mark.parametrize("kind", ["missing", "cut off", "no export", "no text"])
def test_a_bad_file_is_refused_whole(traced: Any, house: Any, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "lineage.jsonl"
    whole = traced("lineage", "export").out
    match kind:
        case "cut off":
            file.write_text("\n".join(whole.splitlines()[:-3]))
        case "no export":
            file.write_text("a,b\n1,2\n")
        case "no text":
            file.write_bytes(b"\xff\xfe\x00")
    before = house("lineage", "export").out
    ended = house("lineage", "import", str(file))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("FORGE-E813 ")
    assert str(file) in ended.err
    assert house("lineage", "export").out == before


def test_a_folder_that_is_not_there_is_told(traced: Any, tmp_path: Path) -> None:
    ended = traced("lineage", "export", str(tmp_path / "nowhere" / "x.jsonl"))
    assert (ended.status, "cannot be written" in ended.err) == (2, True)


def test_help_lists_the_words_and_the_table(forge: Any) -> None:
    text = forge("lineage", "--help").out
    assert "TABLE[.COLUMN]" in text
    for word in ("snapshot", "diff", "path", "export", "import", "stats", "edge", "record", "order", "search"):
        assert f"\n  {word}" in text
