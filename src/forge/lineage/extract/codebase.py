"""A codebase: files in any order, which together define the tables.

Units are read independently, so that processes can share them. A unit is read again when the columns of a table it
lacked have become known, until a fixpoint is reached."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from forge.lineage.edge import Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import TableDefinition
from forge.lineage.extract.program import Program

ROUNDS = 8  # how far a chain of SELECT * over files is followed
Language = Literal["sql", "python", "dbt"]
_DEFINES = re.compile(r"\b(?:create|alter)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """A unit of work: one file, or all files of a dbt project. `name` is the file, or the project folder. `result`:
    target of the bare SELECT of a SQL file, if known from elsewhere. `notes`: gaps of the file itself."""

    name: str
    language: Language
    texts: Mapping[str, str]
    result: str = ""
    notes: tuple[Gap, ...] = ()

    @property
    def defines(self) -> bool:
        return self.language == "sql" and any(_DEFINES.search(text) for text in self.texts.values())


@dataclass(frozen=True, slots=True)
class CodebaseContext:
    """Common input of all units. `modules`: all Python files, for imports."""

    catalog: TableCatalog
    dialect: str = "spark"
    modules: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnitResult:
    unit: str
    programs: tuple[Program, ...]
    seconds: float = 0.0


Run = Callable[[Sequence[SourceUnit], CodebaseContext], Iterable[UnitResult]]
"""Reads units, each with `read_unit`, in whatever order and wherever."""


def read_unit(unit: SourceUnit, shared: CodebaseContext) -> tuple[Program, ...]:
    """Never fails on what is in a file."""
    return tuple(_noted(program, unit.notes) for program in _read(unit, shared))


def _noted(program: Program, notes: Iterable[Gap]) -> Program:
    own = tuple(note for note in notes if note.place == program.file)
    return replace(program, gaps=(*own, *program.gaps)) if own else program


def _read(unit: SourceUnit, shared: CodebaseContext) -> tuple[Program, ...]:
    match unit.language:
        case "sql":
            from forge.lineage.extract.sql_file import read_sql_file

            found = (
                read_sql_file(text, shared.catalog, dialect=shared.dialect, file=path, result=unit.result or None)
                for path, text in unit.texts.items()
            )
            return tuple(_with_maker(program, unit.result) for program in found)
        case "python":
            return _read_python(unit, shared)
        case "dbt":
            from forge.lineage.extract.dbt import read_dbt

            return read_dbt(
                unit.texts, shared.catalog, dialect=shared.dialect, default_schema=shared.catalog.default_schema
            )


def _with_maker(program: Program, result: str) -> Program:
    """A transform has the name of the table that it makes, as the runs call it."""
    if not result:
        return program
    steps = (replace(one, transform=result) if one.target == result else one for one in program.steps)
    return replace(program, steps=tuple(steps))


def _read_python(unit: SourceUnit, shared: CodebaseContext) -> tuple[Program, ...]:
    from forge.lineage.extract.notebook import is_notebook, read_notebook
    from forge.lineage.extract.python import read_python

    books = {path: read_notebook(text, path) for path, text in unit.texts.items() if is_notebook(path, text)}
    own = {path: books[path].text if path in books else text for path, text in unit.texts.items()}
    found = read_python({**shared.modules, **own}, shared.catalog, dialect=shared.dialect, only=tuple(own))
    return tuple(books[one.file].placed(one) if one.file in books else one for one in found)


def modules_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Files that may import each other, notebooks as the Python they hold."""
    from forge.lineage.extract import notebook

    return {
        path: notebook.read_notebook(text, path).text if notebook.is_notebook(path, text) else text
        for path, text in texts.items()
    }


def read_sequentially(units: Sequence[SourceUnit], shared: CodebaseContext) -> Iterator[UnitResult]:
    """One after the other, here."""
    for unit in units:
        yield UnitResult(unit.name, read_unit(unit, shared))


def read_codebase(
    units: Sequence[SourceUnit],
    shared: CodebaseContext,
    run: Run = read_sequentially,
    others: Iterable[TableDefinition] = (),
) -> dict[str, UnitResult]:
    """All units, by name. `others`: what is known from files that need not be read again."""
    by_name = {unit.name: unit for unit in units}
    done: dict[str, UnitResult] = {}
    elsewhere = tuple(others)

    def catalog() -> TableCatalog:
        found = (one for each in done.values() for program in each.programs for one in program.definitions)
        return shared.catalog.with_((*elsewhere, *found))

    def go(some: Sequence[SourceUnit]) -> TableCatalog:
        before = catalog()
        for one in run(some, CodebaseContext(before, shared.dialect, shared.modules)) if some else ():
            past = done[one.unit].seconds if one.unit in done else 0.0
            done[one.unit] = UnitResult(one.unit, one.programs, past + one.seconds)
        return catalog()

    go([unit for unit in units if unit.defines])
    now = go([unit for unit in units if not unit.defines])
    for _ in range(ROUNDS):
        stale = [by_name[name] for name, one in done.items() if any(needs_reread(p, now) for p in one.programs)]
        if not stale:
            break
        marks = {unit.name: mark_of(done[unit.name]) for unit in stale}
        now = go(stale)
        if all(mark_of(done[name]) == mark for name, mark in marks.items()):
            break
    return done


def needs_reread(program: Program, catalog: TableCatalog) -> bool:
    """Whether a program would be read otherwise with what is known now."""
    if any(catalog.find(name.split(".")).definition is not None for name in program.unknown):
        return True
    return any(catalog.find(name.split(".")).name.lower() != name.lower() for name in tables_of(program))


def mark_of(done: UnitResult) -> tuple[object, ...]:
    return tuple((len(p.steps), len(p.gaps), sorted(p.unknown), sorted(tables_of(p))) for p in done.programs)


def tables_of(program: Program) -> frozenset[str]:
    """All real tables it reads or writes."""
    between = {step.target for step in program.steps if not step.made.real}
    named = {name for step in program.steps for name in (step.target, *step.reads, *step.open)}
    return frozenset(name for name in named - between if "/" not in name and ":" not in name)


def uses_of(program: Program, catalog: TableCatalog) -> dict[str, str]:
    """The tables that a program speaks of, and what is known of each: when that changes, it is worth reading again."""
    return {name: _digest(catalog.find(name.split(".")).definition) for name in tables_of(program) | program.unknown}


def _digest(definition: TableDefinition | None) -> str:
    if definition is None:
        return ""
    text = "\n".join(f"{column.name} {column.type}" for column in definition.columns)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
