"""The bounds of the crawl benchmark are held as written."""

from __future__ import annotations

from typing import Any

from bench.crawl.bench import missed, shown


def rounds(last: float = 0.1, changed: int = 10, megabytes: float = 100) -> dict[str, dict[str, dict[str, Any]]]:
    first = {"seconds": 1.0, "processor": 1.0, "megabytes": megabytes, "new": 50}
    again = {"seconds": last, "processor": last, "megabytes": 80, "changed": changed, "unchanged": 50 - changed}
    read = {"seconds": 0.5, "processor": 0.5, "megabytes": 60}
    return {"iceberg": {"plain read": read, "first crawl": first, "nothing new": again, "ten changed": again}}


def test_a_missed_bound_is_named() -> None:
    assert missed(rounds(), 50) == []
    assert missed(rounds(changed=9), 50) == ["iceberg: not all tables were taken in"]
    assert missed(rounds(last=0.3), 50) == ["iceberg: ten changed tables cost more than 0.25 of a first crawl"]
    assert missed(rounds(megabytes=501), 50) == ["iceberg: more than 500 MB"]


def test_the_table_tells_each_round_beside_a_plain_read() -> None:
    lines = shown(rounds()).splitlines()
    assert lines[2].split() == ["iceberg", "first", "crawl", "1.00", "1.00", "2.00", "100"]
    assert len(lines) == 5
