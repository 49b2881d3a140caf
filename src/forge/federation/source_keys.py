"""The keys of a declared source: in sources/*.yaml, in a command, over HTTP. All errors are found at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.federation.address import ADDRESSES, API_EXAMPLE, has_credentials, parse_address, parse_api_address
from forge.federation.credentials import CredentialKeys, credentials_of, find_bad_credentials
from forge.federation.jdbc_options import find_bad_jdbc, without_sign
from forge.federation.object_path import EXAMPLE as OBJECT_EXAMPLE
from forge.federation.object_path import is_object_path, parse_object_path
from forge.federation.policy_keys import MOST_RULES, MaskKeys, RowFilterKeys, find_bad_policies, masks_of, rows_of_keys
from forge.federation.rest import rest_table_of
from forge.federation.rest_keys import MOST_TABLES, read_rest_tables
from forge.federation.rest_options import find_bad_options
from forge.federation.source import LAKE, VIRTUAL, ConnectorKind, Source, SourceOrigin, sqlite_url
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

CODE = "E880"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_FORMATS = ("csv", "json", "parquet")
_ENDINGS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet"}
_OF_FILES = ("path", "format", "columns")
_OF_DATABASES = ("url", "schema", "user", "password")
_OF_APIS = ("tables",)
VERSION_AS_OF, TIMESTAMP_AS_OF = "versionAsOf", "timestampAsOf"  # of a Delta table, in the words of its readers
MOST = 200
MOST_CACHED_SECONDS = 30 * 24 * 3600
_Text = Annotated[str, Field(max_length=1000)]


class _SourceKeys(StrictModel):
    name: str
    connector: str
    url: _Text = ""
    path: _Text = ""
    format: Literal["csv", "json", "parquet", ""] = ""
    columns: Annotated[dict[str, str], Field(max_length=5000)] = Field(default_factory=dict)
    tables: Annotated[dict[str, Any], Field(max_length=MOST_TABLES)] = Field(default_factory=dict)
    schema_: _Text = Field(default="", alias="schema")
    user: _Text | None = None
    password: _Text | None = None
    options: Annotated[dict[str, str | bool | int | float], Field(max_length=MOST)] = Field(default_factory=dict)
    credentials: Annotated[dict[_Text, CredentialKeys], Field(max_length=MOST)] = Field(default_factory=dict)
    readers: Annotated[list[_Text], Field(max_length=MOST)] = Field(default_factory=list)
    hidden: Annotated[list[_Text], Field(max_length=5 * MOST)] = Field(default_factory=list)
    masks: Annotated[list[MaskKeys], Field(max_length=MOST_RULES)] = Field(default_factory=list)
    rows: Annotated[list[RowFilterKeys], Field(max_length=MOST_RULES)] = Field(default_factory=list)
    description: Annotated[str, Field(max_length=10_000)] = ""
    cache_ttl_seconds: Annotated[int, Field(ge=0, le=MOST_CACHED_SECONDS)] = 0


def load_named_sources(text: str, file: str) -> tuple[tuple[Source, ...], tuple[ForgeError, ...]]:
    """The sources of one file that have a name and load nothing, and the errors of the invalid ones. Errors of the
    file itself are those of its loads."""
    try:
        yaml, items = read_items(text, file, "sources", "output: raw.orders")
    except ForgeError:
        return (), ()
    found: list[Source] = []
    errors: list[ForgeError] = []
    for index, item in enumerate(items):
        if not isinstance(item, dict) or "name" not in item or "output" in item:
            continue

        def where(path: tuple[str | int, ...], index: int = index) -> str:
            return yaml.where("sources", index, *path)

        try:
            found.append(read_source(item, where, file=file, line=yaml.line_of("sources", index)))
        except ForgeError as error:
            errors.extend(errors_of(error))
    return tuple(found), tuple(errors)


def by_key(path: tuple[str | int, ...]) -> str:
    """The place of a value that is in no file."""
    return ".".join(str(part) for part in path)


def read_source(
    fields: Mapping[str, object],
    where: Where = by_key,
    *,
    origin: SourceOrigin = SourceOrigin.FILE,
    file: str = "",
    line: int = 0,
) -> Source:
    """E104, E106 and E880, all together. A name is in small letters, as those of tables."""
    _read_connector(fields.get("connector"), where)
    keys = read_options(_SourceKeys, fields, where, CODE)
    tables, wrong = read_rest_tables(keys.tables, where)
    raise_errors((*_find_misfits(keys, where, origin), *wrong))
    connector = ConnectorKind(keys.connector)
    is_sqlite = connector is ConnectorKind.SQLITE
    path = keys.path or (_file_of(keys.url) if is_sqlite else "")
    return Source(
        keys.name.lower(),
        connector,
        url=sqlite_url(path) if is_sqlite else keys.url.strip(),
        path=path,
        format=_format_of(keys) if connector is ConnectorKind.FILES else "",
        columns=dict(keys.columns),
        tables=tables,
        schema=keys.schema_,
        user=keys.user or None,
        password=keys.password or None,
        options=_options_of(keys),
        credentials=credentials_of(keys.credentials),
        readers=tuple(dict.fromkeys(keys.readers)),
        hidden=frozenset(column.lower() for column in keys.hidden),
        masks=tuple(one.mask for one in keys.masks),
        rows=tuple(one.row_filter for one in keys.rows),
        description=keys.description,
        cache_ttl_seconds=keys.cache_ttl_seconds,
        origin=origin,
        file=file,
        line=line,
    )


def source_of_keys(keys: Mapping[str, Any], origin: SourceOrigin) -> Source:
    """The inverse of `keys`, of what was validated before."""
    given = {**keys, "connector": ConnectorKind(keys["connector"])}
    if given["connector"] is ConnectorKind.SQLITE:
        given["url"] = sqlite_url(keys["path"])
    given["tables"] = {name: rest_table_of(table) for name, table in keys.get("tables", {}).items()}
    given |= {"readers": tuple(keys.get("readers", ())), "hidden": frozenset(keys.get("hidden", ()))}
    given |= {"masks": masks_of(keys.get("masks", ())), "rows": rows_of_keys(keys.get("rows", ()))}
    return Source(**given, origin=origin)


def find_clashes(sources: Iterable[Source], schemas: Mapping[str, str]) -> Iterator[tuple[Source, ForgeError]]:
    """Each source whose name is taken, by a source before it or a schema of the lake. `schemas`: by name, in small
    letters, where each is known from."""
    first: dict[str, Source] = {}
    for source in sources:
        other = first.setdefault(source.name, source)
        if other is not source:
            yield source, name_taken(source, f"{other.where or 'A command or a request'} declares it too.")
        elif source.name == VIRTUAL:  # declared before there were virtual tables
            yield source, name_taken(source, "It is before the names of virtual tables.")
        elif source.name in schemas:
            why = f"It is a schema of the lake: {schemas[source.name]}."
            yield source, name_taken(source, why)


def name_taken(source: Source, why: str) -> ForgeError:
    return ForgeError(
        "E882",
        f"the name '{source.name}' is taken",
        where=source.where,
        why=why,
        fix="Give the source another name.",
    )


def _read_connector(connector: object, where: Where) -> None:
    known = [kind.value for kind in ConnectorKind]
    if connector in known:
        return
    raise ForgeError(
        CODE,
        "the source has no connector" if connector is None else f"unknown connector {shown(connector)}",
        where=where(("connector",)),
        why=f"The connectors are {', '.join(known)}.",
        fix=did_you_mean(str(connector), known) or "Write `connector: postgresql` or another of them.",
    )


def _find_misfits(keys: _SourceKeys, where: Where, origin: SourceOrigin) -> Iterator[ForgeError]:
    yield from _find_bad_name(keys.name, where)
    yield from _find_secrets(keys, where)
    yield from _find_bad_credentials(keys, where, origin)
    match ConnectorKind(keys.connector):
        case ConnectorKind.FILES:
            yield from _find_foreign(keys, where, (*_foreign_to_paths(keys), *_OF_APIS))
            yield from _find_bad_files(keys, where)
            yield from _find_bad_objects(keys, where)
        case ConnectorKind.SQLITE:
            yield from _find_foreign(keys, where, ("format", "columns", "user", "password", *_OF_APIS))
            yield from _find_bad_sqlite(keys, where)
        case ConnectorKind.POSTGRESQL | ConnectorKind.MYSQL:
            yield from _find_foreign(keys, where, (*_OF_FILES, *_OF_APIS))
            yield from _find_bad_url(keys, where)
        case ConnectorKind.DELTA:
            yield from _find_foreign(keys, where, (*_foreign_to_paths(keys), *_OF_APIS, "format", "columns"))
            yield from _find_bad_objects(keys, where)
            yield from _find_bad_delta(keys, where)
        case ConnectorKind.REST:
            yield from _find_foreign(keys, where, (*_OF_FILES, "schema"))
            yield from _find_bad_api(keys, where)
        case ConnectorKind.JDBC:
            yield from _find_foreign(keys, where, (*_OF_FILES, *_OF_APIS))
            yield from find_bad_jdbc(keys.url, _options_of(keys), where, CODE)
            yield from _find_jdbc_out_of_files(where, origin)
    yield from find_bad_policies(keys.masks, keys.rows, where, CODE)
    for index, column in enumerate(keys.hidden):
        if not re.fullmatch(r"[^.]+(\.[^.]+)+", column):
            fix = "Write table.column, or schema.table.column."
            yield ForgeError(CODE, f"'{column}' is not a column of a table", where=where(("hidden", index)), fix=fix)
    for index, reader in enumerate(keys.readers):
        if not reader.strip() or reader != reader.strip():
            fix = "Write who may read it, as tokens and commits name them: ada@example.com."
            yield ForgeError(CODE, "a reader has no name", where=where(("readers", index)), fix=fix)


def _find_bad_name(name: str, where: Where) -> Iterator[ForgeError]:
    if not _NAME.fullmatch(name):
        yield ForgeError(
            CODE,
            f"{shown(name)} is not a name of a source",
            where=where(("name",)),
            why="It has letters, digits and underscores, begins with a letter, and is at most 64 long.",
            fix="Write it like crm: queries say crm.customers.",
        )
    elif name.lower() in (LAKE, VIRTUAL):
        fix = "Give the source another name."
        why = "It is the lake itself." if name.lower() == LAKE else "It is before the names of virtual tables."
        yield ForgeError("E882", f"the name '{name}' is taken", where=where(("name",)), why=why, fix=fix)


def _find_foreign(keys: _SourceKeys, where: Where, names: Iterable[str]) -> Iterator[ForgeError]:
    for name in names:
        if getattr(keys, "schema_" if name == "schema" else name):
            yield ForgeError(
                CODE,
                f"a {keys.connector} source has no {name}",
                where=where((name,)),
                fix="Remove it, or correct the connector.",
            )


def _find_bad_files(keys: _SourceKeys, where: Where) -> Iterator[ForgeError]:
    if not keys.path:
        fix = "Add `path: data/rates.csv`, a folder or a pattern."
        yield ForgeError(CODE, "a source of files needs a path", where=where(()), fix=fix)
    format = _format_of(keys)
    if not format and keys.path:
        fix = f"Add `format:` {', '.join(_FORMATS)}."
        yield ForgeError(CODE, "it cannot be told what the files are", where=where(("path",)), fix=fix)
    if format in ("csv", "json") and not keys.columns:
        yield ForgeError(
            CODE,
            f"a {format} source needs columns",
            where=where(("columns",)),
            why="Types guessed from the data change with the data.",
            fix="Add `columns: {currency: string, rate: decimal(12,6)}`; `forge source columns PATH` proposes them.",
        )
    yield from find_unknown_types(keys.columns, where, CODE)


def _find_bad_sqlite(keys: _SourceKeys, where: Where) -> Iterator[ForgeError]:
    if bool(keys.path) == bool(keys.url):
        yield ForgeError(CODE, "a sqlite source has one path", where=where(("path",)), fix="Add `path: data/shop.db`.")
    elif keys.url and not _file_of(keys.url):
        fix = "Write `path: data/shop.db`, or `url: jdbc:sqlite:data/shop.db`."
        yield ForgeError(CODE, "the url of a sqlite source names no file", where=where(("url",)), fix=fix)


def _find_bad_url(keys: _SourceKeys, where: Where) -> Iterator[ForgeError]:
    kind = ConnectorKind(keys.connector)
    example = f"Write it like {ADDRESSES[kind].example}"
    if not keys.url:
        yield ForgeError(CODE, f"a {kind} source needs a url", where=where(()), fix=example)
    elif not has_credentials(keys.url) and parse_address(kind, keys.url.strip()) is None:
        yield ForgeError(CODE, f"the url is not one of {kind}", where=where(("url",)), fix=example)


def _find_jdbc_out_of_files(where: Where, origin: SourceOrigin) -> Iterator[ForgeError]:
    """What came over HTTP is refused by its limits."""
    if origin is SourceOrigin.COMMAND:
        why = "Its address and its driver can name files, hosts and code: they are written where it is reviewed."
        fix = "Declare the source in sources/*.yaml."
        yield ForgeError(CODE, "a jdbc source stands in a file", where=where(("connector",)), why=why, fix=fix)


def _find_bad_delta(keys: _SourceKeys, where: Where) -> Iterator[ForgeError]:
    if not keys.path or re.search(r"[*?\[\]\x00]", keys.path):
        why = "It is a folder: that of a table, or one with tables in it."
        at = where(("path",) if keys.path else ())
        yield ForgeError(CODE, "a delta source needs a path", where=at, why=why, fix="Write `path: data/events`.")
    given = {name: value for name, value in _options_of(keys).items() if not _is_of_objects(keys, name)}
    for name, value in given.items():
        place = where(("options", name))
        if name not in (VERSION_AS_OF, TIMESTAMP_AS_OF):
            fix = did_you_mean(name, (VERSION_AS_OF, TIMESTAMP_AS_OF)) or f"Known: {VERSION_AS_OF}, {TIMESTAMP_AS_OF}."
            yield ForgeError(CODE, f"a delta source has no option {name}", where=place, fix=fix)
        elif name == VERSION_AS_OF and not re.fullmatch(r"[0-9]{1,18}", value):
            yield ForgeError(CODE, f"{shown(value)} is no version", where=place, fix="Write a number: 12.")
        elif name == TIMESTAMP_AS_OF and not _is_instant(value):
            fix = 'Write it with its zone: "2026-01-31T12:00:00Z".'
            yield ForgeError(CODE, f"{shown(value)} is no time", where=place, fix=fix)
    if len(given.keys() & {VERSION_AS_OF, TIMESTAMP_AS_OF}) == 2:
        fix = "Remove one of them."
        yield ForgeError(CODE, "a version and a time are two things", where=where(("options",)), fix=fix)


def _foreign_to_paths(keys: _SourceKeys) -> tuple[str, ...]:
    """Objects have a key and its secret, which are their user and password; files of this machine have none."""
    return tuple(name for name in _OF_DATABASES if not is_object_path(keys.path) or name not in ("user", "password"))


def _is_of_objects(keys: _SourceKeys, option: str) -> bool:
    return is_object_path(keys.path) and option in ("endpoint", "region")


def _find_bad_objects(keys: _SourceKeys, where: Where) -> Iterator[ForgeError]:
    """The region is a part of the host that is asked, and so of letters, digits and hyphens."""
    if not is_object_path(keys.path) or re.search(r"//[^/]*@", keys.path):
        return
    if parse_object_path(keys.path) is None:
        why = "Other stores than those that speak S3 are not read."
        fix = f"Write it like {OBJECT_EXAMPLE}"
        yield ForgeError(CODE, "the path is not one of objects", where=where(("path",)), why=why, fix=fix)
    given = _options_of(keys)
    address = parse_api_address(given["endpoint"]) if "endpoint" in given else None
    if "endpoint" in given and (address is None or address.path):
        fix = "Write it like https://s3.example.com:9000"
        yield ForgeError(CODE, "the endpoint is no address", where=where(("options", "endpoint")), fix=fix)
    if not re.fullmatch(r"[a-z]{2}[a-z0-9-]{0,30}[a-z0-9]", given.get("region", "us-east-1")):
        yield ForgeError(CODE, "the region is none", where=where(("options", "region")), fix="Write eu-central-1.")
    if bool(keys.user) != bool(keys.password):
        fix = "Write both as references, or none."
        yield ForgeError(CODE, "a key of objects is a user and a password", where=where(()), fix=fix)


def _is_instant(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _find_bad_api(keys: _SourceKeys, where: Where) -> Iterator[ForgeError]:
    if not keys.url:
        yield ForgeError(CODE, "a rest source needs a url", where=where(()), fix=f"Write it like {API_EXAMPLE}")
    elif not has_credentials(keys.url) and parse_api_address(keys.url.strip()) is None:
        why = "It is http or https, a host and a path, without parameters."
        fix = f"Write it like {API_EXAMPLE}"
        yield ForgeError(CODE, "the url is not one of an API", where=where(("url",)), why=why, fix=fix)
    if not keys.tables:
        fix = "Add `tables: {orders: {path: /orders, columns: {id: bigint}}}`."
        yield ForgeError(CODE, "a rest source needs tables", where=where(()), fix=fix)
    has_user, has_password = bool(keys.user), bool(keys.password or (keys.credentials and not keys.user))
    yield from find_bad_options(_options_of(keys), where, CODE, has_user=has_user, has_password=has_password)


def _find_bad_credentials(keys: _SourceKeys, where: Where, origin: SourceOrigin) -> Iterator[ForgeError]:
    connector = ConnectorKind(keys.connector)
    if keys.credentials and connector in (ConnectorKind.FILES, ConnectorKind.SQLITE, ConnectorKind.DELTA):
        yield from _find_foreign(keys, where, ("credentials",))
    elif keys.credentials and origin is not SourceOrigin.FILE:
        why = "Who is asked for as whom is written where it is reviewed, and nobody chooses it for himself."
        fix = "Declare the source in sources/*.yaml."
        yield ForgeError(CODE, "credentials stand in a file", where=where(("credentials",)), why=why, fix=fix)
    else:
        is_api = connector is ConnectorKind.REST
        yield from find_bad_credentials(keys.credentials, where, CODE, is_api=is_api)
        if is_api and "header" in keys.options and any(one.user for one in keys.credentials.values()):
            fix = "Remove `user` from the credentials: the header has the password alone."
            yield ForgeError(CODE, "a header has no user", where=where(("options", "header")), fix=fix)


def _find_secrets(keys: _SourceKeys, where: Where) -> Iterator[ForgeError]:
    """Users, passwords and the like must be references; none is ever shown."""
    for name, value in (("user", keys.user), ("password", keys.password)):
        if value and not is_reference(value):
            yield secret_in_file(name, where((name,)))
    if has_credentials(without_sign(keys.url)):
        yield secret_in_file("url", where(("url",)))
    if re.search(r"//[^/]*@", keys.path):
        yield secret_in_file("path", where(("path",)))
    for name, given in keys.options.items():
        if (SECRET_WORDS.search(name) or name.lower() == "user") and not is_reference(str(given)):
            yield secret_in_file(name, where(("options", name)))


def _file_of(url: str) -> str:
    """Of `jdbc:sqlite:data/shop.db`; empty where the url names none."""
    path = url.strip().removeprefix("jdbc:sqlite:")
    return "" if path == url.strip() or path.startswith((":", "file:")) or "?" in path else path


def _format_of(keys: _SourceKeys) -> str:
    """As written, or what the ending of the path says."""
    path = keys.path.lower()
    return keys.format or next((format for ending, format in _ENDINGS.items() if path.endswith(ending)), "")


def _options_of(keys: _SourceKeys) -> dict[str, str]:
    return {name: _as_option(value) for name, value in keys.options.items()}


def _as_option(value: str | bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
