"""What the import of a file would change: worked out whole, so that it is done whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from forge.catalog.glossary.entry import TermEntry
from forge.catalog.glossary.fields import TermFault, read_term
from forge.catalog.glossary.term import CONTENT, GlossaryTerm, name_key, term_id
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class TermImport:
    """`changed` are pairs of before and after. With errors nothing is to be written."""

    added: tuple[GlossaryTerm, ...] = ()
    changed: tuple[tuple[GlossaryTerm, GlossaryTerm], ...] = ()
    unchanged: tuple[GlossaryTerm, ...] = ()
    errors: tuple[ForgeError, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "added": [term.id for term in self.added],
            "changed": [after.id for _, after in self.changed],
            "unchanged": [term.id for term in self.unchanged],
            "errors": [error.to_dict() for error in self.errors],
        }


def plan_import(
    entries: Iterable[TermEntry], known: Iterable[GlossaryTerm], *, from_project: bool = False
) -> TermImport:
    """A term is known again by its id, else by domain and name. `from_project`: the entries are files of the project,
    whose terms only these may change; fields that they leave out are empty."""
    book = _TermBook(known)
    errors: list[ForgeError] = []
    read: list[tuple[GlossaryTerm | None, GlossaryTerm, TermEntry]] = []
    for entry in entries:
        before = book.find(entry.fields)
        base = None if from_project else before
        reading = read_term(_with_id(entry.fields, before), before=base)
        errors += [_error(fault, entry) for fault in reading.faults]
        if reading.term is None:
            continue
        after = _placed(reading.term, before, entry, from_project=from_project)
        errors += book.take(before, after, entry, from_project=from_project)
        read.append((before, after, entry))
    pairs = []
    for before, after, entry in read:  # only now are all names known
        linked, faults = _related(after, book)
        errors += [_error(fault, entry) for fault in faults]
        pairs.append((before, linked))
    return _sorted(pairs, errors)


class _TermBook:
    """All terms there will be, by id and by name."""

    def __init__(self, known: Iterable[GlossaryTerm]) -> None:
        self.by_id = {term.id: term for term in known}
        self._ids: dict[tuple[str, str], str] = {}
        self._domains: dict[str, set[str]] = {}  # in which a name is used
        for term in self.by_id.values():
            self._name(term)
        self._taken: dict[str, str] = {}  # id → where it was read

    def find(self, fields: object) -> GlossaryTerm | None:
        if not isinstance(fields, Mapping):
            return None
        own = fields.get("id")
        if isinstance(own, str) and own:
            return self.by_id.get(own)
        name, domain = str(fields.get("name") or "").strip(), str(fields.get("domain") or "").strip()
        return self.by_id.get(self._ids.get((domain, name_key(name)), term_id(domain, name) if name else ""))

    def take(
        self, before: GlossaryTerm | None, after: GlossaryTerm, entry: TermEntry, *, from_project: bool
    ) -> list[ForgeError]:
        errors = []
        if after.id in self._taken:
            why = f"The other one is at {self._taken[after.id]}."
            errors.append(ForgeError("E865", f"The term '{after.id}' is there twice", where=entry.where, why=why))
        elif before and before.file and not from_project and before.content != after.content:
            errors.append(term_of_file(before).but(where=entry.where))
        key = (after.domain, name_key(after.name))
        other = self._ids.get(key)
        if other is not None and other != after.id:
            errors.append(name_taken(after, other).but(where=entry.place_of("name")))
        if before is not None and (old := (before.domain, name_key(before.name))) != key:
            self._ids.pop(old, None)
            self._domains[old[1]].discard(old[0])
        self._name(after)
        self.by_id[after.id] = after
        self._taken.setdefault(after.id, entry.where)
        return errors

    def id_of(self, word: str, domain: str) -> str | None:
        """Of an id, or of a name: of the same domain, else of the only one that has it."""
        if word in self.by_id:
            return word
        key = name_key(word)
        domains = self._domains.get(key, set())
        if domain not in domains and len(domains) != 1:
            return None
        return self._ids[domain if domain in domains else next(iter(domains)), key]

    def _name(self, term: GlossaryTerm) -> None:
        key = name_key(term.name)
        self._ids[term.domain, key] = term.id
        self._domains.setdefault(key, set()).add(term.domain)


def name_taken(term: GlossaryTerm, other: str) -> ForgeError:
    return ForgeError(
        "E864",
        f"The glossary {term.domain or 'without a domain'} has a term '{term.name}'",
        why=f"Its id is {other}.",
        fix="Change that one, or choose another name.",
    )


def term_of_file(term: GlossaryTerm) -> ForgeError:
    return ForgeError(
        "E866",
        f"The term '{term.id}' is written in a file of the project",
        where=term.file,
        why="Only the file changes it, so that file and catalog never disagree.",
        fix=f"Change it there: {term.file}.",
    )


def resolve_related(term: GlossaryTerm, known: Iterable[GlossaryTerm]) -> tuple[GlossaryTerm, tuple[TermFault, ...]]:
    """Names of related terms become ids; those that are not there are faults."""
    return _related(term, _TermBook([*(one for one in known if one.id != term.id), term]))


def _related(term: GlossaryTerm, book: _TermBook) -> tuple[GlossaryTerm, tuple[TermFault, ...]]:
    found, faults = [], []
    for word in term.related:
        other = book.id_of(word, term.domain)
        if other is None:
            near = did_you_mean(word, [*book.by_id, *(one.name for one in book.by_id.values())])
            faults.append(TermFault("related", f"names a term that is not there: {word}", near))
        elif other != term.id:
            found.append(other)
    return replace(term, related=tuple(dict.fromkeys(found))), tuple(faults)


def _placed(term: GlossaryTerm, before: GlossaryTerm | None, entry: TermEntry, *, from_project: bool) -> GlossaryTerm:
    """With the record of the term that it replaces."""
    file = entry.where.rpartition(":")[0] if from_project else before.file if before else None
    if before is None:
        return replace(term, file=file)
    return replace(before, **{key: getattr(term, key) for key in CONTENT}, file=file)


def _with_id(fields: object, before: GlossaryTerm | None) -> object:
    """A term that is known by its name keeps its id."""
    return {**fields, "id": before.id} if isinstance(fields, Mapping) and before is not None else fields


def _error(fault: TermFault, entry: TermEntry) -> ForgeError:
    what = f"{fault.field} {fault.message}".strip()
    return ForgeError("E860", what, where=entry.place_of(fault.field), fix=fault.fix)


def _sorted(pairs: Iterable[tuple[GlossaryTerm | None, GlossaryTerm]], errors: Sequence[ForgeError]) -> TermImport:
    added, changed, unchanged = [], [], []
    for before, after in pairs:
        if before is None:
            added.append(after)
        elif before == after:
            unchanged.append(after)
        else:
            changed.append((before, after))
    return TermImport(tuple(added), tuple(changed), tuple(unchanged), tuple(errors))
