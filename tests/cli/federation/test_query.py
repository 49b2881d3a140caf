"""`forge query` from a cold shell: a process of its own, and every start of Java is counted."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

pytestmark = pytest.mark.slow

JOIN = (
    "SELECT o.customer, p.city, sum(o.amount) AS total FROM core.orders o JOIN crm.people p ON p.name = o.customer "
    "WHERE p.city <> 'Rome' GROUP BY o.customer, p.city ORDER BY o.customer"
)


@pytest.fixture
def java(tmp_path: Path) -> Path:
    """A home of Java whose `java` writes down that it was started, and fails."""
    program = tmp_path / "java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho started >> {tmp_path}/java/starts\nexit 1\n")
    program.chmod(0o755)
    return program.parent.parent


def starts(java: Path) -> int:
    counted = java / "starts"
    return len(counted.read_text().splitlines()) if counted.exists() else 0


def ended(process: Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_a_filter_and_a_join_start_no_java(house: Any, forge_process: Any, java: Path) -> None:
    with closing(sqlite3.connect(house.root / "crm.db")) as crm, crm:
        crm.execute("CREATE TABLE people (name TEXT, city TEXT)")
        crm.executemany("INSERT INTO people VALUES (?, ?)", [("ada", "London"), ("bob", "Paris"), ("cy", "Rome")])
    (house.root / "sources").mkdir()
    (house.root / "sources" / "crm.yaml").write_text("sources:\n  - {name: crm, connector: sqlite, path: crm.db}\n")
    environ = {"JAVA_HOME": str(java), "PATH": f"{java}/bin:/usr/bin:/bin"}

    def asked(*words: str) -> tuple[int, str, str]:
        return ended(forge_process("query", *words, at=house.root, **environ))

    status, out, err = asked("SELECT order_id, amount FROM core.orders WHERE amount > 15 ORDER BY order_id", "--json")
    assert status == 0, err
    told = json.loads(out)
    assert (told["engine"], len(told["rows"])) == ("in-process", 2)
    status, out, err = asked(JOIN, "--json")
    assert status == 0, err
    assert json.loads(out)["engine"] == "in-process"
    assert [one["city"] for one in json.loads(out)["rows"]] == ["London", "Paris"]
    assert starts(java) == 0

    status, _, _ = asked(JOIN, "--engine", "spark")
    assert status != 0, "there is no Spark without Java"
    assert starts(java) > 0, "Java is counted"
