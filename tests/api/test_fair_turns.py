"""Questions of one token wait for each other, and for nobody else's."""

from __future__ import annotations

import asyncio

import pytest

from forge.api.fair_turns import AT_ONCE, WAITING, FairTurns
from forge.model.errors import ForgeError


def test_a_few_are_answered_at_a_time_and_others_do_not_wait_for_them() -> None:
    async def ask() -> tuple[list[int], str]:
        turns, may_end, asked = FairTurns(), asyncio.Event(), []

        async def question(number: int, token: str) -> None:
            async with turns.of(token):
                asked.append(number)
                if token == "busy":
                    await may_end.wait()

        tasks = [asyncio.create_task(question(number, "busy")) for number in range(AT_ONCE + WAITING)]
        await asyncio.sleep(0)
        assert asked == list(range(AT_ONCE))
        await asyncio.wait_for(question(-1, "other"), 10)
        with pytest.raises(ForgeError) as refused:
            await question(-2, "busy")
        may_end.set()
        await asyncio.wait_for(asyncio.gather(*tasks), 10)
        await asyncio.wait_for(question(-3, "busy"), 10)
        return asked, refused.value.code

    asked, code = asyncio.run(ask())
    assert code == "E913"
    assert sorted(asked) == [-3, -1, *range(AT_ONCE + WAITING)]


def test_a_question_that_fails_gives_its_turn_away() -> None:
    async def ask() -> int:
        turns = FairTurns()
        for _ in range(3 * (AT_ONCE + WAITING)):
            with pytest.raises(ValueError, match="no"):
                async with turns.of("t"):
                    raise ValueError("no")
        return len(turns._lines)

    assert asyncio.run(ask()) == 0
