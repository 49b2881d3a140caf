"""Prometheus metrics of the server. Routes are counted by their template, to keep labels few."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from forge.api.upkeep.wire.system import SystemView

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30)
_SPARK_STATES = ("stopped", "starting", "ready", "failed")


class Metrics:
    """One per application: tests start many in a process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._requests = Counter(
            "forge_http_requests", "Requests answered.", ("route", "method", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "forge_http_request_seconds",
            "Time to answer; of a stream, the time it was open.",
            ("route",),
            registry=self._registry,
            buckets=_BUCKETS,
        )

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, system: SystemView) -> bytes:
        now = CollectorRegistry()
        now.register(_Now(system))
        return generate_latest(self._registry) + generate_latest(now)


class _Now(Collector):
    """Gauges read at scrape time."""

    def __init__(self, system: SystemView) -> None:
        self._system = system

    def collect(self) -> Iterator[Metric]:
        jobs = GaugeMetricFamily("forge_jobs", "Jobs by state.", labels=("state",))
        jobs.add_metric(("queued",), self._system.jobs_queued)
        jobs.add_metric(("running",), self._system.jobs_running)
        yield jobs
        spark = GaugeMetricFamily("forge_spark_state", "1 for the state Spark is in.", labels=("state",))
        for state in _SPARK_STATES:
            spark.add_metric((state,), float(self._system.spark.state == state))
        yield spark
