"""Wire models of the glossary."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.api.wire import ErrorView, Name, Page, Wire
from forge.catalog.glossary.entry import LARGEST_FILE
from forge.catalog.glossary.fields import LONGEST_DEFINITION, LONGEST_EXAMPLE, MOST_ITEMS

TermStateWord = Literal["draft", "approved"]
TermFormatWord = Literal["csv", "yaml"]
_Definition = Annotated[str, Field(max_length=LONGEST_DEFINITION)]
_Example = Annotated[str, Field(max_length=LONGEST_EXAMPLE)]


class GlossaryView(Wire):
    """The terms of one domain, counted."""

    domain: str
    terms: int
    approved: int
    owners: list[str]


class GlossaryList(Page[GlossaryView]):
    """`errors`: what is wrong with the files glossary/*.yaml; their terms are as they were until it is put right."""

    errors: list[ErrorView]


class TermView(Wire):
    id: str
    name: str
    domain: str
    definition: str
    synonyms: list[str]
    related: list[str]
    examples: list[str]
    owner: str | None
    state: TermStateWord
    version: int
    created_at: datetime | None
    updated_at: datetime | None
    updated_by: str
    file: str | None


class TermLinkView(Wire):
    asset: str
    column: str | None


class TermDetail(TermView):
    """With what it describes."""

    links: list[TermLinkView]


class TermRevisionView(Wire):
    """One change. `before` is null where the term was made, `after` where it was deleted."""

    term: str
    version: int
    at: datetime
    by: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    changed: list[str]


class TermCreate(Wire):
    """A term to be. `related` are ids, or names. Without an id, domain and name make one."""

    id: Annotated[str, Field(max_length=120)] | None = None
    name: Name
    domain: Name = ""
    definition: _Definition = ""
    synonyms: list[Name] = Field(default=[], max_length=MOST_ITEMS)
    related: list[Name] = Field(default=[], max_length=MOST_ITEMS)
    examples: list[_Example] = Field(default=[], max_length=MOST_ITEMS)
    owner: Name | None = None
    state: TermStateWord = "draft"


class TermChange(Wire):
    """What is left out stays as it is. `expected_version`: that which was read; another one is refused (409)."""

    expected_version: int | None = Field(default=None, ge=0)
    name: Name | None = None
    domain: Name | None = None
    definition: _Definition | None = None
    synonyms: list[Name] | None = Field(default=None, max_length=MOST_ITEMS)
    related: list[Name] | None = Field(default=None, max_length=MOST_ITEMS)
    examples: list[_Example] | None = Field(default=None, max_length=MOST_ITEMS)
    owner: Name | None = None
    state: TermStateWord | None = None


class TermSuggestionView(Wire):
    column: str
    term: str
    name: str
    score: float
    reason: str


class TermImportBody(Wire):
    """The text of a file, CSV or YAML. `dry_run`: say what would change."""

    format: TermFormatWord
    text: Annotated[str, Field(max_length=LARGEST_FILE)]
    dry_run: bool = False


class TermImportView(Wire):
    """Ids; all of the file was taken, or nothing."""

    added: list[str]
    changed: list[str]
    unchanged: list[str]
    dry_run: bool
