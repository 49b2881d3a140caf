"""The tables of a REST API: which path has the records, how its pages follow each other, and what each column is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class PagingType(StrEnum):
    NONE = "none"
    PAGE = "page"  # ?page=2, until a page is empty
    OFFSET = "offset"  # ?offset=100, the number of records so far, until a page is empty
    CURSOR = "cursor"  # ?cursor=…, a text of the answer before, until there is none
    LINK = "link"  # the address of the next page, in the answer or in its header Link


# The parameter that says which page, where none is named.
PAGE_PARAMETERS: Mapping[PagingType, str] = {
    PagingType.PAGE: "page",
    PagingType.OFFSET: "offset",
    PagingType.CURSOR: "cursor",
}
_FIRST = 1  # page


@dataclass(frozen=True, slots=True, kw_only=True)
class RestPaging:
    """`parameter` says which page, `size_parameter` how many records it has. `next`: where the answer has the next
    cursor or link; a link without it is in the header. `first`: the number of the first page."""

    type: PagingType = PagingType.NONE
    parameter: str = ""
    size_parameter: str = ""
    size: int = 0
    first: int = _FIRST
    next: str = ""

    def to_dict(self) -> dict[str, object]:
        """By the keys of a file."""
        found: dict[str, object] = {"type": self.type.value}
        if self.parameter:
            found["parameter"] = self.parameter
        if self.size:
            found |= {"size_parameter": self.size_parameter, "size": self.size}
        if self.first != _FIRST:
            found["first"] = self.first
        if self.next:
            found["next"] = self.next
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RestTable:
    """`records`: where the answer has the list; empty: it is the list. `columns`: name → type. `fields`: where a record
    has a column, if not under its name. `parameters` are part of each request. `filters`: column → the parameter
    by which the API gives (at least) the records that have this value there."""

    path: str
    columns: Mapping[str, str]
    records: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, str] = field(default_factory=dict)
    paging: RestPaging = field(default_factory=RestPaging)

    def to_dict(self) -> dict[str, object]:
        """By the keys of a file."""
        every: dict[str, object] = {
            "path": self.path,
            "records": self.records,
            "columns": dict(self.columns),
            "fields": dict(self.fields),
            "parameters": dict(self.parameters),
            "filters": dict(self.filters),
            "paging": self.paging.to_dict() if self.paging != RestPaging() else None,
        }
        return {key: value for key, value in every.items() if value}


def rest_table_of(keys: Mapping[str, Any]) -> RestTable:
    """The inverse of `to_dict`, of what was validated before."""
    paging = dict(keys.get("paging") or {})
    paging["type"] = PagingType(paging.get("type", "none"))
    return RestTable(**{**keys, "paging": RestPaging(**paging)})


def steps_of(place: str) -> tuple[str, ...]:
    """A place in JSON: `/data/items` (a JSON Pointer) or `data.items`."""
    if not place:
        return ()
    if not place.startswith("/"):
        return tuple(place.split("."))
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in place[1:].split("/"))


def is_place(place: str) -> bool:
    return not re.search(r"[\x00-\x1f]|~(?![01])", place) and (place.startswith("/") or all(steps_of(place)))
