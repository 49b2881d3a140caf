"""Texts too large to be kept: refused with a code, at once, in little memory. The small ones are in cases/hostile."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from forge.contracts import find_drift, lint

HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: active\n"
MEGABYTE = 1_000_000
SECONDS = 2.0


def deep(opening: str, times: int) -> str:
    return f"{HEAD}tags: {opening * times}"


def twofold(times: int) -> str:
    """Each anchor holds the one before it twice: 2 ** times texts."""
    return HEAD + "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, times))


HUGE: dict[str, Callable[[], str | bytes]] = {
    "a hundred megabytes of text": lambda: HEAD.encode() + b"domain: " + b"x" * (100 * MEGABYTE),
    "a hundred megabytes of short lines": lambda: b"- a\n" * (25 * MEGABYTE),
    "a hundred megabytes of no UTF-8": lambda: b"\xff" * (100 * MEGABYTE),
    "lists in lists in lists": lambda: deep("[", 100_000),
    "lists in lists that are closed": lambda: deep("[", 20_000) + "]" * 20_000,
    "objects in objects": lambda: deep("{a: ", 100_000),
    "lists in lists, by dashes": lambda: f"{HEAD}tags:\n {'- ' * 50_000}",
    "deeper with every line": lambda: HEAD + "\n".join(" " * depth + "a:" for depth in range(3_000)),
    "one large anchor, many aliases": lambda: f"{HEAD}a: &a [{'x, ' * 5_000}x]\nb: [{'*a, ' * 5_000}*a]",
    "a chain of twofold aliases": lambda: twofold(60),
    "UTF-16": lambda: (HEAD + "domain: sales").encode("utf-16"),
}


@pytest.mark.parametrize("made", HUGE.values(), ids=HUGE)
def test_a_huge_text_is_refused_at_once(made: Callable[[], str | bytes]) -> None:
    text = made()
    began = time.process_time()
    found = lint(text)
    assert time.process_time() - began < SECONDS
    assert found
    assert {one.code for one in found} == {"E502"}
    assert all(one.fix and one.line >= 1 for one in found)


def test_refusing_a_hundred_megabytes_takes_no_memory() -> None:
    text = HEAD.encode() + b"domain: " + b"x" * (100 * MEGABYTE)
    tracemalloc.start()
    try:
        found = lint(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [one.code for one in found] == ["E502"]
    assert peak < 20 * MEGABYTE


def wide(columns: int) -> str:
    lines = "".join(f"      - {{name: c{n}, logicalType: string, description: column {n}}}\n" for n in range(columns))
    return f"{HEAD}schema:\n  - name: wide\n    properties:\n{lines}"


def test_a_large_honest_contract_is_read() -> None:
    assert lint(wide(2_000)) == ()


@pytest.mark.slow
def test_a_wide_table_of_other_columns_is_told_at_once() -> None:
    began = time.process_time()
    found = find_drift(wide(2_000), {"wide": {f"d{n}": "string" for n in range(2_000)}})
    assert time.process_time() - began < SECONDS
    assert [one.code for one in found] == ["E531"] * 2_000 + ["E532"] * 2_000
