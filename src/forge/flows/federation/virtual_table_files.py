"""The virtual tables of virtual_tables/*.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from forge.federation.virtual.keys import load_virtual_tables
from forge.federation.virtual_table import VirtualTable
from forge.model.errors import ForgeError
from forge.transforms.project import files_below, read_text

FOLDER = "virtual_tables"


@dataclass(frozen=True, slots=True)
class FileVirtualTables:
    """What files declare, in the order of files and lines."""

    tables: tuple[VirtualTable, ...] = ()
    errors: tuple[ForgeError, ...] = ()


def read_file_virtual_tables(root: Path) -> FileVirtualTables:
    found: list[VirtualTable] = []
    errors: list[ForgeError] = []
    for path in files_below(root, FOLDER, ".yaml", ".yml"):
        file = path.relative_to(root).as_posix()
        try:
            tables, wrong = load_virtual_tables(read_text(path, file, "E103"), file)
        except ForgeError as error:
            errors.append(error)
            continue
        found += tables
        errors += wrong
    return FileVirtualTables(tuple(found), tuple(errors))
