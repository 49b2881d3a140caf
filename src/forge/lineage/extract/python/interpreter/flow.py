"""Where a statement leads."""

from __future__ import annotations

from enum import Enum


class Flow(Enum):
    NEXT = "next"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    RAISE = "raise"
