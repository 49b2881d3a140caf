"""Sources: tables whose data comes from outside, declared in `sources/*.yaml`. The same files declare, by `name`,
sources that queries read: those are the federation's, and a load may take its connection from one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from forge.model.errors import ForgeError, errors_of, raise_errors
from forge.model.file_options import (
    SECRET_WORDS,
    StrictModel,
    Where,
    find_unknown_types,
    read_items,
    read_options,
    secret_in_file,
    shown,
)
from forge.model.name_suggestions import did_you_mean
from forge.model.secret import is_reference
from forge.model.yaml_file import YamlFile
from forge.transforms.fingerprint import hash_of
from forge.transforms.options import find_bad_partitions, read_output
from forge.transforms.transform import ConnectorSource, FileSource, JdbcSource, Transform, TransformKind

Scalar = str | bool | int | float


class _LoadOptions(StrictModel):
    output: str
    kind: Literal["full", "append", "incremental_by_unique_key"] = "full"
    unique_key: list[str] = Field(default_factory=list)
    options: dict[str, Scalar] = Field(default_factory=dict)
    partitioned_by: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    owner: str | None = None
    description: str | None = None
    checks: list[dict[str, Any]] = Field(default_factory=list)


class _SourceOptions(_LoadOptions):
    connector: str


class _NamedOptions(_LoadOptions):
    """What is read from a declared source; its connection is written there, once."""

    source: str
    table: str | None = None
    query: str | None = None


class _FileOptions(_SourceOptions):
    format: Literal["csv", "json", "parquet"]
    path: str
    columns: dict[str, str] = Field(default_factory=dict)


class _JdbcOptions(_SourceOptions):
    url: str
    table: str | None = None
    query: str | None = None
    user: str | None = None
    password: str | None = None


_CONNECTORS: Mapping[str, type[_FileOptions] | type[_JdbcOptions]] = {"files": _FileOptions, "jdbc": _JdbcOptions}


def load_sources(text: str, file: str) -> tuple[tuple[Transform, ...], tuple[ForgeError, ...]]:
    """The sources of one file, and the errors of the invalid ones."""
    try:
        yaml, items = read_items(text, file, "sources", "output: raw.orders")
    except ForgeError as error:
        return (), errors_of(error)
    found: list[Transform] = []
    errors: list[ForgeError] = []
    for index, item in enumerate(items):
        if is_named(item):
            continue
        try:
            found.append(_read_source(item, yaml, index))
        except ForgeError as error:
            errors.extend(errors_of(error))
    return tuple(found), tuple(errors)


def is_named(item: object) -> bool:
    """Whether an item declares a source for queries, and loads nothing by itself."""
    return isinstance(item, dict) and "name" in item and "output" not in item


def _read_source(item: object, yaml: YamlFile, index: int) -> Transform:
    def where(path: tuple[str | int, ...]) -> str:
        return yaml.where("sources", index, *path)

    options = _read_item(item, where)
    raise_errors(_find_misfits(options, where))
    output = read_output(options.output, where(("output",)))
    given = {name: _as_option(value) for name, value in options.options.items()}
    body: FileSource | JdbcSource
    match options:
        case _FileOptions():
            body = FileSource(options.format, options.path, options.columns, given)
        case _JdbcOptions():
            body = JdbcSource(options.url, options.table, options.query, options.user, options.password, given)
        case _NamedOptions():
            body = JdbcSource("", options.table, options.query, options=given, source=options.source)
    return Transform(
        output=output,
        body=body,
        file=yaml.file,
        line=yaml.line_of("sources", index),
        code_hash=hash_of_load(body, options.kind, options.partitioned_by),
        kind=TransformKind(options.kind),
        unique_key=tuple(options.unique_key),
        partitioned_by=tuple(options.partitioned_by),
        tags=tuple(options.tags),
        owner=options.owner,
        description=options.description or "",
        checks=tuple(options.checks),
        check_lines=tuple(yaml.line_of("sources", index, "checks", i) for i in range(len(options.checks))),
    )


def hash_of_load(
    body: FileSource | JdbcSource | ConnectorSource, kind: str, partitioned_by: Sequence[str], key: Sequence[str] = ()
) -> str:
    """Of what decides the data. Who asks does not change what is answered; credentials are no part of it."""
    code: dict[str, object]
    if isinstance(body, FileSource):
        code = {
            "format": body.format,
            "path": body.path,
            "columns": list(body.columns.items()),
            "options": body.options,
        }
    elif isinstance(body, JdbcSource):
        code = {"url": body.url, "table": body.table, "query": body.query, "options": body.options}
    else:
        code = {"table": body.table, **_what_decides(body)}
    code |= {"unique_key": list(key)} if key else {}
    return hash_of(code | {"kind": kind, "partitioned_by": list(partitioned_by)})


def _what_decides(body: ConnectorSource) -> dict[str, object]:
    """Of a Delta table not which version is read: that is its state, not what it is."""
    declared = body.declared
    if declared["connector"] in ("postgresql", "mysql", "sqlite"):  # as a load of Spark's that says all of it itself
        url = declared.get("url") or f"jdbc:sqlite:{declared['path']}"
        return {"url": url, "query": None, "options": declared.get("options", {})}
    if "path" in declared:
        more = {"columns": list(body.columns.items()), "options": declared.get("options", {})} if body.columns else {}
        return {"connector": declared["connector"], "path": declared["path"], **more}
    tables = declared["tables"]
    assert isinstance(tables, Mapping), "an API has tables"
    return {
        "connector": declared["connector"],
        "url": declared["url"],
        "options": declared.get("options", {}),
        "endpoint": tables[body.table],
    }


def _read_item(item: object, where: Where) -> _FileOptions | _JdbcOptions | _NamedOptions:
    if not isinstance(item, dict):
        raise ForgeError("E206", f"a source should be a mapping, not {shown(item)}", where=where(()))
    if "name" in item:
        raise ForgeError(
            "E206",
            "an item has either a name or an output",
            where=where(("name",)),
            why="With a name it is a source that queries read; with an output it loads a table.",
            fix="Make two items of it: `- {name: crm, …}` and `- {output: raw.orders, source: crm, table: orders}`.",
        )
    if "source" in item:
        return read_options(_NamedOptions, item, where)
    connector = item.get("connector")
    model = _CONNECTORS.get(connector) if isinstance(connector, str) else None
    if model is None:
        raise ForgeError(
            "E206",
            "the source has no connector" if connector is None else f"unknown connector {shown(connector)}",
            where=where(("connector",)),
            why=f"The connectors are {', '.join(_CONNECTORS)}.",
            fix=did_you_mean(str(connector), _CONNECTORS) or "Write `connector: files` or `connector: jdbc`.",
        )
    return read_options(model, item, where)


def _find_misfits(options: _FileOptions | _JdbcOptions | _NamedOptions, where: Where) -> Iterator[ForgeError]:
    yield from find_bad_partitions(options.partitioned_by, where)
    yield from _find_secrets(options, where)
    yield from _find_bad_kind(options, where)
    if isinstance(options, _JdbcOptions):
        if (options.table is None) == (options.query is None):
            yield ForgeError(
                "E206",
                "a jdbc source reads either a table or a query",
                where=where(("query",) if options.query else ()),
                fix="Write one of `table:` and `query:`.",
            )
        if not options.url.startswith("jdbc:"):
            yield ForgeError("E206", "the url of a jdbc source begins with jdbc:", where=where(("url",)))
        return
    if isinstance(options, _NamedOptions):
        return  # whether it needs a table is known where its source is
    if options.format in ("csv", "json") and not options.columns:
        yield ForgeError(
            "E206",
            f"a {options.format} source needs columns",
            where=where(("columns",)),
            why="Types guessed from the data change with the data.",
            fix="Add `columns: {order_id: long, amount: decimal(12,2)}`.",
        )
    yield from find_unknown_types(options.columns, where)


def _find_bad_kind(options: _LoadOptions, where: Where) -> Iterator[ForgeError]:
    is_incremental = options.kind == TransformKind.BY_UNIQUE_KEY.value
    if is_incremental and not isinstance(options, _NamedOptions):
        yield not_incremental("a source of files or of a database", where(("kind",)))
    elif is_incremental != bool(options.unique_key):
        yield ForgeError(
            "E206",
            f"kind {options.kind} {'needs' if is_incremental else 'has no'} unique_key",
            where=where(("kind",) if is_incremental else ("unique_key",)),
            fix="Write both: `kind: incremental_by_unique_key` and `unique_key: [id]`.",
        )


def not_incremental(what: str, where: str) -> ForgeError:
    return ForgeError(
        "E206",
        f"{what} is not loaded by unique key",
        where=where,
        why="A Delta table tells what has changed in it, by its change data feed; this does not.",
        fix="Write `kind: full`.",
    )


def _find_secrets(options: _FileOptions | _JdbcOptions | _NamedOptions, where: Where) -> Iterator[ForgeError]:
    """Users, passwords and the like must be references; none is ever shown."""
    if isinstance(options, _JdbcOptions):
        for key in ("user", "password"):
            value = getattr(options, key)
            if value is not None and not is_reference(value):
                yield secret_in_file(key, where((key,)))
        if re.search(r"(password|pwd)=|//[^/@]*:[^/@]*@", options.url, re.IGNORECASE):
            yield secret_in_file("url", where(("url",)))
    for name, given in options.options.items():
        is_secret = SECRET_WORDS.search(name) or (not isinstance(options, _FileOptions) and name.lower() == "user")
        if is_secret and not is_reference(str(given)):
            yield secret_in_file(name, where(("options", name)))


def _as_option(value: Scalar) -> str:
    """Spark's readers take text."""
    return str(value).lower() if isinstance(value, bool) else str(value)
