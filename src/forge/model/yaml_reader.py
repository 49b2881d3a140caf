"""The one reader of YAML: data and the place of everything, event by event, without recursion and within bounds.

What a scalar means differs: a project's file has dates, a contract keeps them as texts, a schema file has texts only.
So a kind of file is a subclass that says the value of a scalar and of a key; structure, bounds, aliases, merges, keys
given twice and messages are one. Aliases are counted as often as they are used, so that a small file cannot stand for
a huge one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import yaml

from forge.model.yaml_problems import Step, YamlProblem, in_editor_lines, moved, odd_starts, yaml_problem

MAX_BYTES = 10_000_000
MAX_NODES = 500_000
MAX_DEPTH = 100
MAX_PROBLEMS = 100

STANDARD_TAG = "tag:yaml.org,2002:"
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class YamlPlace:
    """Where a key or list item stands, where its value begins, and the spots inside the value."""

    line: int
    column: int
    value_line: int
    value_column: int
    children: dict[Step, YamlPlace] | None = None

    def child(self, step: Step) -> YamlPlace | None:
        return self.children.get(step) if self.children is not None else None

    def at(self, path: tuple[Step, ...]) -> YamlPlace:
        """The spot at a path, or of its nearest ancestor that exists."""
        spot = self
        for step in path:
            found = spot.child(step) or spot.child(str(step))
            if found is None:
                break
            spot = found
        return spot


@dataclass(frozen=True, slots=True)
class _AnchorValue:
    value: object
    children: dict[Step, YamlPlace] | None
    nodes: int
    height: int


@dataclass(slots=True, kw_only=True)
class YamlFrame:
    """An open list or mapping; `step` is where it stands in its parent, `key` the key that waits for its value."""

    data: dict[Hashable, object] | list[object]
    children: dict[Step, YamlPlace]
    anchor: str | None
    nodes_before: int
    step: Step
    is_mapping: bool
    key: tuple[Hashable, Any] | None = None  # with its event
    is_merge: bool = False
    height: int = 1
    merged: list[tuple[object, YamlPlace]] | None = None


@dataclass(frozen=True, slots=True)
class YamlText:
    """The one document of a text, its places, and the keys that were given twice, of which the last counts."""

    data: object
    root: YamlPlace
    problems: tuple[YamlProblem, ...]


def _move_spots(root: YamlPlace, starts: list[tuple[int, int]]) -> None:
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


def text_of(source: str | bytes) -> str:
    """Raises YamlProblem for what is larger than `MAX_BYTES` or no UTF-8."""
    if len(source) > MAX_BYTES:
        raise YamlProblem(f"the file is larger than {MAX_BYTES // 1_000_000} MB", "Split it into several files.")
    try:
        if isinstance(source, bytes):
            return source.decode("utf-8-sig")
        source.encode()  # a text with lone surrogates cannot be written as UTF-8
        return source.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", errors="replace")) + 1
        raise YamlProblem("the file is not UTF-8 text", "Save it as UTF-8.", line, column) from error
    except UnicodeEncodeError as error:
        text = error.object
        line, column = text.count("\n", 0, error.start) + 1, error.start - text.rfind("\n", 0, error.start)
        raise YamlProblem("the text holds a character that UTF-8 cannot hold", "Remove it.", line, column) from error


class YamlReader:
    """One reading. A subclass says the values of scalars, and what kind of file it is in messages."""

    noun: ClassVar[str] = "this file"

    def __init__(self) -> None:
        self._root: object = None
        self._spot = YamlPlace(1, 1, 1, 1)
        self._problems: list[YamlProblem] = []
        self._frames: list[YamlFrame] = []
        self._anchors: dict[str, _AnchorValue | None] = {}  # None while what it names is still open
        self._nodes = 0
        self._documents = 0

    @classmethod
    def read(cls, source: str | bytes) -> YamlText:
        """Raises Malformed for what is no YAML or out of bounds."""
        text = text_of(source)
        reader = cls()
        try:
            reader._run(text)
        except yaml.YAMLError as error:
            raise yaml_problem(error, text) from error
        except YamlProblem as problem:
            raise in_editor_lines(problem, text) from problem
        if starts := odd_starts(text):
            _move_spots(reader._spot, starts)
        problems = tuple(in_editor_lines(problem, text) for problem in reader._problems)
        return YamlText(reader._root, reader._spot, problems)

    def value(self, event: Any) -> object:
        raise NotImplementedError

    def key(self, event: Any) -> Hashable:
        raise NotImplementedError

    def put(self, frame: YamlFrame, key: Hashable, value: object, spot: YamlPlace, event: Any) -> None:
        """A value of a mapping; `event` is that of its key."""
        assert isinstance(frame.data, dict)
        if key in frame.data and len(self._problems) < MAX_PROBLEMS:
            self._problems.append(self._twice(frame, event))
        frame.data[key] = value
        frame.children[event.value] = spot

    def _twice(self, frame: YamlFrame, event: Any) -> YamlProblem:
        known = frame.children.get(event.value)
        before = f", before in line {known.line}" if known else ""
        problem = at(event, f"the key '{event.value}' is given twice{before}", "Remove one of them.")
        problem.path = (*(each.step for each in self._frames[1:]), event.value)
        return problem

    def _run(self, text: str) -> None:
        loader: Any = _LOADER(text)  # PyYAML's stubs know no events of the C parser
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
        except YamlProblem as problem:
            problem.path = problem.path or self._path()
            raise
        finally:
            loader.dispose()

    def _path(self) -> tuple[Step, ...]:
        """Where the reading stands."""
        if not self._frames:
            return ()
        last = self._frames[-1]
        below = len(last.data) if isinstance(last.data, list) else last.key[1].value if last.key else None
        steps = [frame.step for frame in self._frames[1:]]
        return tuple(steps) if below is None else (*steps, below)

    def _open_document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise at(event, "a second document begins here", "Put it into its own file.")

    def _scalar(self, event: Any) -> None:
        """Most events are scalars, so their path is short."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._count(event, 0)
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.is_mapping and frame.key is None:
            self._key(frame, event)
            return
        value = self.value(event)
        self._place(event, value, None)
        if event.anchor:
            self._anchors[event.anchor] = _AnchorValue(value, None, 1, 0)

    def _key(self, frame: YamlFrame, event: Any) -> None:
        frame.is_merge = event.value == "<<" and not event.style
        frame.key = ("<<" if frame.is_merge else self.key(event), event)
        if event.anchor:
            self._anchors[event.anchor] = _AnchorValue(frame.key[0], None, 1, 0)

    def _open_mapping(self, event: Any) -> None:
        self._open(event, {})

    def _open_list(self, event: Any) -> None:
        self._open(event, [])

    def _open(self, event: Any, data: dict[Hashable, object] | list[object]) -> None:
        tag, children = event.tag, dict[Step, YamlPlace]()
        if tag and tag not in ("!", f"{STANDARD_TAG}map", f"{STANDARD_TAG}seq"):
            raise self.forbidden_tag(event)
        self._count(event, 1)
        if len(self._frames) >= MAX_DEPTH:
            raise at(event, f"the YAML is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
        step = self._place(event, data, children)
        self._frames.append(
            YamlFrame(
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
        if frame.merged:
            _merge(frame, frame.merged)
        self._close(frame)

    def _close_list(self, event: Any) -> None:
        self._close(self._frames[-1])

    def _close(self, frame: YamlFrame) -> None:
        self._frames.pop()
        if frame.anchor:
            nodes = self._nodes - frame.nodes_before + 1
            self._anchors[frame.anchor] = _AnchorValue(frame.data, frame.children, nodes, frame.height)
        if self._frames:
            above = self._frames[-1]
            above.height = max(above.height, frame.height + 1)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise at(event, f"the alias *{event.anchor} names nothing", f"Define it before with &{event.anchor}.")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise at(event, f"the alias *{event.anchor} contains itself", "Write the value out.")
        self._count(event, anchored.nodes)
        if len(self._frames) + anchored.height > MAX_DEPTH:
            raise at(event, f"with its aliases the YAML is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
        if self._frames:
            self._frames[-1].height = max(self._frames[-1].height, anchored.height + 1)
        self._place(event, anchored.value, anchored.children)

    def _place(self, event: Any, value: object, children: dict[Step, YamlPlace] | None) -> Step:
        """Put a value where it belongs; the step at which it stands."""
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        if not self._frames:
            self._root, self._spot = value, YamlPlace(line, column, line, column, children)
            return ""
        frame = self._frames[-1]
        if isinstance(frame.data, list):
            index = len(frame.data)
            frame.data.append(value)
            frame.children[index] = YamlPlace(line, column, line, column, children)
            return index
        if frame.key is None:
            raise at(event, "a key must be a plain text", "Write key: value.")
        key, key_event = frame.key
        frame.key = None
        start = key_event.start_mark
        spot = YamlPlace(start.line + 1, start.column + 1, line, column, children)
        if frame.is_merge:
            frame.merged = [*(frame.merged or ()), (value, spot)]
        else:
            self.put(frame, key, value, spot, key_event)
        return str(key_event.value)

    def _count(self, event: Any, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise at(
                event,
                f"the YAML, with its aliases written out, holds more than {MAX_NODES:,} values",
                "Write out what is meant, or split the file.",
            )

    def forbidden_tag(self, event: Any, tag: str | None = None) -> YamlProblem:
        tag = str(tag or event.tag).replace(STANDARD_TAG, "!!")
        return at(event, f"the tag {tag} is not allowed in {self.noun}", "Remove the tag.")


def _merge(frame: YamlFrame, parts: list[tuple[object, YamlPlace]]) -> None:
    """What `<<` brings in, before the mapping's own keys; these win, and then those of an earlier mapping."""
    assert isinstance(frame.data, dict)
    own, places = dict(frame.data), dict(frame.children)
    frame.data.clear()
    for value, spot in parts:
        inner = spot.children or {}
        mappings = [(each, inner[at]) for at, each in enumerate(value)] if isinstance(value, list) else [(value, spot)]
        for each, place in mappings:
            if not isinstance(each, dict):
                raise YamlProblem("only mappings can be merged with <<", "Write <<: *name.", spot.line, spot.column)
            for key in [key for key in each if key not in frame.data]:
                frame.data[key] = each[key]
            frame.children.update({key: at for key, at in (place.children or {}).items() if key not in frame.children})
    frame.data.update(own)
    frame.children.update(places)


def at(event: Any, message: str, fix: str) -> YamlProblem:
    return YamlProblem(message, fix, event.start_mark.line + 1, event.start_mark.column + 1)
