"""Texts that others wrote, made harmless to a terminal."""

from __future__ import annotations

# Of texts that others wrote: names, messages, values. They could move the cursor or colour what follows.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
# Marks that turn the direction of what follows: with them a text reads other than it is.
_CONTROLS |= {
    code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


def without_controls(text: str) -> str:
    """Control characters and marks of direction as escapes that can be read."""
    return text.translate(_CONTROLS)
