"""Masks, row filters and readers of the lake that cannot be meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from forge.federation.policy_keys import find_bad_policies
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.settings.keys import Keys
from forge.settings.layers import KeyPath

_CODE = "E105"
_HERE: KeyPath = ("federation", "lake")


def lake_rule_problems(keys: Keys, place: Callable[[KeyPath], str]) -> Iterator[ForgeError]:
    lake = keys.federation.lake

    def where(path: KeyPath) -> str:
        return place((*_HERE, *path))

    yield from find_bad_policies(lake.masks, lake.rows, where, _CODE)
    for index, mask in enumerate(lake.masks):
        if mask.column.count(".") != 2:
            yield _unnamed(mask.column, where(("masks", index)), "core.orders.email", "a column of a table of the lake")
    for index, row in enumerate(lake.rows):
        if row.table.count(".") != 1:
            yield _unnamed(row.table, where(("rows", index)), "core.orders", "a table of the lake")
    for table, users in lake.readers.items():
        if not re.fullmatch(r"[^.\s]+\.[^.\s]+", table):
            yield _unnamed(table, where(("readers", table)), "core.orders", "a table of the lake")
        if any(not one.strip() or one != one.strip() for one in users):
            fix = "Write who may read it, as tokens and commits name them: ada@example.com."
            yield ForgeError(_CODE, "a reader has no name", where=where(("readers", table)), fix=fix)
    for index, mask in enumerate(lake.masks):
        yield from _unknown_roles((*mask.for_, *mask.except_), keys, where(("masks", index)))
    for index, row in enumerate(lake.rows):
        yield from _unknown_roles((*row.for_, *row.except_), keys, where(("rows", index)))


def _unknown_roles(names: tuple[str, ...], keys: Keys, place: str) -> Iterator[ForgeError]:
    """A misspelled role lets nobody in, and says so before anything is read."""
    for name in names:
        if name.strip() and name not in keys.roles and "@" not in name:
            fix = did_you_mean(name, keys.roles) or f"Add it: `roles: {{{name}: [ada@example.com]}}`."
            yield ForgeError(_CODE, f"there is no role '{name}'", where=place, fix=fix)


def _unnamed(text: str, place: str, example: str, what: str) -> ForgeError:
    return ForgeError(_CODE, f"'{text}' is not {what}", where=place, fix=f"Write it whole, like {example}.")
