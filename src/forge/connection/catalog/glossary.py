"""`forge.connect().catalog.glossary`: terms of the business."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forge.catalog.glossary.import_plan import TermImport
from forge.catalog.glossary.suggestion import TermSuggestion
from forge.catalog.glossary.term import GlossaryTerm, TermLink, TermRevision, TermState
from forge.connection.tabular import TabularTuple
from forge.flows.catalog.edit import find_asset
from forge.flows.catalog.glossary.exchange import TermFormat, export_terms, import_terms
from forge.flows.catalog.glossary.links import suggest_for
from forge.flows.catalog.glossary.ports import GlossaryPorts
from forge.flows.catalog.glossary.terms import change_term, create_term, find_term, find_terms, remove_term
from forge.model.errors import ForgeError
from forge.wiring import Wiring


class GlossaryTerms(TabularTuple[GlossaryTerm]):
    __slots__ = ()


class TermHistory(TabularTuple[TermRevision]):
    __slots__ = ()


class TermLinks(TabularTuple[TermLink]):
    __slots__ = ()


class TermSuggestions(TabularTuple[TermSuggestion]):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class GlossaryBook:
    """A term is named by its id, or by a name that only it has. Terms of glossary/*.yaml are as the files say."""

    wiring: Wiring

    @property
    def _ports(self) -> GlossaryPorts:
        parts = self.wiring.catalog.discovery
        parts.glossary_files.look()
        return parts.glossary_ports()

    def list(self, text: str = "", *, domain: str | None = None, state: str | None = None) -> GlossaryTerms:
        """By domain and name."""
        wanted = TermState(state) if state else None
        return GlossaryTerms(find_terms(self._ports.store, text=text, domain=domain, state=wanted))

    def get(self, term: str) -> GlossaryTerm:
        """E861."""
        return find_term(self._ports.store, term)

    def links(self, term: str) -> TermLinks:
        """The assets and columns that it describes."""
        ports = self._ports
        return TermLinks(ports.links(find_term(ports.store, term).id))

    def history(self, term: str, limit: int = 100) -> TermHistory:
        """Newest first; of a deleted term by its id."""
        store = self._ports.store
        return TermHistory(store.history(term, limit) or store.history(find_term(store, term).id, limit))

    def add(self, name: str, **fields: Any) -> GlossaryTerm:
        """E860, E864. `f.catalog.glossary.add("Net revenue", domain="sales", synonyms=["turnover"])`"""
        return create_term({"name": name, **fields}, self._ports)

    def edit(self, term: str, *, expected_version: int | None = None, **fields: Any) -> GlossaryTerm:
        """What is not named stays. E862 where it is not at that version."""
        return change_term(term, fields, self._ports, version=expected_version)

    def remove(self, term: str, *, force: bool = False, expected_version: int | None = None) -> GlossaryTerm:
        """E863 where something is linked to it, unless forced. E862 where it is not at that version."""
        return remove_term(term, self._ports, force=force, version=expected_version)

    def suggest(self, asset: str, limit: int = 3) -> TermSuggestions:
        """Terms for the columns of an asset that have none."""
        found = find_asset(self.wiring.catalog.assets, asset)
        return TermSuggestions(suggest_for(found, self._ports.store.terms(), limit=limit))

    def import_file(self, file: str | Path, *, dry_run: bool = False) -> TermImport:
        """CSV or YAML, by its ending: all of it, or nothing."""
        format = _format(file)
        text = Path(file).read_bytes().decode("utf-8-sig")
        return import_terms(text, str(file), format, self._ports, dry_run=dry_run)

    def export_file(self, file: str | Path, *, domain: str | None = None) -> int:
        """CSV or YAML, by its ending; the number of terms."""
        format, terms = _format(file), self._ports.store.terms(domain=domain)
        Path(file).write_text(export_terms(terms, format), encoding="utf-8", newline="")
        return len(terms)


def _format(file: str | Path) -> TermFormat:
    format = TermFormat.of_file(str(file))
    if format is None:
        raise ForgeError("E105", f"It cannot be told what {file} is", fix="Name it .csv or .yaml.")
    return format
