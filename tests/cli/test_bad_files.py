"""A file of the project that is not right stops what it is about, by name, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: refunds
version: '1.0'
status: active
schema:
  - name: core.refunds
    properties:
      - {name: id, logicalType: integer}
"""
TABLES = "core.orders:\n  - {type: not_null, column: customer}\n"

BAD = {
    "a transform that reads an unknown table": ("transforms/core/lost.sql", "SELECT *\nFROM core.nowhere", "E202", 2),
    "a query that does not parse": ("transforms/core/torn.sql", "SELECT (", "E201", 1),
    "a circle": ("transforms/core/snake.sql", "SELECT * FROM core.snake", "E204", 1),
    "a parameter nobody declared": ("transforms/core/asks.sql", "SELECT :day AS day", "E108", 1),
    "code that cannot be imported": ("transforms/core/ships.py", "\n1 / 0\n\ndef ships(): ...\n", "E207", 2),
    "a source of no connector": ("sources/more.yaml", "sources:\n  - {output: raw.more, path: x}\n", "E206", 2),
    "a check of a table that is not there yet": ("checks/later.yaml", "core.later:\n  - {type: schema}\n", "E202", 1),
    "a check of no type": ("checks/typo.yaml", "core.made:\n  - {type: uniqe, columns: [id]}\n", "E701", 2),
    "checks that are no YAML": ("checks/torn.yaml", "core.made:\n  - {type: [\n", "E103", 3),
    "checks in a file of quality that is no YAML": ("quality/torn.yaml", "checks: [\n", "E103", 2),
    "a contract of version 1.0": ("contracts/core.refunds.odcs.yaml", CONTRACT, "E502", 4),
    "a contract that is no YAML": ("contracts/torn.odcs.yaml", "id: [", "E502", 1),
}  # fmt: skip


def write(root: Path, file: str, text: str) -> None:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture(params=BAD.values(), ids=list(BAD))
def spoilt(checked: Any, request: pytest.FixtureRequest) -> Any:
    """core.orders is well, core.made is made by the project, and one file is not right."""
    file, text, code, line = request.param
    write(checked.root, "transforms/core/made.sql", "SELECT 1 AS id")
    write(checked.root, "checks/orders.yaml", TABLES)
    assert checked("plan").status == 0
    write(checked.root, file, text)
    return checked, file, code, line


@pytest.mark.slow
def test_other_tables_are_judged_written_planned_and_used(spoilt: Any) -> None:
    house, *_ = spoilt
    house.commit("order_id,customer,amount,status\n9,di,1,new\n", "--mode", "append")
    assert house("quality", "run", "core.orders").status == 0
    assert house("check", "core.orders").status == 0
    assert house("quality", "gate", "core.orders", "--min-score", "100").status == 0
    made = house("quality", "monitor", "create", "Orders", "core.orders")
    assert made.status == 0, made.err
    ran = house("quality", "run", "--monitor", "Orders")
    assert ran.status == 0, ran.err
    assert house("diff", "HEAD~1", "HEAD").status in (0, 1)


def test_all_others_are_judged_and_what_was_left_out_is_told_by_name(spoilt: Any) -> None:
    house, file, code, _ = spoilt
    ended = house("quality", "run", "--json")
    assert [one["check_id"] for one in ended.json["results"]] == ["core.orders.customer.not_null"]
    judges = not (file.startswith("transforms/") and code in ("E202", "E204", "E108"))
    assert (ended.status != 0) is judges, "what only cannot be made is judged as it is"
    assert (f"FORGE-{code} {file}" in ended.err) is judges, ended.err


def test_a_plan_has_all_others_and_says_what_is_broken_at_its_line(spoilt: Any) -> None:
    house, file, code, line = spoilt
    ended = house("plan", "--json")
    steps = {step["table"]: step["action"] for step in ended.json["steps"]}
    if file != "checks/typo.yaml" and file != "checks/torn.yaml":
        assert steps["core.made"] == "run"
        alone = house("plan", "core.made", "--json")
        assert alone.status == 0, alone.err
    assert f"FORGE-{code} {file}:{line}" in ended.err
    made_by_it = {step for step, action in steps.items() if action == "broken"}
    assert made_by_it <= {"core.lost", "core.torn", "core.snake", "core.asks", "core.ships", "raw.more", "core.made"}


def test_a_run_of_what_is_broken_is_refused_before_it_begins(checked: Any) -> None:
    write(checked.root, "transforms/core/made.sql", "SELECT 1 AS id")
    write(checked.root, "transforms/core/torn.sql", "SELECT (")
    write(checked.root, "transforms/core/above.sql", "SELECT * FROM core.torn")
    before = [run["run_id"] for run in checked("runs", "--json").json["runs"]]
    for selection in ((), ("core.torn",), ("core.*",), ("+core.above",), ("file:transforms/core/torn.sql",)):
        ended = checked("run", *selection)
        assert ended.status != 0
        assert "FORGE-E201 transforms/core/torn.sql:1" in ended.err, selection
    runs = checked("runs", "--json").json["runs"]
    assert [run["run_id"] for run in runs] == before


def test_the_table_of_a_broken_check_is_not_judged_by_the_rest_of_its_checks(checked: Any) -> None:
    write(checked.root, "new.csv", "order_id,customer,amount,status\n9,di,1,new\n")
    write(checked.root, "checks/more.yaml", "core.orders:\n  - {type: uniqe, columns: [order_id]}\n")
    for words in (
        ("quality", "run", "core.orders"),
        ("check", "core.orders"),
        ("commit", "core.orders", "--file", "new.csv"),
    ):
        ended = checked(*words)
        assert ended.status != 0
        assert "FORGE-E701 checks/more.yaml:2" in ended.err
    own = ("--check", "{type: row_count, min: 1}")
    assert checked("quality", "monitor", "create", "Own", "core.orders", *own).status == 0
    assert checked("quality", "run", "--monitor", "Own").status == 0, "its own checks are whole"


def test_personal_columns_of_a_contract_that_is_not_right_stay_personal(checked: Any) -> None:
    text = CONTRACT.replace("core.refunds", "core.orders").replace(
        "{name: id, logicalType: integer}", "{name: customer, logicalType: string, classification: pii}"
    )
    write(checked.root, "contracts/core.orders.odcs.yaml", text)
    ended = checked("quality", "gate", "core.orders", "--no-pii", "--json")
    assert ended.status == 1
    assert "customer" in ended.out
