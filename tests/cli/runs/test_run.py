"""`forge run` in processes of its own, on a real Spark: the whole way, and the way back."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge.wiring import Wiring

pytestmark = pytest.mark.spark
Start = Callable[..., "subprocess.Popen[str]"]
SLOW = """\
from forge import transform


@transform(output="marts.slow", inputs={"orders": "raw.orders"})
def slow(orders):
    from pyspark.sql.functions import udf

    def wait(number):
        import pathlib, time

        pathlib.Path("MARKER").touch()
        time.sleep(600)
        return number

    return orders.select(udf(wait, "long")("order_id").alias("n"))
"""


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def settle(project: Path) -> None:
    """A small Spark, in the file, so that every way into the project has it."""
    text = (project / "forge.yaml").read_text()
    small = "  master: local[2]\n  spark.driver.memory: 1g\n  spark.sql.shuffle.partitions: 2\n"
    (project / "forge.yaml").write_text(text.replace("  master: local[*]\n", small))


def test_a_new_project_runs_and_the_same_again_is_a_no_op_without_a_jvm(
    forge: Any, forge_process: Start, project: Path
) -> None:
    settle(project)
    status, out, err = ended(forge_process("run", "--json", at=project))
    assert status == 0, err
    assert json.loads(out)["run"]["status"] == "succeeded"
    commits = forge("log", "--json", at=project).json["commits"]
    assert [[one["table"] for one in commit["tables"]] for commit in commits] == [["marts.revenue", "raw.orders"]]
    sources = {item["id"] for item in forge("upstream", "marts.revenue.revenue", "--json", at=project).json["items"]}
    assert "raw.orders.amount" in sources

    # With no Java at all the second run still ends well: it starts no JVM.
    status, out, err = ended(forge_process("run", "--json", at=project, JAVA_HOME=str(project / "none")))
    assert status == 0, err
    assert json.loads(out)["run"]["status"] == "nothing to do"
    assert len(forge("log", "--json", at=project).json["commits"]) == 1

    sql = "SELECT day, revenue FROM marts.revenue WHERE day >= :day ORDER BY day"
    status, out, err = ended(forge_process("query", sql, "--param", "day=2026-11-14", "--format", "csv", at=project))
    assert status == 0, err
    # 14 November: 7.80 of order 4; 15 November: 64.10 of order 6. Only paid orders count.
    assert out == "day,revenue\n2026-11-14,7.80\n2026-11-15,64.10\n"

    (project / "checks" / "marts.yaml").write_text(
        "marts.revenue:\n  - {type: row_count, min: 4}\n  - {type: not_null, column: day}\n"
    )
    status, out, err = ended(forge_process("check", "--json", at=project))
    assert status == 1, err
    assert [(v["type"], v["outcome"]) for v in json.loads(out)["verdicts"]] == [
        ("row_count", "failed"),
        ("not_null", "passed"),
    ]


def test_a_blocked_gate_is_status_1_and_the_report_says_who_was_spared(
    forge: Any, forge_process: Start, project: Path
) -> None:
    settle(project)
    (project / "checks" / "marts.yaml").write_text(
        "raw.orders:\n  - {type: range, column: amount, min: 0, max: 100, severity: critical}\n"
    )
    status, out, err = ended(forge_process("run", "--format", "ndjson", at=project))
    assert status == 1, err
    outputs = {line["table"]: line["status"] for line in map(json.loads, out.splitlines())}
    assert outputs == {"raw.orders": "blocked", "marts.revenue": "skipped"}
    assert "raw.orders.amount" in err
    assert "forge branch create fix-orders" in err
    assert forge("log", at=project).status == 2  # nothing was published


def test_ctrl_c_is_status_130_and_leaves_nothing(forge: Any, forge_process: Start, project: Path) -> None:
    settle(project)
    marker = project / "working"
    (project / "transforms" / "marts" / "slow.py").write_text(SLOW.replace("MARKER", str(marker)))
    process = forge_process("run", at=project)
    while not marker.exists():  # until a task of the slow table is at work
        assert process.poll() is None, ended(process)
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    status, _, err = ended(process)
    assert status == 130, err
    assert "FORGE-E901" in err
    wiring = Wiring.of(project)
    assert wiring.lake.stages() == ()
    wiring.close()
    assert forge("log", at=project).status == 2  # nothing was published, not even what had passed
    assert forge("runs", "--json", at=project).json["runs"][0]["status"] == "cancelled"
