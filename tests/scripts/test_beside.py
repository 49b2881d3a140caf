"""Two things at once: neither mixes its words with the other, and neither outlives it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "beside.sh"


def beside(quiet: str, *command: str, at: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(SCRIPT), quiet, *command], cwd=at, capture_output=True, text=True, timeout=60)


def test_both_run_at_once_and_the_words_of_the_first_come_last(tmp_path: Path) -> None:
    """Each waits for the other to have begun, so one after the other would never end."""
    wait = "until [ -e {0} ]; do sleep 0.01; done"
    done = beside(
        f"touch one; {wait.format('two')}; echo quiet",
        "bash",
        "-c",
        f"touch two; {wait.format('one')}; echo loud",
        at=tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "loud\nquiet\n")


@pytest.mark.parametrize(("quiet", "loud", "status"), [("exit 4", "exit 0", 4), ("exit 0", "exit 5", 5)])
def test_the_failure_of_either_is_the_failure_of_both(tmp_path: Path, quiet: str, loud: str, status: int) -> None:
    done = beside(f"echo said; {quiet}", "bash", "-c", loud, at=tmp_path)
    assert done.returncode == status


def test_what_the_quiet_one_said_is_shown_when_it_fails(tmp_path: Path) -> None:
    assert "npm error" in beside("echo npm error >&2; exit 3", "true", at=tmp_path).stdout


def test_the_quiet_one_and_its_children_end_with_the_other(tmp_path: Path) -> None:
    child = "sleep 300 & echo $! >child; touch begun; wait"
    done = beside(child, "bash", "-c", "until [ -e begun ]; do sleep 0.01; done; exit 7", at=tmp_path)
    assert done.returncode == 7
    pid = (tmp_path / "child").read_text().strip()
    # Killed, it is gone or waits to be noticed by the parent it fell to.
    status = Path(f"/proc/{pid}/status")
    for _ in range(500):
        if not status.exists() or "State:\tZ" in status.read_text():
            return
        subprocess.run(["sleep", "0.01"], check=True)
    pytest.fail("the child still runs")
