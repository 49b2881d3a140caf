"""Reads a JSON document by JSON pointer and collects faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from forge.lineage.extract.openlineage.model import NamespacedName

SHORT, LONG = 1000, 100_000  # characters
_MOST = 100  # faults reported per event


@dataclass(frozen=True, slots=True)
class JsonFault:
    pointer: str
    reason: str


@dataclass(slots=True)
class FaultCollector:
    found: list[JsonFault] = field(default_factory=list)


_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A place in a document. Null counts as absent: some clients write it."""

    value: object
    pointer: str
    problems: FaultCollector

    @property
    def there(self) -> bool:
        return self.value is not None

    def fault(self, reason: str) -> None:
        fault = JsonFault(self.pointer, reason)
        if len(self.problems.found) < _MOST and fault not in self.problems.found:
            self.problems.found.append(fault)

    def child(self, key: str) -> JsonPart:
        value = self.value.get(key) if isinstance(self.value, Mapping) else None
        return JsonPart(value, f"{self.pointer}/{_escaped(key)}", self.problems)

    def mapping(self, *, required: bool = True) -> Mapping[str, object] | None:
        if self.value is None:
            if required:
                self.fault("it is missing; an object is needed")
            return None
        if isinstance(self.value, Mapping):
            return self.value
        self.fault(f"it is {_kind(self.value)}, not an object")
        return None

    def facet(self) -> bool:
        """Whether there is one that still counts: one that was deleted says nothing."""
        found = self.mapping(required=False)
        return found is not None and found.get("_deleted") is not True

    def items(self) -> Iterator[JsonPart]:
        if self.value is None:
            return
        if not isinstance(self.value, list):
            self.fault(f"it is {_kind(self.value)}, not a list")
            return
        for number, item in enumerate(self.value):
            yield JsonPart(item, f"{self.pointer}/{number}", self.problems)

    def entries(self) -> Iterator[tuple[str, JsonPart]]:
        for key in self.mapping(required=False) or {}:
            yield key, self.child(key)

    def text(self, *, required: bool = True, long: bool = False) -> str:
        """Empty where it is not there, or is no text that can be kept."""
        if self.value is None:
            if required:
                self.fault("it is missing; a text is needed")
            return ""
        if not isinstance(self.value, str):
            self.fault(f"it is {_kind(self.value)}, not a text")
            return ""
        if required and not self.value.strip():
            self.fault("it is empty")
            return ""
        if not is_text(self.value):
            self.fault("it holds a character that is no text")
            return ""
        if long:
            return self.value[:LONG]
        if len(self.value) > SHORT:
            self.fault(f"it is longer than {SHORT} characters")
            return ""
        return self.value.strip()

    def yes(self) -> bool:
        if self.value is None or isinstance(self.value, bool):
            return self.value is True
        self.fault(f"it is {_kind(self.value)}, not true or false")
        return False

    def name(self, *, required: bool = True) -> NamespacedName | None:
        """Namespace and name, side by side."""
        namespace, name = (self.child(key).text(required=required) for key in ("namespace", "name"))
        return NamespacedName(namespace, name) if namespace and name else None


def is_text(text: str) -> bool:
    """A database keeps neither the character 0 nor half of a pair."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text))


def _kind(value: object) -> str:
    return next((word for kind, word in _KINDS.items() if type(value) is kind), "something else")


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
