"""Sources: tables whose data comes from outside, declared in `sources/*.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from forge.model.errors import ForgeError, errors_of, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.secret import FORM, is_reference
from forge.model.yaml_file import YamlFile, load_yaml
from forge.transforms.fingerprint import hash_of
from forge.transforms.options import (
    SECRET_WORDS,
    StrictModel,
    Where,
    find_bad_partitions,
    read_options,
    read_output,
    shown,
)
from forge.transforms.transform import FileSource, JdbcSource, Transform, TransformKind

Scalar = str | bool | int | float


class _SourceOptions(StrictModel):
    output: str
    connector: str
    kind: Literal["full", "append"] = "full"
    options: dict[str, Scalar] = Field(default_factory=dict)
    partitioned_by: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    owner: str | None = None
    description: str | None = None
    checks: list[dict[str, Any]] = Field(default_factory=list)


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
# fmt: off
_TYPES = (
    "boolean", "tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long", "float", "real",
    "double", "decimal", "dec", "numeric", "string", "char", "varchar", "binary", "date", "timestamp",
    "timestamp_ntz", "timestamp_ltz", "interval", "variant", "array", "map", "struct",
)
# fmt: on


def load_sources(text: str, file: str) -> tuple[tuple[Transform, ...], tuple[ForgeError, ...]]:
    """The sources of one file, and the errors of the invalid ones."""
    try:
        yaml = load_yaml(text, file)
        items = _read_list(yaml)
    except ForgeError as error:
        return (), errors_of(error)
    found: list[Transform] = []
    errors: list[ForgeError] = []
    for index, item in enumerate(items):
        try:
            found.append(_read_source(item, yaml, index))
        except ForgeError as error:
            errors.extend(errors_of(error))
    return tuple(found), tuple(errors)


def _read_list(yaml: YamlFile) -> list[object]:
    if yaml.data is None:
        return []
    data = yaml.data
    if not isinstance(data, dict) or not isinstance(data.get("sources", []), list):
        raise ForgeError(
            "E206",
            f"a file of sources should be a list under `sources:`, not {shown(data)}",
            where=yaml.where("sources"),
            fix="Begin with `sources:` and a `- output: raw.orders` below it.",
        )
    raise_errors(
        ForgeError(
            "E104",
            f"unknown key '{key}'",
            where=yaml.where(str(key)),
            why="A file of sources has one key, sources.",
            fix=did_you_mean(str(key), ("sources",)) or "Remove it, or put it under an item of the list.",
        )
        for key in data
        if key != "sources"
    )
    return list(data.get("sources", []))


def _read_source(item: object, yaml: YamlFile, index: int) -> Transform:
    def where(path: tuple[str | int, ...]) -> str:
        return yaml.where("sources", index, *path)

    options = _read_item(item, where)
    raise_errors(_find_misfits(options, where))
    output = read_output(options.output, where(("output",)))
    given = {name: _as_option(value) for name, value in options.options.items()}
    body: FileSource | JdbcSource
    if isinstance(options, _FileOptions):
        body = FileSource(options.format, options.path, options.columns, given)
        code: dict[str, object] = {"format": body.format, "path": body.path, "columns": list(body.columns.items())}
    else:
        body = JdbcSource(options.url, options.table, options.query, options.user, options.password, given)
        # Who asks does not change what is answered; credentials are no part of the code.
        code = {"url": body.url, "table": body.table, "query": body.query}
    code |= {"options": given, "kind": options.kind, "partitioned_by": options.partitioned_by}
    return Transform(
        output=output,
        body=body,
        file=yaml.file,
        line=yaml.line_of("sources", index),
        code_hash=hash_of(code),
        kind=TransformKind(options.kind),
        partitioned_by=tuple(options.partitioned_by),
        tags=tuple(options.tags),
        owner=options.owner,
        description=options.description or "",
        checks=tuple(options.checks),
        check_lines=tuple(yaml.line_of("sources", index, "checks", i) for i in range(len(options.checks))),
    )


def _read_item(item: object, where: Where) -> _FileOptions | _JdbcOptions:
    if not isinstance(item, dict):
        raise ForgeError("E206", f"a source should be a mapping, not {shown(item)}", where=where(()))
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


def _find_misfits(options: _FileOptions | _JdbcOptions, where: Where) -> Iterator[ForgeError]:
    yield from find_bad_partitions(options.partitioned_by, where)
    yield from _find_secrets(options, where)
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
    if options.format in ("csv", "json") and not options.columns:
        yield ForgeError(
            "E206",
            f"a {options.format} source needs columns",
            where=where(("columns",)),
            why="Types guessed from the data change with the data.",
            fix="Add `columns: {order_id: long, amount: decimal(12,2)}`.",
        )
    for name, type_ in options.columns.items():
        head = re.split(r"\W", type_.strip().lower(), maxsplit=1)[0]
        if head not in _TYPES:
            yield ForgeError(
                "E206",
                f"the column {name} has the unknown type '{type_}'",
                where=where(("columns", name)),
                fix=did_you_mean(head, _TYPES) or "Use Spark's names: string, long, decimal(12,2), date, timestamp.",
            )


def _find_secrets(options: _FileOptions | _JdbcOptions, where: Where) -> Iterator[ForgeError]:
    """Users, passwords and the like must be references; none is ever shown."""
    if isinstance(options, _JdbcOptions):
        for key in ("user", "password"):
            value = getattr(options, key)
            if value is not None and not is_reference(value):
                yield _secret_in_file(key, where((key,)))
        if re.search(r"(password|pwd)=|//[^/@]*:[^/@]*@", options.url, re.IGNORECASE):
            yield _secret_in_file("url", where(("url",)))
    for name, given in options.options.items():
        is_secret = SECRET_WORDS.search(name) or (isinstance(options, _JdbcOptions) and name.lower() == "user")
        if is_secret and not is_reference(str(given)):
            yield _secret_in_file(name, where(("options", name)))


def _secret_in_file(name: str, where: str) -> ForgeError:
    return ForgeError(
        "E106",
        f"'{name}' holds a secret or a user name in plain text",
        where=where,
        why="Files of a project are shared and kept in git; a secret in one is known to all.",
        fix=FORM,
    )


def _as_option(value: Scalar) -> str:
    """Spark's readers take text."""
    return str(value).lower() if isinstance(value, bool) else str(value)
