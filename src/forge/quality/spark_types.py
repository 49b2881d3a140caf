"""Spark's type strings taken apart: `struct<a:int,b:array<string>>`. Enough to find a field and to compare types."""

from __future__ import annotations

import re

_ALIASES = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "real": "float",
    "dec": "decimal",
    "numeric": "decimal",
    "timestamp_ltz": "timestamp",
    "character": "char",
}
_SIMPLE = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "varchar", "char"),
    *("binary", "date", "timestamp", "timestamp_ntz", "time", "interval", "variant", "void"),
)
WORDS = (*_SIMPLE, *_ALIASES, "struct", "array", "map")  # with which a type can begin
_NOTE = re.compile(r"""\s+(?:not\s+null|comment\s+(?:'[^']*'|"[^"]*"))\s*$""", re.IGNORECASE)
_PLAIN = re.compile(r"\w+")


def inner_types(type_: str, word: str) -> tuple[str, ...] | None:
    """What stands between the brackets of a `struct`, `array` or `map`; None of another type."""
    text = type_.strip()
    if not text.lower().startswith(word) or not text.endswith(">"):
        return None
    rest = text[len(word) :].lstrip()
    return _split(rest[1:-1], ",") if rest.startswith("<") else None


def fields_of(type_: str) -> tuple[tuple[str, str], ...] | None:
    """Names and types of a struct's fields; None of another type."""
    inner = inner_types(type_, "struct")
    return None if inner is None else tuple(_field(part) for part in inner)


def canonical(type_: str) -> str:
    """One way to write a type: lower case, no aliases, no blanks. Names of fields are compared without their case, as
    those of columns are."""
    text = type_.strip()
    if (fields := fields_of(text)) is not None:
        return f"struct<{','.join(f'{name.lower()}:{canonical(inner)}' for name, inner in fields)}>"
    for word in ("array", "map"):
        if (parts := inner_types(text, word)) is not None:
            return f"{word}<{','.join(canonical(part) for part in parts)}>"
    name, bracket, rest = (part.strip().lower() for part in text.partition("("))
    name = " ".join(_ALIASES.get(name, name).split())
    arguments = [part.strip() for part in rest.rstrip(") ").split(",")] if bracket else []
    if name == "decimal":
        return f"decimal({arguments[0] if arguments else 10},{arguments[1] if len(arguments) > 1 else 0})"
    return f"{name}({','.join(arguments)})" if arguments else name


def first_word(type_: str) -> str:
    """`decimal` of `decimal(12,2)`; the whole text where it begins with no word."""
    match = _PLAIN.match(type_.strip().lower())
    return match[0] if match else type_


def words_of(type_: str) -> tuple[str, ...]:
    """The first words of the type and of all types inside it."""
    inner = [found for _, found in fields_of(type_) or ()]
    for word in ("array", "map"):
        inner += inner_types(type_, word) or ()
    return (first_word(type_), *(word for part in inner for word in words_of(part)))


def _split(text: str, mark: str) -> tuple[str, ...]:
    """Parts between marks that stand in no brackets and no quotes."""
    parts: list[str] = []
    depth, quote, begin = 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "`'\"":
            quote = letter
        elif letter in "<(":
            depth += 1
        elif letter in ">)":
            depth -= 1
        elif letter == mark and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    parts.append(text[begin:])
    return tuple(part.strip() for part in parts if part.strip())


def _field(text: str) -> tuple[str, str]:
    """`a:int`, `a int`, `a: int NOT NULL COMMENT 'x'`, with the name in backticks or not."""
    quoted = text.startswith("`")
    end = _end_of_quoted(text) if quoted else _first(text, ":") or _first(text, " ") or len(text)
    name = text[1 : end - 1].replace("``", "`") if quoted else text[:end]
    type_ = text[end:].lstrip(": ")
    while (cut := _NOTE.sub("", type_)) != type_:
        type_ = cut
    return name.strip(), type_.strip()


def _first(text: str, mark: str) -> int | None:
    place = text.find(mark)
    return place if place > 0 else None


def _end_of_quoted(text: str) -> int:
    place = 1
    while place < len(text):
        if text[place] == "`":
            if text[place + 1 : place + 2] != "`":
                return place + 1
            place += 1
        place += 1
    return len(text)
