"""File permissions of `.forge`, which is for the user who runs it: records, logs and samples hold other people's data.

Folders are 0700 and files 0600, whatever the umask; those of earlier versions are corrected on next use."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

HOUSE = ".forge"
FOLDER, FILE = 0o700, 0o600
_OTHERS = 0o077
_BESIDE = ("-wal", "-shm", "-journal")  # SQLite gives them the rights of the database, when it makes them


def private_folder(folder: Path) -> Path:
    """The folder, created if missing. Within `.forge`, it and all parents up to there are private."""
    folder.mkdir(mode=FOLDER, parents=True, exist_ok=True)
    if HOUSE in folder.parts:
        for one in (folder, *folder.parents):
            _close(one, FOLDER)
            if one.name == HOUSE:
                break
    return folder


def private_file(file: Path) -> Path:
    """The file, created if missing; readable by its owner alone, like SQLite's companion files."""
    private_folder(file.parent)
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))
    for one in (file, *(file.with_name(file.name + ending) for ending in _BESIDE)):
        _close(one, FILE)
    return file


def close_to_others(root: Path) -> tuple[Path, ...]:
    """Make a project's `.forge` private; returns what was readable by others."""
    found = tuple(find_open(root / HOUSE))
    for path in found:
        _close(path, FOLDER if path.is_dir() else FILE)
    return found


def find_open(house: Path) -> Iterator[Path]:
    """What others may read. Tables are in folders of their own, protected by the first private parent."""
    if is_open(house):
        yield house
    for folder, folders, files in os.walk(house):
        folders[:] = [name for name in folders if name != "warehouse"]
        yield from (path for name in (*folders, *files) if is_open(path := Path(folder, name)))


def is_open(path: Path) -> bool:
    try:
        return bool(path.lstat().st_mode & _OTHERS) and not path.is_symlink()
    except OSError:
        return False


def _close(path: Path, mode: int) -> None:
    """Left as it is where we may not change it; `forge doctor` reports it."""
    with suppress(OSError):
        if stat.S_IMODE(path.lstat().st_mode) & _OTHERS and not path.is_symlink():
            path.chmod(mode)
