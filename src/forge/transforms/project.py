"""All transforms and sources of a project. All errors are found at once, before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from forge.model.errors import ForgeError, errors_of
from forge.model.fault import FileFault, file_of
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.transforms.dag import Transforms, circle_of, find_cycles
from forge.transforms.outputs import find_outputs
from forge.transforms.transform import Transform


@dataclass(frozen=True, slots=True)
class LoadedTransforms:
    """What could be read, and the faults of the rest. `unread`: tables that broken files would make; `is_partial`:
    these may be incomplete, so that no table can be called missing."""

    transforms: Transforms
    faults: tuple[FileFault, ...] = ()
    unread: frozenset[TableName] = frozenset()
    is_partial: bool = False

    @property
    def errors(self) -> tuple[ForgeError, ...]:
        return tuple(fault.error for fault in self.faults)


def read_transforms(root: Path) -> LoadedTransforms:
    """By output, in the order of names. Inputs are not validated."""
    sql, sql_errors = _load_sql_files(root)
    python, python_errors = _load_python_files(root)
    sources, source_errors = _load_source_files(root)
    everything = [*sources, *sql, *python]
    transforms = {one.output: one for one in reversed(everything)}
    unread = _unread(root, (*source_errors, *sql_errors, *python_errors), everything)
    faults = [FileFault(error, unread[file_of(error)]) for error in (*source_errors, *sql_errors, *python_errors)]
    return LoadedTransforms(
        dict(sorted(transforms.items())),
        (*faults, *_find_duplicates(everything)),
        frozenset[TableName]().union(*unread.values()),
        bool(source_errors or python_errors),
    )


def find_transform_faults(found: LoadedTransforms, known: frozenset[TableName] | None) -> tuple[FileFault, ...]:
    """`known`: the tables of the lake; if given, an input that is neither there nor written by a transform is a
    fault too."""
    unknown: tuple[FileFault, ...] = ()
    if known is not None and not found.is_partial:
        unknown = find_unknown_inputs(found.transforms, known | found.unread)
    return (*found.faults, *unknown, *_find_circles(found.transforms))


def find_faults_by_file(transforms: Transforms, errors: Iterable[ForgeError]) -> tuple[FileFault, ...]:
    """Each with the tables that its file makes: what prevents a run of them."""
    made: dict[str, set[TableName]] = {}
    for table, transform in transforms.items():
        made.setdefault(transform.file, set()).add(table)
    return tuple(FileFault(error, frozenset(made.get(file_of(error), ())), only_runs=True) for error in errors)


def _find_circles(transforms: Transforms) -> Iterator[FileFault]:
    for fault in find_faults_by_file(transforms, find_cycles(transforms)):
        yield replace(fault, tables=frozenset[TableName]().union(*(circle_of(transforms, t) for t in fault.tables)))


def find_unknown_inputs(transforms: Transforms, known: frozenset[TableName]) -> tuple[FileFault, ...]:
    """E202 for each input that nothing writes and that is not in the lake, at the line that names it."""
    names = sorted(str(table) for table in {*transforms, *known})
    return tuple(
        FileFault(_unknown_input(transform, table, names), frozenset({transform.output}), only_runs=True)
        for _, transform in sorted(transforms.items())
        for table in transform.inputs
        if table not in transforms and table not in known
    )


def _unknown_input(transform: Transform, table: TableName, names: list[str]) -> ForgeError:
    return ForgeError(
        "E202",
        f"unknown table {table}",
        where=f"{transform.file}:{transform.line_of_input(table)}",
        why="No source or transform writes it, and it is not in the lake.",
        fix=did_you_mean(str(table), names) or f"Add sources/… or transforms/{table.schema}/{table.name}.sql.",
    )


def _find_duplicates(transforms: Iterable[Transform]) -> Iterator[FileFault]:
    first: dict[TableName, Transform] = {}
    for transform in transforms:
        other = first.setdefault(transform.output, transform)
        if other is not transform:
            error = ForgeError(
                "E205",
                f"{transform.output} is written twice",
                where=transform.where,
                why=f"{other.where} writes it too.",
                fix="Remove one, or give it another output.",
            )
            yield FileFault(error, frozenset({transform.output}))


def _unread(root: Path, errors: Iterable[ForgeError], read: Iterable[Transform]) -> dict[str, frozenset[TableName]]:
    """By file, the tables that it would make and that could not be read: their readers are not at fault."""
    files = {file_of(error) for error in errors}
    well = {file: frozenset(one.output for one in read if one.file == file) for file in files}
    return {file: find_outputs(_text_if_any(root / file), file) - well[file] for file in files}


def _text_if_any(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _load_sql_files(root: Path) -> tuple[list[Transform], list[ForgeError]]:
    from forge.transforms.sql_file import load_sql

    found: list[Transform] = []
    errors: list[ForgeError] = []
    for path in files_below(root, "transforms", ".sql"):
        file = path.relative_to(root).as_posix()
        try:
            found.append(load_sql(read_text(path, file, "E201"), file))
        except ForgeError as error:
            errors.extend(errors_of(error))
    return found, errors


def _load_python_files(root: Path) -> tuple[tuple[Transform, ...], tuple[ForgeError, ...]]:
    from forge.transforms.python import load_python

    return load_python(root, tuple(files_below(root, "transforms", ".py")))


def _load_source_files(root: Path) -> tuple[list[Transform], list[ForgeError]]:
    from forge.transforms.source import load_sources

    found: list[Transform] = []
    texts, errors = read_source_files(root)
    for file, text in texts.items():
        sources, wrong = load_sources(text, file)
        found.extend(sources)
        errors.extend(wrong)
    return found, errors


def read_source_files(root: Path) -> tuple[dict[str, str], list[ForgeError]]:
    """The text of each file in sources/, by its path in the project."""
    texts: dict[str, str] = {}
    errors: list[ForgeError] = []
    for path in files_below(root, "sources", ".yaml", ".yml"):
        file = path.relative_to(root).as_posix()
        try:
            texts[file] = read_text(path, file, "E103")
        except ForgeError as error:
            errors.append(error)
    return texts, errors


def files_below(root: Path, folder: str, *endings: str) -> Iterator[Path]:
    """Sorted by path; hidden files and caches are skipped."""
    for path in sorted((root / folder).rglob("*")):
        parts = path.relative_to(root).parts
        if (
            path.suffix in endings
            and path.is_file()
            and not any(p.startswith(".") or p == "__pycache__" for p in parts)
        ):
            yield path


def read_text(path: Path, file: str, code: str) -> str:
    try:
        # Newlines as they are: offsets and hashes are of the text on disk.
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ForgeError(code, "the file is not UTF-8 text", where=file, fix="Save it as UTF-8.") from error
    except OSError as error:
        raise ForgeError(code, f"the file cannot be read: {error.strerror}", where=file) from error
