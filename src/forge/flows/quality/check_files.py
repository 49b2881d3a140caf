"""The checks of checks/**/*.yaml and quality/*.yaml, by table. Errors of one do not hide the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from forge.model.errors import ForgeError
from forge.model.fault import FileFault
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName, find_table_names
from forge.model.yaml_file import YamlFile, load_yaml
from forge.quality.monitors.file import open_quality_file

Place = str
Spec = Mapping[str, object]
Entry = tuple[TableName, Spec, Place]

_KEY = re.compile(r"""^[ \t]*["']?(\w+\.\w+)["']?[ \t]*:""", re.MULTILINE)


def read_check_files(
    root: Path, tables: frozenset[TableName]
) -> tuple[dict[TableName, list[tuple[Spec, Place]]], tuple[FileFault, ...]]:
    """`tables` that may have checks; none: any may."""
    found: dict[TableName, list[tuple[Spec, Place]]] = {}
    faults: list[FileFault] = []
    files = [(path, False) for path in sorted((root / "checks").glob("**/*.y*ml"))]
    files += [(path, True) for path in sorted((root / "quality").glob("*.y*ml"))]
    for path, is_quality in files:
        for one in _read_file(path, path.relative_to(root).as_posix(), tables, is_quality=is_quality):
            if isinstance(one, FileFault):
                faults.append(one)
            else:
                found.setdefault(one[0], []).append(one[1:])
    return found, tuple(faults)


def _read_file(
    path: Path, file: str, tables: frozenset[TableName], *, is_quality: bool
) -> tuple[Entry | FileFault, ...]:
    text = ""
    try:
        text = _text_of(path, file)
        if is_quality:
            document, data = open_quality_file(text, file)
            return tuple(_checks_in(document, data.get("checks"), ("checks",), tables))
        document = load_yaml(text, file)
        return tuple(_checks_in(document, document.data, (), tables))
    except ForgeError as error:
        return (FileFault(error, find_table_names(_KEY.findall(text))),)


def _text_of(path: Path, file: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ForgeError("E103", "The checks are not UTF-8", where=file, why=str(error), fix="Save it so.") from error
    except OSError as error:
        raise ForgeError("E103", f"The checks cannot be read: {error.strerror}", where=file) from error


def _checks_in(
    document: YamlFile, data: object, above: tuple[str, ...], tables: frozenset[TableName]
) -> Iterator[Entry | FileFault]:
    """`above`: the keys that lead to `data`."""
    if data is None:
        return
    if not isinstance(data, dict):
        where = document.where(*above) if above else document.file
        raise ForgeError("E103", "Checks are a mapping of tables to lists", where=where, fix="Begin with core.orders:")
    for name, specs in data.items():
        place = document.where(*above, str(name))
        try:
            table = _checked_table(str(name), place, tables)
            if not isinstance(specs, list):
                raise ForgeError("E103", f"The checks of {name} are no list", where=place, fix="Begin each with -")
        except ForgeError as error:
            yield FileFault(error, find_table_names([str(name)]))
            continue
        for number, spec in enumerate(specs):
            yield table, spec, document.where(*above, str(name), number)


def _checked_table(name: str, place: Place, tables: frozenset[TableName]) -> TableName:
    table = TableName.parse(name)
    if tables and table not in tables:
        near = did_you_mean(name, map(str, tables))
        raise ForgeError(
            "E202",
            f"No transform or source makes {table}",
            where=place,
            why="Checks belong to a table that this project makes, or that is in the lake.",
            fix=near or "Correct the name, or take its checks out.",
        )
    return table
