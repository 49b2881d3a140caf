"""`forge quality run` and `results`: for people, build servers and GitHub. Python measures, in place of Spark."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

CHECKS = """\
core.orders:
  - {type: not_null, column: customer}
  - {type: range, column: amount, min: 0, max: 25}
  - {type: accepted_values, column: status, values: [new], severity: warning}
  - {type: not_null, column: colour}
  - {type: not_null, column: shape, on_not_measured: warn}
"""


@pytest.fixture
def judged(checked: Any) -> Any:
    """core.orders with checks of every end: passed, failed, a warning, and two that cannot be measured."""
    (checked.root / "checks" / "orders.yaml").write_text(CHECKS)
    return checked


def results(house: Any, *words: str) -> list[dict[str, object]]:
    ended = house("quality", "run", *words, "--json")
    assert ended.status in (0, 1), ended.err
    found: list[dict[str, object]] = ended.json["results"]
    return found


def test_every_check_gives_one_result_with_all_it_saw(judged: Any) -> None:
    ended = judged("quality", "run", "core.orders", "--json")
    assert ended.status == 1
    document = ended.json
    assert document["schema_version"] == 1
    assert document["summary"] == {"checks": 5, "passed": 1, "failed": 2, "not_measured": 2}
    first = document["results"][1]
    assert first["check_id"] == "core.orders.amount.range"
    assert (first["verdict"], first["severity"], first["blocks"]) == ("failed", "error", True)
    assert first["place"] == "checks/orders.yaml:3"
    assert (first["dataset"], first["branch"]) == ("core.orders", "main")
    assert all(first[key] for key in ("commit", "executed_at", "monitor_run_id"))
    assert first["details"]["readings"]["max"] == 30.0
    assert "1 of 3 rows" in first["message"]


def test_what_fails_below_the_severity_asked_for_ends_well(judged: Any) -> None:
    (judged.root / "checks" / "orders.yaml").write_text(
        "core.orders:\n  - {type: accepted_values, column: status, values: [new], severity: warning}\n"
    )
    assert judged("quality", "run").status == 0
    assert judged("quality", "run", "--fail-on", "warning").status == 1
    assert judged("quality", "run", "--fail-on", "critical").status == 0


def test_what_was_not_measured_is_a_finding_unless_it_may_be_so(judged: Any) -> None:
    (judged.root / "checks" / "orders.yaml").write_text(
        "core.orders:\n  - {type: not_null, column: shape, on_not_measured: warn}\n"
    )
    assert judged("quality", "run").status == 0
    (judged.root / "checks" / "orders.yaml").write_text("core.orders:\n  - {type: not_null, column: shape}\n")
    assert judged("quality", "run").status == 1


def test_what_was_said_is_kept_and_shown_newest_first(judged: Any) -> None:
    judged("quality", "run", "core.orders")
    judged("quality", "run", "core.orders")
    found = judged("quality", "results", "core.orders", "--json").json["results"]
    assert len(found) == 10
    assert len({one["monitor_run_id"] for one in found}) == 2
    failed = judged("quality", "results", "--verdict", "failed", "--json").json["results"]
    assert {one["verdict"] for one in failed} == {"failed"}
    shown = judged("quality", "results", "core.orders", "-n", "1")
    assert "a greater --limit" in shown.err


def test_results_of_a_table_that_was_never_judged_say_what_to_type(judged: Any) -> None:
    ended = judged("quality", "results", "core.orders")
    assert (ended.status, "forge quality run core.orders" in ended.err) == (0, True)
    wrong = judged("quality", "results", "core.ordres")
    assert (wrong.status, "Did you mean core.orders?" in wrong.err) == (2, True)
    assert judged("quality", "results", "--verdict", "fail").status == 2


def test_a_wrong_name_is_answered_with_the_nearest(judged: Any) -> None:
    ended = judged("quality", "run", "core.ordres")
    assert ended.status == 2
    assert "FORGE-E108" in ended.err
    assert "Did you mean core.orders?" in ended.err


def test_a_table_without_checks_is_no_pass(judged: Any) -> None:
    judged.commit("id\n1\n", table="core.things", name="things.csv")
    ended = judged("quality", "run", "core.things")
    assert ended.status == 2
    assert "FORGE-E715" in ended.err
    assert "forge quality suggest core.things" in ended.err
    (judged.root / "checks" / "orders.yaml").unlink()
    assert "The project has no checks" in judged("quality", "run").err


def test_a_wrong_revision_is_told(judged: Any) -> None:
    ended = judged("quality", "run", "core.orders", "--at", "HEAD~99")
    assert ended.status == 2
    assert "HEAD~99" in ended.err


@pytest.mark.slow
def test_a_table_is_judged_as_it_was(judged: Any) -> None:
    (judged.root / "checks" / "orders.yaml").write_text("core.orders:\n  - {type: range, column: amount, max: 25}\n")
    judged.change("order_id,amount\n3,5\n")
    now = {str(one["check_id"]): one["verdict"] for one in results(judged)}
    before = {str(one["check_id"]): one["verdict"] for one in results(judged, "core.orders", "--at", "HEAD~1")}
    assert now["core.orders.amount.range"] == "passed"
    assert before["core.orders.amount.range"] == "failed"


def test_junit_tells_failures_what_could_not_be_measured_and_what_does_not_count(judged: Any, tmp_path: Path) -> None:
    report = tmp_path / "new" / "quality.xml"
    assert judged("quality", "run", "--junit", str(report)).status == 1
    root = ET.parse(report).getroot()
    (suite,) = root.findall("testsuite")
    assert dict(suite.attrib) | {"time": "", "timestamp": ""} == {
        "name": "core.orders",
        "tests": "5",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
        "time": "",
        "timestamp": "",
    }
    ends = {case.get("name"): [child.tag for child in case] for case in suite.findall("testcase")}
    assert ends == {
        "core.orders.customer.not_null": [],
        "core.orders.amount.range": ["failure"],
        "core.orders.status.accepted_values": ["skipped"],
        "core.orders.colour.not_null": ["error"],
        "core.orders.shape.not_null": ["skipped"],
    }
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "checks/orders.yaml:3" in str(failure.text)


def test_a_report_that_cannot_be_written_is_told(judged: Any) -> None:
    (judged.root / "taken").write_text("")
    ended = judged("quality", "run", "--junit", "taken/report.xml")
    assert ended.status == 3
    assert "FORGE-E717" in ended.err


def test_github_gets_one_annotation_for_each_check_that_did_not_pass(judged: Any) -> None:
    ended = judged("quality", "run", "--github")
    lines = ended.out.splitlines()
    assert ended.status == 1
    assert len(lines) == 4
    assert lines[0].startswith(
        "::error file=checks/orders.yaml,line=3,title=core.orders.amount.range failed::amount: 1 of 3 rows"
    )
    assert "33.33%25" in lines[0]
    assert lines[1].startswith("::warning file=checks/orders.yaml,line=4,")
    assert lines[2].startswith("::error file=checks/orders.yaml,line=5,")
    assert lines[3].startswith("::warning file=checks/orders.yaml,line=6,")


def test_lines_are_for_pipes_and_the_summary_is_talk(judged: Any) -> None:
    ended = judged("quality", "run")
    assert ended.out.splitlines()[0].split() == ["dataset", "columns", "check", "severity", "what", "it", "saw"]
    assert "5 checks: 1 passed, 2 failed, 2 not measured; 2 at error or above" in ended.err
    lines = judged("quality", "run", "--format", "ndjson").out.splitlines()
    assert [json.loads(line)["type"] for line in lines][:2] == ["not_null", "range"]


def test_a_monitor_runs_now_and_goes_alone(judged: Any) -> None:
    (judged.root / "quality").mkdir()
    (judged.root / "quality" / "orders.yaml").write_text(
        "monitors:\n  - {name: Orders, dataset: core.orders, checks: [{type: row_count, min: 1}]}\n"
    )
    ended = judged("quality", "run", "--monitor", "Orders", "--json")
    assert ended.status == 0, ended.err
    (one,) = ended.json["results"]
    assert one["monitor_id"]
    assert judged("quality", "run", "core.orders", "--monitor", "Orders").status == 2
    wrong = judged("quality", "run", "--monitor", "Ordres")
    assert (wrong.status, "FORGE-E721" in wrong.err) == (2, True)
