"""Formats of text that a profile recognises. A pattern holds for Java and for Python alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_VALUES = 20  # of a sample; fewer say nothing
LEAST_SHARE = 0.98  # of the sample that has the format: a few broken values are what a check is for


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    pattern: str


# The first that fits is taken, so the narrow ones stand first.
FORMATS = (
    Format("UUID", r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"),
    Format("e-mail address", r"^[^@\s]+@[^@\s]+\.[^@\s]+$"),
    Format("web address", r"^https?://\S+$"),
    Format("IPv4 address", r"^(\d{1,3}\.){3}\d{1,3}$"),
    Format("time as text", r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$"),
    Format("date as text", r"^\d{4}-\d{2}-\d{2}$"),
    Format("phone number", r"^\+[0-9]{8,15}$"),
    Format("SHA-256 in hex", r"^[0-9a-f]{64}$"),
    Format("MD5 in hex", r"^[0-9a-f]{32}$"),
    Format("IBAN", r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$"),
    Format("number as text", r"^[-+]?\d+\.\d+$"),
)


def guess_format(values: Sequence[str]) -> Format | None:
    """The first that nearly all values have."""
    if len(values) < LEAST_VALUES:
        return None
    for one in FORMATS:
        held = sum(re.search(one.pattern, value) is not None for value in values)
        if held >= LEAST_SHARE * len(values):
            return one
    return None
