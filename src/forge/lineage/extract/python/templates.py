"""String templates: `string.Template`, and simple Jinja."""

from __future__ import annotations

import re
from dataclasses import dataclass

from forge.lineage.extract.python.library import Call, Handler, Library, ValueKind, methods
from forge.lineage.extract.python.texts import joined_text, to_text
from forge.lineage.extract.python.values import AbstractValue, DictOf, Hole, Key, LibraryValue, Text, UnknownValue, text
from forge.lineage.extract.python.world import World

_DOLLAR = re.compile(r"\$(?:(?P<escaped>\$)|(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")
_BRACES = re.compile(r"\{\{-?\s*(?P<name>[A-Za-z_]\w*)\s*-?\}\}")


@dataclass(frozen=True, slots=True, eq=False)
class TemplateValue(LibraryValue):
    kind: str
    text: Text


def _made(kind: str) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        first = call.arg(0, "template")
        return TemplateValue(kind, first) if isinstance(first, Text) else UnknownValue(call.written)

    return handler


def _filled(pattern: re.Pattern[str]) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        template = call.receiver(TemplateValue).text
        given = call.arg(0) if call.args else None
        values = DictOf(dict(given.items) if isinstance(given, DictOf) else {}).items
        values.update(call.named)
        parts: list[Text] = []
        for part in template.parts:
            if isinstance(part, Hole):
                parts.append(Text((part,)))
            elif pattern is _BRACES and re.search(r"\{%|\{\{", pattern.sub("", part)):
                return Text((Hole(call.written),))  # a loop or a filter of Jinja
            else:
                parts.extend(_pieces(part, pattern, values))
        return joined_text(parts)

    return handler


def _pieces(part: str, pattern: re.Pattern[str], values: dict[Key, AbstractValue]) -> list[Text]:
    found, end = [], 0
    for one in pattern.finditer(part):
        found.append(text(part[end : one.start()]))
        end = one.end()
        groups = one.groupdict()
        name = groups.get("name") or groups.get("braced")
        found.append(text("$") if name is None else to_text(values.get(name) or UnknownValue(name), name))
    return [*found, text(part[end:])]


TEMPLATES = Library(
    modules=("string", "jinja2"),
    functions={"string.Template": _made("string.template"), "jinja2.Template": _made("jinja2.template")},
    kinds=(
        ValueKind(
            name="string.template",
            methods=methods(_filled(_DOLLAR), ("substitute", "safe_substitute")),
            otherwise=lambda call, world: UnknownValue(call.written),
        ),
        ValueKind(
            name="jinja2.template",
            methods={"render": _filled(_BRACES)},
            otherwise=lambda call, world: UnknownValue(call.written),
        ),
    ),
)
