"""Extraction of edges from files without a project; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from forge.flows.lineage.code.files import Codebase, find_code, printable_path
from forge.flows.lineage.code.ports import IngestOptions, IngestProgress, with_progress
from forge.lineage.edge import Extraction
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import CodebaseContext, Run, SourceUnit, modules_of, read_codebase
from forge.lineage.extract.definition import TableDefinition, definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import Program


def extract(
    paths: Sequence[Path],
    options: IngestOptions,
    read: Run,
    on_progress: Callable[[IngestProgress], None] = lambda progress: None,
) -> tuple[Extraction, tuple[Program, ...]]:
    """All files together are one codebase. Their names are as they were given. E816."""
    units, refused, shared = codebase_of(paths, options)
    done = read_codebase(units, shared, with_progress(read, on_progress, len(units)))
    programs = (*(program for unit in units for program in done[unit.name].programs), *refused)
    return flatten(programs), programs


def codebase_of(
    paths: Sequence[Path], options: IngestOptions, known: Sequence[TableDefinition] = ()
) -> tuple[tuple[SourceUnit, ...], tuple[Program, ...], CodebaseContext]:
    """What is to be read, what cannot be, and what it is read with."""
    found = [_under(path, find_code(path)) for path in paths]
    units = tuple({unit.name: unit for code in found for unit in code.units}.values())
    refused = tuple(program for code in found for program in code.refused.values())
    texts = {path: text for unit in units if unit.language == "python" for path, text in unit.texts.items()}
    catalog = TableCatalog((*known, *definitions_of(options.schemas)), options.db, options.default_schema)
    return units, refused, CodebaseContext(catalog, options.dialect, modules_of(texts))


def _under(path: Path, code: Codebase) -> Codebase:
    """Files called by what the user typed, so that the names can be opened."""
    root = path if path.is_dir() else path.parent

    def name(inside: str) -> str:
        return printable_path(root / inside)

    units = tuple(
        replace(
            unit,
            name=name(unit.name),
            texts={name(file): text for file, text in unit.texts.items()},
            notes=tuple(replace(note, place=name(note.place)) for note in unit.notes),
        )
        for unit in code.units
    )
    refused = {
        name(file): replace(one, file=name(file), gaps=tuple(replace(gap, place=name(file)) for gap in one.gaps))
        for file, one in code.refused.items()
    }
    return replace(code, units=units, refused=refused)
