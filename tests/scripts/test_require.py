"""A machine that lacks a tool is told so, with the line that installs it, before anything is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "require.sh"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder to be the whole PATH: only the tools that every system has."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("bash", "sed", "head"):
        (folder / tool).symlink_to(str(shutil.which(tool)))
    pretend(folder, "uname", "echo Linux")
    return folder


def pretend(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!{shutil.which('bash')}\n{script}\n")
    file.chmod(0o755)


def require(*what: str, machine: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [str(shutil.which("bash")), str(SCRIPT), *what]
    return subprocess.run(command, env={"PATH": str(machine), **variables}, capture_output=True, text=True, timeout=60)


def java_of(version: str) -> str:
    return f"echo 'openjdk version \"{version}\" 2024-01-01' >&2"


@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("apt-get", "sudo apt-get install -y openjdk-17-jre-headless"),
        ("dnf", "sudo dnf install -y java-17-openjdk-headless"),
        ("apk", "sudo apk add openjdk17-jre-headless"),
        (None, "install Java 17 and set JAVA_HOME"),
    ],
)
def test_a_missing_java_is_named_with_the_line_that_installs_it(machine: Path, manager: str | None, line: str) -> None:
    if manager:
        pretend(machine, manager, "exit 0")
    result = require("java", machine=machine)
    assert result.returncode == 3
    assert "missing: Java 17 or later" in result.stderr
    assert f"fix:  {line}\n" in result.stderr


def test_on_a_mac_the_line_is_that_of_brew(machine: Path) -> None:
    pretend(machine, "uname", "echo Darwin")
    assert "fix:  brew install --cask temurin@17\n" in require("java", machine=machine).stderr
    assert "fix:  brew install python@3.12\n" in require("python", machine=machine).stderr


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2", "16"])
def test_an_old_java_is_refused_and_its_version_said(machine: Path, version: str) -> None:
    pretend(machine, "java", java_of(version))
    result = require("java", machine=machine)
    assert result.returncode == 3
    assert f"is version {version.removeprefix('1.').split('.')[0]}" in result.stderr


@pytest.mark.parametrize(("version", "major"), [("17.0.15", "17"), ("21", "21"), ("25-ea", "25")])
def test_java_17_and_later_will_do(machine: Path, version: str, major: str) -> None:
    pretend(machine, "java", java_of(version))
    result = require("java", machine=machine)
    assert (result.returncode, result.stdout) == (0, f"{major}\n")


def test_java_home_goes_before_the_path(machine: Path, tmp_path: Path) -> None:
    pretend(machine, "java", java_of("17.0.1"))
    pretend(tmp_path / "old", "bin/java", java_of("11.0.2"))
    result = require("java", machine=machine, JAVA_HOME=str(tmp_path / "old"))
    assert result.returncode == 3
    assert "is version 11" in result.stderr


def test_a_missing_python_is_named_with_the_line_that_installs_it(machine: Path) -> None:
    pretend(machine, "apt-get", "exit 0")
    pretend(machine, "python3", "exit 1")  # there, but of another version
    result = require("python", machine=machine)
    assert result.returncode == 3
    assert "missing: Python 3.11, 3.12 or 3.13" in result.stderr
    assert "fix:  sudo apt-get install -y python3 python3-venv\n" in result.stderr


def test_a_python_that_is_there_but_does_not_run_is_passed_over(machine: Path) -> None:
    pretend(machine, "python3.13", "echo 'command not found' >&2; exit 127")
    pretend(machine, "python3.12", "exit 0")
    assert require("python", machine=machine).stdout == "python3.12\n"


def test_a_python_without_venv_names_the_package(machine: Path) -> None:
    pretend(machine, "apt-get", "exit 0")
    pretend(machine, "python3.11", 'case "$2" in *ensurepip*) exit 1 ;; *print*) echo 3.11 ;; esac')
    result = require("python", machine=machine)
    assert result.returncode == 3
    assert "fix:  sudo apt-get install -y python3.11-venv\n" in result.stderr


# --- Node ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("apt-get", "sudo apt-get install -y nodejs npm"),
        ("dnf", "sudo dnf install -y nodejs npm"),
        ("apk", "sudo apk add nodejs npm"),
        (None, "install Node 22 from nodejs.org"),
    ],
)
def test_a_missing_node_is_named_with_the_line_that_installs_it(machine: Path, manager: str | None, line: str) -> None:
    if manager:
        pretend(machine, manager, "exit 0")
    result = require("node", machine=machine)
    assert result.returncode == 3
    assert "missing: Node 20.19 or later" in result.stderr
    assert f"fix:  {line}\n" in result.stderr


@pytest.mark.parametrize("version", ["18.20.4", "20.18.3", "21.7.0", "22.11.0"])
def test_a_node_that_vite_does_not_run_on_is_refused_and_its_version_said(machine: Path, version: str) -> None:
    pretend(machine, "apt-get", "exit 0")
    pretend(machine, "npm", "echo 10.0.0")
    pretend(machine, "node", f"echo v{version}")
    result = require("node", machine=machine)
    assert result.returncode == 3
    assert f"node is version {version}" in result.stderr
    assert "fix:  install Node 22 from nodejs.org\n" in result.stderr  # the system's package is this one


@pytest.mark.parametrize("version", ["20.19.0", "20.20.2", "22.12.0", "24.1.0"])
def test_a_node_that_vite_runs_on_will_do(machine: Path, version: str) -> None:
    pretend(machine, "npm", "echo 10.0.0")
    pretend(machine, "node", f"echo v{version}")
    result = require("node", machine=machine)
    assert (result.returncode, result.stdout) == (0, f"{version}\n")


def test_a_node_without_npm_is_not_enough(machine: Path) -> None:
    pretend(machine, "apt-get", "exit 0")
    pretend(machine, "node", "echo v20.19.2")
    result = require("node", machine=machine)
    assert result.returncode == 3
    assert "missing: npm" in result.stderr
    assert "fix:  sudo apt-get install -y npm\n" in result.stderr


# --- several, and those of tests and benchmarks ----------------------------------------------------------------------


def test_all_that_is_missing_is_named_at_once(machine: Path) -> None:
    pretend(machine, "java", java_of("17.0.1"))
    result = require("python", "java", "node", machine=machine)
    assert result.returncode == 3
    assert [line for line in result.stderr.splitlines() if line.startswith("missing: ")] == [
        "missing: Python 3.11, 3.12 or 3.13",
        "missing: Node 20.19 or later",
    ]


def test_where_nothing_is_missing_all_is_well(machine: Path) -> None:
    pretend(machine, "java", java_of("17.0.1"))
    pretend(machine, "python3.12", "exit 0")
    result = require("python", "java", machine=machine)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_is_found_by_any_of_its_names(machine: Path, name: str) -> None:
    pretend(machine, name, "echo Chromium 140")
    result = require("chromium", machine=machine)
    assert (result.returncode, result.stdout) == (0, f"{machine / name}\n")


def test_a_browser_that_is_only_a_stub_is_passed_over(machine: Path) -> None:
    pretend(machine, "apt-get", "exit 0")
    pretend(machine, "chromium-browser", "echo 'requires the chromium snap' >&2; exit 1")
    result = require("chromium", machine=machine)
    assert result.returncode == 3
    assert "fix:  sudo apt-get install -y --no-install-recommends chromium\n" in result.stderr


def test_a_missing_wrk_is_named_and_never_installed(machine: Path) -> None:
    pretend(machine, "apt-get", f"touch {machine}/called")
    result = require("wrk", machine=machine)
    assert result.returncode == 3
    assert "fix:  sudo apt-get install -y wrk\n" in result.stderr
    assert not (machine / "called").exists()


def test_an_unknown_need_is_a_mistake_of_the_caller(machine: Path) -> None:
    assert require("ruby", machine=machine).returncode == 2
    assert require(machine=machine).returncode == 2
