"""Parser for the subset of regular expressions that contracts use. Characters are code points."""

from __future__ import annotations

import re
from dataclasses import dataclass

LAST = 0x10FFFF
_DEPTH = 40

Ranges = tuple[tuple[int, int], ...]


class UnsupportedPattern(Exception):
    """The pattern uses unsupported syntax."""


@dataclass(frozen=True, slots=True)
class Characters:
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Begin:
    """`^`."""


@dataclass(frozen=True, slots=True)
class End:
    """`$`."""


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    parts: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    part: Item
    least: int
    most: int | None


Item = Characters | Begin | End | Sequence | Alternatives | Repeat

_DIGITS: Ranges = ((0x30, 0x39),)
_WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Ranges = ((0x09, 0x0D), (0x20, 0x20))
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0", "a": "\a"}
_QUANTIFIER = re.compile(r"\{(\d{1,4})(?:(,)(\d{1,4})?)?\}")
_GROUP = re.compile(r"\(\?(?::|P?<[A-Za-z]\w*>)")


def parse_pattern(text: str) -> Item:
    """Raises NotUnderstood."""
    parser = _Parser(text)
    found = parser.alternatives(0)
    if not parser.at_end:
        raise UnsupportedPattern("an unbalanced parenthesis")
    return found


def inverted(ranges: Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    at = 0
    for low, high in sorted(ranges):
        if low > at:
            found.append((at, low - 1))
        at = max(at, high + 1)
    return (*found, (at, LAST)) if at <= LAST else tuple(found)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def alternatives(self, depth: int) -> Item:
        if depth > _DEPTH:
            raise UnsupportedPattern("nested too deeply")
        parts = [self._sequence(depth)]
        while self._take("|"):
            parts.append(self._sequence(depth))
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))

    def _sequence(self, depth: int) -> Item:
        parts: list[Item] = []
        while not self.at_end and self._peek() not in "|)":
            parts.append(self._quantified(self._atom(depth)))
        return Sequence(tuple(parts))

    def _quantified(self, item: Item) -> Item:
        bounds: tuple[int, int | None] | None = None
        counted = _QUANTIFIER.match(self._text, self._at)
        if counted:
            self._at = counted.end()
            least = int(counted[1])
            bounds = (least, int(counted[3]) if counted[3] else None if counted[2] else least)
        else:
            simple = {"*": (0, None), "+": (1, None), "?": (0, 1)}
            if self._peek() in simple:
                bounds = simple[self._next()]
        if bounds is None:
            return item
        if self._peek() == "+" or isinstance(item, Begin | End):
            raise UnsupportedPattern("a possessive quantifier, or one of a place")
        self._take("?")  # lazy: finds the same texts
        if _QUANTIFIER.match(self._text, self._at) or self._peek() in ("*", "+", "?"):
            raise UnsupportedPattern("two quantifiers in a row")
        if bounds[1] is not None and bounds[1] < bounds[0]:
            raise UnsupportedPattern("a quantifier that ends before it begins")
        return Repeat(item, *bounds)

    def _atom(self, depth: int) -> Item:
        sign = self._peek()
        if sign == "(":
            return self._group(depth)
        self._at += 1
        match sign:
            case "[":
                return Characters(self._class())
            case ".":
                return Characters(inverted(((0x0A, 0x0A),)))
            case "^":
                return Begin()
            case "$":
                return End()
            case "\\":
                return self._escaped()
            case "*" | "+" | "?":
                raise UnsupportedPattern("a quantifier of nothing")
        return Characters(((ord(sign), ord(sign)),))

    def _group(self, depth: int) -> Item:
        named = _GROUP.match(self._text, self._at)
        self._at = named.end() if named else self._at + 1
        if not named and self._peek() == "?":
            raise UnsupportedPattern("look-around, or flags")
        found = self.alternatives(depth + 1)
        if not self._take(")"):
            raise UnsupportedPattern("an unbalanced parenthesis")
        return found

    def _escaped(self) -> Item:
        if self._peek() == "A":
            self._at += 1
            return Begin()
        if self._peek() in ("Z", "z"):
            self._at += 1
            return End()
        return Characters(self._escape())

    def _escape(self) -> Ranges:
        """An escape sequence, in a class or outside."""
        sign = self._next()
        if sign.lower() in _CLASSES:
            ranges = _CLASSES[sign.lower()]
            return inverted(ranges) if sign.isupper() else ranges
        if sign in ("x", "u"):
            digits = self._text[self._at : self._at + (2 if sign == "x" else 4)]
            if not re.fullmatch(r"[0-9A-Fa-f]{2}(?:[0-9A-Fa-f]{2})?", digits):
                raise UnsupportedPattern("an escape")
            self._at += len(digits)
            return ((int(digits, 16), int(digits, 16)),)
        if sign in _CONTROLS:
            return ((ord(_CONTROLS[sign]), ord(_CONTROLS[sign])),)
        if sign.isalnum() or not sign:
            raise UnsupportedPattern("an escape")  # back references, boundaries, properties
        return ((ord(sign), ord(sign)),)

    def _class(self) -> Ranges:
        is_inverted = self._take("^")
        found: list[tuple[int, int]] = []
        is_first = True
        while is_first or self._peek() != "]":
            is_first = False
            low = self._class_part()
            is_range = self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", "")
            if is_range and len(low) == 1 and low[0][0] == low[0][1]:
                self._at += 1
                high = self._class_part()
                if len(high) != 1 or high[0][0] < low[0][0]:
                    raise UnsupportedPattern("a range")
                low = ((low[0][0], high[0][0]),)
            found.extend(low)
        self._at += 1
        return inverted(tuple(found)) if is_inverted else tuple(found)

    def _class_part(self) -> Ranges:
        sign = self._next()
        if sign == "\\":
            return self._escape()
        if sign == "[" or not sign or self._text.startswith("&&", self._at - 1):
            raise UnsupportedPattern("a class")
        return ((ord(sign), ord(sign)),)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        sign = self._peek()
        self._at += 1
        return sign

    def _take(self, sign: str) -> bool:
        found = self._peek() == sign
        self._at += found
        return found
