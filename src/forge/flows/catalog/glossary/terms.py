"""Create, change and delete terms. A change carries the version that was read; another one is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from forge.catalog.glossary.fields import TermFault, read_term
from forge.catalog.glossary.import_plan import name_taken, resolve_related, term_of_file
from forge.catalog.glossary.term import GlossaryTerm, TermLink, TermState, name_key
from forge.flows.catalog.glossary.ports import GlossaryPorts, GlossaryStore, TermWrite
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean

_SHOWN_LINKS = 3


def find_term(store: GlossaryStore, term_id: str) -> GlossaryTerm:
    """By its id, or by a name that only one term has."""
    found = store.term(term_id)
    if found is not None:
        return found
    every = store.terms()
    named = [term for term in every if name_key(term.name) == name_key(term_id)]
    if len(named) == 1:
        return named[0]
    near = did_you_mean(term_id, (word for term in every for word in (term.id, term.name)))
    several = f"Several have that name: {', '.join(term.id for term in named)}." if named else None
    fix = "`forge catalog glossary list` lists them."
    raise ForgeError("E861", f"There is no term '{term_id}'", why=several or near, fix=fix)


def find_terms(
    store: GlossaryStore,
    *,
    text: str = "",
    domain: str | None = None,
    state: TermState | None = None,
) -> tuple[GlossaryTerm, ...]:
    """By domain and name; `text`: a part of the name, a synonym or the definition."""
    words = text.casefold().split()

    def wanted(term: GlossaryTerm) -> bool:
        every = "\n".join((*term.names, term.definition, term.id)).casefold()
        return (state is None or term.state is state) and all(word in every for word in words)

    return tuple(term for term in store.terms(domain=domain) if wanted(term))


def create_term(fields: Mapping[str, object], ports: GlossaryPorts) -> GlossaryTerm:
    """E860 with all faults, E864 where the name or the id is taken; then nothing is written."""
    read = read_term(fields)
    refuse_faults(read.faults)
    assert read.term is not None
    known = ports.store.terms()
    _refuse_taken(read.term, known)
    term = _resolved(read.term, known)
    (write,) = creations([term], ports)
    if not ports.store.apply([write], note_of("create", [term.id], ports)):
        raise _busy(term.id)
    assert write.after is not None
    return write.after


def change_term(
    term_id: str, fields: Mapping[str, object], ports: GlossaryPorts, *, version: int | None = None
) -> GlossaryTerm:
    """What is not given stays. `version`: that which the caller saw; E862 where it is not the newest."""
    before = find_term(ports.store, term_id)
    _refuse_stale(before, version)
    if before.file is not None:
        raise term_of_file(before)
    read = read_term(fields, before=before)
    refuse_faults(read.faults)
    assert read.term is not None
    known = ports.store.terms()
    _refuse_taken(read.term, [term for term in known if term.id != before.id])
    after = _resolved(read.term, known)
    if after.content == before.content:
        return before
    made = written(after, before, ports, ports.clock())
    if not ports.store.apply([TermWrite(before, made)], note_of("change", [made.id], ports)):
        raise _stale(before.id)
    return made


def remove_term(term_id: str, ports: GlossaryPorts, *, force: bool = False, version: int | None = None) -> GlossaryTerm:
    """E863 where something is linked to it, unless forced. Other terms no longer name it as related; its history
    stays."""
    before = find_term(ports.store, term_id)
    _refuse_stale(before, version)
    if before.file is not None:
        raise term_of_file(before)
    links = ports.links(before.id)
    if links and not force:
        raise _in_use(before, links)
    writes = removal(before, ports.store.terms(), ports)
    if not ports.store.apply(writes, note_of("delete", [before.id], ports)):
        raise _stale(before.id)
    return before


def removal(term: GlossaryTerm, known: Iterable[GlossaryTerm], ports: GlossaryPorts) -> list[TermWrite]:
    """The deletion, and the change of what names it as related."""
    now = ports.clock()
    writes = [TermWrite(term, None)]
    for other in known:
        if other.id != term.id and term.id in other.related:
            left = replace(other, related=tuple(one for one in other.related if one != term.id))
            writes.append(TermWrite(other, written(left, other, ports, now)))
    return writes


def written(term: GlossaryTerm, before: GlossaryTerm | None, ports: GlossaryPorts, at: datetime) -> GlossaryTerm:
    """As it is stored."""
    version, created = (before.version, before.created_at or at) if before else (0, at)
    return replace(term, version=version + 1, created_at=created, updated_at=at, updated_by=ports.actor)


def creations(terms: Sequence[GlossaryTerm], ports: GlossaryPorts) -> list[TermWrite]:
    """A term that was deleted before counts on, so that no old version is taken for the new one."""
    now, last = ports.clock(), ports.store.last_versions(term.id for term in terms)
    made = (written(term, None, ports, now) for term in terms)
    return [TermWrite(None, replace(term, version=last.get(term.id, 0) + 1)) for term in made]


def note_of(action: str, ids: Sequence[str], ports: GlossaryPorts) -> AuditRecord:
    subject = ids[0] if len(ids) == 1 else f"{len(ids)} terms"
    detail: dict[str, object] = {} if len(ids) == 1 else {"terms": list(ids[:100])}
    return AuditRecord(ports.clock(), ports.actor, f"term.{action}", subject, detail)


def refuse_faults(faults: Iterable[TermFault]) -> None:
    raise_errors(ForgeError("E860", f"{one.field} {one.message}".strip(), fix=one.fix) for one in faults)


def _resolved(term: GlossaryTerm, known: Iterable[GlossaryTerm]) -> GlossaryTerm:
    resolved, faults = resolve_related(term, known)
    refuse_faults(faults)
    return resolved


def _refuse_taken(term: GlossaryTerm, others: Iterable[GlossaryTerm]) -> None:
    for other in others:
        if (other.domain, name_key(other.name)) == (term.domain, name_key(term.name)):
            raise name_taken(term, other.id)
        if other.id == term.id:
            raise ForgeError(
                "E864", f"There is a term '{term.id}'", fix="Change that one, or give this one another id."
            )


def _refuse_stale(term: GlossaryTerm, version: int | None) -> None:
    if version is not None and version != term.version:
        raise _stale(term.id)


def _stale(term_id: str) -> ForgeError:
    return ForgeError(
        "E862",
        f"The term '{term_id}' has changed since it was read",
        why="Someone else wrote it meanwhile.",
        fix="Read it again, and change that version.",
    )


def _busy(term_id: str) -> ForgeError:
    return ForgeError("E864", f"The term '{term_id}' was made by someone else at the same time", fix="Read it first.")


def _in_use(term: GlossaryTerm, links: Sequence[TermLink]) -> ForgeError:
    names = [f"{link.asset}.{link.column}" if link.column else link.asset for link in links[:_SHOWN_LINKS]]
    more = f" and {len(links) - _SHOWN_LINKS} more" if len(links) > _SHOWN_LINKS else ""
    return ForgeError(
        "E863",
        f"The term '{term.id}' is in use",
        why=f"It describes {', '.join(names)}{more}.",
        fix="Take it off there, or delete it with --force.",
    )
