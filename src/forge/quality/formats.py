"""String formats that a profile recognises. Patterns are valid in Java and Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_VALUES = 20  # of a sample; fewer are not significant
LEAST_SHARE = 0.98  # of the sample that has the format: a few broken values are what a check is for


@dataclass(frozen=True, slots=True)
class TextFormat:
    name: str
    pattern: str


# The first match wins, so narrow formats come first.
FORMATS = (
    TextFormat("UUID", r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"),
    TextFormat("e-mail address", r"^[^@\s]+@[^@\s]+\.[^@\s]+$"),
    TextFormat("web address", r"^https?://\S+$"),
    TextFormat("IPv4 address", r"^(\d{1,3}\.){3}\d{1,3}$"),
    TextFormat("time as text", r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$"),
    TextFormat("date as text", r"^\d{4}-\d{2}-\d{2}$"),
    TextFormat("phone number", r"^\+[0-9]{8,15}$"),
    TextFormat("SHA-256 in hex", r"^[0-9a-f]{64}$"),
    TextFormat("MD5 in hex", r"^[0-9a-f]{32}$"),
    TextFormat("IBAN", r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$"),
    TextFormat("number as text", r"^[-+]?\d+\.\d+$"),
)


def guess_format(values: Sequence[str]) -> TextFormat | None:
    """The first format that nearly all values match."""
    if len(values) < LEAST_VALUES:
        return None
    for one in FORMATS:
        held = sum(re.search(one.pattern, value) is not None for value in values)
        if held >= LEAST_SHARE * len(values):
            return one
    return None
