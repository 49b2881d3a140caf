"""Fair turns: CPU-bound requests run a few at a time per token, so that a token with many requests delays only
itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from forge.model.errors import ForgeError

AT_ONCE, WAITING = 4, 32


@dataclass(slots=True)
class _Line:
    turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    length: int = 0  # those at work and those who wait


class FairTurns:
    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    @asynccontextmanager
    async def of(self, token: str) -> AsyncIterator[None]:
        """E913 where so many wait already that more would only hold their bodies in memory."""
        line = self._lines.setdefault(token, _Line())
        if line.length >= AT_ONCE + WAITING:
            raise ForgeError(
                "E913",
                f"{line.length} questions of this token are being answered or wait",
                why=f"{AT_ONCE} of them are answered at a time.",
                fix="Wait for some of the answers, then ask again.",
            )
        line.length += 1
        try:
            async with line.turn:
                yield
        finally:
            line.length -= 1
            if line.length == 0:
                del self._lines[token]
