"""Strings with unknown parts."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from forge.lineage.extract.python.library import Call, Handler, source_text
from forge.lineage.extract.python.values import (
    AbstractValue,
    Const,
    DictOf,
    Hole,
    LibraryValue,
    ListOf,
    Text,
    UnknownValue,
    items_of,
    known_text,
    number_in,
    text,
    texts,
    what_is,
)
from forge.lineage.extract.python.world import World

LONGEST = 1_000_000
TOO_LONG = Hole("a very long text")


def joined_text(parts: Iterable[Text]) -> Text:
    """One text; neighbouring known parts become one. One that is too long is not known: half of it would be wrong."""
    found: list[str | Hole] = []
    known: list[str] = []
    length = 0
    for part in (one for each in parts for one in each.parts):
        length += len(part) if isinstance(part, str) else len(part.what)
        if length > LONGEST or part is TOO_LONG:
            return Text((TOO_LONG,))
        if isinstance(part, str):
            known.append(part)
            continue
        found += ["".join(known), part] if known else [part]
        known = []
    if known:
        found.append("".join(known))
    return Text(tuple(part for part in found if part != ""))


def repeated_text(one: Text, times: int) -> Text:
    return joined_text([one] * max(0, times)) if times <= LONGEST else Text((TOO_LONG,))


def to_text(thing: AbstractValue, shown: str = "", spec: ast.expr | None = None) -> Text:
    """`str(thing)`; `shown` is how the program writes it. A form (`:02d`) is applied where it is plain."""
    if isinstance(thing, Text):
        return thing
    if isinstance(thing, Const) and isinstance(thing.value, bool | int | float | None):
        form = _spec(spec)
        if form is None:
            return Text((Hole(shown),))
        try:
            return text(format(thing.value, form) if form else str(thing.value))
        except (ValueError, TypeError):
            return Text((Hole(shown),))
    why = thing.what if isinstance(thing, UnknownValue) else ""
    if isinstance(thing, ListOf) and not thing.open:
        known = [known_text(item) for item in thing.items]
        if None not in known and sum(len(one or "") for one in known) <= LONGEST:
            return text(str(tuple(known) if thing.form == "tuple" else known))
    setting = thing.setting if isinstance(thing, UnknownValue) else None
    return Text((Hole(shown or why or "a value", why, setting or ""),))


def _spec(spec: ast.expr | None) -> str | None:
    if spec is None:
        return ""
    if isinstance(spec, ast.JoinedStr) and all(isinstance(one, ast.Constant) for one in spec.values):
        form = "".join(str(one.value) for one in spec.values if isinstance(one, ast.Constant))
        return form if re.fullmatch(r"0?\d{0,2}(?:\.\d{1,2})?[dfgexs]?", form) else None
    return None


_PERCENT = re.compile(r"%(?:\((\w+)\))?[-+ 0#]*\d*(?:\.\d+)?([sdifgrex%])")


def format_percent(template: Text, values: AbstractValue, node: ast.AST) -> Text | None:
    if template.known is None:
        return Text((Hole(source_text(node)),))
    given = list(values.items) if isinstance(values, ListOf) and values.form == "tuple" else [values]
    parts: list[Text] = []
    end = place = 0
    for found in _PERCENT.finditer(template.known):
        parts.append(text(template.known[end : found.start()]))
        end = found.end()
        if found.group(2) == "%":
            parts.append(text("%"))
        elif found.group(1):
            one = values.items.get(found.group(1)) if isinstance(values, DictOf) else None
            parts.append(to_text(one or UnknownValue(found.group(1)), found.group(1)))
        elif place < len(given):
            parts.append(to_text(given[place], what_is(given[place])))
            place += 1
        else:
            parts.append(Text((Hole("a value"),)))
    return joined_text([*parts, text(template.known[end:])])


def format_braces(call: Call, world: World) -> AbstractValue:
    """`"{} {name}".format(…)`."""
    template = call.on
    if not isinstance(template, Text) or template.known is None:
        return Text((Hole(call.written),))
    try:
        pieces = list(string.Formatter().parse(template.known))
    except ValueError:
        return Text((Hole(call.written),))
    parts: list[Text] = []
    place = 0
    for literal, name, _, _ in pieces:
        parts.append(text(literal))
        if name is None:
            continue
        head = re.split(r"[.\[]", name)[0]
        if head == "":
            value, place = call.arg(place), place + 1
        elif head.isdigit():
            value = call.arg(int(head))
        else:
            value = call.named.get(head)
        exact = value if value is not None and head == name else UnknownValue(name or "a value")
        parts.append(to_text(exact if head == name or name == "" else UnknownValue(name), name or what_is(value)))
    return joined_text(parts)


def join(call: Call, world: World) -> AbstractValue:
    between, items = call.on, call.arg(0)
    assert isinstance(between, Text)
    if not isinstance(items, ListOf | DictOf):
        return Text((Hole(call.written),))
    known = items_of(items)
    parts = list(known) if known is not None else (list(items.items) if isinstance(items, ListOf) else [])
    found: list[Text] = []
    for place, part in enumerate(parts):
        if place:
            found.append(between)
        found.append(to_text(part, what_is(part)))
    if known is None:
        found.append(Text((Hole(call.written),)))
    return joined_text(found)


def _plain(compute: Callable[..., object]) -> Handler:
    """A method of str that is computed where everything is known."""

    def handler(call: Call, world: World) -> AbstractValue:
        on = call.on
        assert isinstance(on, Text)
        values: list[object] = []
        for one in call.args:
            if isinstance(one, Const):
                values.append(one.value)
            elif (known := known_text(one)) is not None:
                values.append(known)
            elif isinstance(one, ListOf) and all(known_text(item) is not None for item in one.items):
                values.append(tuple(known_text(item) for item in one.items))
            else:
                return Text((Hole(call.written),))
        huge = any(isinstance(one, int) and one > LONGEST for one in values)
        if on.known is None or call.named or call.open or huge:
            return Text((Hole(call.written),))
        try:
            return _wrapped(compute(on.known, *values))
        except (TypeError, ValueError, IndexError, OverflowError, AttributeError):
            return Text((Hole(call.written),))

    return handler


def _wrapped(value: object) -> AbstractValue:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple):
        found = texts([str(one) for one in value])
        return ListOf(found.items, "tuple" if isinstance(value, tuple) else "list")
    return Const(value)


def _same_if_unknown(compute: Callable[[str], str]) -> Handler:
    """strip, lower …: parts that are known are treated, holes stay."""

    def handler(call: Call, world: World) -> AbstractValue:
        on = call.on
        assert isinstance(on, Text)
        if call.args:
            return _plain(compute)(call, world)
        if on.known is not None:
            return text(compute(on.known))
        return on if compute in _STRIPS else Text(tuple(compute(p) if isinstance(p, str) else p for p in on.parts))

    return handler


def _replace(call: Call, world: World) -> AbstractValue:
    """Known parts are replaced in; a hole stays a hole. `sql.replace("{env}", env)` puts in what is not known."""
    on, old = call.on, call.text(0)
    assert isinstance(on, Text)
    new = call.arg(1)
    if old is None or new is None or not old:
        return Text((Hole(call.written),))
    filler = to_text(new, what_is(new))
    parts: list[Text] = []
    for part in on.parts:
        if isinstance(part, Hole):
            parts.append(Text((part,)))
            continue
        for place, piece in enumerate(part.split(old)):
            if place:
                parts.append(filler)
            parts.append(text(piece))
    return joined_text(parts)


def text_item(on: Text, key: AbstractValue, shown: str) -> AbstractValue:
    place = number_in(key)
    if on.known is not None and place is not None and -len(on.known) <= place < len(on.known):
        return text(on.known[place])
    return Text((Hole(shown),))


def sliced_text(on: Text, cut: slice, shown: str) -> AbstractValue:
    return Text((Hole(shown),)) if on.known is None else text(on.known[cut])


_STRIPS: tuple[Callable[..., str], ...] = (str.strip, str.lstrip, str.rstrip)


@dataclass(frozen=True, slots=True, eq=False)
class FileValue(LibraryValue):
    """An open file of the codebase."""

    kind: str
    content: Text


def open_file(call: Call, world: World) -> AbstractValue:
    """`open(path)`, `Path(path).open()`."""
    path = known_text(call.on if isinstance(call.on, Text) else call.arg(0))
    content = world.file_text(path) if path is not None else None
    return UnknownValue(call.written) if content is None else FileValue("python.file", text(content))


def read_file(call: Call, world: World) -> AbstractValue:
    if isinstance(call.on, FileValue):
        return call.on.content
    path = known_text(call.on)
    content = world.file_text(path) if path is not None else None
    return UnknownValue(call.written) if content is None else text(content)


TEXT_METHODS: dict[str, Handler] = {
    "read_text": read_file,
    "open": open_file,
    "joinpath": lambda call, world: join_path((call.on or text(""), *call.args)),
    "as_posix": lambda call, world: call.on or text(""),
    "resolve": lambda call, world: call.on or text(""),
    "with_suffix": lambda call, world: Text((Hole(call.written),)),
    "format": format_braces,
    "join": join,
    "replace": _replace,
    **{name: _same_if_unknown(getattr(str, name)) for name in ("strip", "lstrip", "rstrip", "lower", "upper")},
    **{
        name: _plain(getattr(str, name))
        for name in (
            "split", "rsplit", "splitlines", "partition", "rpartition", "title", "capitalize", "startswith", "endswith",
            "removeprefix", "removesuffix", "zfill", "count", "find", "rfind", "index", "isdigit", "isalpha", "isupper",
            "islower", "isidentifier", "swapcase", "casefold",
        )
    },
}  # fmt: skip


def path_attribute(on: Text, name: str) -> AbstractValue | None:
    """pathlib paths are texts here."""
    if on.known is None:
        return None
    head, _, tail = on.known.rpartition("/")
    if name == "name":
        return text(tail)
    if name == "stem":
        return text(tail.rpartition(".")[0] or tail)
    if name == "suffix":
        return text("." + tail.rpartition(".")[2] if "." in tail else "")
    return text(head or ".") if name == "parent" else None


def join_path(parts: Sequence[AbstractValue]) -> Text:
    found: list[Text] = []
    for place, part in enumerate(parts):
        one = to_text(part, what_is(part))
        if place and not (found and _ends(found[-1])):
            found.append(text("/"))
        found.append(one)
    return joined_text(found)


def _ends(one: Text) -> bool:
    last = one.parts[-1] if one.parts else ""
    return isinstance(last, str) and last.endswith("/")
