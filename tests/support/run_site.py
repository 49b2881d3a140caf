"""A server in this process whose runs need no Spark: Python transforms on rows in memory, stopped at gates."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from forge.api.app import create_app
from forge.api.server import ApiServer, bind
from forge.flows.upkeep.access import digest_of
from forge.flows.versioning.branches import create_default_branch
from forge.settings import load_settings
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.wiring import Wiring

SECRET = "forge_login-secret-of-the-runs"
SECONDS = 30.0
FILES = {
    "forge.yaml": """
project: shop
user: {name: Ada, email: ada@example.com}
params: {day: {type: date, default: 2026-11-15}}
""",
    "transforms/raw/orders.py": """
import time
from pathlib import Path
from forge import transform

@transform(output="raw.orders")
def orders():
    root = Path(__file__).parents[2]
    (root / "reached").touch()
    while not (root / "open").exists():
        time.sleep(0.01)
    return [{"id": 1, "amount": 5}, {"id": 2, "amount": 7}]
""",
    "transforms/core/orders.py": """
from forge import transform

@transform(output="core.orders", inputs={"raw": "raw.orders"}, checks=[{"type": "unique", "columns": ["id"]}])
def orders(raw):
    return raw
""",
}


@dataclass
class RunSite:
    root: Path
    client: httpx.Client
    app: FastAPI
    metadata: MemoryMetadata
    server: ApiServer
    thread: threading.Thread

    def open(self) -> None:
        """Let raw.orders go on."""
        (self.root / "open").touch()

    def wait_for_work(self) -> None:
        until(lambda: (self.root / "reached").exists())

    def start(self, **body: object) -> dict[str, Any]:
        response = self.client.post("/api/v1/runs", json={"force": True, **body})
        assert response.status_code == 202, response.text
        answer: dict[str, Any] = response.json()
        assert response.headers["location"] == f"/api/v1/runs/{answer['run_id']}"
        return answer

    def run(self, run_id: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.get(f"/api/v1/runs/{run_id}").json()
        return answer

    def end(self, run_id: str) -> dict[str, Any]:
        until(lambda: self.run(run_id)["status"] not in ("queued", "running"))
        return self.run(run_id)

    def list(self, **query: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.client.get("/api/v1/runs", params=query).json()["items"]
        return items


def until(is_so: Any) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def events(response: httpx.Response) -> Iterator[tuple[str, str, Any]]:
    """Name, id and data of each server-sent event."""
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        name, colon, value = line.partition(":")
        if not line and "event" in fields:
            yield fields["event"], fields["id"], json.loads(fields["data"])
        if not line:
            fields = {}
        elif colon and name:
            fields[name] = value.removeprefix(" ")


@contextmanager
def serve_runs(root: Path) -> Iterator[RunSite]:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    wiring = Wiring(load_settings(root, {"PATH": "", "HOME": "/nowhere"}))
    catalog = MemoryCatalog()
    metadata, lake = MemoryMetadata(catalog), MemoryLake(catalog)
    wiring.__dict__ |= {"metadata": metadata, "lake": lake, "engine": MemoryEngine(lake)}
    create_default_branch(metadata, wiring.default_branch, wiring.author, wiring.clock())
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        app = create_app(wiring, login_digest=digest_of(SECRET), port=port)
        server = ApiServer(uvicorn.Config(app, log_config=None), app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        until(lambda: server.started)
        headers = {"authorization": f"Bearer {SECRET}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=SECONDS) as client:
            site = RunSite(root, client, app, metadata, server, thread)
            try:
                yield site
            finally:
                site.open()
                server.handle_exit(15, None)
                thread.join(SECONDS)
                assert not thread.is_alive()
