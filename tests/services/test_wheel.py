"""The wheel, as someone gets it who only has pip: an empty environment, another folder, no Node and no clone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.services("wheel")

ROOT = Path(__file__).resolve().parents[2]
NODE = {"node", "nodejs", "npm", "npx", "corepack"}
SMALL = ("--scale", "0.01")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make wheel` does it, into a folder of its own."""
    subprocess.run([ROOT / "scripts" / "web.sh"], check=True, timeout=600)
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, ROOT / "scripts" / "wheel.py", folder], check=True, timeout=300)
    (built,) = folder.glob("*.whl")
    return built


def constraints(folder: Path) -> Path:
    """The versions of the lock. Without their hashes: pip would want one of the wheel, too."""
    lines = (ROOT / "requirements" / "run.lock").read_text().splitlines()
    file = folder / "constraints.txt"
    file.write_text("\n".join(line.rstrip(" \\") for line in lines if re.match(r"[A-Za-z]", line)))
    return file


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheel installed by pip, or by uv where it is there, for its speed."""
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True, timeout=300)
    python = folder / "env" / "bin" / "python"
    uv = shutil.which("uv", path=str(Path(sys.executable).parent))
    install: list[str | Path] = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    install += [wheel, "--constraint", constraints(folder)]
    environ = {**os.environ, **(_pip_settings() if uv else {})}
    done = subprocess.run(install, env=environ, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def _pip_settings() -> dict[str, str]:
    """uv does not read the settings of pip; scripts/setup.sh hands over the same two."""
    found = {}
    for key, name in (("global.index-url", "UV_DEFAULT_INDEX"), ("global.cert", "SSL_CERT_FILE")):
        asked = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", key], capture_output=True, text=True, timeout=60
        )
        if asked.returncode == 0 and name not in os.environ:
            found[name] = asked.stdout.strip()
    return found


@pytest.fixture(scope="module")
def environ(environment: Path) -> dict[str, str]:
    """A PATH with every program of this machine but Node's, and nothing that leads to the clone."""
    programs = environment / "bin"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        if not folder or Path(folder).resolve().is_relative_to(ROOT) or not Path(folder).is_dir():
            continue
        for program in Path(folder).iterdir():
            if program.name not in NODE and not (programs / program.name).is_symlink():
                (programs / program.name).symlink_to(program)
    assert shutil.which("node", path=str(programs)) is None
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "FORGE"))}
    return {
        **kept,
        "PATH": f"{environment / 'env' / 'bin'}{os.pathsep}{programs}",
        "XDG_CONFIG_HOME": str(environment / "no-config"),
        "FORGE_SERVER__PORT": "0",
    }


@pytest.fixture(scope="module")
def demo(environment: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["forge", "demo", "--no-serve", *SMALL]
    return subprocess.run(command, cwd=environment, env=environ, capture_output=True, text=True, timeout=900)


def names_of(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as content:
        return content.namelist()


def test_the_wheel_holds_the_package_the_shop_and_the_web_app_and_nothing_else(wheel: Path) -> None:
    names = names_of(wheel)
    assert "forge/web/index.html" in names
    assert "forge/examples/shop/forge.yaml" in names
    assert "forge/cli/main.py" in names
    assert {name.split("/")[0] for name in names} == {
        "forge",
        "datalineage.py",
        wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info",
    }
    odd = re.compile(r"__pycache__|\.pyc$|(^|/)tests?/|node_modules|\.tsx?$|\.map$|/\.forge/|shop/data/")
    assert [name for name in names if odd.search(name)] == []
    assert len(names) == len(set(names))


def test_the_same_sources_give_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "wheel.py", tmp_path / "again"], check=True, timeout=300)
    (again,) = (tmp_path / "again").glob("*.whl")
    assert again.name == wheel.name
    assert hashlib.sha256(again.read_bytes()).hexdigest() == hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_the_command_is_there_and_comes_from_the_wheel(environment: Path, environ: dict[str, str]) -> None:
    where = "import forge; print(forge.__file__)"
    place = subprocess.run(
        ["python", "-c", where], cwd=environment, env=environ, capture_output=True, text=True, timeout=120, check=True
    )
    assert Path(place.stdout.strip()).is_relative_to(environment / "env")
    version = subprocess.run(
        ["forge", "--version"], cwd=environment, env=environ, capture_output=True, text=True, timeout=120, check=True
    )
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", version.stdout)
    words = ["datalineage", "--help"]
    told = subprocess.run(words, cwd=environment, env=environ, capture_output=True, text=True, timeout=120, check=True)
    assert "downstream" in told.stdout


def test_the_demo_tells_its_story_without_node(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert demo.stderr.count("✓") == 9
    assert "core.orders.amount" in demo.stderr
    assert demo.stdout == ""


def test_the_second_time_the_demo_is_not_made_again(
    demo: subprocess.CompletedProcess[str],
    environment: Path,
    environ: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    began = time.monotonic()
    # Without Java: nothing of it may need Spark.
    again = subprocess.run(
        ["forge", "demo", "--no-serve", *SMALL],
        cwd=environment,
        env={**environ, "JAVA_HOME": str(environment / "no-java")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    with capsys.disabled():
        print(f"\nforge demo the second time: {time.monotonic() - began:.1f} s")
    assert again.returncode == 0, again.stderr
    panel = "blocked on main"
    story = demo.stderr[demo.stderr.index(panel) :]
    assert again.stderr[again.stderr.index(panel) :] == story


# --- the server ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["serve", "demo"])
def address(
    request: pytest.FixtureRequest,
    demo: subprocess.CompletedProcess[str],
    environment: Path,
    environ: dict[str, str],
) -> Iterator[str]:
    """The printed address, of `forge serve` in the project and of `forge demo` itself."""
    assert demo.returncode == 0
    words = ("serve", "--project", "forge-demo") if request.param == "serve" else ("demo", *SMALL)
    log = environment / f"{request.param}.log"
    with log.open("w") as talk:
        process = subprocess.Popen(
            ["forge", *words], cwd=environment, env=environ, stdout=subprocess.PIPE, stderr=talk, text=True
        )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url, log.read_text()
        yield url
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()


def get(url: str, **headers: str) -> HTTPResponse:
    answer: HTTPResponse = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60)
    assert answer.status == 200
    return answer


def test_the_built_pages_are_served(address: str) -> None:
    parts = urlsplit(address)
    site = f"{parts.scheme}://{parts.netloc}"
    assert get(f"{site}/healthz").status == 200
    page = get(f"{site}/").read().decode()
    assert '<div id="root">' in page
    script = re.search(r'<script type="module"[^>]* src="([^"]+)"', page)
    assert script is not None
    asset = get(site + script[1])
    assert asset.headers["content-type"].startswith(("text/javascript", "application/javascript"))
    assert len(asset.read()) > 1000


def test_the_printed_token_opens_the_incident(address: str) -> None:
    parts = urlsplit(address)
    site = f"{parts.scheme}://{parts.netloc}"
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(f"{site}/api/v1/overview")
    assert refused.value.code == 401
    (token,) = parse_qs(parts.query)["token"]
    exchange = urllib.request.Request(
        f"{site}/api/v1/session", method="POST", headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(exchange, timeout=60) as answer:
        assert answer.status == 201
        cookie = answer.headers["set-cookie"]
    assert "httponly" in cookie.lower()
    overview = json.load(get(f"{site}/api/v1/overview", Cookie=cookie.split(";")[0]))
    (worst, *_) = overview["incidents"]
    assert (worst["table"], worst["column"]) == ("core.orders", "amount")
    assert worst["origin"] == "raw.orders.amount"
    assert {spared["owner"] for spared in worst["spared"]} >= {"fiona@shop.example", "maria@shop.example"}
    assert overview["counters"]["assets"] > 10
