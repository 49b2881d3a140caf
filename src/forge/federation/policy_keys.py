"""The keys of masks and row filters, in files, in commands and over HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.federation.policy import Audience, ColumnMask, MaskKind, RowFilter
from forge.model.errors import ForgeError
from forge.model.file_options import StrictModel, Where

_Text = Annotated[str, Field(max_length=1000)]
_Names = Annotated[list[_Text], Field(max_length=200)]
MOST_RULES = 200


class MaskKeys(StrictModel):
    """Who is named by neither `for` nor `except` is everyone."""

    column: _Text = Field(description="The column, with its table: core.people.email.")
    as_: Literal["null", "hash", "partial", "year"] = Field(alias="as", description="What is read instead.")
    for_: _Names = Field(default_factory=list, alias="for", description="Only these users and roles read it so.")
    except_: _Names = Field(default_factory=list, alias="except", description="All but these users and roles do.")

    @property
    def mask(self) -> ColumnMask:
        return ColumnMask(self.column.lower(), MaskKind(self.as_), _audience(self.for_, self.except_))


class RowFilterKeys(StrictModel):
    table: _Text = Field(description="The table: core.orders.")
    filter: Annotated[str, Field(max_length=4_000)] = Field(
        description="Which rows are read: comparisons of its columns with values, region = 'EU'."
    )
    for_: _Names = Field(default_factory=list, alias="for", description="It holds for these users and roles alone.")
    except_: _Names = Field(default_factory=list, alias="except", description="It holds for all but these.")

    @property
    def row_filter(self) -> RowFilter:
        return RowFilter(self.table.lower(), self.filter.strip(), _audience(self.for_, self.except_))


def find_bad_policies(
    masks: Iterable[MaskKeys], rows: Iterable[RowFilterKeys], where: Where, code: str
) -> Iterator[ForgeError]:
    for index, mask in enumerate(masks):
        if not re.fullmatch(r"[^.]+(\.[^.]+)+", mask.column):
            fix, place = "Write table.column, or schema.table.column.", where(("masks", index))
            yield ForgeError(code, f"'{mask.column}' is not a column of a table", where=place, fix=fix)
        yield from _find_bad_audience(mask, where, ("masks", index), code)
    for index, row in enumerate(rows):
        if not re.fullmatch(r"[^.]+(\.[^.]+)*", row.table):
            fix = "Write its name, with or without its schema."
            yield ForgeError(code, f"'{row.table}' is not a table", where=where(("rows", index, "table")), fix=fix)
        from forge.federation.row_filter import parse_filter  # loads sqlglot, which most projects need not wait for

        try:
            parse_filter(row.filter.strip())
        except ForgeError as error:
            place = where(("rows", index, "filter"))
            yield ForgeError(code, error.what, where=place, why=error.why, fix=error.fix)
        yield from _find_bad_audience(row, where, ("rows", index), code)


def masks_of(items: Iterable[Mapping[str, Any]]) -> tuple[ColumnMask, ...]:
    """Of what was validated before."""
    return tuple(MaskKeys.model_validate(dict(one)).mask for one in items)


def rows_of_keys(items: Iterable[Mapping[str, Any]]) -> tuple[RowFilter, ...]:
    return tuple(RowFilterKeys.model_validate(dict(one)).row_filter for one in items)


def _audience(only: list[str], except_: list[str]) -> Audience:
    return Audience(tuple(dict.fromkeys(only)), tuple(dict.fromkeys(except_)))


def _find_bad_audience(
    keys: MaskKeys | RowFilterKeys, where: Where, path: tuple[str | int, ...], code: str
) -> Iterator[ForgeError]:
    if keys.for_ and keys.except_:
        fix = "Name those it is for, or those it is not for."
        yield ForgeError(code, "`for` and `except` are both given", where=where(path), fix=fix)
    for key, names in (("for", keys.for_), ("except", keys.except_)):
        for index, name in enumerate(names):
            if not name.strip() or name != name.strip():
                fix = "Write a role of forge.yaml, or a user as tokens name him: ada@example.com."
                yield ForgeError(code, "a name is empty", where=where((*path, key, index)), fix=fix)
