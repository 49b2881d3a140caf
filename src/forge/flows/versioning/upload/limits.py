"""How large an upload may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class UploadLimits:
    bytes: int = 100 * 10**6
    rows: int = 1_000_000


DEFAULT_LIMITS = UploadLimits()


def too_large(name: str, has: str, most: str) -> ForgeError:
    return ForgeError(
        "E622",
        f"{name} has {has}",
        why=f"At most {most} can be uploaded at once.",
        fix="Divide the file, or make it a source of the project and load it by `forge run`.",
    )
