"""`make test` finds the browser, installs it where it may, and otherwise says how."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "env", "sed", "head", "dirname", "mktemp", "rm", "cat")
LINE = "fix:  sudo apt-get install -y --no-install-recommends chromium\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder to be the whole PATH, of a root on Debian."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        (folder / tool).symlink_to(str(shutil.which(tool)))
    pretend(folder, "uname", "echo Linux")
    pretend(folder, "id", "echo 0")
    return folder


def pretend(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!{shutil.which('bash')}\n{script}\n")
    (folder / name).chmod(0o755)


def apt_get(folder: Path, *, lists: bool) -> None:
    """Installs a browser; without the lists of packages only after an update."""
    (folder / "chromium.deb").write_text(f"#!{shutil.which('bash')}\necho Chromium 140\n")
    (folder / "chromium.deb").chmod(0o755)
    if lists:
        (folder / "lists").touch()
    pretend(
        folder,
        "apt-get",
        f"""echo "$1" >>{folder}/calls
if [ "$1" = update ]; then : >{folder}/lists; exit 0; fi
[ -e {folder}/lists ] || {{ echo "Unable to locate package chromium"; exit 100; }}
{shutil.which("cp")} {folder}/chromium.deb {folder}/chromium""",
    )


def find(machine: Path) -> subprocess.CompletedProcess[str]:
    script = [str(shutil.which("bash")), str(ROOT / "scripts" / "chromium.sh")]
    return subprocess.run(script, env={"PATH": str(machine)}, capture_output=True, text=True, timeout=60)


def calls(machine: Path) -> list[str]:
    file = machine / "calls"
    return file.read_text().split() if file.exists() else []


def test_a_browser_that_is_there_is_taken(machine: Path) -> None:
    apt_get(machine, lists=True)
    pretend(machine, "chromium", "echo Chromium 140")
    result = find(machine)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{machine}/chromium\n", "")
    assert calls(machine) == []


@pytest.mark.parametrize(("lists", "called"), [(True, ["install"]), (False, ["install", "update", "install"])])
def test_root_on_debian_gets_it_installed_and_is_told(machine: Path, lists: bool, called: list[str]) -> None:
    apt_get(machine, lists=lists)
    result = find(machine)
    assert (result.returncode, result.stdout) == (0, f"{machine}/chromium\n")
    assert "is installed with apt-get" in result.stderr
    assert calls(machine) == called


def test_whoever_is_not_root_is_told_the_line(machine: Path) -> None:
    apt_get(machine, lists=True)
    pretend(machine, "id", "echo 1000")
    result = find(machine)
    assert result.returncode == 3
    assert LINE in result.stderr
    assert calls(machine) == []


def test_an_installation_that_fails_shows_why(machine: Path) -> None:
    pretend(machine, "apt-get", "echo 'no space left'; exit 100")
    result = find(machine)
    assert result.returncode == 3
    assert "no space left" in result.stderr
    assert LINE in result.stderr
