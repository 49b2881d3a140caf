"""Import and export of terms, and the files `glossary/*.yaml` of a project."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from forge.catalog.glossary.csv_text import load_terms_csv, terms_csv
from forge.catalog.glossary.entry import LARGEST_FILE, TermFile, bad_file
from forge.catalog.glossary.import_plan import TermImport, plan_import
from forge.catalog.glossary.term import GlossaryTerm
from forge.catalog.glossary.yaml_text import load_terms_yaml, terms_yaml
from forge.flows.catalog.glossary.ports import GlossaryPorts, TermWrite
from forge.flows.catalog.glossary.terms import creations, note_of, removal, written
from forge.model.errors import ForgeError, raise_errors
from forge.model.retry import attempts

FOLDER = "glossary"
_TRIES = 3
_log = logging.getLogger("forge.catalog")


class TermFormat(StrEnum):
    CSV = "csv"
    YAML = "yaml"

    @classmethod
    def of_file(cls, name: str) -> TermFormat | None:
        """What the ending says."""
        ending = name.rpartition(".")[2].lower()
        return cls.YAML if ending in ("yaml", "yml") else cls.CSV if ending == "csv" else None


@dataclass(frozen=True, slots=True)
class GlossarySync:
    """Ids that changed, those that left the files and stay because something is linked to them, and all errors."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    errors: tuple[ForgeError, ...] = ()


def export_terms(terms: Iterable[GlossaryTerm], format: TermFormat) -> str:
    return terms_csv(terms) if format is TermFormat.CSV else terms_yaml(terms)


def import_terms(
    text: str, file: str, format: TermFormat, ports: GlossaryPorts, *, dry_run: bool = False
) -> TermImport:
    """All of it, or nothing: every error is raised at once. `dry_run` says what would change."""
    if len(text) > LARGEST_FILE:
        raise bad_file(f"The file has more than {LARGEST_FILE:,} characters", file, "Split it.")
    read = load_terms_csv(text, file) if format is TermFormat.CSV else load_terms_yaml(text, file)
    for _ in attempts(_TRIES):
        plan = plan_import(read.entries, ports.store.terms())
        raise_errors((*read.errors, *plan.errors))
        if dry_run or not (plan.added or plan.changed) or _apply(plan, ports, file):
            return plan
    raise ForgeError("E862", "The glossary is being changed by someone else", fix="Import it again.")


def glossary_files(root: Path) -> tuple[Path, ...]:
    folder = root / FOLDER
    return tuple(sorted(path for path in folder.glob("*.y*ml") if path.suffix in (".yaml", ".yml") and path.is_file()))


def sync_glossary(root: Path, ports: GlossaryPorts) -> GlossarySync:
    """The terms of all files into the store. With an error in any file nothing changes. A term that leaves the files is
    deleted, but one that something is linked to stays, and can be edited from then on."""
    files = glossary_files(root)
    read = [_read(path, root) for path in files]
    entries = [entry for file in read for entry in file.entries]
    errors = [error for file in read for error in file.errors]
    known = ports.store.terms()
    if not entries and not errors and not any(term.file for term in known):
        return GlossarySync()
    plan = plan_import(entries, known, from_project=True)
    errors += plan.errors
    if errors:
        return GlossarySync(errors=tuple(errors))
    kept = {term.id for term in (*plan.added, *plan.unchanged, *(after for _, after in plan.changed))}
    gone = [term for term in known if term.file is not None and term.id not in kept]
    linked = {term.id for term in gone if ports.links(term.id)}
    done = _write_sync(plan, [term for term in gone if term.id in linked], ports)
    removed = _remove([term for term in gone if term.id not in linked], ports) if done else ()
    if not done:
        busy = ForgeError("E862", "The glossary is being changed by someone else", where=FOLDER, fix="Try again.")
        return GlossarySync(errors=(busy,))
    changed = tuple(after.id for _, after in plan.changed)
    return GlossarySync(tuple(term.id for term in plan.added), changed, removed, tuple(sorted(linked)))


@dataclass(slots=True)
class GlossaryFileWatch:
    """Syncs when a file has changed since the last look; each error is logged once."""

    root: Path
    ports: GlossaryPorts
    last: GlossarySync = field(default_factory=GlossarySync, init=False)
    _seen: tuple[tuple[str, int, int], ...] | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def look(self) -> GlossarySync:
        """`last.errors` are those of the files as they are now."""
        now = self._signature()
        with self._lock:
            if now != self._seen:
                self.last = sync_glossary(self.root, self.ports)
                self._seen = now
                for error in self.last.errors:
                    _log.warning("%s", error)
            return self.last

    def _signature(self) -> tuple[tuple[str, int, int], ...]:
        found = []
        for path in glossary_files(self.root):
            try:
                state = path.stat()
            except FileNotFoundError:
                continue
            found.append((path.name, state.st_mtime_ns, state.st_size))
        return tuple(found)


def _read(path: Path, root: Path) -> TermFile:
    name = path.relative_to(root).as_posix()
    try:
        if path.stat().st_size > LARGEST_FILE:
            return TermFile(errors=(bad_file(f"The file is larger than {LARGEST_FILE:,} bytes", name, "Split it."),))
        return load_terms_yaml(path.read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return TermFile(errors=(ForgeError("E103", "A file of the glossary cannot be read", where=name, why=reason),))


def _apply(plan: TermImport, ports: GlossaryPorts, source: str) -> bool:
    writes = _writes(plan, ports)
    note = note_of("import", [write.id for write in writes], ports)
    return ports.store.apply(writes, replace(note, detail={**note.detail, "file": source}))


def _writes(plan: TermImport, ports: GlossaryPorts) -> list[TermWrite]:
    now = ports.clock()
    return creations(plan.added, ports) + [
        TermWrite(before, written(after, before, ports, now)) for before, after in plan.changed
    ]


def _write_sync(plan: TermImport, released: Sequence[GlossaryTerm], ports: GlossaryPorts) -> bool:
    now = ports.clock()
    writes = _writes(plan, ports)
    writes += [TermWrite(term, written(replace(term, file=None), term, ports, now)) for term in released]
    return not writes or ports.store.apply(writes, note_of("sync", [write.id for write in writes], ports))


def _remove(gone: Sequence[GlossaryTerm], ports: GlossaryPorts) -> tuple[str, ...]:
    """One by one: what named it as related may be gone itself."""
    removed = []
    for term in gone:
        now = ports.store.term(term.id)
        if now is not None and ports.store.apply(
            removal(now, ports.store.terms(), ports), note_of("delete", [term.id], ports)
        ):
            removed.append(term.id)
    return tuple(removed)
