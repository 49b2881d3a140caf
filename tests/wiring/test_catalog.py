"""What follows publications in a project: scans and profiles of everything that is due, by their own records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pyarrow as pa
import pytest
from migrated import lay_database
from run_site import until
from sqlite_source import lay_shop
from version_world import ArrowEngine, VersionWorld

from forge.catalog.asset import AssetState
from forge.flows.catalog.crawl import crawl
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, commit_data
from forge.flows.versioning.merge.pick import revert
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.settings import load_settings
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.lake.sampler import LakeSampler
from forge.wiring import Wiring

PEOPLE = TableName("core", "people")
ROWS = [{"id": n, "reach": f"person{n}@secret.example"} for n in range(8)]
LIMIT = "forge.flows.catalog.small_tables.SMALL_ROWS"

pytestmark = pytest.mark.slow


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    settings = load_settings(root, {"PATH": "", "HOME": "/nowhere"})
    lay_database(Path(settings.database_url().removeprefix("sqlite:///")))
    wiring = Wiring(settings)
    yield wiring
    assert "session" not in wiring.__dict__  # no JVM was started
    wiring.close()


def publish(wiring: Wiring, rows: list[dict[str, object]] | None = None) -> str:
    request = CommitRequest(
        table=PEOPLE, branch="main", mode=CommitMode.APPEND, rows=pa.Table.from_pylist(rows or list(ROWS))
    )
    done = commit_data(request, wiring.versioning.ports())
    assert done.commit is not None
    return str(done.commit.id)


def follow_again(wiring: Wiring) -> None:
    """As after the publication of something else."""
    wiring.catalog.follower.mark()
    assert wiring.follow_up() == ()


def is_scanned(wiring: Wiring) -> bool:
    return bool(wiring.catalog.pii.findings.findings(tables=["core.people"]))


def is_profiled(wiring: Wiring) -> bool:
    return bool(wiring.catalog.profiles.history(PEOPLE))


def test_a_large_table_is_scanned_and_profiled_as_soon_as_it_is_within_reach(
    wiring: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as small:
        small.setattr(LIMIT, 3)
        publish(wiring)
        assert wiring.follow_up() == ()
        assert wiring.catalog.assets.asset("core.people") is not None
        assert not is_scanned(wiring)
        assert not is_profiled(wiring)
    follow_again(wiring)
    assert is_scanned(wiring)
    assert is_profiled(wiring)


@pytest.mark.parametrize("fields", [("a", "b"), ("b", "a")])
def test_a_struct_is_of_the_type_of_its_most_confidential_field(wiring: Wiring, fields: tuple[str, str]) -> None:
    number, mail = fields
    publish(wiring, [{"who": {number: f"078-05-11{n}", mail: f"person{n}@secret.example"}} for n in range(20, 28)])
    wiring.follow_up()
    assert wiring.catalog.pii.types_of(["core.people"]) == {"core.people": {"who": "ssn"}}
    assert wiring.catalog.classifications(["core.people"])["core.people"].level == "restricted"


def test_a_scan_that_failed_is_made_up_for(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise ForgeError("E402", "The database is away")

    with monkeypatch.context() as away:
        away.setattr(LakeSampler, "sample", broken)
        publish(wiring)
        wiring.follow_up()
        assert not is_scanned(wiring)
    follow_again(wiring)
    assert is_scanned(wiring)


def test_what_was_crawled_first_is_scanned(wiring: Wiring) -> None:
    publish(wiring)
    crawl(wiring.catalog.crawl_ports())
    wiring.follow_up()
    assert is_scanned(wiring)
    assert is_profiled(wiring)


def test_what_another_engine_wrote_is_scanned_after_a_crawl(wiring: Wiring) -> None:
    publish(wiring, [{"id": n, "reach": "wood"} for n in range(8)])
    wiring.follow_up()
    assert not is_scanned(wiring)
    world_of(wiring).append_past_forge("core.people", [{**row, "id": n + 50} for n, row in enumerate([*ROWS, *ROWS])])
    crawl(wiring.catalog.crawl_ports())
    wiring.follow_up()
    assert is_scanned(wiring)


def world_of(wiring: Wiring) -> VersionWorld:
    ports, folder = wiring.versioning.ports(), Path(wiring.settings.warehouse_path()).parent
    engine = ArrowEngine(ports.tables)  # type: ignore[arg-type]
    lake = cast(IcebergLake, wiring.lake)
    return VersionWorld(ports, lake, wiring.metadata, ports.tables, engine, {}, folder, wiring.database)  # type: ignore[arg-type]


def test_a_publication_that_only_drops_a_table_marks_it_vanished(wiring: Wiring) -> None:
    made = publish(wiring)
    wiring.follow_up()
    assert is_scanned(wiring)
    revert(made, "main", wiring.versioning.ports())
    assert wiring.follow_up() == ()
    asset = wiring.catalog.assets.asset("core.people")
    assert asset is not None
    assert asset.state is AssetState.VANISHED
    assert not is_scanned(wiring)


def test_transforms_of_the_project_are_crawled_after_a_publication(wiring: Wiring) -> None:
    (wiring.root / "transforms" / "marts").mkdir(parents=True)
    (wiring.root / "transforms" / "marts" / "sums.sql").write_text("SELECT id FROM core.people\n")
    publish(wiring)
    wiring.follow_up()
    assert {one.crawled.source for one in wiring.catalog.assets.assets()} == {"lake", "project"}


LOADS = """\
sources:
  - {name: till, connector: sqlite, path: data/till.db}
  - {name: safe, connector: sqlite, path: data/safe.db}
  - {output: core.people, source: till, table: customers}
  - {output: core.hidden, source: safe, table: customers}
"""


def crawled_from(wiring: Wiring) -> set[str]:
    return {one.crawled.source for one in wiring.catalog.assets.assets()}


def with_databases(wiring: Wiring) -> None:
    (wiring.root / "sources").mkdir()
    (wiring.root / "sources" / "all.yaml").write_text(LOADS)
    for name in ("till", "safe"):
        lay_shop(wiring.root / "data" / f"{name}.db")


def test_the_database_that_a_table_was_loaded_from_is_crawled_when_it_is_published(wiring: Wiring) -> None:
    with_databases(wiring)
    publish(wiring)
    assert wiring.follow_up() == ()
    assert crawled_from(wiring) == {"lake", "project", "till"}


def test_a_database_that_cannot_be_crawled_then_is_a_warning(wiring: Wiring, caplog: pytest.LogCaptureFixture) -> None:
    with_databases(wiring)
    (wiring.root / "data" / "till.db").unlink()
    publish(wiring)
    assert wiring.follow_up() == ()
    assert "the crawl of till failed" in caplog.text
    assert crawled_from(wiring) == {"lake", "project"}


def test_a_server_crawls_the_other_databases_after_a_publication_too(wiring: Wiring) -> None:
    with_databases(wiring)
    parts = wiring.catalog
    parts.scan_schedule.start()
    parts.follower.start(parts.server_steps())
    try:
        publish(wiring)
        until(lambda: crawled_from(wiring) == {"lake", "project", "till", "safe"})
    finally:
        parts.scan_schedule.stop()
        parts.follower.stop()


def test_a_manifest_and_the_ontology_are_crawled_after_a_publication(wiring: Wiring) -> None:
    for file, text in (
        ("target/manifest.json", '{"nodes": {"model.a.sums": {"name": "sums"}}}'),
        ("ontology/people.yaml", "types: {Person: {backed_by: core.people}}"),
    ):
        (wiring.root / file).parent.mkdir()
        (wiring.root / file).write_text(text)
    publish(wiring)
    assert wiring.follow_up() == ()
    assert {one.crawled.source for one in wiring.catalog.assets.assets()} == {"lake", "dbt", "ontology"}
