"""Profiles without the values of personal columns. How many there are and how long they are stays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from forge.catalog.profile.record import ProfiledColumn, TableProfile


def mask_columns(columns: Sequence[ProfiledColumn], personal: Collection[str]) -> tuple[ProfiledColumn, ...]:
    """`personal`: names in lower case."""
    return tuple(_masked(column) if column.name.lower() in personal else column for column in columns)


def mask_profile(profile: TableProfile, personal: Collection[str]) -> TableProfile:
    """Also of one that was stored before a column was known to be personal."""
    if not personal:
        return profile
    columns = mask_columns(profile.columns, personal)
    return replace(profile, measured=replace(profile.measured, columns=columns))


def _masked(column: ProfiledColumn) -> ProfiledColumn:
    """A median is a value of a person, and so is the mean of one row; the edges of a histogram are values, too."""
    return replace(
        column,
        minimum=None,
        maximum=None,
        mean=None,
        stddev=None,
        q1=None,
        median=None,
        q3=None,
        histogram=None,
        top=(),
        masked=True,
    )
