"""A server in this process on an empty project, for versioning over HTTP. No JVM: rows are worked on in Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient
from migrated import lay_database
from version_world import ArrowEngine

from forge.api.app import create_app
from forge.api.site import Site
from forge.flows.runs.engine import JobProgress
from forge.flows.upkeep.access import Access, TokenScope, digest_of
from forge.model.names import RunId, TableName
from forge.settings import load_settings
from forge.stores.lake.tables import IcebergTables
from forge.stores.sql.upkeep.tokens import SqlTokens
from forge.wiring import Wiring

API = "/api/v1/branches"
SECRET = "forge_login-secret-of-the-versions"
YAML = """\
project: shop
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.orders: [id]}}
catalog: {follow: false}
"""
ORDERS = "id,name,amount\n1,a,10.5\n2,b,20.0\n3,c,30.0\n"


class Engine(ArrowEngine):
    """Remembers what was cancelled."""

    cancelled: list[str]

    def cancel(self, run_id: RunId) -> None:
        self.__dict__.setdefault("cancelled", []).append(str(run_id))

    def progress(self, run_id: RunId, table: TableName) -> JobProgress:
        return JobProgress(0, 0, 0, 0, 0)


@dataclass
class VersionSite:
    root: Path
    app: FastAPI
    client: TestClient

    @property
    def wiring(self) -> Wiring:
        return cast(Wiring, self.app.state.wiring)

    @property
    def site(self) -> Site:
        return cast(Site, self.app.state.site)

    def token_of(self, email: str, scope: TokenScope = TokenScope.WRITE) -> dict[str, str]:
        """Headers of another person."""
        access = Access(SqlTokens(self.wiring.database), self.wiring.clock)
        _, secret = access.create(f"of {email} {scope}", scope, None, email)
        return {"authorization": f"Bearer {secret}"}

    def upload(
        self,
        text: str | bytes,
        *,
        branch: str = "main",
        file: str = "rows.csv",
        as_: dict[str, str] | None = None,
        **form: str,
    ) -> httpx.Response:
        """Rows of core.orders."""
        files = {"file": (file, text if isinstance(text, bytes) else text.encode())}
        given = {"table": "core.orders", **form}
        found: httpx.Response = self.client.post(f"{API}/{branch}/commits", data=given, files=files, headers=as_)
        return found

    def commit(self, text: str, *, branch: str = "main", **form: str) -> dict[str, Any]:
        made = self.upload(text, branch=branch, as_=None, **form)
        assert made.status_code == 201, made.text
        commit: dict[str, Any] = made.json()["commit"]
        return commit

    def branch(self, name: str, **body: object) -> dict[str, Any]:
        made = self.client.post(API, json={"name": name, **body})
        assert made.status_code == 201, made.text
        found: dict[str, Any] = made.json()
        return found

    def post(self, path: str, as_: dict[str, str] | None = None, **body: object) -> dict[str, Any]:
        answer = self.client.post(f"{API}{path}", json=body, headers=as_)
        assert answer.status_code in (200, 201), answer.text
        found: dict[str, Any] = answer.json()
        return found

    def get(self, address: str, **query: object) -> dict[str, Any]:
        answer = self.client.get(f"{API}{address}", params=cast(Any, query))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def rows(self, at: str = "main", table: str = "core.orders") -> list[list[Any]]:
        return sorted(self.get(f"/datasets/{table}/commits/{at}/data")["rows"], key=repr)

    def head(self, branch: str = "main") -> str | None:
        found: str | None = self.get(f"/{branch}")["head_commit"]
        return found


@contextmanager
def open_version_site(root: Path, yaml: str = YAML) -> Iterator[VersionSite]:
    root.mkdir(parents=True, exist_ok=True)
    (root / "forge.yaml").write_text(yaml)
    settings = load_settings(root, {"PATH": "", "HOME": "/nowhere"})
    lay_database(Path(settings.database_url().removeprefix("sqlite:///")))
    wiring = Wiring(settings)
    wiring.__dict__["engine"] = Engine(cast(IcebergTables, wiring.versioning.tables))
    app = create_app(wiring, login_digest=digest_of(SECRET))
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {SECRET}"
        yield VersionSite(root, app, client)


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    found: dict[str, Any] = response.json()
    assert (response.status_code, found.get("code")) == (status, f"FORGE-{code}"), response.text
    return found
