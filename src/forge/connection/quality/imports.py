"""Import of checks from other tools, and validation of a project's own check files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from forge.model.errors import ForgeError, NoProjectError, errors_of
from forge.model.names import TableName
from forge.quality.imports import (
    ImportedChecks,
    TableNames,
    UnmappedCheck,
    read_dbt_file,
    read_dbt_test,
    read_gx_suite,
    read_soda_file,
)
from forge.quality.imports.dbt import is_properties

Read = Callable[[str, str, TableNames], ImportedChecks]
_MOST_BYTES = 20_000_000
_SKIPPED = {"target", "dbt_packages", "node_modules", "logs", "dbt_modules"}  # what dbt makes or downloads


def names_of(start: Path | None, *, schema: str | None = None, table: str | None = None) -> TableNames:
    """The tables that an import can refer to: those of the project, where there is one."""
    chosen = TableName.parse(table) if table else None
    return TableNames(_known(start), schema.lower() if schema else None, chosen)


def _known(start: Path | None) -> frozenset[TableName]:
    from forge.wiring import Wiring

    try:
        wiring = Wiring.of(start)
    except NoProjectError:
        if start is not None:
            raise
        return frozenset()  # no project here: files can be read all the same
    try:
        tree = wiring.metadata.tree(wiring.branch_head(wiring.default_branch))
        return frozenset({*wiring.project().transforms, *tree})
    finally:
        wiring.close()


def read_checks(tool: str, path: Path, names: TableNames) -> tuple[ImportedChecks, int]:
    """All checks of a tool in a folder or file; and how many files had any. E716, E103."""
    found, files = ImportedChecks(), 0
    for file, read in _files(tool, path):
        shown = file.as_posix()
        try:
            one = read(_text(file), shown, names)
        except ForgeError as error:
            if path.is_file():
                raise
            one = ImportedChecks(unmapped=(UnmappedCheck(error.where or shown, "the file", error.why or error.what),))
        files += bool(one.mapped or one.unmapped)
        found += one
    if not files:
        raise ForgeError(
            "E716",
            f"Nothing of {_TOOLS[tool]} was found in {path}",
            where=path.as_posix(),
            why=_EXPECTED[tool],
            fix="Give the folder of the project, or one of its files.",
        )
    return found, files


_TOOLS = {"dbt": "dbt", "gx": "Great Expectations", "soda": "Soda"}
_EXPECTED = {
    "dbt": "Tests stand in YAML files with models, sources, seeds or snapshots, and as SQL in the folder tests.",
    "gx": "Suites are JSON files in gx/expectations or great_expectations/expectations.",
    "soda": "Checks stand in YAML files with keys like `checks for orders:`.",
}


def _files(tool: str, path: Path) -> Iterator[tuple[Path, Read]]:
    if not path.exists():
        raise ForgeError("E716", f"{path} is not there", where=path.as_posix(), fix="Check the path.")
    if path.is_file():
        yield path, _reader(tool, path, alone=True)
        return
    ends = {"dbt": (".yml", ".yaml", ".sql"), "gx": (".json",), "soda": (".yml", ".yaml")}[tool]
    for file in sorted(one for one in path.rglob("*") if one.suffix in ends and one.is_file()):
        parts = file.relative_to(path).parts
        if _SKIPPED & set(parts) or any(part.startswith(".") for part in parts):
            continue
        if file.suffix == ".sql" and "tests" not in file.parts:
            continue  # a model
        yield file, _reader(tool, file, alone=False)


def _reader(tool: str, file: Path, *, alone: bool) -> Read:
    """In a folder, files of another kind are skipped; a named file must match."""
    if tool == "dbt":
        return read_dbt_test if file.suffix == ".sql" else (read_dbt_file if alone else _dbt_if_any)
    read: Read = read_gx_suite if tool == "gx" else read_soda_file
    return read if alone else _if_any(read)


def _dbt_if_any(text: str, file: str, names: TableNames) -> ImportedChecks:
    from forge.model.yaml_file import load_yaml

    return read_dbt_file(text, file, names) if is_properties(load_yaml(text, file).data) else ImportedChecks()


def _if_any(read: Read) -> Read:
    def reading(text: str, file: str, names: TableNames) -> ImportedChecks:
        marks = ('"expectations"', "checks for", "for each dataset")
        return read(text, file, names) if any(mark in text for mark in marks) else ImportedChecks()

    return reading


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ForgeError("E716", f"{file} is larger than 20 MB", where=file.as_posix(), fix="Is it the right file?")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ForgeError("E716", f"{file} is no text", where=file.as_posix(), why="It is not UTF-8.") from error
    except OSError as error:
        raise ForgeError("E716", f"{file} cannot be read", where=file.as_posix(), why=f"{error.strerror}.") from error


def validate_project(start: Path | None) -> tuple[tuple[ForgeError, ...], int]:
    """All errors in the checks of a project, and the number of checks."""
    from forge.wiring import Wiring

    wiring = Wiring.of(start)
    try:
        project = wiring.project()
    finally:
        wiring.close()
    errors = tuple(one for fault in project.faults for one in errors_of(fault.error))
    return errors, sum(len(checks) for checks in project.checks.values())


def validate_files(files: Sequence[Path]) -> tuple[tuple[ForgeError, ...], int]:
    """All errors in check files by themselves: `checks:` by table, or tables at the top level."""
    from forge.model.yaml_file import load_yaml
    from forge.quality.spec import load_check

    problems: list[ForgeError] = []
    count = 0
    for file in files:
        try:
            document = load_yaml(_text(file), file.as_posix())
        except ForgeError as error:
            problems += errors_of(error)
            continue
        for name, items, path in _tables(document.data):
            for number, item in enumerate(items):
                count += 1
                try:
                    load_check(item, table=TableName.parse(name), where=document.where(*path, number))
                except ForgeError as error:
                    problems += errors_of(error)
    return tuple(problems), count


def _tables(data: object) -> Iterator[tuple[str, Sequence[object], tuple[str | int, ...]]]:
    if not isinstance(data, dict):
        return
    inner = data.get("checks")
    nested = isinstance(inner, dict)
    for name, items in (inner if nested else data).items():  # type: ignore[union-attr]
        if isinstance(items, list) and "." in str(name):
            yield str(name), items, (("checks", str(name)) if nested else (str(name),))
