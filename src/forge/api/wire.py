"""Base classes and shared types of all JSON models: pages, times, enumerations, errors."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from forge.model.time import as_utc

T = TypeVar("T")
OutcomeWord = Literal["passed", "failed", "not measured"]
SeverityWord = Literal["info", "warning", "error", "critical"]
RunWord = Literal[
    "queued", "running", "succeeded", "blocked", "failed", "conflict", "nothing to do", "cancelled", "interrupted"
]


def _written(value: object) -> object:
    """A time must be text like 2026-11-15T06:10:00Z; a bare number would be taken for seconds since 1970."""
    if isinstance(value, datetime) or (isinstance(value, str) and re.match(r"\d{4}-", value)):
        return value
    raise ValueError("a time is written like 2026-11-15T06:10:00Z")


def _in_utc(value: datetime) -> datetime:
    try:
        return as_utc(value)
    except OverflowError:  # the first or last representable day, in a zone that exceeds it
        raise ValueError("a time lies between the years 1 and 9999, in UTC") from None


# A date, or a time without a zone, is in UTC: nothing behind this ever meets a time that no zone belongs to.
Moment = Annotated[datetime, BeforeValidator(_written), AfterValidator(_in_utc)]
MomentAsWritten = Annotated[datetime, BeforeValidator(_written)]  # for what judges the zone itself


def _no_nul(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a text holds no NUL character")
    return text


Name = Annotated[str, Field(max_length=255), AfterValidator(_no_nul)]
Text = Annotated[str, Field(max_length=10_000), AfterValidator(_no_nul)]


SAME = {"dataset": "dataset_id", "dataset_id": "dataset"}
"""Two names of one thing: whichever a body or a filter has, the other is understood."""


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", from_attributes=True)

    @classmethod
    def of(cls, record: object, **more: object) -> Self:
        """The fields that a record has by the same name, and `more`, which goes before them."""
        own = {name: getattr(record, name) for name in cls.model_fields if name not in more and hasattr(record, name)}
        return cls.model_validate({**own, **more})

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        for name, other in SAME.items():
            if name in cls.model_fields and other in data and other not in cls.model_fields and name not in data:
                return {**{key: value for key, value in data.items() if key != other}, name: data[other]}
        return data


class Page(Wire, Generic[T]):
    items: list[T]
    next_cursor: str | None = None
    has_more: bool = False
    total_count: int | None = None


class ErrorView(Wire):
    """The one shape of an error, in the terminal, here and in the browser."""

    code: str = Field(examples=["FORGE-E108"])
    what: str
    where: str | None = None
    why: str | None = None
    fix: str | None = None


class Problem(Wire):
    """RFC 9457 problem+json. `detail` is `what`; `errors` are all of them where there are several."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    where: str | None = None
    why: str | None = None
    fix: str | None = None
    errors: list[ErrorView] = []
    current_version: int | None = None  # of what was to be changed, where someone else was first
