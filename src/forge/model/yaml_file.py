"""The YAML of a project's files, with the place of every key, so that a message about a value can name its line. Values
are those of YAML 1.1, dates included. Safe types only."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import yaml

from forge.model.errors import ForgeError
from forge.model.yaml_problems import YamlProblem
from forge.model.yaml_reader import STANDARD_TAG, YamlPlace, YamlReader, YamlText, at

_SAFE = yaml.SafeLoader("")
_resolve: Callable[..., str] = _SAFE.resolve
_SCALARS = tuple(f"{STANDARD_TAG}{name}" for name in ("str", "null", "bool", "int", "float", "timestamp", "binary"))
_NUMBERS = (f"{STANDARD_TAG}int", f"{STANDARD_TAG}float")
_LONGEST_NUMBER = 4_300  # letters; of longer ones Python makes no text


@dataclass(frozen=True)
class YamlFile:
    """`data` is the parsed document (None when it is empty); lines and columns count from 1."""

    data: object
    file: str
    _root: YamlPlace = field(default_factory=lambda: YamlPlace(1, 1, 1, 1), repr=False, compare=False)

    def line_of(self, *path: str | int) -> int:
        """Line of the key or list item at `path`, or of its nearest ancestor that exists."""
        return self._root.at(path).line

    def column_of(self, *path: str | int) -> int:
        return self._root.at(path).column

    def where(self, *path: str | int) -> str:
        """`file:line`, as errors name a place."""
        return f"{self.file}:{self.line_of(*path)}"


def load_yaml(text: str, file: str) -> YamlFile:
    """Parse one document. Malformed text and duplicate keys are E103 with file, line and column."""
    try:
        read = read_yaml(text)
    except YamlProblem as problem:
        raise malformed_file(problem, file) from problem
    if read.problems:
        raise malformed_file(read.problems[0], file)
    return YamlFile(read.data, file, read.root)


def malformed_file(problem: YamlProblem, file: str) -> ForgeError:
    return ForgeError("E103", problem.message, where=f"{file}:{problem.line}:{problem.column}", fix=problem.fix)


def read_yaml(text: str) -> YamlText:
    """As `load_yaml`, but of keys given twice the last counts. Raises Malformed."""
    return _ProjectYaml.read(text)


class _ProjectYaml(YamlReader):
    def value(self, event: Any) -> object:
        """As the safe loader constructs it, with the place also of what only looks like a date (2026-02-30)."""
        if event.style and event.tag is None:
            return event.value
        tag: str = event.tag if event.tag not in (None, "!") else _resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag not in _SCALARS:
            raise self.forbidden_tag(event, tag)
        if tag in _NUMBERS and len(event.value) > _LONGEST_NUMBER:  # 59:59:… takes time by the square of its length
            raise at(event, "malformed YAML: a number is too long", "Put it in quotes if it is a text.")
        try:
            return _SAFE.yaml_constructors[tag](_SAFE, yaml.ScalarNode(tag, event.value, event.start_mark))
        except (ValueError, LookupError, AttributeError, OverflowError) as error:
            raise at(event, f"malformed YAML: {error}", "Put it in quotes if it is a text.") from error

    def key(self, event: Any) -> Hashable:
        key = self.value(event)
        assert isinstance(key, Hashable)
        return key
