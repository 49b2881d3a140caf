"""Static analysis of a project's transforms: the programs read from their code, and the columns of each table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from forge.contracts.contract import FilePlace
from forge.contracts.policy.facts import ColumnFacts
from forge.flows.contracts.facts import Schemas
from forge.transforms.transform import ConnectorSource, FileSource, PythonFunction, SqlQuery, Transform

if TYPE_CHECKING:
    from pathlib import Path

    from sqlglot import exp

    from forge.lineage.extract.codebase import Run, SourceUnit
    from forge.lineage.extract.program import Program, ProgramStep
    from forge.model.names import TableName

_FOLDER = "transforms"


def read_project_code(
    root: Path, transforms: Mapping[TableName, Transform], schema_of: Schemas, read: Run | None = None
) -> tuple[Program, ...]:
    """The SQL and Python of all transforms, read with the columns that sources declare and that lake tables have
    which no SQL of the project makes. Nothing is executed."""
    from forge.lineage.extract.catalog import TableCatalog
    from forge.lineage.extract.codebase import CodebaseContext, modules_of, read_codebase, read_sequentially
    from forge.lineage.extract.definition import definitions_of

    modules = _modules(root, transforms.values())
    units = (*_sql_units(transforms.values()), *_python_units(transforms.values(), modules))
    if not units:
        return ()
    catalog = TableCatalog(definitions_of(_schemas(transforms, schema_of)), None, None)
    done = read_codebase(units, CodebaseContext(catalog, modules=modules_of(modules)), read or read_sequentially)
    return tuple(program for unit in units for program in done[unit.name].programs)


def columns_in_code(
    transforms: Mapping[TableName, Transform], programs: Iterable[Program]
) -> dict[TableName, tuple[ColumnFacts, ...]]:
    """The columns that each source declares and each transform makes, as far as its code shows: of `SELECT *` from
    an unknown table, nothing."""
    steps = {step.target.lower(): step for program in programs for step in program.steps if step.made.real}
    found: dict[TableName, tuple[ColumnFacts, ...]] = {}

    def columns_of(table: TableName) -> tuple[ColumnFacts, ...]:
        transform = transforms.get(table)
        if transform is not None and table not in found:
            found[table] = ()  # a circle ends here
            if isinstance(transform.body, FileSource | ConnectorSource):
                place = FilePlace(transform.file, transform.line)
                found[table] = tuple(
                    ColumnFacts(name=name, place=place, type=type_) for name, type_ in transform.body.columns.items()
                )
            elif (step := steps.get(str(table).lower())) is not None:
                found[table] = tuple(_made(transform, step, columns_of))
        return found.get(table, ())

    for table in transforms:
        columns_of(table)
    return found


def _made(
    transform: Transform, step: ProgramStep, columns_of: Callable[[TableName], tuple[ColumnFacts, ...]]
) -> Iterator[ColumnFacts]:
    """In their original spelling: where the query lists them, else where it reads them. The SQL reader lower-cases
    all names."""
    if not isinstance(transform.body, SqlQuery):
        yield from (ColumnFacts(name=name, place=FilePlace(transform.file, transform.line)) for name in step.columns)
        return
    written = _written(transform.body.text)
    read = {column.name.lower(): column.name for table in transform.inputs for column in columns_of(table)}
    for name in step.columns:
        spelled, line = written.get(name.lower(), (read.get(name.lower(), name), transform.line))
        yield ColumnFacts(name=spelled, place=FilePlace(transform.file, line))


def _written(text: str) -> dict[str, tuple[str, int]]:
    """Spelling and line of a query's columns: those that it lists, and those of its parts that are spelled in one
    way only."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        query = parse_one(text, dialect="spark")
    except SqlglotError:
        return {}
    if not isinstance(query, exp.Query):
        return {}
    inside: dict[str, dict[str, int]] = {}
    for name in _names(query.find_all(exp.Alias)):
        inside.setdefault(name.name.lower(), {}).setdefault(name.name, int(name.meta.get("line", 1)))
    found = {key: next(iter(spellings.items())) for key, spellings in inside.items() if len(spellings) == 1}
    return found | {name.name.lower(): (name.name, int(name.meta.get("line", 1))) for name in _names(query.selects)}


def _names(selected: Iterable[exp.Expr]) -> Iterator[exp.Expr]:
    from sqlglot import exp

    for each in selected:
        name = each.args.get("alias") if isinstance(each, exp.Alias) else each.this
        if isinstance(name, exp.Identifier):
            yield name


def _sql_units(transforms: Iterable[Transform]) -> Iterator[SourceUnit]:
    from forge.lineage.extract.codebase import SourceUnit

    for one in transforms:
        if isinstance(one.body, SqlQuery):
            yield SourceUnit(one.file, "sql", {one.file: one.body.text}, str(one.output))


def _python_units(transforms: Iterable[Transform], modules: Mapping[str, str]) -> Iterator[SourceUnit]:
    from forge.lineage.extract.codebase import SourceUnit

    files = dict.fromkeys(one.file for one in transforms if isinstance(one.body, PythonFunction))
    for file in files:
        if file in modules:
            yield SourceUnit(file, "python", {file: modules[file]})


def _modules(root: Path, transforms: Iterable[Transform]) -> dict[str, str]:
    """All Python files next to the transforms, since one may import another; none where no transform is in Python."""
    if not any(isinstance(one.body, PythonFunction) for one in transforms):
        return {}
    found: dict[str, str] = {}
    for path in sorted((root / _FOLDER).rglob("*.py")):
        file = path.relative_to(root)
        if path.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in file.parts):
            found[file.as_posix()] = path.read_text(encoding="utf-8", errors="replace")
    return found


def _schemas(transforms: Mapping[TableName, Transform], schema_of: Schemas) -> dict[str, dict[str, str]]:
    """Of sources as declared, of other inputs as they are in the lake. Contracts may leave columns out."""
    found: dict[str, dict[str, str]] = {}
    for table in sorted({*transforms, *(one for each in transforms.values() for one in each.inputs)}):
        transform = transforms.get(table)
        if transform is not None and isinstance(transform.body, SqlQuery):
            continue  # its own text shows its columns
        schema = schema_of(table)
        if schema is not None:
            found[str(table)] = {column.name: column.type for column in schema.columns}
        elif (
            transform is not None
            and isinstance(transform.body, FileSource | ConnectorSource)
            and transform.body.columns
        ):
            found[str(table)] = dict(transform.body.columns)
    return found
