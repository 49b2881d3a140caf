"""Crawls on schedule."""

from __future__ import annotations

import threading

from forge.catalog.crawl import CrawlPlan
from forge.flows.catalog.crawl import SourceCrawl
from forge.flows.catalog.scan_schedule import ScanSchedule


def test_scans_go_on_after_one_that_failed_and_end_when_stopped() -> None:
    enough = threading.Event()
    scans: list[int] = []

    def scan() -> tuple[SourceCrawl, ...]:
        scans.append(1)
        if len(scans) == 1:
            raise RuntimeError("the source is away")
        if len(scans) > 2:
            enough.set()
        return (SourceCrawl(source="lake", plan=CrawlPlan(source="lake", moved={"u": "p"}), seconds=0.1),)

    schedule = ScanSchedule(scan, 0.001)
    schedule.start()
    assert enough.wait(10)
    schedule.stop()
    after = len(scans)
    assert not threading.Event().wait(0.02)
    assert len(scans) == after


def test_publications_bring_the_next_scan_forward_though_not_one_each() -> None:
    scans: list[int] = []
    scanned = threading.Event()

    def scan() -> tuple[SourceCrawl, ...]:
        scans.append(1)
        scanned.set()
        return ()

    schedule = ScanSchedule(scan, 3600, least_seconds=0.2)
    schedule.start()
    assert not scanned.wait(0.02)
    schedule.hasten()
    assert scanned.wait(10)
    scanned.clear()
    for _ in range(5):
        schedule.hasten()
    assert not scanned.wait(0.02)
    assert scanned.wait(10)
    schedule.stop()
    assert len(scans) == 2


def test_a_schedule_that_rests_before_a_hastened_scan_is_stopped_at_once() -> None:
    scanned = threading.Event()

    def scan() -> tuple[SourceCrawl, ...]:
        scanned.set()
        return ()

    schedule = ScanSchedule(scan, 3600)
    schedule.start()
    schedule.hasten()
    assert scanned.wait(10)
    scanned.clear()
    schedule.hasten()
    schedule.stop()
    assert not scanned.is_set()
