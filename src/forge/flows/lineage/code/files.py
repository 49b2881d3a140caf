"""Finds the source files of a codebase. Symbolic links are followed once, so cycles end; unreadable files are reported,
one gap each."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forge.lineage.edge import Gap
from forge.lineage.extract.codebase import Language, SourceUnit
from forge.lineage.extract.files import FileContent, FileKind, limit_of, may_be_read, text_of_file
from forge.lineage.extract.program import Program
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

_SKIPPED = frozenset(
    {"__pycache__", "node_modules", "site-packages", "venv", "env", "build", "dist", "spark-warehouse"}
)
_DBT = "dbt_project.yml"
_FORGE = "forge.yaml"
_TRANSFORMS = "transforms"  # of a project of Forge: each SELECT below it makes the table that its file names
_LANGUAGES: dict[FileKind, Language] = {FileKind.SQL: "sql", FileKind.PYTHON: "python", FileKind.NOTEBOOK: "python"}


@dataclass(frozen=True, kw_only=True)
class Codebase:
    """`units`: to read; `refused`: unreadable files, each with a gap; `marks`: fingerprints of those. `declared`:
    files of declared edges, `events`: of OpenLineage events, `exports`: of `forge lineage export`. `whole`: a
    complete folder, so that a missing file was deleted."""

    units: tuple[SourceUnit, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, Program] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, str] = field(default_factory=dict)
    events: Mapping[str, str] = field(default_factory=dict)
    exports: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True

    def files_of(self, unit: SourceUnit) -> tuple[str, ...]:
        """The files with records of their own."""
        if unit.language != "dbt":
            return tuple(unit.texts)
        return tuple(path for path in unit.texts if not path.endswith((".json", ".csv")))

    def text_of(self, path: str) -> str:
        return next((unit.texts[path] for unit in self.units if path in unit.texts), "")


def find_code(path: Path) -> Codebase:
    """A file, or all files of a folder and those below it. E816 where there is none."""
    if not os.path.exists(path):  # unlike that of Path, it also answers for a name that no file can have
        siblings = os.listdir(path.parent) if os.path.isdir(path.parent) else []
        near = did_you_mean(path.name, siblings)
        raise ForgeError(
            "E816", f"There is no {path}", fix=near or "Give a file or a folder of .sql, .py or .ipynb files."
        )
    root = path if path.is_dir() else path.parent
    found = _FileSearch(root)
    files = list(walk_files(path, found.refuse_folder)) if path.is_dir() else [path]
    projects = [file.parent for file in files if file.name == _DBT]
    outer = [one for one in projects if not any(other != one and other in one.parents for other in projects)]
    for project in outer:
        found.project(project, [file for file in files if project in file.parents])
    for file in files:
        if not any(project in file.parents for project in outer):
            found.file(file)
    if not path.is_dir():
        found.is_asked_for(path)
    return found.codebase(whole=path.is_dir())


def printable_path(path: Path) -> str:
    """A name of a file as text; of one that is not UTF-8, with the bytes that are none written out."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def walk_files(root: Path, refuse: Callable[[Path, OSError], None]) -> Iterator[Path]:
    """In order of names. `refuse` is called for folders that cannot be listed."""
    seen = {os.path.realpath(root)}
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            refuse(folder, error)
            continue
        for entry in inside:
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            if not _is_folder(entry):
                yield Path(entry.path)
            elif (real := os.path.realpath(entry.path)) not in seen:
                seen.add(real)
                waiting.append(Path(entry.path))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself; whoever opens it finds out
        return False


class _FileSearch:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.units: list[SourceUnit] = []
        self.modules: dict[str, str] = {}
        self.refused: dict[str, Program] = {}
        self.marks: dict[str, str] = {}
        self.declared: dict[str, str] = {}
        self.events: dict[str, str] = {}
        self.exports: dict[str, str] = {}
        self._projects: dict[Path, Path | None] = {}

    def name(self, file: Path) -> str:
        return printable_path(file.relative_to(self.root))

    def codebase(self, *, whole: bool) -> Codebase:
        return Codebase(
            units=tuple(sorted(self.units, key=lambda unit: unit.name)),
            modules=self.modules,
            refused=self.refused,
            marks=self.marks,
            declared=self.declared,
            events=self.events,
            exports=self.exports,
            whole=whole,
        )

    def project(self, folder: Path, files: Iterable[Path]) -> None:
        """A dbt project is read as a whole: its models name each other."""
        from forge.lineage.extract.dbt import is_read_by_dbt

        texts: dict[str, str] = {}
        notes: list[Gap] = []
        for file in files:
            name = self.name(file)
            sort = self._open(file) if is_read_by_dbt(name) else None
            if sort is not None and sort.text is not None:
                texts[name] = sort.text
                notes += self._notes(name, sort) if name.endswith(".sql") else []
        self.units.append(SourceUnit(self.name(folder), "dbt", texts, notes=tuple(notes)))

    def file(self, file: Path) -> None:
        sort = self._open(file)
        if sort is None or sort.text is None:
            return
        name = self.name(file)
        language = _LANGUAGES.get(sort.kind)
        if language is not None:
            result = self._made_by(file, sort.text) if sort.kind is FileKind.SQL else ""
            self.units.append(SourceUnit(name, language, {name: sort.text}, result, tuple(self._notes(name, sort))))
        match sort.kind:
            case FileKind.PYTHON | FileKind.NOTEBOOK:
                self.modules[name] = sort.text
            case FileKind.DECLARED:
                self.declared[name] = sort.text
            case FileKind.EVENTS:
                self.events[name] = sort.text
            case FileKind.EXPORT:
                self.exports[name] = sort.text

    def _made_by(self, file: Path, text: str) -> str:
        """The table of a SQL transform of Forge; empty for any other file."""
        full = Path(os.path.abspath(file))
        project = self._project_of(full.parent)
        if project is None:
            return ""
        from forge.transforms.sql_file import output_of_sql

        table = output_of_sql(text, printable_path(full.relative_to(project)))
        return str(table) if table is not None else ""

    def _project_of(self, folder: Path) -> Path | None:
        """The project of Forge whose transforms a folder holds."""
        if folder not in self._projects:
            homes = (above.parent for above in (folder, *folder.parents) if above.name == _TRANSFORMS)
            self._projects[folder] = next((one for one in homes if os.path.isfile(one / _FORGE)), None)
        return self._projects[folder]

    def is_asked_for(self, file: Path) -> None:
        """Of a folder, files that are no code are passed over; one that was named must not be."""
        name = self.name(file)
        if not (self.units or self.refused or self.declared or self.events or self.exports):
            self._refuse(name, "by its name it is no code; .sql, .py and .ipynb are read", "")

    def _notes(self, name: str, sort: FileContent) -> list[Gap]:
        """An empty `__init__.py` is what it should be."""
        reported = sort.problem and not (name.endswith("__init__.py") and not (sort.text or "").strip())
        return [Gap(name, 0, sort.problem)] if reported else []

    def _open(self, file: Path) -> FileContent | None:
        """None where the file is no code, or cannot be read."""
        name = self.name(file)
        if not may_be_read(name):
            sort = text_of_file(name, b"")
            if sort.problem:
                self._refuse(name, sort.problem, "")
            return None
        try:
            size, data = _bytes(file, limit_of(name) + 1)
        except OSError as error:
            self._refuse(name, f"cannot be read: {error.strerror or error}", "")
            return None
        sort = text_of_file(name, data, size=size)
        if sort.problem and sort.text is None:
            self._refuse(name, sort.problem, f"{size}")
        return sort

    def refuse_folder(self, folder: Path, error: OSError) -> None:
        self._refuse(self.name(folder), f"the folder cannot be read: {error.strerror or error}", "")

    def _refuse(self, name: str, reason: str, mark: str) -> None:
        self.refused[name] = Program(file=name, language="unreadable", gaps=(Gap(name, 0, reason),), statements=1)
        self.marks[name] = mark


def _bytes(file: Path, most: int) -> tuple[int, bytes]:
    """The size of a file, and so much of it. A pipe or a device is not opened: it may never answer."""
    found = file.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is no regular file")
    with file.open("rb") as opened:
        return found.st_size, opened.read(most)
