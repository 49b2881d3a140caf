"""A pack of the best assets for an assistant: names, columns and words, of bounded size. No values of any row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forge.catalog.search.document import DocumentColumn, SearchDocument

LEAST_CHARS, MOST_CHARS = 200, 200_000
_DESCRIPTION = 600
_COLUMN_DESCRIPTION = 160


@dataclass(frozen=True, slots=True)
class ContextPack:
    """`text` is Markdown. `left_out`: matching assets that did not fit."""

    query: str
    text: str
    assets: tuple[str, ...]
    left_out: int

    def to_dict(self) -> dict[str, object]:
        return {
            "query": self.query,
            "text": self.text,
            "assets": list(self.assets),
            "left_out": self.left_out,
            "chars": len(self.text),
        }


def pack_context(query: str, documents: Iterable[SearchDocument], max_chars: int) -> ContextPack:
    """The best first, each whole or with as many columns as fit; what does not fit at all is counted."""
    parts: list[str] = []
    named: list[str] = []
    used = left_out = 0
    for document in documents:
        room = max_chars - used - (1 if parts else 0)
        part = _section(document, room)
        if part is None or left_out:
            left_out += 1
            continue
        parts.append(part)
        named.append(document.qualified_name)
        used += len(part) + (1 if len(parts) > 1 else 0)
    return ContextPack(query, "\n".join(parts), tuple(named), left_out)


def _section(document: SearchDocument, room: int) -> str | None:
    head = "\n".join(_head(document)) + "\n"
    if len(head) > room:
        return None
    lines, used = [head], len(head)
    for number, column in enumerate(document.columns):
        rest = f"- … {len(document.columns) - number} more columns\n"
        line = _column(column)
        last = number == len(document.columns) - 1
        if used + len(line) + (0 if last else len(rest)) > room:
            if used + len(rest) <= room:
                lines.append(rest)
            break
        lines.append(line)
        used += len(line)
    return "".join(lines)


def _head(document: SearchDocument) -> list[str]:
    facts = {
        "owner": document.owner,
        "domain": document.domain,
        "tags": ", ".join(document.tags),
        "terms": ", ".join(term.name for term in document.terms),
        "classification": document.classification,
        "personal data": ", ".join(document.pii),
        "quality": None if document.quality is None else f"{document.quality:g}",
        "state": "deprecated" if document.deprecated else "vanished" if document.vanished else None,
    }
    told = "; ".join(f"{name}: {_line(value, 200)}" for name, value in facts.items() if value)
    lines = [f"## {_line(document.qualified_name, 300)} ({document.type.value})"]
    return lines + [line for line in (_line(document.description, _DESCRIPTION), told) if line]


def _column(column: DocumentColumn) -> str:
    about = [_line(column.description, _COLUMN_DESCRIPTION)]
    if column.pii:
        about.append(f"personal data: {column.pii}")
    if column.terms:
        about.append(f"term: {_line(column.terms[0], 100)}")
    told = "; ".join(one for one in about if one)
    return f"- {_line(column.name, 200)} {column.type}{f': {told}' if told else ''}\n"


def _line(text: str, most: int) -> str:
    """One line of a text, so that no description can pose as a heading of its own."""
    joined = " ".join(text.split())
    return joined if len(joined) <= most else f"{joined[: most - 1]}…"
