"""The application on projects with a recorded history: in this process, and as a real server. No JVM."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypedDict, Unpack

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from kept_folder import KeptFolder
from migrated import lay_database
from recorded_history import MORNING, write_history
from version_site import VersionSite, open_version_site

from forge.api.app import create_app
from forge.flows.upkeep.access import digest_of
from forge.settings import load_settings
from forge.wiring import Wiring

LOGIN = "forge_login-secret-of-the-tests"
ADDRESS = "http://127.0.0.1:8765"
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}
# No scheduler, and no catalog that follows: the questions to the database that these tests count are their own.
YAML = """\
project: shop
user: {name: Ada, email: ada@example.com}
quality: {scheduler: false}
catalog: {follow: false}
"""

MakeProject = Callable[[], Path]


class Options(TypedDict, total=False):
    allowed_hosts: tuple[str, ...]
    host: str
    web_folder: Path


MakeApp = Callable[..., FastAPI]


@pytest.fixture(scope="session")
def make_site_project(tmp_path_factory: pytest.TempPathFactory) -> MakeProject:
    """A project of one's own with a history: two commits on main, the branch dev, a run that was blocked. It is made
    once and copied; the files of its tables stay where the first one has them."""
    first = tmp_path_factory.mktemp("history") / "shop"
    first.mkdir()
    (first / "forge.yaml").write_text(YAML)
    lay_database(first / ".forge" / "forge.db")
    wiring = Wiring(load_settings(first, ENVIRONMENT), lambda: MORNING)
    write_history(wiring)
    wiring.close()
    numbers = count(1)

    def make() -> Path:
        return Path(shutil.copytree(first, tmp_path_factory.mktemp("site") / f"shop{next(numbers)}"))

    return make


@pytest.fixture(scope="session")
def site_project(make_site_project: MakeProject) -> Path:
    """One such project for all tests that do not spoil it."""
    return make_site_project()


def build_app(root: Path, **options: Unpack[Options]) -> FastAPI:
    return create_app(Wiring(load_settings(root, ENVIRONMENT)), login_digest=digest_of(LOGIN), **options)


@pytest.fixture
def make_app() -> MakeApp:
    """The application of the project in a folder, with the login secret `login`."""
    return build_app


@pytest.fixture(scope="session")
def login() -> str:
    return LOGIN


@pytest.fixture
def app(site_project: Path, openapi: list[dict[str, Any]]) -> Iterator[FastAPI]:
    """All apps of a run have one OpenAPI document, which takes a second to build."""
    made = build_app(site_project)
    made.openapi_schema = openapi[0] if openapi else None
    yield made
    openapi[:] = [made.openapi_schema] if made.openapi_schema else []


@pytest.fixture(scope="session")
def openapi() -> list[dict[str, Any]]:
    """The document, once somebody asked for it."""
    return []


def open_client(app: FastAPI) -> TestClient:
    return TestClient(app, base_url=ADDRESS, raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture
def anonymous(app: FastAPI) -> Iterator[TestClient]:
    """A caller that brings nothing."""
    with open_client(app) as client:
        yield client


@pytest.fixture
def client(anonymous: TestClient) -> TestClient:
    """A program that is signed in and may write."""
    anonymous.headers["authorization"] = f"Bearer {LOGIN}"
    return anonymous


@pytest.fixture
def browser(anonymous: TestClient) -> TestClient:
    """A browser that opened the printed address. What it changes comes from a page of the server."""
    assert anonymous.get(f"/?token={LOGIN}").status_code == 303
    anonymous.headers["origin"] = ADDRESS
    return anonymous


@dataclass(frozen=True)
class Live:
    """A real server in a process of its own."""

    process: subprocess.Popen[str]
    url: str  # as printed, with the token
    errors: Path  # what it wrote to stderr

    @property
    def address(self) -> str:
        return self.url.partition("/?")[0]

    @property
    def token(self) -> str:
        return self.url.partition("token=")[2]

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, headers={"authorization": f"Bearer {self.token}"}, timeout=60)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


StartServer = Callable[..., Live]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """`start_server(project, *options)`: `forge serve`, once its address is printed."""
    running: list[subprocess.Popen[str]] = []

    def start(root: Path, *words: str, **environ: str) -> Live:
        errors = tmp_path / f"stderr-{len(running)}"
        with errors.open("w") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "forge.cli.main", "serve", "--port", "0", *words],
                cwd=root,
                env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "no-config"), **environ},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stream,
                text=True,
            )
        running.append(process)
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http"), errors.read_text()
        return Live(process, url, errors)

    yield start
    for process in running:
        process.kill()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture(scope="session")
def version_folder(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder:
    """For projects with commits of rows, made once and put back for each test."""
    return KeptFolder(tmp_path_factory.mktemp("versions"))


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[VersionSite]:
    """An empty project whose tables have keys, with a server on it; nothing is protected."""
    with open_version_site(tmp_path / "shop") as site:
        yield site
