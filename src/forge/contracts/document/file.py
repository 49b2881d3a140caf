"""A contract's file as data with line and column of every value, parsed within size limits and without network
access."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from forge.contracts.contract import BREAKING_CHANGE, PARENT_NOT_FOUND, WEAKER_THAN_PARENT, FilePlace, Violation
from forge.contracts.document.yaml import ContractYaml
from forge.model.errors import ForgeError, ForgeErrors
from forge.model.yaml_problems import Step, YamlProblem
from forge.model.yaml_reader import YamlPlace, text_of

Path = tuple[Step, ...]

_MAX_CUT = 1_000_000
_PLAIN = re.compile(r"[^\s,#\]}]+")


class ContractError(ForgeErrors):
    """All errors in the contracts, with the findings they come from."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        self.violations = tuple(dict.fromkeys(violations))
        super().__init__(_error(violation) for violation in self.violations)


_NAMING = (WEAKER_THAN_PARENT, PARENT_NOT_FOUND, BREAKING_CHANGE)  # whose messages name what they are about


def _error(violation: Violation) -> ForgeError:
    says_where = not violation.path or violation.code in _NAMING
    what = violation.message if says_where else f"{violation.path}: {violation.message}"
    return ForgeError(violation.code, what, where=f"{violation.where}:{violation.column}", fix=violation.fix or None)


@dataclass(frozen=True, slots=True)
class Document:
    """`data`: strings, numbers, booleans, None, lists and mappings; dates are strings, as the standard's JSON schemas
    require. `place_of`: where the key or list item at a path is, or its nearest existing ancestor."""

    data: Mapping[str, object]
    file: str
    place_of: Callable[[Path], FilePlace] = field(repr=False, compare=False)
    place_of_value: Callable[[Path], FilePlace] | None = field(default=None, repr=False, compare=False)
    text: str = field(default="", repr=False, compare=False)  # what was read; empty for one that was put together

    def value_place_of(self, path: Path) -> FilePlace:
        """Where the scalar at a path begins; otherwise as `place_of`."""
        return (self.place_of_value or self.place_of)(path)

    def written(self, path: Path) -> str | None:
        """A number, boolean or empty value as written: `1.10` and `NO`, where the data is 1.1 and false."""
        place = self.value_place_of(path)
        lines = _lines_of(self.text)
        found = _PLAIN.match(lines[place.line - 1], place.column - 1) if 0 < place.line <= len(lines) else None
        return found[0] if found else None


@lru_cache(maxsize=1)
def _lines_of(text: str) -> list[str]:
    """For messages only; skipped for files larger than any contract."""
    return text.split("\n") if len(text) < _MAX_CUT else []


def read_document(source: str | bytes, file: str) -> Document:
    """Raises E502 for anything but a YAML mapping within the limits."""
    document, violations = parse_document(source, file)
    if document is None or violations:
        raise ContractError(violations)
    return document


def parse_document(source: str | bytes, file: str) -> tuple[Document | None, tuple[Violation, ...]]:
    """The document as far as readable, and its YAML errors. Of duplicate keys one is kept."""
    try:
        text = text_of(source)
        read = ContractYaml.read(text)
    except YamlProblem as problem:
        return None, (_violation(problem, file),)
    data, root = read.data, read.root
    violations = tuple(_violation(problem, file) for problem in read.problems)
    if not isinstance(data, Mapping):
        message = "the file is empty" if data is None else "a contract is a mapping of keys to values"
        line, column = root.value_line, root.value_column
        fix = "Start with apiVersion: v3.1.0."
        return None, (
            *violations,
            Violation(
                code="E502", severity="error", file=file, line=line, column=column, path="", message=message, fix=fix
            ),
        )
    document = Document(
        data,
        file,
        lambda path: _place(root.at(path), file),
        lambda path: _value_place_of(root, path, file),
        text,
    )
    return document, violations


def _violation(problem: YamlProblem, file: str) -> Violation:
    return Violation(
        code="E502",
        severity="error",
        file=file,
        line=problem.line,
        column=problem.column,
        path=path_text(problem.path),
        message=problem.message,
        fix=problem.fix,
    )


def _place(spot: YamlPlace, file: str) -> FilePlace:
    return FilePlace(file, spot.line, spot.column)


def _value_place_of(root: YamlPlace, path: Path, file: str) -> FilePlace:
    spot = root
    for step in path:
        found = spot.child(step)
        if found is None:
            return _place(spot, file)
        spot = found
    if spot.children is not None:
        return _place(spot, file)
    return FilePlace(file, spot.value_line, spot.value_column)


def path_text(path: Path) -> str:
    """`schema[0].properties[2].name`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
