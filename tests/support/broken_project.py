"""A project that people break, and how to see that nothing was lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from forge.cli.main import app
from forge.model.names import BranchName
from forge.wiring import Wiring

MAIN = BranchName("main")
COULD_NOT_RUN = 3
SMALL = "spark: {master: 'local[2]', spark.driver.memory: 1g, spark.sql.shuffle.partitions: 2}\n"
FILES = {
    "forge.yaml": "user: {name: Ada, email: ada@example.com}\n" + SMALL,
    "sources/shop.yaml": """\
sources:
  - output: raw.orders
    connector: files
    format: csv
    path: data/*.csv
    options: {header: "true"}
    columns: {id: long, amount: long, day: date}
    kind: append
""",
    "transforms/core/orders.sql": """\
/* forge
checks: [{type: unique, columns: [id]}]
*/
SELECT id, amount, day
FROM raw.orders
""",
    "transforms/marts/total.py": """\
from forge import transform


@transform(output="marts.total", inputs={"orders": "core.orders"})
def total(orders):
    return orders.groupBy("day").sum("amount").withColumnRenamed("sum(amount)", "total")
""",
    "data/1.csv": "id,amount,day\n1,10,2026-11-13\n2,20,2026-11-13\n",
}


def state_of(root: Path) -> dict[str, Any]:
    """All that a failed run must leave as it was: main, every table's rows, the warehouse's stages. And the runs."""
    from pyiceberg.catalog.sql import SqlCatalog

    wiring = Wiring.of(root)
    catalog = SqlCatalog("forge", uri=wiring.settings.database_url(), warehouse=wiring.settings.warehouse_path())
    tables: dict[str, object] = {}
    for name in ("raw.orders", "core.orders", "marts.total"):
        if catalog.table_exists(name):
            table = catalog.load_table(name)
            rows = sorted([str(value) for value in row.values()] for row in table.scan().to_arrow().to_pylist())
            tables[name] = [table.metadata.refs["main"].snapshot_id, rows]
    found = {
        "head": wiring.branch_head(MAIN),
        "tables": tables,
        "stages": [str(name) for _, name in wiring.lake.stages()],
        "runs": [[run.id, str(run.status), dict(run.error or {})] for run in wiring.metadata.runs()],
    }
    catalog.engine.dispose()
    wiring.close()
    return found


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def error(self) -> dict[str, str | None]:
        """As `--json` gives it; the text on stderr must say the same, in the one shape of errors."""
        error: dict[str, str | None] = json.loads(self.out)["error"]
        assert error.keys() == {"code", "what", "where", "why", "fix"}
        place = f"{error['where']}  " if error["where"] else ""
        assert f"{error['code']} {place}{error['what']}" in self.err.splitlines(), self.err
        for word in ("why", "fix"):
            assert error[word] is None or f"\n  {word}: {str(error[word]).splitlines()[0]}" in self.err, self.err
        assert error["fix"], self.err
        return error

    def without_trace(self) -> Ended:
        for sign in ("Traceback", "\tat ", "\\tat ", "Py4J", ".java:", ".scala:"):
            assert sign not in self.err, self.err
            assert sign not in self.out, self.out
        return self


@dataclass(frozen=True)
class Shop:
    root: Path
    inside: tuple[str, ...] = ()  # the words that enter its mount namespace

    def write(self, name: str, text: str | None) -> None:
        """`None` removes the file."""
        path = self.root / name
        if text is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def forge(self, *words: str, **environ: str) -> Ended:
        env = {**os.environ, "XDG_CONFIG_HOME": str(self.root / "no-config"), **environ}
        env = {name: value for name, value in env.items() if value}
        command = [*self.inside, sys.executable, "-m", "forge.cli.main", *words, "--project", str(self.root)]
        done = subprocess.run(command, cwd=self.root, env=env, capture_output=True, text=True, timeout=300)
        return Ended(done.returncode, done.stdout, done.stderr)

    def forge_here(self, *words: str) -> Ended:
        """The same in this process, which has paid for the imports; for what ends before anything runs."""
        done = CliRunner().invoke(app, [*words, "--project", str(self.root)], prog_name="forge")
        return Ended(done.exit_code, done.stdout, done.stderr)

    def state(self) -> dict[str, Any]:
        if not self.inside:
            return state_of(self.root)
        command = [*self.inside, sys.executable, __file__, str(self.root)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        state: dict[str, Any] = json.loads(done.stdout)
        return state

    def warehouse(self) -> set[str]:
        return {str(path) for path in (self.root / ".forge" / "warehouse").rglob("*")}

    @property
    def jvm_words(self) -> str:
        """What the JVM has said; it says something at every start."""
        log = self.root / ".forge" / "logs" / "spark.log"
        return log.read_text() if log.exists() else ""


def make_shop(root: Path) -> Shop:
    shop = Shop(root)
    for name, text in FILES.items():
        shop.write(name, text)
    return shop


def assert_nothing_lost(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert after["head"] == before["head"]
    assert after["tables"] == before["tables"]
    assert after["stages"] == []


def assert_recorded(before: dict[str, Any], after: dict[str, Any], error: dict[str, str | None]) -> None:
    """One more run, failed, with the error that the terminal showed."""
    assert after["runs"][1:] == before["runs"]
    _, status, recorded = after["runs"][0]
    assert (status, recorded) == ("failed", error)


if __name__ == "__main__":
    print(json.dumps(state_of(Path(sys.argv[1]))))
