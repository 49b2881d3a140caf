"""One crawl, or one plain read to compare it with, in a process of its own: seconds, peak memory and what came of it,
as JSON on stdout."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forge.flows.catalog.crawl import Crawler, CrawlPorts, crawl
from forge.stores.addresses import database_url
from forge.stores.crawlers.databases import open_source
from forge.stores.crawlers.lake import LakeCrawler
from forge.stores.crawlers.postgres import PostgresCrawler
from forge.stores.lake.files import Files
from forge.stores.sql.catalog.asset_store import SqlAssetStore
from forge.stores.sql.database import migrate, open_database


def crawled(source: str, folder: Path, url: str) -> dict[str, Any]:
    engine = open_database(f"sqlite:///{folder}/forge.db")
    migrate(engine)
    crawler: Crawler = LakeCrawler(engine, dict, lambda: Files.at(str(folder)))
    if source == "postgresql":
        crawler = PostgresCrawler("shop", open_source(database_url(url, folder), "shop"), "postgresql:shop")
    ports = CrawlPorts(store=SqlAssetStore(engine), clock=lambda: datetime.now(UTC), crawlers=[crawler])
    began, worked = time.perf_counter(), time.process_time()
    (found,) = crawl(ports)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    engine.dispose()
    said = found.to_dict()
    assert not found.failed, said
    return {
        "seconds": seconds,
        "processor": worked,
        **{key: said[key] for key in ("new", "changed", "unchanged", "vanished")},
    }


def plain_read(source: str, folder: Path, url: str) -> dict[str, Any]:
    """The least that must be read: information_schema, or each metadata file as JSON."""
    began, worked = time.perf_counter(), time.process_time()
    if source == "postgresql":
        import psycopg

        query = "SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns"
        with psycopg.connect(url) as connection:
            found = len(connection.execute(query).fetchall())
    else:
        found = 0
        for path in (folder / "metadata").glob("*-1.metadata.json"):
            found += len(json.loads(path.read_bytes())["schemas"][0]["fields"])
    return {"seconds": time.perf_counter() - began, "processor": time.process_time() - worked, "columns": found}


def main() -> None:
    what, source, folder, url = sys.argv[1:5]
    found = (crawled if what == "crawl" else plain_read)(source, Path(folder), url)
    print(json.dumps({**found, "megabytes": peak_megabytes()}))


def peak_megabytes() -> float:
    """Of this program: the maximum that `resource` tells is that of whoever started it, too."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


if __name__ == "__main__":
    main()
