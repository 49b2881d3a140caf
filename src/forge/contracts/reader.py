"""Reads typed values from a contract's YAML and collects errors instead of stopping at the first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from forge.contracts.contract import FilePlace, Violation
from forge.contracts.document.file import Document, path_text

Step = str | int


class ContractReader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.file = document.file
        self.violations: list[Violation] = []

    def root(self) -> ContractNode:
        return ContractNode(self, (), self.document.data)

    def place(self, path: tuple[Step, ...]) -> FilePlace:
        return self.document.place_of(path)

    def refuse(self, path: tuple[Step, ...], code: str, message: str, fix: str) -> None:
        self.violations.append(self.violation_at(self.place(path), code, path_text(path), message, fix))

    @staticmethod
    def violation_at(place: FilePlace, code: str, path: str, message: str, fix: str) -> Violation:
        return Violation(
            code=code,
            severity="error",
            file=place.file,
            line=place.line,
            column=place.column,
            path=path,
            message=message,
            fix=fix,
        )


class ContractNode:
    """One mapping of the contract and its place. A malformed value is reported once and read as absent."""

    def __init__(self, reader: ContractReader, at: tuple[Step, ...], mapping: Mapping[str, object]) -> None:
        self._reader = reader
        self._at = at
        self.mapping = mapping
        self.file = reader.file

    @property
    def path(self) -> str:
        return path_text(self._at)

    @property
    def line(self) -> int:
        return self.place().line

    @property
    def column(self) -> int:
        return self.place().column

    def place(self, *path: Step) -> FilePlace:
        return self._reader.place((*self._at, *path))

    def refuse(self, key: str, code: str, message: str, fix: str) -> None:
        self._reader.refuse((*self._at, key), code, message, fix)

    def value(self, key: str) -> object:
        return self.mapping.get(key)

    def text(self, key: str, *, required: bool = False) -> str | None:
        value = self.mapping.get(key)
        if isinstance(value, str) and (value.strip() or not required):
            return value
        if value is None or value == "":
            if required:
                self.refuse(key, "E501", f"the standard requires {key}", f"Add {key}: …")
        else:
            self.refuse(key, "E502", f"{_shown(value)} is not a text", f'Put it in quotes: {key}: "{_shown(value)}".')
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.mapping.get(key)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.refuse(key, "E502", f"{key} must be a list of texts", f"Write {key}: [one, two].")
        return ()

    def flag(self, key: str) -> bool:
        value = self.mapping.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        self.refuse(key, "E502", f"{_shown(value)} is neither true nor false", f"Write {key}: true or {key}: false.")
        return False

    def whole_number(self, key: str) -> int | None:
        value = self.mapping.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        self.refuse(key, "E502", f"{_shown(value)} is not a whole number", f"Write {key}: 1.")
        return None

    def child(self, *path: Step) -> ContractNode:
        """The mapping at `path`; empty where there is none."""
        value: object = self.mapping
        for step in path:
            if isinstance(value, dict) and isinstance(step, str):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                value = None
        return self._node(path, value if isinstance(value, dict) else {})

    def _node(self, path: tuple[Step, ...], mapping: Mapping[str, object]) -> ContractNode:
        return ContractNode(self._reader, (*self._at, *path), mapping)

    def nodes(self, key: str) -> list[ContractNode]:
        """The mappings in the list at `key`."""
        value = self.mapping.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse(key, "E502", f"{key} must be a list", f"Start each entry of {key} with '- '.")
            return []
        nodes = []
        for index, item in enumerate(value):
            if isinstance(item, dict):
                nodes.append(self._node((key, index), item))
            else:
                path = (*self._at, key, index)
                self._reader.refuse(path, "E502", f"an entry of {key} must be a mapping", "Write it as key: value.")
        return nodes


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)
