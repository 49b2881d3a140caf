"""The keys of an API's tables: in sources/*.yaml, in a command, over HTTP. All errors are found at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.federation.address import is_api_path
from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.rest import PAGE_PARAMETERS, PagingType, RestPaging, RestTable, is_place
from forge.model.errors import ForgeError, errors_of
from forge.model.file_options import (
    SECRET_WORDS,
    StrictModel,
    Where,
    find_unknown_types,
    read_options,
    secret_in_file,
    shown,
)
from forge.model.name_suggestions import did_you_mean
from forge.model.types import parse_type

CODE = "E880"
MOST_TABLES = 500
MOST_DIGITS = 38
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_FILTERED = (TypeFamily.INTEGER, TypeFamily.STRING, TypeFamily.BOOLEAN, TypeFamily.DATE)  # written in one way alone
_Text = Annotated[str, Field(max_length=1000)]
_Texts = Annotated[dict[_Text, _Text], Field(max_length=1000)]


class _PagingKeys(StrictModel):
    type: Literal["none", "page", "offset", "cursor", "link"] = "none"
    parameter: _Text = ""
    size_parameter: _Text = ""
    size: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    first: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    next: _Text = ""


class _TableKeys(StrictModel):
    path: _Text
    columns: Annotated[dict[_Text, _Text], Field(max_length=5000)]
    records: _Text = ""
    fields: _Texts = Field(default_factory=dict)
    parameters: Annotated[dict[_Text, _Text | bool | int | float], Field(max_length=200)] = Field(default_factory=dict)
    filters: _Texts = Field(default_factory=dict)
    paging: dict[str, Any] = Field(default_factory=dict)


def read_rest_tables(tables: Mapping[str, object], where: Where) -> tuple[dict[str, RestTable], list[ForgeError]]:
    """The tables that are right, and the errors of the others."""
    found: dict[str, RestTable] = {}
    errors: list[ForgeError] = []
    seen: set[str] = set()
    for name, keys in tables.items():
        at = ("tables", name)
        if not _NAME.fullmatch(name):
            fix = "Write letters, digits and underscores: orders."
            errors.append(ForgeError(CODE, f"{shown(name)} is not a name of a table", where=where(at), fix=fix))
        elif name.lower() in seen:
            fix = "Case makes no difference. Give it another name."
            errors.append(ForgeError(CODE, f"there are two tables {name}", where=where(at), fix=fix))
        seen.add(name.lower())

        def below(path: tuple[str | int, ...], at: tuple[str, str] = at) -> str:
            return where((*at, *path))

        try:
            table, wrong = _read_table(keys, below)
            errors += wrong
            found[name] = table
        except ForgeError as error:
            errors += errors_of(error)
    return found, errors


def _read_table(data: object, where: Where) -> tuple[RestTable, list[ForgeError]]:
    keys = read_options(_TableKeys, data, where, CODE)
    paging = read_options(_PagingKeys, keys.paging, lambda path: where(("paging", *path)), CODE)
    errors = [*_find_bad_places(keys, where), *_find_bad_columns(keys, where), *_find_bad_paging(paging, where)]
    table = RestTable(
        path=keys.path,
        records=keys.records,
        columns=dict(keys.columns),
        fields=dict(keys.fields),
        parameters={name: _as_text(value) for name, value in keys.parameters.items()},
        filters=dict(keys.filters),
        paging=RestPaging(
            type=PagingType(paging.type),
            parameter=paging.parameter,
            size_parameter=paging.size_parameter,
            size=paging.size,
            first=paging.first,
            next=paging.next,
        ),
    )
    return table, [*errors, *_find_shared_parameters(table, where)]


def _find_bad_places(keys: _TableKeys, where: Where) -> Iterator[ForgeError]:
    if not keys.path.startswith("/") or not is_api_path(keys.path):
        yield ForgeError(
            CODE,
            "this is not the path of an endpoint",
            where=where(("path",)),
            why="It begins with / and has no parameters, escapes or steps upwards.",
            fix="Write `path: /orders`, and what goes behind the ? under `parameters`.",
        )
    places = [(("records",), keys.records), *((("fields", name), place) for name, place in keys.fields.items())]
    for at, place in places:
        if not is_place(place) and place:
            fix = "Write /data/items, or data.items."
            yield ForgeError(CODE, f"'{place[:60]}' is no place in JSON", where=where(at), fix=fix)
    for name, value in keys.parameters.items():
        if SECRET_WORDS.search(name):
            yield secret_in_file(name, where(("parameters", name)))
        elif re.search(r"[\x00-\x1f]", f"{name}{value}"):
            fix = "Write it in one line."
            yield ForgeError(CODE, "a parameter has control characters", where=where(("parameters", name)), fix=fix)


def _find_bad_columns(keys: _TableKeys, where: Where) -> Iterator[ForgeError]:
    if not keys.columns:
        fix = "Add `columns: {id: bigint, city: string}`."
        yield ForgeError(CODE, "a table of an API needs columns", where=where(("columns",)), fix=fix)
    wrong = list(find_unknown_types(keys.columns, where, CODE))
    yield from wrong
    if len({name.lower() for name in keys.columns}) < len(keys.columns) or "" in keys.columns:
        fix = "Case makes no difference. Rename one, and write where it is under `fields`."
        yield ForgeError(CODE, "two columns have the same name, or one none", where=where(("columns",)), fix=fix)
    for name, written in {} if wrong else keys.columns.items():
        kind = parse_type(written)
        digits = kind.size if kind.name == "decimal" else (1, 0)
        if family_of(kind) is TypeFamily.OTHER or kind.name in ("char", "varchar") or digits[0] > MOST_DIGITS:
            fix = "Write string, bigint, double, decimal(12,2), boolean, date, timestamp or timestamp_ntz."
            what = f"a column of an API cannot be {written}"
            yield ForgeError(CODE, what, where=where(("columns", name)), fix=fix)
        elif name in keys.filters and family_of(kind) not in _FILTERED:
            why = f"Programs write {kind} in several ways."
            fix = "Remove the filter; whole numbers, strings, booleans and dates can have one."
            at = where(("filters", name))
            yield ForgeError(CODE, f"{name} cannot be a parameter", where=at, why=why, fix=fix)
    for key in ("fields", "filters"):
        for name in getattr(keys, key):
            if name not in keys.columns:
                fix = did_you_mean(name, keys.columns) or "Add it to `columns`."
                yield ForgeError(CODE, f"there is no column {name}", where=where((key, name)), fix=fix)


def _find_bad_paging(paging: _PagingKeys, where: Where) -> Iterator[ForgeError]:
    kind = PagingType(paging.type)
    at = where(("paging",))
    foreign = [
        *(["parameter"] if paging.parameter and kind not in PAGE_PARAMETERS else []),
        *(["next"] if paging.next and kind not in (PagingType.CURSOR, PagingType.LINK) else []),
        *(["first"] if paging.first != 1 and kind is not PagingType.PAGE else []),
        *(["size"] if paging.size and kind is PagingType.NONE else []),
    ]
    for name in foreign:
        what, fix = f"paging by {kind} has no {name}", "Remove it, or correct the type."
        yield ForgeError(CODE, what, where=where(("paging", name)), fix=fix)
    if kind is PagingType.CURSOR and not paging.next:
        fix = "Add `next: meta.next_cursor`: where the answer has it."
        yield ForgeError(CODE, "paging by cursor needs next", where=at, fix=fix)
    if paging.next and not is_place(paging.next):
        fix = "Write /meta/next, or meta.next."
        yield ForgeError(CODE, "next is no place in JSON", where=where(("paging", "next")), fix=fix)
    if bool(paging.size) != bool(paging.size_parameter):
        fix = "Write both `size: 100` and `size_parameter: limit`, or neither."
        yield ForgeError(CODE, "the size of a page needs its parameter", where=at, fix=fix)


def _find_shared_parameters(table: RestTable, where: Where) -> Iterator[ForgeError]:
    """What one request would say twice."""
    paging = table.paging
    page = paging.parameter or PAGE_PARAMETERS.get(paging.type, "")
    named = [*table.parameters, *table.filters.values(), *(one for one in (page, paging.size_parameter) if one)]
    twice = sorted({one for one in named if named.count(one) > 1})
    if twice:
        fix = "Give each its own."
        what = f"the parameter {', '.join(twice)} is used for two things"
        yield ForgeError(CODE, what, where=where(()), fix=fix)


def _as_text(value: str | bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
