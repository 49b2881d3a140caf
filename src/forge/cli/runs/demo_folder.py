"""The folder of the demo: a copy of the shop, and a marker file that says what it was made from and whether it is
complete."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import forge
from forge.cli.upkeep.explain import installed_version
from forge.model.errors import ForgeError, MissingFileError

MARK = ".forge-demo"  # a folder with this file is ours to replace
NOTE = "forge demo may replace this folder"
NOT_COPIED = (".forge", "data", "__pycache__")


@dataclass(frozen=True, slots=True)
class DemoMarker:
    """The marker of a finished demo: what it was made from, and its runs, one for each day."""

    digest: str
    runs: tuple[str, ...]


def shop_folder() -> Path:
    """The demo project: inside an installed package, or in the examples of a clone."""
    package = Path(forge.__file__).parent
    for folder in (package / "examples" / "shop", package.parents[1] / "examples" / "shop"):
        if (folder / "forge.yaml").exists():
            return folder
    raise MissingFileError("The demo project is not part of this installation", fix="Install Forge again.")


def digest_of(shop: Path, scale: float) -> str:
    """Of all inputs of a demo: the version of Forge, the files of the shop, the size of the data."""
    digest = hashlib.sha256(f"{installed_version()} {scale}".encode())
    for file in sorted(_files_of(shop)):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"\n{file.relative_to(shop).as_posix()} {content}".encode())
    return digest.hexdigest()


def _files_of(shop: Path) -> Iterable[Path]:
    for path in shop.rglob("*"):
        if path.is_file() and not set(path.relative_to(shop).parts) & set(NOT_COPIED):
            yield path


def prepare_folder(target: Path) -> None:
    """A fresh copy of the shop. A folder that is not a demo is never touched."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        if not (target / MARK).exists():
            raise ForgeError(
                "E109",
                f"{target} exists and is not a demo",
                why="The demo writes a project of its own and replaces only its own.",
                fix="Name another folder: forge demo my-demo",
            )
        shutil.rmtree(target)
    target.mkdir(parents=True, exist_ok=True)
    # The mark goes first: a copy that is interrupted is still ours to replace.
    (target / MARK).write_text(json.dumps({"note": NOTE}) + "\n", encoding="utf-8")
    shutil.copytree(shop_folder(), target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*NOT_COPIED))


def finish_folder(target: Path, mark: DemoMarker) -> None:
    """Writes the marker: the demo need not be made again."""
    text = json.dumps({"note": NOTE, "digest": mark.digest, "runs": list(mark.runs)}, indent=2)
    half = target / f"{MARK}.new"
    half.write_text(text + "\n", encoding="utf-8")
    half.replace(target / MARK)


def read_marker(target: Path) -> DemoMarker | None:
    """The marker of a finished demo; None for any other folder."""
    try:
        content = json.loads((target / MARK).read_text(encoding="utf-8"))
        return DemoMarker(str(content["digest"]), tuple(str(run) for run in content["runs"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
