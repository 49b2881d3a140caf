"""Names of the sections of a contract in lint messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from forge.contracts.document.file import Path
from forge.model.name_suggestions import did_you_mean

_MOST_COMPARED, _LONGEST = 100, 100
_TYPES = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
_ENTRIES = {
    "schema": "an object of the schema",
    "properties": "a property",
    "quality": "a quality rule",
    "slaProperties": "an SLA property",
    "servers": "a server",
    "team": "a team member",
    "members": "a team member",
    "roles": "a role",
    "support": "a support channel",
    "customProperties": "a custom property",
    "authoritativeDefinitions": "an authoritative definition",
    "relationships": "a relationship",
    "enum": "an allowed value",
    "synonyms": "a synonym",
    "verifiedStatements": "a verified statement",
    "constraints": "a constraint",
}
_PARTS = {
    "logicalTypeOptions": "the options of a type",
    "description": "the description",
    "team": "the team",
    "price": "the price",
    "items": "the items of an array",
    "map": "a map",
    "key": "the key of a map",
    "value": "the value of a map",
    "context": "the context",
    "arguments": "the arguments of a rule",
}


def type_words(types: Iterable[str]) -> str:
    names = [t for t in types if not (t == "integer" and "number" in types)]
    words = [_TYPES[name] for name in names if name != "null"] or ["nothing"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def label_of(path: Path, value: Mapping[str, object]) -> str:
    """`a property`, `a server of type s3`, `the options of a string`."""
    if not path:
        return "a contract"
    if isinstance(path[-1], int):
        name = _ENTRIES.get(str(path[-2]) if len(path) > 1 else "", "an entry")
        kind = value.get("type")
        return f"{name} of type {kind}" if name in ("a server", "a quality rule") and isinstance(kind, str) else name
    return _PARTS.get(path[-1], path[-1])


def one_of(name: str, known: Iterable[str]) -> str:
    """The fix for an unknown word."""
    words = list(known)
    by_letters = {letters_of(word): word for word in words[:_MOST_COMPARED]}
    if (meant := by_letters.get(letters_of(name))) is not None:
        return f"Write {meant}."
    if len(words) == 1:
        return f"Write {words[0]}."
    listed = f"Use one of {', '.join(words)}." if len(words) <= 16 else ""
    near = nearest(name, words)
    return f"{near} {listed}".strip() if near else listed or f"Use one of {', '.join(words[:16])}…"


def nearest(name: str, known: Sequence[str]) -> str | None:
    """As `did_you_mean`, with a limit on comparisons: of many names those with the same beginning."""
    if len(known) > _MOST_COMPARED:
        known = [each for each in known if each[:1].lower() == name[:1].lower()][:_MOST_COMPARED]
    return did_you_mean(name[:_LONGEST], [each for each in known if len(each) <= _LONGEST])


def letters_of(word: str) -> str:
    """The common form of `primary_key`, `PrimaryKey` and `primaryKey`."""
    return "".join(c for c in word.lower() if c.isalnum())
