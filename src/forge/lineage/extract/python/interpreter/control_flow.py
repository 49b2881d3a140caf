"""Control flow after a statement."""

from __future__ import annotations

from enum import Enum


class ControlFlow(Enum):
    NEXT = "next"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    RAISE = "raise"
