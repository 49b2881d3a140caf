"""The key of hashes that stand for values: a private file of the project, where forge.yaml names no secret."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from forge.flows.upkeep.private_files import FILE, HOUSE, private_folder

_BYTES = 32


def load_mask_key(root: Path) -> bytes:
    """Made by whoever is first; all others read the same."""
    file = private_folder(root / HOUSE) / "mask.key"
    if not file.exists():
        draft = file.with_name(f"mask.key.{secrets.token_hex(8)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE), "wb") as written:
            written.write(secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            os.link(draft, file)  # which, unlike a rename, never replaces the key of another
        draft.unlink()
    return file.read_bytes()
