"""The YAML of a schema file: texts, lists and mappings. Nothing is taken for a number, a date or a flag, so that a
column may be called `on` or `2026`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from forge.model.types import balanced
from forge.model.yaml_reader import YamlFrame, YamlPlace, YamlReader

_NULLS = ("", "~", "null", "Null", "NULL")


class SchemaYaml(YamlReader):
    noun = "a schema"

    _is_plain = False  # the last scalar, without quotes
    _unclosed: tuple[YamlFrame, Hashable] | None = None  # the key whose type has an open bracket

    def key(self, event: Any) -> str:
        return str(event.value)

    def value(self, event: Any) -> str | None:
        self._is_plain = not event.style
        return None if self._is_plain and event.value in _NULLS else event.value

    def put(self, frame: YamlFrame, key: Hashable, value: object, spot: YamlPlace, event: Any) -> None:
        """In `{amount: decimal(12,2)}` YAML sees two entries, `amount: decimal(12` and `2)`; they are joined."""
        assert isinstance(frame.data, dict)
        if value is None and not event.style and self._unclosed and self._unclosed[0] is frame:
            last = self._unclosed[1]
            frame.data[last] = f"{frame.data[last]},{event.value}"
            if balanced(str(frame.data[last])):
                self._unclosed = None
            return
        super().put(frame, key, value, spot, event)
        is_open = isinstance(value, str) and self._is_plain and not balanced(value)
        self._unclosed = (frame, key) if is_open else None
