"""The web app's files: fallback for its pages, caches, compression, and the headers of every answer."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

SCRIPT = "console.log('forge');" * 200
PAGE = "<!doctype html><title>Forge</title>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    web = tmp_path / "web"
    (web / "static").mkdir(parents=True)
    (web / "index.html").write_text(PAGE)
    (web / "favicon.svg").write_text("<svg/>")
    (web / "static" / "index-Ab12Cd34.js").write_text(SCRIPT)
    (web / "static" / "page-Ab12Cd34.css").write_text("body {}")
    (web / "static" / "page-Ab12Cd34.css.br").write_bytes(b"packed")
    (tmp_path / "secret.txt").write_text("secret")
    (web / "link.txt").symlink_to(tmp_path / "secret.txt")
    return web


@pytest.fixture
def web(make_app: Callable[..., FastAPI], site_project: Path, folder: Path) -> Iterator[TestClient]:
    with TestClient(make_app(site_project, web_folder=folder), base_url="http://127.0.0.1:8765") as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/", "/index.html", "/runs/r1", "/assets/core.orders", "/login", "/a/b.c/d", "/static"]
)
def test_every_page_is_index_html_and_asked_for_anew(web: TestClient, path: str) -> None:
    response = web.get(path)
    assert (response.status_code, response.text) == (200, PAGE)
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["cache-control"] == "no-cache"


def test_hashed_files_are_kept_forever(web: TestClient) -> None:
    response = web.get("/static/index-Ab12Cd34.js")
    assert response.text == SCRIPT
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["content-type"].startswith("text/javascript")
    assert web.get("/favicon.svg").headers["cache-control"] == "no-cache"


def test_a_hashed_file_of_an_older_build_is_missing_rather_than_a_page(web: TestClient) -> None:
    response = web.get("/static/index-Old12345.js")
    assert (response.status_code, response.json()["code"]) == (404, "FORGE-E108")


def test_files_are_compressed(web: TestClient) -> None:
    packed = web.get("/static/index-Ab12Cd34.js", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(SCRIPT) / 5
    assert packed.text == SCRIPT
    assert packed.headers["vary"] == "accept-encoding"
    plain = web.get("/static/index-Ab12Cd34.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    with web.stream("GET", "/static/page-Ab12Cd34.css", headers={"accept-encoding": "br, gzip"}) as beside:
        assert beside.headers["content-encoding"] == "br"
        assert b"".join(beside.iter_raw()) == b"packed"


def test_a_packed_file_beside_is_used_as_it_is(web: TestClient, folder: Path) -> None:
    (folder / "static" / "index-Ab12Cd34.js.gz").write_bytes(gzip.compress(b"other"))
    assert web.get("/static/index-Ab12Cd34.js", headers={"accept-encoding": "gzip"}).text == "other"


def test_a_new_build_shows_without_a_restart(web: TestClient, folder: Path) -> None:
    first = web.get("/")
    assert web.get("/", headers={"if-none-match": first.headers["etag"]}).status_code == 304
    (folder / "index.html").write_text("<!doctype html><title>Newer</title>")
    assert "Newer" in web.get("/", headers={"if-none-match": first.headers["etag"]}).text


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/static/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/link.txt",
        "//etc/passwd",
    ],
)
def test_nothing_outside_of_the_folder_is_served(web: TestClient, path: str) -> None:
    assert web.get(f"http://127.0.0.1:8765{path}").text == PAGE


def test_a_name_too_long_for_the_file_system_is_a_page(web: TestClient) -> None:
    assert web.get("/" + "a" * 5000).text == PAGE


def test_head_answers_without_a_body(web: TestClient) -> None:
    response = web.head("/runs")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-length"] == str(len(PAGE))


def test_without_a_build_a_page_says_how_to_make_one(
    make_app: Callable[..., FastAPI], site_project: Path, tmp_path: Path
) -> None:
    app = make_app(site_project, web_folder=tmp_path / "nothing")
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        response = client.get("/runs")
        assert response.status_code == 200
        assert "make ui" in response.text
        assert "<script" not in response.text
        assert "//" not in response.text  # nothing from outside


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/static/index-Ab12Cd34.js",
        "/?token=wrong",
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/metrics",
        "/api/v1/session",
        "/api/v1/nothing",
    ],
)
def test_every_answer_carries_the_security_headers(web: TestClient, path: str) -> None:
    headers = web.get(path, follow_redirects=False).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-request-id"]
    if path.startswith("/api"):
        assert headers["cache-control"] == "no-store"


def test_unknown_api_paths_are_never_a_page(web: TestClient, login: str) -> None:
    response = web.get("/api/v1/nothing", headers={"authorization": f"Bearer {login}"})
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
