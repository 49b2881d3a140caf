"""YAML read event by event into plain data and the place of everything: one pass, no recursion, within bounds.

The values are those of YAML 1.1 (as other tools of the standard read them), except that dates and clock times stay
texts. Aliases are counted as often as they are used, so that a small file cannot stand for a huge one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml

from forge.contracts.document.yaml_problems import Malformed, Step, in_editor_lines, malformed, moved, odd_starts

MAX_NODES = 500_000
MAX_DEPTH = 100
MAX_PROBLEMS = 100

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STANDARD_TAG = "tag:yaml.org,2002:"
_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_STARTS_NUMBER = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


@dataclass(slots=True)
class Spot:
    """Where a key or list item stands, where its value begins, and the spots inside the value."""

    line: int
    column: int
    value_line: int
    value_column: int
    children: dict[Step, Spot] | None = None

    def child(self, step: Step) -> Spot | None:
        return self.children.get(step) if self.children is not None else None


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: object
    children: dict[Step, Spot] | None
    nodes: int
    height: int


@dataclass(slots=True, kw_only=True)
class _Frame:
    """An open list or mapping; `step` is where it stands in its parent, `key` the key that waits for its value."""

    data: dict[str, object] | list[object]
    children: dict[Step, Spot]
    anchor: str | None
    nodes_before: int
    step: Step
    is_mapping: bool
    key: tuple[str, int, int] | None = None
    is_merge: bool = False
    height: int = 1
    merged: list[tuple[object, Spot]] | None = None


def read_events(text: str) -> tuple[object, Spot, tuple[Malformed, ...]]:
    """The one document of the text, its places, and the keys that were given twice. Malformed for all other faults."""
    build = _Build(text)
    try:
        build.run()
    except yaml.YAMLError as error:
        raise malformed(error, text) from error
    except Malformed as problem:
        raise in_editor_lines(problem, text) from problem
    if starts := odd_starts(text):
        _move_spots(build.spot, starts)
    return build.root, build.spot, tuple(in_editor_lines(problem, text) for problem in build.problems)


def _move_spots(root: Spot, starts: list[tuple[int, int]]) -> None:
    """What aliases share is moved once."""
    todo, seen = [root], set()
    while todo:
        spot = todo.pop()
        if id(spot) in seen:
            continue
        seen.add(id(spot))
        spot.line, spot.column = moved(starts, spot.line, spot.column)
        spot.value_line, spot.value_column = moved(starts, spot.value_line, spot.value_column)
        todo.extend((spot.children or {}).values())


class _Build:
    """The state of one reading."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root: object = None
        self.spot = Spot(1, 1, 1, 1)
        self.problems: list[Malformed] = []
        self._frames: list[_Frame] = []
        self._anchors: dict[str, _Anchored | None] = {}  # None while what it names is still open
        self._nodes = 0
        self._documents = 0

    def run(self) -> None:
        loader: Any = _LOADER(self.text)  # PyYAML's stubs know no events of the C parser
        handle: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open_mapping,
            yaml.SequenceStartEvent: self._open_list,
            yaml.MappingEndEvent: self._close_mapping,
            yaml.SequenceEndEvent: self._close_list,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._open_document,
        }
        try:
            while (event := loader.get_event()) is not None:
                if (handler := handle.get(type(event))) is not None:
                    handler(event)
        except Malformed as problem:
            problem.path = problem.path or self._path()
            raise
        finally:
            loader.dispose()

    def _path(self) -> tuple[Step, ...]:
        """Where the reading stands."""
        if not self._frames:
            return ()
        last = self._frames[-1]
        below = len(last.data) if isinstance(last.data, list) else last.key[0] if last.key else None
        steps = [frame.step for frame in self._frames[1:]]
        return tuple(steps) if below is None else (*steps, below)

    def _open_document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _at(event, "a file holds one contract; here a second document begins", "Put it into its own file.")

    def _scalar(self, event: Any) -> None:
        """Most events are scalars, so their way is short."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._count(event, 0)
        if event.style == '"' and (control := _CONTROL.search(event.value)):  # others cannot hold one
            raise _at(event, f"a text holds the control character U+{ord(control[0]):04X}", "Take it out of the text.")
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.is_mapping and frame.key is None:
            self._key(frame, event)
            return
        value = scalar_of(event)
        self._place(event, value, None)
        if event.anchor:
            self._anchors[event.anchor] = _Anchored(value, None, 1, 0)

    def _key(self, frame: _Frame, event: Any) -> None:
        mark, key = event.start_mark, event.value
        frame.is_merge = key == "<<" and not event.style
        frame.key = (key, mark.line + 1, mark.column + 1)
        known = frame.children.get(key)
        if known is not None and len(self.problems) < MAX_PROBLEMS:
            message = f"the key '{key}' is given twice, before in line {known.line}"
            problem = Malformed(message, "Remove one of them.", mark.line + 1, mark.column + 1, self._path())
            self.problems.append(problem)
        if event.anchor:
            self._anchors[event.anchor] = _Anchored(key, None, 1, 0)

    def _open_mapping(self, event: Any) -> None:
        self._open(event, {})

    def _open_list(self, event: Any) -> None:
        self._open(event, [])

    def _open(self, event: Any, data: dict[str, object] | list[object]) -> None:
        tag, children = event.tag, dict[Step, Spot]()
        if tag and tag not in ("!", f"{_STANDARD_TAG}map", f"{_STANDARD_TAG}seq"):
            raise _forbidden_tag(event)
        self._count(event, 1)
        if len(self._frames) >= MAX_DEPTH:
            raise _at(event, f"the YAML is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
        step = self._place(event, data, children)
        self._frames.append(
            _Frame(
                data=data,
                children=children,
                anchor=event.anchor,
                nodes_before=self._nodes,
                step=step,
                is_mapping=isinstance(data, dict),
            )
        )
        if event.anchor:
            self._anchors[event.anchor] = None

    def _close_mapping(self, event: Any) -> None:
        frame = self._frames[-1]
        for value, spot in frame.merged or ():
            _merge(frame, value, spot)
        self._close(frame)

    def _close_list(self, event: Any) -> None:
        self._close(self._frames[-1])

    def _close(self, frame: _Frame) -> None:
        self._frames.pop()
        if frame.anchor:
            nodes = self._nodes - frame.nodes_before + 1
            self._anchors[frame.anchor] = _Anchored(frame.data, frame.children, nodes, frame.height)
        if self._frames:
            above = self._frames[-1]
            above.height = max(above.height, frame.height + 1)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise _at(event, f"the alias *{event.anchor} names nothing", f"Define it before with &{event.anchor}.")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise _at(event, f"the alias *{event.anchor} contains itself", "Write the value out.")
        self._count(event, anchored.nodes)
        if len(self._frames) + anchored.height > MAX_DEPTH:
            raise _at(event, f"with its aliases the YAML is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
        if self._frames:
            self._frames[-1].height = max(self._frames[-1].height, anchored.height + 1)
        self._place(event, anchored.value, anchored.children)

    def _place(self, event: Any, value: object, children: dict[Step, Spot] | None) -> Step:
        """Put a value where it belongs; the step at which it stands."""
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        if not self._frames:
            self.root, self.spot = value, Spot(line, column, line, column, children)
            return ""
        frame = self._frames[-1]
        if isinstance(frame.data, list):
            index = len(frame.data)
            frame.data.append(value)
            frame.children[index] = Spot(line, column, line, column, children)
            return index
        if frame.key is None:
            raise _at(event, "a key must be a plain text", "Write key: value.")
        key, key_line, key_column = frame.key
        frame.key = None
        spot = Spot(key_line, key_column, line, column, children)
        if frame.is_merge:
            frame.merged = [*(frame.merged or ()), (value, spot)]
        else:
            frame.data[key] = value
            frame.children[key] = spot
        return key

    def _count(self, event: Any, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise _at(
                event,
                f"the YAML, with its aliases written out, holds more than {MAX_NODES:,} values",
                "Write out what is meant, or split the contract.",
            )


def _merge(frame: _Frame, value: object, spot: Spot) -> None:
    """What `<<` brings in; the mapping's own keys win, and the first of several mappings."""
    inner = spot.children or {}
    parts = [(each, inner[index]) for index, each in enumerate(value)] if isinstance(value, list) else [(value, spot)]
    for each, place in parts:
        if not isinstance(each, dict) or not isinstance(frame.data, dict):
            raise Malformed("only mappings can be merged with <<", "Write <<: *name.", spot.line, spot.column)
        for key in [key for key in each if key not in frame.data]:
            frame.data[key] = each[key]
            frame.children[key] = (place.children or {})[key]


def scalar_of(event: Any) -> object:
    """The value of a scalar; what looks like a date or a clock time is a text."""
    text: str = event.value
    tag: str | None = event.tag
    if tag is None or tag == "!":
        if event.style or not event.implicit[0] or tag == "!":
            return text
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        return _number_of(event, text) if text[0] in _STARTS_NUMBER else text
    match tag.removeprefix(_STANDARD_TAG):
        case "str" | "timestamp":
            return text
        case "null" | "bool" if text in _CONSTANTS:
            return _CONSTANTS[text]
        case "int" | "float" if not isinstance(number := _number_of(event, text), str):
            return number
    raise _forbidden_tag(event)


def _number_of(event: Any, text: str) -> object:
    if _INTEGER.fullmatch(text):
        if len(text) > 300:
            raise _at(event, "the number is too long", "Put it in quotes if it is a text.")
        return _whole(text.replace("_", ""))
    is_endless = _ENDLESS.fullmatch(text) is not None
    if not is_endless and not _FLOAT.fullmatch(text):
        return text
    number = math.inf if is_endless else float(text.replace("_", ""))
    if math.isinf(number):
        raise _at(event, f"{text[:20]} is no number that a contract can hold", "Put it in quotes, or use a number.")
    return number


def _whole(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    if digits.startswith(("0b", "0x")):
        return sign * int(digits[2:] or "0", 2 if digits[1] == "b" else 16)
    return sign * int(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10)


def _at(event: Any, message: str, fix: str) -> Malformed:
    return Malformed(message, fix, event.start_mark.line + 1, event.start_mark.column + 1)


def _forbidden_tag(event: Any) -> Malformed:
    tag = event.tag.replace(_STANDARD_TAG, "!!")
    return _at(event, f"the tag {tag} is not allowed in a contract", "Remove the tag.")
