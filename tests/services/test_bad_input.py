"""Bad input, as a user causes it at the terminal: a clear message with a code, the right exit status, nothing lost.

Run as a script it prints the state of a project, so that a test can look from inside another mount namespace."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from forge.cli.main import app
from forge.engines.spark.sources import find_files, refuse_other_columns
from forge.flows.records import Pointer, Publication, Published, RunRecord, RunStatus
from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.transforms.transform import FileSource
from forge.versioning.commit import Author, TableVersion, make_commit
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


# What is found without Spark


@pytest.fixture(scope="module")
def quiet_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A project with a published state, made by PyIceberg and Forge's own publish: no JVM has ever run in it."""
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog

    shop = make_shop(tmp_path_factory.mktemp("quiet"))
    wiring = Wiring.of(shop.root)
    run_id, now = RunId("r0"), datetime(2026, 11, 13, tzinfo=UTC)
    run = RunRecord(run_id, MAIN, RunStatus.RUNNING, now, "ada@example.com", "host", os.getpid(), "t0")
    wiring.metadata.start_run(run)
    catalog = SqlCatalog("forge", uri=wiring.settings.database_url(), warehouse=wiring.settings.warehouse_path())
    rows = pa.table({"id": [1, 2], "amount": [10, 20], "day": pa.array([20770, 20770], pa.date32())})
    pointers, tree = [], {}
    for table in (TableName("raw", "orders"), TableName("core", "orders")):
        stage = wiring.lake.open_stage(run_id, table, None, None)
        catalog.create_namespace_if_not_exists(stage.catalog.namespace)
        made = catalog.create_table((stage.catalog.namespace, stage.catalog.name), rows.schema, stage.location)
        made.append(rows)
        snapshot = wiring.lake.snapshot(stage.catalog)
        pointer = wiring.lake.prepare(stage, MAIN, is_default=True, expected=None)
        assert isinstance(pointer, Pointer)
        assert snapshot is not None
        pointers.append(pointer)
        tree[table] = TableVersion(pointer.catalog, str(made.metadata.table_uuid), snapshot.snapshot_id, 0, 1)
    commit = make_commit(
        tree=tree,
        parents=(),
        author=Author("Ada", ""),
        message="first",
        time=now,
        branch=MAIN,
        statistics={},
        metadata={},
    )
    done = RunRecord(run_id, MAIN, RunStatus.SUCCEEDED, now, "ada", "host", 1, "t0", commit_id=commit.id)
    published = wiring.metadata.publish(Publication(tuple(pointers), MAIN, None, commit, tree, done), lambda step: None)
    assert published == Published(commit.id)
    wiring.lake.drop_stages(run_id)
    catalog.engine.dispose()
    wiring.close()
    assert [len(rows) for _, rows in shop.state()["tables"].values()] == [2, 2]
    return shop


@dataclass(frozen=True)
class Mistake:
    """A file as the user leaves it (None: removed), and what Forge must answer."""

    file: str
    text: str | None
    code: str
    where: str
    says: str  # somewhere in what, why and fix
    is_in_run: bool = False  # found by the run, which then is recorded; else before there is one


MISTAKES = {
    "missing file": Mistake("data/1.csv", None, "E208", "sources/shop.yaml:2", r"data/\*\.csv", is_in_run=True),
    "CSV with wrong columns": Mistake(
        "data/2.csv",
        "id,price,day\n3,5,2026-11-14\n",
        "E209",
        "sources/shop.yaml:2",
        r"data/2\.csv .*missing amount; unexpected price",
        is_in_run=True,
    ),
    "malformed forge.yaml": Mistake(
        "forge.yaml", "user: {name: Ada\n" + SMALL, "E103", r"forge.yaml:2:\d+", "malformed YAML"
    ),
    "malformed source": Mistake(
        "sources/shop.yaml",
        "sources:\n  - output: raw.orders\n   connector: files\n",
        "E103",
        r"sources/shop.yaml:3:\d+",
        "malformed YAML",
    ),
    "malformed checks": Mistake(
        "checks/core.yaml",
        "core.orders:\n\t- {type: unique, columns: [id]}\n",
        "E103",
        r"checks/core.yaml:2:\d+",
        "malformed YAML",
    ),
    "malformed contract": Mistake(
        "contracts/orders.odcs.yaml",
        "apiVersion: v3.0.0\nkind: DataContract\nid: orders\n  version: 1.0.0\n",
        "E103",
        r"contracts/orders.odcs.yaml:4:\d+",
        "malformed YAML",
    ),
    "malformed header": Mistake(
        "transforms/core/orders.sql",
        "/* forge\nchecks: [{type: unique, columns: [id]}\n*/\nSELECT id FROM raw.orders\n",
        "E103",
        r"transforms/core/orders.sql:\d+(:\d+)?",
        "malformed YAML",
    ),
    "misspelt setting": Mistake("forge.yaml", "sprak: {master: local}\n", "E104", "forge.yaml:1", "Did you mean spark"),
    "SQL syntax error": Mistake(
        "transforms/core/orders.sql",
        "SELECT id, amount\nFROM raw.orders WHERE\n",
        "E201",
        r"transforms/core/orders.sql:2:\d+",
        "SQL syntax error",
    ),
    "unknown table": Mistake(
        "transforms/core/orders.sql",
        "SELECT id, amount, day\nFROM raw.ordres\n",
        "E202",
        "transforms/core/orders.sql:2",
        "raw.ordres.*Did you mean raw.orders",
    ),
    "Python syntax error": Mistake(
        "transforms/marts/total.py",
        FILES["transforms/marts/total.py"].replace("return", "retrun"),
        "E207",
        "transforms/marts/total.py:6",
        "SyntaxError",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_that_needs_no_spark_to_be_seen_starts_none_and_loses_nothing(quiet_shop: Shop, name: str) -> None:
    mistake = MISTAKES[name]
    before, files = quiet_shop.state(), quiet_shop.warehouse()
    quiet_shop.write(mistake.file, mistake.text)
    try:
        forge = quiet_shop.forge if mistake.is_in_run else quiet_shop.forge_here
        done = forge("run", "--json").without_trace()
    finally:
        quiet_shop.write(mistake.file, FILES.get(mistake.file))

    assert done.status == COULD_NOT_RUN, done.err
    error = done.error
    assert error["code"] == f"FORGE-{mistake.code}"
    assert re.fullmatch(mistake.where, error["where"] or ""), error
    assert re.search(mistake.says, " ".join(str(error[word]) for word in ("what", "why", "fix"))), error

    after = quiet_shop.state()
    assert_nothing_lost(before, after)
    assert quiet_shop.warehouse() == files
    assert quiet_shop.jvm_words == ""
    if mistake.is_in_run:
        assert_recorded(before, after, error)
    else:
        assert after["runs"] == before["runs"]


def test_without_java_a_run_says_how_to_install_it(quiet_shop: Shop, tmp_path: Path) -> None:
    before, files = quiet_shop.state(), quiet_shop.warehouse()
    done = quiet_shop.forge("run", "--json", PATH=str(tmp_path), JAVA_HOME="").without_trace()
    assert done.status == COULD_NOT_RUN, done.err
    error = done.error
    assert error["code"] == "FORGE-E301"
    assert "openjdk-17" in str(error["fix"])
    after = quiet_shop.state()
    assert_nothing_lost(before, after)
    assert_recorded(before, after, error)
    assert quiet_shop.warehouse() == files
    assert quiet_shop.jvm_words == ""


def test_once_every_mistake_is_corrected_the_project_can_be_planned(quiet_shop: Shop) -> None:
    done = quiet_shop.forge_here("plan", "--json")
    assert done.status == 0, done.err
    steps = {step["table"]: step["action"] for step in json.loads(done.out)["steps"]}
    assert steps == {"raw.orders": "run", "core.orders": "run", "marts.total": "run"}


HEADER = {"header": "true"}
ODD_FILES = {
    "empty": ("a.csv", b"", HEADER, "E209", "missing id, amount"),
    "columns in another order": ("a.csv", b"amount,id\n", HEADER, "E209", "another order"),
    "control characters": ("a.csv", b"id,\x1b[31mamount\n", HEADER, "E209", r"unexpected \\x1b\[31mamount"),
    "a hundred columns": ("a.csv", b",".join(b"c%d" % n for n in range(100)), HEADER, "E209", "c19 and 80 more"),
    "no text": ("a.csv", bytes(range(128, 256)) * 2000, HEADER, "E210", "field larger"),
    "not packed": ("a.csv.gz", b"id,amount\n", HEADER, "E210", "[Nn]ot a gzip"),
    "half a packed file": ("a.csv.gz", gzip.compress(b"id,amount\n" * 100)[:14], HEADER, "E210", "ended before"),
    "unknown encoding": ("a.csv", b"id,amount\n", {**HEADER, "encoding": "latin-99"}, "E206", "latin-99"),
    "JSON that is no UTF-8": ("a.json", b'{"id": 1, "amount": 2}\n\xff\n', {}, "E210", "utf-8"),
    "JSON in one piece": ("a.json", b'[\n{"id": 1, "amount": 2}\n]', {}, "E210", "not JSON lines"),
    "no Parquet": ("a.parquet", b"id,amount\n", {}, "E210", "not a Parquet file"),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_an_odd_file_is_refused_in_words_before_spark_is_needed(tmp_path: Path, name: str) -> None:
    file, content, options, code, says = ODD_FILES[name]
    with pytest.raises(ForgeError) as raised:
        look_at(tmp_path, file, content, options)
    error = raised.value
    assert (error.code, file in str(error) or code == "E206") == (code, True)
    assert re.search(says, f"{error} {error.why}")
    assert f"{error} {error.why}".isprintable()
    assert error.fix


@pytest.mark.parametrize(
    ("file", "content", "options"),
    [
        ("a.csv", b"\xef\xbb\xbfid,amount\n1,2\n", HEADER),  # a byte order mark
        ("a.csv.gz", gzip.compress(b"id,amount\n"), HEADER),
        ("a.csv.zst", b"(\xb5/\xfd", HEADER),  # Spark unpacks it, Python cannot
        ("a.csv", b"id\tamount\n", {**HEADER, "sep": "\\t"}),
        ("a.csv", b"id||amount\n", {**HEADER, "sep": "||"}),
        ("a.csv", b"1,2\n", {}),
        ("a.json", b'[\n{"id": 1, "amount": 2}\n]', {"multiLine": "true"}),
    ],
)
def test_a_file_spark_can_read_is_not_refused(
    tmp_path: Path, file: str, content: bytes, options: dict[str, str]
) -> None:
    look_at(tmp_path, file, content, options)


def look_at(root: Path, file: str, content: bytes, options: dict[str, str]) -> None:
    (root / file).write_bytes(content)
    source = FileSource(Path(file).suffixes[0][1:], file, {"id": "long", "amount": "long"}, options)
    refuse_other_columns(source, find_files(source, root, "s.yaml:2"), root, "s.yaml:2")


# What only Spark can find


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A project after its first good run."""
    shop = make_shop(tmp_path_factory.mktemp("shop"))
    done = shop.forge("run", "--no-progress")
    assert done.status == 0, done.err
    assert shop.state()["tables"]["marts.total"][1] == [["2026-11-13", "30"]]
    return shop


PYTHON = """\
from forge import transform
from pyspark.sql.functions import udf


@transform(output="marts.raised", inputs={"orders": "core.orders"})
def raised(orders):
    rate = {"eur": 1}["usd"]
    return orders.withColumn("rate", rate)


def in_euros(amount):
    return {10: 9}[amount]


@transform(output="marts.worker", inputs={"orders": "core.orders"})
def worker(orders):
    return orders.select(udf(in_euros, "long")("amount").alias("euros"))
"""
BROKEN = {
    "transforms/marts/unknown.sql": "SELECT id,\n  amuont\nFROM core.orders\n",
    "transforms/marts/comma.sql": "SELECT id,\n  amount,\nFROM core.orders\n",
    "transforms/marts/broken.py": PYTHON,
}


@pytest.fixture(scope="module")
def broken(shop: Shop) -> dict[str, dict[str, str | None]]:
    """One run with a mistake in each of four new tables, at work at once: the error of each. Nothing is lost by it."""
    before = shop.state()
    for name, text in BROKEN.items():
        shop.write(name, text)
    try:
        done = shop.forge("run", "--json", "--parallel", "4").without_trace()
    finally:
        for name in BROKEN:
            shop.write(name, None)
    assert done.status == COULD_NOT_RUN, done.err
    after = shop.state()
    assert_nothing_lost(before, after)
    assert_recorded(before, after, done.error)
    errors = {output["table"]: output["error"] for output in json.loads(done.out)["outputs"] if output["error"]}
    for error in errors.values():
        assert f"{error['code']} {error['where']}  {error['what']}\n  why: {error['why']}" in done.err
    return errors


@pytest.mark.spark
def test_an_unknown_column_is_named_with_its_place_and_the_nearest_ones(
    broken: dict[str, dict[str, str | None]],
) -> None:
    error = broken["marts.unknown"]
    assert (error["code"], error["where"]) == ("FORGE-E203", "transforms/marts/unknown.sql:2:3")
    assert "amuont" in str(error["what"])
    assert "Did you mean amount" in str(error["fix"])


@pytest.mark.spark
def test_a_comma_too_many_is_a_syntax_error_at_its_place(broken: dict[str, dict[str, str | None]]) -> None:
    error = broken["marts.comma"]
    assert error["code"] == "FORGE-E201"
    assert str(error["where"]).startswith("transforms/marts/comma.sql:3")


@pytest.mark.spark
def test_an_exception_in_a_python_transform_is_told_at_its_own_line(broken: dict[str, dict[str, str | None]]) -> None:
    error = broken["marts.raised"]
    assert (error["code"], error["where"]) == ("FORGE-E207", "transforms/marts/broken.py:7")
    assert error["what"] == "KeyError: 'usd'"


@pytest.mark.spark
def test_an_exception_while_spark_works_on_the_rows_is_told_at_its_own_line(
    broken: dict[str, dict[str, str | None]],
) -> None:
    error = broken["marts.worker"]
    assert (error["code"], error["where"]) == ("FORGE-E207", "transforms/marts/broken.py:12")
    assert error["what"] == "KeyError: 20"


@pytest.mark.spark
def test_rows_that_do_not_fit_refuse_the_whole_file_and_once_corrected_it_is_loaded(shop: Shop) -> None:
    before = shop.state()
    shop.write("data/2.csv", "id,amount,day\n3,5,2026-11-14\n4,cheap,2026-11-14\n")
    done = shop.forge("run", "--json", "-vv")
    assert done.status == COULD_NOT_RUN, done.err
    error, after = done.error, shop.state()
    assert (error["code"], error["where"]) == ("FORGE-E210", "sources/shop.yaml:2")
    assert str(error["what"]).startswith("data/2.csv ")
    assert "cheap" in str(error["why"])
    assert "Traceback (most recent call last)" in done.err  # that is what -vv asks for
    assert_nothing_lost(before, after)
    assert_recorded(before, after, error)

    shop.write("data/2.csv", "id,amount,day\n3,5,2026-11-14\n4,7,2026-11-14\n")
    done = shop.forge("run", "--no-progress")
    assert done.status == 0, done.err
    tables = shop.state()["tables"]
    assert [row[0] for row in tables["raw.orders"][1]] == ["1", "2", "3", "4"]
    assert tables["marts.total"][1] == [["2026-11-13", "30"], ["2026-11-14", "12"]]


# A disk that is full


DISK, LEFT = 32 << 20, 512 << 10
_NO_DISK = (
    "This test mounts a small disk and needs the right to: run it as root (in a container with CAP_SYS_ADMIN), or "
    "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1); and util-linux. {}"
)


def _hold(mount: str) -> tuple[subprocess.Popen[str], tuple[str, ...]]:
    """A process that keeps a mount namespace open, and the options it took: root's own, else a user's."""
    told = []
    for options in (("--mount",), ("--mount", "--user", "--map-root-user")):
        command = ["unshare", *options, "sh", "-c", mount]
        try:
            holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except FileNotFoundError as error:
            told.append(str(error))
            continue
        assert holder.stdout is not None
        if holder.stdout.readline() == "mounted\n":
            return holder, options
        told.append(holder.communicate()[1].strip())
    pytest.fail(_NO_DISK.format("; ".join(told)), pytrace=False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Shop]:
    """A project whose warehouse is on a disk with 512 KiB left, mounted in a namespace of its own, so that no mount
    outlives it. The file `ballast` takes the rest: to remove it needs no rights, to enlarge the disk does."""
    disk = tmp_path / "disk"
    disk.mkdir()
    fill = f"head -c {DISK - LEFT} /dev/zero > '{disk}/ballast'"
    mount = f"mount -t tmpfs -o size={DISK} tmpfs '{disk}' && {fill} && echo mounted && exec sleep 3600"
    holder, options = _hold(mount)
    enter = ("--user", "--preserve-credentials") if "--user" in options else ()
    made = make_shop(tmp_path / "shop")
    made.write("forge.yaml", FILES["forge.yaml"] + f"warehouse: {disk}/warehouse\n")
    yield Shop(made.root, ("nsenter", f"--target={holder.pid}", "--mount", *enter))
    holder.kill()
    holder.communicate()


@pytest.mark.spark
def test_a_full_disk_leaves_main_as_it_was_and_with_space_the_next_run_succeeds(small_disk: Shop) -> None:
    done = small_disk.forge("run", "--no-progress")
    assert done.status == 0, done.err
    before = small_disk.state()

    # Values that hardly compress: more than 512 KiB of Parquet.
    rows = "".join(f"{number},{number * 0x9E3779B97F4A7C15 % 2**45},2026-11-14\n" for number in range(3, 120_001))
    small_disk.write("data/2.csv", "id,amount,day\n" + rows)
    for _ in range(2):  # first the data does not fit, then, on a full disk, not even the metadata
        done = small_disk.forge("run", "--json", "--no-progress").without_trace()
        assert done.status == COULD_NOT_RUN, done.err
        error = done.error
        assert error["code"] == "FORGE-E305", error
        assert "No space left on device" in str(error["why"])
        after = small_disk.state()
        assert_nothing_lost(before, after)
        assert_recorded(before, after, error)
        before = after

    disk = small_disk.root.parent / "disk"
    subprocess.run([*small_disk.inside, "rm", str(disk / "ballast")], check=True)
    done = small_disk.forge("run", "--no-progress")
    assert done.status == 0, done.err
    after = small_disk.state()
    assert after["head"] != before["head"]
    assert len(after["tables"]["core.orders"][1]) == 120_000


if __name__ == "__main__":
    print(json.dumps(state_of(Path(sys.argv[1]))))
