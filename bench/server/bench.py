"""Fifty readers of the metadata routes while Spark works: no error, and how long the slowest hundredth waited.

The demo shop is served by `forge serve` in a process of its own. Three phases, one after the other on the same server:
readers alone, readers while runs go on, and the floor: the bare /healthz while runs go on."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FORGE = Path(sys.executable).with_name("forge")
PATHS = (
    "/api/v1/overview",
    "/api/v1/runs",
    "/api/v1/catalog/search",
    "/api/v1/catalog/assets/core.orders",
    "/api/v1/branches",
    "/api/v1/branches/main/commits",
    "/api/v1/lineage/graph?root_id=core.orders.amount",
    "/api/v1/quality/datasets/core.orders/health",
    "/api/v1/quality/incidents",
    "/api/v1/system",
)
FLOOR = ("/healthz",)


@dataclass(frozen=True, slots=True)
class Phase:
    """Milliseconds, as wrk measured them."""

    name: str
    requests: int
    seconds: float
    errors: int
    p50: float
    p90: float
    p99: float
    max: float
    runs: int = 0  # that ended while it was measured

    def line(self) -> str:
        rate = self.requests / self.seconds
        return (
            f"  {self.name:<26}{rate:>8.0f}/s {self.p50:>8.1f} {self.p90:>8.1f} {self.p99:>8.1f} {self.max:>8.1f}"
            f" {self.errors:>7} {self.runs:>6}"
        )


def parse(name: str, output: str, runs: int = 0) -> Phase:
    found = re.search(r"^RESULT (\{.*\})$", output, re.MULTILINE)
    if found is None:
        raise SystemExit(f"wrk said:\n{output}")
    return Phase(name=name, runs=runs, **json.loads(found.group(1)))


def demo(folder: Path, scale: float) -> None:
    subprocess.run([FORGE, "demo", str(folder), "--no-serve", "--scale", str(scale)], check=True)


@contextmanager
def serving(folder: Path) -> Iterator[httpx.Client]:
    """A client of a fresh server, signed in by the printed link."""
    process = subprocess.Popen(
        [FORGE, "serve", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        link = next(word for line in process.stdout for word in line.split() if "?token=" in word)
        parts = urlsplit(link)
        token = parse_qs(parts.query)["token"][0]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=f"{parts.scheme}://{parts.netloc}", headers=headers, timeout=60) as client:
            yield client
    finally:
        process.terminate()
        process.wait(timeout=60)


def read(client: httpx.Client, paths: Sequence[str], seconds: int, readers: int) -> str:
    command = ["wrk", "-t", "2", "-c", str(readers), "-d", f"{seconds}s", "--timeout", "10s"]
    command += ["-H", f"Authorization: {client.headers['Authorization']}", "-s", str(HERE / "readers.lua")]
    command += [str(client.base_url), "--", ",".join(paths)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Runs:
    """Whole runs of the shop, one after the other, until told to stop."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.ended = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go, daemon=True)

    def __enter__(self) -> Runs:
        self._thread.start()
        while self.client.get("/api/v1/system").json()["spark"]["state"] != "ready":
            time.sleep(0.5)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _go(self) -> None:
        number = 0
        while not self._over.is_set():
            number += 1
            body = {"branch": "bench", "force": True, "start": "2000-01-01T00:00:00Z", "end": "2030-01-01T00:00:00Z"}
            run = self.client.post("/api/v1/runs", json=body).raise_for_status().json()
            address = f"/api/v1/runs/{run['run_id']}"
            while (state := self.client.get(address).json())["status"] in ("queued", "running"):
                if self._over.is_set():
                    self.client.delete(address)
                time.sleep(0.5)
            if state["status"] not in ("succeeded", "blocked", "cancelled"):
                raise SystemExit(f"run {run['run_id']} ended as {state['status']}: {state['error']}")
            self.ended += state["status"] != "cancelled"


def measure(client: httpx.Client, seconds: int, readers: int) -> list[Phase]:
    for path in (*PATHS, *FLOOR):
        client.get(path).raise_for_status()
    if client.post("/api/v1/branches", json={"name": "bench"}).status_code not in (201, 409):
        raise SystemExit("the branch for the runs cannot be made")
    phases = [parse("readers alone", read(client, PATHS, max(5, seconds // 4), readers))]
    with Runs(client) as runs:
        before = runs.ended
        output = read(client, PATHS, seconds, readers)
        phases.append(parse("readers while Spark works", output, runs.ended - before))
        before = runs.ended
        output = read(client, FLOOR, max(5, seconds // 4), readers)
        phases.append(parse("floor: /healthz, Spark too", output, runs.ended - before))
    return phases


def report(phases: Sequence[Phase], readers: int, limit: float | None) -> int:
    print(f"\n{readers} readers, {os.cpu_count()} cores; milliseconds")
    print(f"  {'':<26}{'rate':>10} {'p50':>8} {'p90':>8} {'p99':>8} {'max':>8} {'errors':>7} {'runs':>6}")
    for phase in phases:
        print(phase.line())
    alone, busy, floor = phases
    print(f"  p99 while Spark works: {busy.p99 / alone.p99:.2f} × alone, {busy.p99 / floor.p99:.2f} × the floor")
    failed = any(phase.errors for phase in phases) or (limit is not None and busy.p99 > limit)
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how long to read while Spark works")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--scale", type=float, default=0.2, help="size of the shop")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "bench-server", help="where the shop is made")
    parser.add_argument("--limit", type=float, help="exit 1 when the p99 while Spark works is above, in ms")
    chosen = parser.parse_args()
    if shutil.which("wrk") is None:
        print("wrk is not installed: apt-get install -y wrk (Debian, Ubuntu) or brew install wrk (macOS)")
        return 3
    demo(chosen.folder, chosen.scale)
    with serving(chosen.folder) as client:
        phases = measure(client, chosen.seconds, chosen.readers)
    return report(phases, chosen.readers, chosen.limit)


if __name__ == "__main__":
    sys.exit(main())
