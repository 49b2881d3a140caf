"""Whether one regular expression accepts more texts than another, decided on their automata.

A pattern is searched anywhere in a text, as by `RLIKE`, unless anchored by `^` and `$`. Texts have one line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from forge.contracts.pattern.syntax import (
    LAST,
    Alternatives,
    Begin,
    Characters,
    End,
    Item,
    Repeat,
    Sequence,
    UnsupportedPattern,
    parse_pattern,
)

_LINE_END = 0x0A
_LETTERS = (*range(0x61, 0x7B), *range(0x30, 0x3A), *range(0x41, 0x5B))
_READABLE = range(0x21, 0x7F)
_MOST_STATES = 1_500
_MOST_PAIRS = 6_000
_MOST_SIGNS = 2_000
_MOST_EFFORT = 1_000_000  # states and ranges looked at; less than half a second
_BUDGET = 4 * _MOST_EFFORT


@dataclass(frozen=True, slots=True)
class _Outcome:
    """`effort`: number of states and ranges visited."""

    example: str | None
    effort: int
    problem: str = ""


@dataclass(slots=True)
class _Effort:
    effort: int = 0


_spent: ContextVar[_Effort | None] = ContextVar("forge_pattern_budget", default=None)


@contextmanager
def pattern_budget() -> Iterator[None]:
    """Budget for one comparison of contracts: once patterns took too much effort, the rest is undecidable. Cached
    results count as well, so that the answer is deterministic."""
    token = _spent.set(_spent.get() or _Effort())
    try:
        yield
    finally:
        _spent.reset(token)


def counterexample(own: str, above: str) -> str | None:
    """The shortest text that `own` accepts and `above` does not; None where there is none. Raises for unsupported
    patterns: look-around, back references, flags, too large."""
    spent = _spent.get()
    if spent is not None and spent.effort > _BUDGET:
        raise UnsupportedPattern("the patterns are too many to compare")
    outcome = _outcome(own, above)
    if spent is not None:
        spent.effort += outcome.effort
    if outcome.problem:
        raise UnsupportedPattern(outcome.problem)
    return outcome.example


@lru_cache(maxsize=4096)
def _outcome(own: str, above: str) -> _Outcome:
    """Failures are cached like answers: they take longest."""
    automata: list[_Automaton] = []
    try:
        for pattern in (own, above):
            automata.append(_Automaton())
            automata[-1].read(parse_pattern(pattern))
        return _Outcome(_walk(*automata), sum(each.effort for each in automata))
    except UnsupportedPattern as error:
        return _Outcome(None, sum(each.effort for each in automata), str(error))


def _walk(first: _Automaton, second: _Automaton) -> str | None:
    signs = _signs((*first.ranges, *second.ranges))
    start = (first.start, second.start)
    words: dict[tuple[int, int], str] = {start: ""}
    todo = deque([start])
    while todo:
        pair = todo.popleft()
        if first.accepts(pair[0]) and not second.accepts(pair[1]):
            return words[pair]
        if second.accepts_all(pair[1]):
            continue
        for sign in signs:
            after = (first.step(pair[0], sign), second.step(pair[1], sign))
            if after not in words:
                words[after] = words[pair] + chr(sign)
                todo.append(after)
        if len(words) > _MOST_PAIRS:
            raise UnsupportedPattern("the patterns are too large to compare")
    return None


def _signs(ranges: Iterable[tuple[int, int]]) -> list[int]:
    """One representative of every character class that the patterns distinguish, readable where possible."""
    cuts = sorted({0, LAST + 1, *(edge for low, high in ranges for edge in (low, high + 1))})
    if len(cuts) > _MOST_SIGNS:
        raise UnsupportedPattern("the patterns tell too many signs apart")
    found = [_readable(low, high - 1) for low, high in pairwise(cuts) if (low, high) != (_LINE_END, _LINE_END + 1)]
    return sorted(found, key=lambda sign: (sign not in _READABLE, sign not in _LETTERS, sign))


def _readable(low: int, high: int) -> int:
    wanted = next((sign for sign in (*_LETTERS, *_READABLE) if low <= sign <= high), None)
    return low if wanted is None else wanted


class _Automaton:
    """The states of a pattern, determinised lazily. State 0 reads anything before the match, the last one anything
    after it."""

    def __init__(self) -> None:
        self.effort = 0
        self.ranges: list[tuple[int, int]] = []
        self._empty: list[list[int]] = []
        self._begins: list[list[int]] = []
        self._ends: list[list[int]] = []
        self._reads: list[list[tuple[tuple[tuple[int, int], ...], int]]] = []
        self._sets: list[frozenset[int]] = []
        self._known: dict[frozenset[int], int] = {}
        self._steps: dict[tuple[int, int], int] = {}
        self._accepting: dict[int, bool] = {}

    def read(self, pattern: Item) -> None:
        before = self._state()
        begin, end = self._add(pattern)
        self._final = self._state()
        self._empty[before].append(begin)
        self._empty[end].append(self._final)
        anything = ((0, LAST),)
        self._reads[before].append((anything, before))
        self._reads[self._final].append((anything, self._final))
        self.start = self._number(self._closure({before}, at_begin=True, at_end=False))
        self._at_once = self._final in self._closure({before}, at_begin=True, at_end=True)

    def step(self, state: int, sign: int) -> int:
        if (state, sign) not in self._steps:
            self._spend(sum(1 + len(ranges) for each in self._sets[state] for ranges, _ in self._reads[each]))
            reached = {
                target
                for each in self._sets[state]
                for ranges, target in self._reads[each]
                if any(low <= sign <= high for low, high in ranges)
            }
            self._steps[state, sign] = self._number(self._closure(reached, at_begin=False, at_end=False))
        return self._steps[state, sign]

    def accepts(self, state: int) -> bool:
        """Whether the text may end here."""
        if state not in self._accepting:
            found = self._final in self._closure(set(self._sets[state]), at_begin=False, at_end=True)
            self._accepting[state] = found or (state == self.start and self._at_once)
        return self._accepting[state]

    def accepts_all(self, state: int) -> bool:
        """Whether every continuation is accepted."""
        return self._final in self._sets[state]

    def _number(self, states: frozenset[int]) -> int:
        if states not in self._known:
            if len(self._sets) >= _MOST_STATES:
                raise UnsupportedPattern("the pattern is too large to compare")
            self._known[states] = len(self._sets)
            self._sets.append(states)
        return self._known[states]

    def _spend(self, effort: int) -> None:
        self.effort += effort
        if self.effort > _MOST_EFFORT:
            raise UnsupportedPattern("the pattern is too large to compare")

    def _closure(self, states: set[int], *, at_begin: bool, at_end: bool) -> frozenset[int]:
        todo, found = list(states), set(states)
        while todo:
            state = todo.pop()
            after = [*self._empty[state]]
            after += self._begins[state] if at_begin else []
            after += self._ends[state] if at_end else []
            new = {each for each in after if each not in found}
            found.update(new)
            todo.extend(new)
        self._spend(len(found))
        return frozenset(found)

    def _state(self) -> int:
        if len(self._empty) >= _MOST_STATES:
            raise UnsupportedPattern("the pattern is too large to compare")
        for each in (self._empty, self._begins, self._ends):
            each.append([])
        self._reads.append([])
        self._spend(1)
        return len(self._empty) - 1

    def _add(self, item: Item) -> tuple[int, int]:
        """The start and end states of a part."""
        begin, end = self._state(), self._state()
        match item:
            case Characters(ranges):
                self.ranges.extend(ranges)
                self._reads[begin].append((ranges, end))
            case Begin():
                self._begins[begin].append(end)
            case End():
                self._ends[begin].append(end)
            case Sequence(parts):
                self._chain(begin, [self._add(part) for part in parts], end)
            case Alternatives(parts):
                for part in parts:
                    self._chain(begin, [self._add(part)], end)
            case Repeat(part, least, most):
                self._repeat(begin, part, least, most, end)
        return begin, end

    def _chain(self, begin: int, parts: list[tuple[int, int]], end: int) -> None:
        at = begin
        for first, last in parts:
            self._empty[at].append(first)
            at = last
        self._empty[at].append(end)

    def _repeat(self, begin: int, part: Item, least: int, most: int | None, end: int) -> None:
        parts = [self._add(part) for _ in range(least)]
        self._chain(begin, parts, last := self._state())
        if most is None:
            first, behind = self._add(part)
            self._empty[last] += [first, end]
            self._empty[behind].append(last)
            return
        self._empty[last].append(end)
        for _ in range(most - least):
            first, behind = self._add(part)
            self._empty[last].append(first)
            self._empty[behind].append(end)
            last = behind
