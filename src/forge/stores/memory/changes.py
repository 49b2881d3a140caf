"""Commits of data on lists of rows, by the rules of the engine port."""

from __future__ import annotations

from forge.flows.ports import Stage
from forge.flows.runs.engine import ChangeMode
from forge.model.errors import ForgeError
from forge.versioning.errors import IncomparableError, NothingToDoError

Rows = list[dict[str, object]]


def changed_rows(
    before: Rows, given: Rows, stage: Stage, mode: ChangeMode, key: tuple[str, ...], *, evolve: bool
) -> Rows:
    """All rows of the table after the change."""
    where = str(stage.table)
    if mode == "delete" and not stage.exists:
        raise NothingToDoError(f"There is no {where} to delete from", where=where, fix="Check the name and the branch.")
    if mode in ("merge", "delete") and not key:
        raise IncomparableError("E613", f"{where} has no key", where=where, fix="Name the key columns (--key).")
    if mode == "delete":
        gone = {tuple(row[name] for name in key) for row in given}
        return [row for row in before if tuple(row[name] for name in key) not in gone]
    names = list(before[0]) if before else []
    rows = _fitted(given, names, where, evolve=evolve)
    if key:
        _refuse_bad_keys(rows, key, where, unique=mode == "merge")
    match mode:
        case "append":
            return _widened([*before, *rows])
        case "overwrite":
            return rows
        case _:
            return _merged(before, given, rows, key)


def _fitted(given: Rows, names: list[str], where: str, *, evolve: bool) -> Rows:
    new = [name for name in dict.fromkeys(n for row in given for n in row) if name not in names]
    if names and new and not evolve:
        raise ForgeError(
            "E621",
            f"The rows do not fit {where}",
            where=where,
            why=f"It has no column {', '.join(new)}.",
            fix="Correct the rows. Nothing was written.",
        )
    return [{name: row.get(name) for name in (*names, *new)} for row in given]


def _refuse_bad_keys(rows: Rows, key: tuple[str, ...], where: str, *, unique: bool) -> None:
    seen: set[tuple[object, ...]] = set()
    for row in rows:
        values = tuple(row.get(name) for name in key)
        if None in values:
            raise IncomparableError("E612", "A key of the rows is NULL", where=where, fix="Fill the column.")
        if unique and values in seen:
            raise IncomparableError(
                "E611", "The rows have the same key more than once", where=where, fix="Remove the duplicates."
            )
        seen.add(values)


def _merged(before: Rows, given: Rows, rows: Rows, key: tuple[str, ...]) -> Rows:
    """Missing cells keep their value."""
    partial = {tuple(row[name] for name in key): row for row in given}
    kept = [{**row, **partial.get(tuple(row[name] for name in key), {})} for row in before]
    known = {tuple(row[name] for name in key) for row in before}
    return _widened([*kept, *(row for row in rows if tuple(row[name] for name in key) not in known)])


def _widened(rows: Rows) -> Rows:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows]
