"""Reads code into the graph of a project, or extracts edges without one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forge.connection.tabular import Row, Tabular
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.lineage.code.ingest import IngestReport
    from forge.flows.lineage.code.ports import IngestOptions, IngestProgress
    from forge.lineage.edge import Extraction
    from forge.lineage.extract.definition import Schemas
    from forge.lineage.extract.program import Program
    from forge.wiring import Wiring

OnProgress = Callable[["IngestProgress"], None]


def _nothing(progress: IngestProgress) -> None:
    pass


@dataclass(frozen=True, slots=True)
class CodeExtraction(Tabular):
    """Extraction and coverage of files; as a table, one row per column edge."""

    extraction: Extraction
    programs: tuple[Program, ...]

    def to_dict(self) -> dict[str, object]:
        return self.extraction.to_dict()

    def rows(self) -> list[Row]:
        edges = self.to_dict()["edges"]
        assert isinstance(edges, list)
        return edges


def read_schemas(given: str | Path | Mapping[str, Mapping[str, str]] | None) -> Schemas:
    """A file of schemas, or what it would hold. E817."""
    from forge.lineage.extract.schema_file import load_schemas

    if given is None:
        return {}
    if isinstance(given, Mapping):
        return given
    try:
        return load_schemas(Path(given).read_text(encoding="utf-8"), str(given))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "It is not UTF-8 text"
        raise ForgeError("E817", f"{given} cannot be read", where=str(given), why=f"{why}.") from error


def options_of(
    db: str | None = None,
    default_schema: str | None = None,
    schema: str | Path | Mapping[str, Mapping[str, str]] | None = None,
    dialect: str = "spark",
    *,
    again: bool = False,
) -> IngestOptions:
    """E817, E822."""
    from forge.flows.lineage.code.ports import IngestOptions
    from forge.lineage.code_reader import check_dialect

    check_dialect(dialect)
    return IngestOptions(db or None, default_schema or None, read_schemas(schema), dialect, again)


def ingest_code(
    wiring: Wiring,
    path: str | Path,
    options: IngestOptions,
    on_progress: OnProgress = _nothing,
    *,
    processes: int | None = None,
    limit: float | None = None,
) -> IngestReport:
    from forge.flows.lineage.code.ingest import ingest
    from forge.wiring.lineage import code_readers

    place = Path(path)
    with code_readers(processes, limit) as readers:
        return ingest(wiring.lineage.ingest(readers), place, options, on_progress, root=root_of(wiring.root, place))


def root_of(project: Path, path: Path) -> str:
    """What the folder is called in the record: inside the project, by its place there."""
    from forge.flows.lineage.code.files import printable_path

    folder = path if os.path.isdir(path) else path.parent
    full = folder.resolve()
    home = project.resolve()
    return printable_path(full.relative_to(home) if full.is_relative_to(home) else full)


def extract_code(
    paths: Iterable[str | Path],
    options: IngestOptions,
    on_progress: OnProgress = _nothing,
    *,
    processes: int | None = None,
    limit: float | None = None,
) -> CodeExtraction:
    """Files and folders, without a project. E816."""
    from forge.flows.lineage.code.extract import extract
    from forge.wiring.lineage import code_readers

    with code_readers(processes, limit) as readers:
        extraction, programs = extract([Path(path) for path in paths], options, readers, on_progress)
    return CodeExtraction(extraction, programs)
