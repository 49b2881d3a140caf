"""Formatting of numbers, times and ids in the terminal."""

from __future__ import annotations

from datetime import datetime


def count(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else ""


def plural(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(value: object) -> str:
    if not isinstance(value, int | float):
        return ""
    amount = float(value)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if abs(amount) < 1000 or unit == "TB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return ""


def moment(value: object) -> str:
    """To the second, in UTC."""
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else ""


def short(commit_id: object) -> str:
    return str(commit_id)[:12] if commit_id else ""


def signed(value: int) -> str:
    return f"{value:+,}" if value else "0"
