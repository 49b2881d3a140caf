"""Files that a command writes: atomically, with an error where that fails."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from forge.model.errors import ForgeError


def write_text(file: Path, text: str) -> None:
    """Creates parent folders. Raises E717."""
    write_bytes(file, text.encode("utf-8"))


def write_bytes(file: Path, content: bytes) -> None:
    """Creates parent folders. Raises E717."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
        draft.replace(file)
    except OSError as error:
        raise ForgeError(
            "E717",
            f"{file} cannot be written",
            where=str(file),
            why=f"{error.strerror or error}.",
            fix="Name a file in a folder that can be written to.",
        ) from error
    finally:
        with suppress(OSError):  # it is not there, or never could be
            draft.unlink()
