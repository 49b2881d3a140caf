"""Imports of lineage: graph exports, declared edges, OpenLineage events, Dagster assets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from forge.connection.lineage.code import root_of
from forge.connection.lineage.results import DeclaredFile, EventFile, ImportedAssets, ImportedFile
from forge.flows.lineage.code.records import file_id
from forge.lineage.extract.files import FileKind, kind_of_file, suffix_of
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.wiring import Wiring

_HEAD = 64 * 1024


def import_export_file(wiring: Wiring, file: str | Path) -> ImportedFile:
    """What an export has and this record lacks. E813."""
    from forge.flows.lineage.reader import open_graph
    from forge.lineage.exchange import import_export

    source = Path(file)
    store = open_graph(wiring.lineage.graph).ports.store
    try:
        with source.open(encoding="utf-8") as lines:
            return ImportedFile.of(import_export(store, lines))
    except (OSError, UnicodeDecodeError) as error:
        _unreadable(source, error)
    except ForgeError as error:
        place = f"{source}, {error.where}" if error.where else str(source)
        raise error.but(where=place) from error


def import_declared_file(wiring: Wiring, file: str | Path) -> DeclaredFile:
    """What a YAML file declares, in place of what it declared before. E813, E820 with all its faults."""
    from forge.flows.lineage.declarations import record_declared

    source = Path(file)
    name = file_id(root_of(wiring.root, source), source.name)
    done = record_declared(wiring.lineage.graph, {name: _text(source)})
    return DeclaredFile(done.edges, done.recorded, done.unknown)


def import_event_file(wiring: Wiring, file: str | Path) -> EventFile:
    """Events of OpenLineage: one in each line, or one, or a list. One that is malformed keeps back no other. E813."""
    from forge.flows.lineage.openlineage.file import events_in, faults_in
    from forge.flows.lineage.openlineage.ingest import ingest_events

    found = events_in(_text(Path(file)))
    answers = ingest_events(wiring.lineage.openlineage, [one for _, one in found.events])
    faults = [ForgeError("E818", reason, where=f"{file}:{line}") for line, reason in found.broken]
    faults += [
        fault
        for answer in answers
        if answer.error is not None
        for fault in faults_in(str(file), found, answer.index, answer.error)
    ]
    statuses = Counter(str(answer.taken.status) for answer in answers if answer.taken is not None)
    return EventFile(len(answers) + len(found.broken), dict(statuses), tuple(faults))


def import_file(wiring: Wiring, file: str | Path) -> ImportedFile | DeclaredFile | EventFile:
    """Whichever of these it is."""
    match _kind(Path(file)):
        case FileKind.DECLARED:
            return import_declared_file(wiring, file)
        case FileKind.EVENTS:
            return import_event_file(wiring, file)
    return import_export_file(wiring, file)


def _kind(file: Path) -> FileKind:
    """YAML is a declaration; JSON is events unless it begins as an export, so that errors name the right format."""
    if file.is_dir() or kind_of_file(file.name, "") in (FileKind.SQL, FileKind.PYTHON, FileKind.NOTEBOOK, FileKind.DBT):
        raise ForgeError(
            "E813",
            f"{file} is code",
            where=str(file),
            why="Exports, YAML files of edges and OpenLineage events are imported.",
            fix=f"Read code with: forge ingest {file}",
        )
    suffix = suffix_of(file.name)
    if suffix in (".yml", ".yaml"):
        return FileKind.DECLARED
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            found = kind_of_file(file.name, opened.read(_HEAD))
    except OSError as error:
        _unreadable(file, error)
    return FileKind.EVENTS if found is FileKind.OTHER and suffix in (".json", ".ndjson") else found


def import_dagster(
    wiring: Wiring, target: str | Path, *, job: str | None = None, run_id: str | None = None
) -> ImportedAssets:
    """The assets of an instance (its folder) or of a code location (a file or module, whose code is then run). E819."""
    from forge.flows.lineage.dagster import import_assets
    from forge.wiring.lineage import dagster_assets

    assets = dagster_assets(str(target), job, run_id)
    done = import_assets(wiring.lineage.graph, assets)
    return ImportedAssets(done.assets, done.edges, done.recorded, done.older)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        _unreadable(file, error)


def _unreadable(file: Path, error: OSError | UnicodeDecodeError) -> NoReturn:
    why = error.strerror if isinstance(error, OSError) and error.strerror else "It is not UTF-8 text"
    raise ForgeError("E813", f"{file} cannot be read", where=str(file), why=f"{why}.", fix="Check the path.") from error
