"""The YAML of a schema file as texts, lists and mappings: nothing is taken for a number, a date or a flag, so that a
column may be called `on` or `2026`. Event by event, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from forge.contracts.document.yaml_events import MAX_DEPTH, MAX_NODES
from forge.contracts.document.yaml_problems import Malformed, malformed
from forge.model.types import balanced

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = ("", "~", "null", "Null", "NULL")
_TOO_MUCH = "the file is too large or too deep for a schema"


@dataclass(frozen=True, slots=True)
class _Scalar:
    text: str
    is_plain: bool
    line: int = 1
    column: int = 1

    @property
    def value(self) -> str | None:
        return None if self.is_plain and self.text in _NULLS else self.text


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: object
    nodes: int
    height: int


@dataclass(slots=True)
class _Frame:
    """An open list (`keys` is None) or mapping, whose keys and values come in turns."""

    is_mapping: bool
    anchor: str | None
    nodes_before: int
    line: int
    parts: list[object] = field(default_factory=list)
    height: int = 1


def read_plain(text: str) -> tuple[object, int]:
    """The one document of a text and the line where it begins. Raises Malformed."""
    build = _Build()
    _refuse_unwritable(text)
    loader: Any = _LOADER(text)
    try:
        while loader.check_event():
            build.take(loader.get_event())
    except yaml.YAMLError as error:
        raise malformed(error, text) from error
    finally:
        loader.dispose()
    return build.root, build.line


def _refuse_unwritable(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Malformed("the text holds a character that UTF-8 cannot hold", "Remove it.") from error


class _Build:
    """The state of one reading."""

    def __init__(self) -> None:
        self.root: object = None
        self.line = 1
        self._frames: list[_Frame] = []
        self._anchors: dict[str, _Anchored] = {}
        self._nodes = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        mark: Any = event.start_mark
        line = mark.line + 1 if mark else 1
        match event:
            case yaml.ScalarEvent():
                scalar = _Scalar(event.value, not event.style, line, mark.column + 1)
                self._count(1, line)
                self._keep(event.anchor, scalar, 1, 0)
                self._place(scalar, line)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._count(1, line)
                if len(self._frames) >= MAX_DEPTH:
                    raise Malformed(_TOO_MUCH, "Flatten it.", line)
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                self._frames.append(_Frame(is_mapping, event.anchor, self._nodes, line))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()
            case yaml.AliasEvent():
                self._alias(str(event.anchor), line)
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise Malformed("a second document begins here", "Put it into its own file.", line)

    def _close(self) -> None:
        frame = self._frames.pop()
        value: object = _mapping(frame.parts) if frame.is_mapping else [_value(part) for part in frame.parts]
        self._keep(frame.anchor, value, self._nodes - frame.nodes_before + 1, frame.height)
        if self._frames:
            self._frames[-1].height = max(self._frames[-1].height, frame.height + 1)
        self._place(value, frame.line)

    def _alias(self, anchor: str, line: int) -> None:
        known = self._anchors.get(anchor)
        if known is None:
            raise Malformed(f"the alias *{anchor} names nothing before it", "Write the value out.", line)
        self._count(known.nodes, line)
        if len(self._frames) + known.height > MAX_DEPTH:
            raise Malformed(_TOO_MUCH, "Flatten it.", line)
        if self._frames:
            self._frames[-1].height = max(self._frames[-1].height, known.height + 1)
        self._place(known.value, line)

    def _keep(self, anchor: str | None, value: object, nodes: int, height: int) -> None:
        if anchor:
            self._anchors[anchor] = _Anchored(value, nodes, height)

    def _place(self, value: object, line: int) -> None:
        if not self._frames:
            self.root, self.line = _value(value), line
            return
        frame = self._frames[-1]
        if frame.is_mapping and len(frame.parts) % 2 == 0 and not isinstance(value, _Scalar):
            raise Malformed("a name must be a plain text", "Write name: type.", line)
        frame.parts.append(value)

    def _count(self, nodes: int, line: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise Malformed(_TOO_MUCH, "Write out what is meant.", line)


def _value(part: object) -> object:
    return part.value if isinstance(part, _Scalar) else part


def _mapping(parts: list[object]) -> dict[str, object]:
    found: dict[str, object] = {}
    merged: dict[str, object] = {}
    for key, value in _rejoined(list(zip(parts[::2], parts[1::2], strict=True))):
        if key.is_plain and key.text == "<<" and isinstance(value, dict):
            merged = {**value, **merged}
        elif key.text in found:
            raise Malformed(f"'{key.text}' is given twice", "Remove one of them.", key.line, key.column)
        else:
            found[key.text] = _value(value)
    return {**{name: value for name, value in merged.items() if name not in found}, **found}


def _rejoined(pairs: list[tuple[object, object]]) -> Iterator[tuple[_Scalar, object]]:
    """In `{amount: decimal(12,2)}` YAML sees two entries, `amount: decimal(12` and `2)`. They are one type."""
    open_key: _Scalar | None = None
    text = ""
    for key, value in pairs:
        assert isinstance(key, _Scalar)
        if open_key is not None and key.is_plain and _value(value) is None:
            text += f",{key.text}"
            if balanced(text):
                yield open_key, text
                open_key = None
            continue
        if open_key is not None:
            yield open_key, text
            open_key = None
        if isinstance(value, _Scalar) and value.is_plain and not balanced(value.text):
            open_key, text = key, value.text
        else:
            yield key, value
    if open_key is not None:
        yield open_key, text
