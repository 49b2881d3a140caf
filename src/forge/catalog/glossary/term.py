"""Terms of a glossary: what a word of the business means. A glossary is the terms of one domain."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from forge.catalog.identifiers import identifier_words
from forge.model.record_json import record_json

_ID = re.compile(r"[a-z0-9][a-z0-9_.-]{0,119}")
CONTENT = ("name", "domain", "definition", "synonyms", "related", "examples", "owner", "state")
"""The fields that people write, in the order in which files have them."""


class TermState(StrEnum):
    DRAFT = "draft"
    APPROVED = "approved"


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryTerm:
    """`version` counts its changes, for whoever edits it next. `file`: the place in a file of the project that has it;
    such a term is changed there only."""

    id: str
    name: str
    domain: str = ""
    definition: str = ""  # Markdown
    synonyms: tuple[str, ...] = ()
    related: tuple[str, ...] = ()  # ids
    examples: tuple[str, ...] = ()
    owner: str | None = None
    state: TermState = TermState.DRAFT
    version: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    updated_by: str = ""
    file: str | None = None

    @property
    def content(self) -> dict[str, object]:
        return {key: value for key, value in record_json(self).items() if key in CONTENT}

    @property
    def names(self) -> tuple[str, ...]:
        """The name, then the synonyms."""
        return (self.name, *self.synonyms)

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True)
class TermLink:
    """What a term describes: an asset, or one of its columns."""

    asset: str
    column: str | None = None

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRevision:
    """One change of a term: `before` is None where it was made, `after` where it was deleted."""

    term: str
    version: int
    at: datetime
    by: str
    before: dict[str, object] | None
    after: dict[str, object] | None

    @property
    def changed(self) -> tuple[str, ...]:
        """The fields that differ."""
        old, new = self.before or {}, self.after or {}
        return tuple(key for key in CONTENT if old.get(key) != new.get(key))

    def to_dict(self) -> dict[str, object]:
        return {**record_json(self), "changed": list(self.changed)}


@dataclass(frozen=True, slots=True)
class Glossary:
    """The terms of one domain, counted."""

    domain: str
    terms: int
    approved: int
    owners: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


def glossaries_of(terms: Iterable[GlossaryTerm]) -> tuple[Glossary, ...]:
    """By domain."""
    by_domain: dict[str, list[GlossaryTerm]] = {}
    for term in terms:
        by_domain.setdefault(term.domain, []).append(term)
    return tuple(
        Glossary(
            domain,
            len(found),
            sum(term.state is TermState.APPROVED for term in found),
            tuple(sorted({term.owner for term in found if term.owner})),
        )
        for domain, found in sorted(by_domain.items())
    )


def is_term_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def term_id(domain: str, name: str) -> str:
    """The id of a term that has no other: `sales.net-revenue`. Of a name without Latin letters or digits, a hash."""
    parts = [slug for slug in (_slug(domain)[:40], _slug(name) or _hash(name)) if slug]
    return ".".join(parts)[:120].rstrip(".-")


def name_key(name: str) -> str:
    """Equal for names that people take as the same: `Net Revenue`, `net_revenue`."""
    return " ".join(identifier_words(name)) or name.strip().casefold()


def _slug(text: str) -> str:
    words = identifier_words(text)
    return "-".join(words)[:79] if words and all(word.isascii() for word in words) else ""


def _hash(text: str) -> str:
    return f"term-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
