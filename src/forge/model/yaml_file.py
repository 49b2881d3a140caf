"""YAML text with the place of every key, so that a message about a value can name its line. Safe types only."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import yaml

from forge.model.errors import ForgeError


@dataclass(frozen=True)
class YamlFile:
    """`data` is what the text says (None when it is empty); lines and columns count from 1."""

    data: object
    file: str
    _root: yaml.Node | None = field(default=None, repr=False, compare=False)

    def line_of(self, *path: str | int) -> int:
        """Line of the key or list item at `path`, or of its nearest ancestor that exists."""
        mark = self._mark_of(path)
        return mark.line + 1 if mark else 1

    def column_of(self, *path: str | int) -> int:
        mark = self._mark_of(path)
        return mark.column + 1 if mark else 1

    def where(self, *path: str | int) -> str:
        """`file:line`, as errors name a place."""
        return f"{self.file}:{self.line_of(*path)}"

    def _mark_of(self, path: tuple[str | int, ...]) -> yaml.Mark | None:
        node = self._root
        mark = node.start_mark if node else None
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            mark, node = found
        return mark


def load_yaml(text: str, file: str) -> YamlFile:
    """Read one document. Malformed text and keys given twice are E103 with file, line and column."""
    loader = _open(text, file)
    try:
        root = loader.get_single_node()
        _refuse_duplicate_keys(root, file)
        data = loader.construct_document(root) if root else None
    except yaml.MarkedYAMLError as error:
        raise _malformed(file, error) from error
    except RecursionError as error:
        raise ForgeError("E103", "the YAML is nested too deeply", where=f"{file}:1:1") from error
    finally:
        loader.dispose()
    return YamlFile(data, file, root)


class _Loader(yaml.SafeLoader):
    """The safe loader, with the place also for a value that only looks like a date or a number (2026-02-30)."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from error


def _open(text: str, file: str) -> _Loader:
    """The reader looks at the characters first; its error knows an offset, not a line."""
    try:
        return _Loader(text)
    except yaml.reader.ReaderError as error:
        before = text[: int(error.position)]
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        raise ForgeError(
            "E103",
            f"the character U+{ord(text[int(error.position)]):04X} is not allowed in YAML",
            where=f"{file}:{line}:{column}",
            fix="Remove it, or write it as an escape inside double quotes.",
        ) from error


def _malformed(file: str, error: yaml.MarkedYAMLError) -> ForgeError:
    mark = error.problem_mark or error.context_mark
    where = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else file
    context = f"{error.context}: " if error.context else ""
    return ForgeError(
        "E103",
        f"malformed YAML: {context}{error.problem or 'not understood'}",
        where=where,
        fix="Check the indentation and the quotes near that place.",
    )


def _refuse_duplicate_keys(root: yaml.Node | None, file: str) -> None:
    """YAML forbids them; the loader would silently keep the last. Aliases may form circles, so nodes are remembered."""
    seen: set[int] = set()
    todo = [root] if root else []
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            _refuse_duplicates_of(node, file)
            todo.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            todo.extend(node.value)


def _refuse_duplicates_of(node: yaml.MappingNode, file: str) -> None:
    first: dict[Hashable, yaml.Node] = {}
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        known = first.setdefault((key.tag, key.value), key)
        if known is not key:
            raise ForgeError(
                "E103",
                f"the key '{key.value}' is given twice",
                where=f"{file}:{key.start_mark.line + 1}:{key.start_mark.column + 1}",
                why=f"It was given first in line {known.start_mark.line + 1}; only one of the two could be used.",
                fix="Remove one of them.",
            )


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Mark, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        # The last one wins: pairs merged in by << stand before the mapping's own.
        pairs = [(k, v) for k, v in node.value if isinstance(k, yaml.ScalarNode) and k.value == str(step)]
        return (pairs[-1][0].start_mark, pairs[-1][1]) if pairs else None
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        item = node.value[step]
        return item.start_mark, item
    return None
