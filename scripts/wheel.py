"""Builds the wheel into dist/ from what is here: no network, no build isolation. The web app must be there already.

`make wheel` does both."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COULD_NOT_RUN = 3
NEEDED = ("forge/web/index.html", "forge/examples/shop/forge.yaml", "forge/py.typed")


def build(folder: Path) -> Path:
    """The wheel, in a folder that then holds no other one."""
    for older in folder.glob("*.whl"):
        older.unlink()
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def find_missing(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
    return [name for name in NEEDED if name not in names]


def main(arguments: Sequence[str]) -> int:
    if not (ROOT / "src" / "forge" / "web" / "index.html").exists():
        print("missing: src/forge/web/index.html", file=sys.stderr)
        print("   why:  the wheel carries the built web app\n   fix:  make ui", file=sys.stderr)
        return COULD_NOT_RUN
    wheel = build(Path(arguments[0]).resolve() if arguments else ROOT / "dist")
    missing = find_missing(wheel)
    if missing:
        print(f"{wheel.name} lacks {', '.join(missing)}", file=sys.stderr)
        return COULD_NOT_RUN
    print(f"{wheel}  {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
