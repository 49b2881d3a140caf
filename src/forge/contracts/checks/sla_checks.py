"""The service levels of a contract as checks. Those that depend on the clock are separate: late data must still be
published, so they belong to monitors and `forge quality run`, not to the gate of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from forge.contracts.checks.options import Check
from forge.contracts.checks.rules import CheckOrNote, CompiledChecks, collect_checks
from forge.contracts.contract import Contract, ContractProperty, Note, TableContract
from forge.contracts.sla import Promise, promise_of
from forge.model.duration import Duration

_TIMED = ("latency", "freshness")
_SHARES = ("completeness", "uniqueness")
_DATED = ("date", "timestamp")
_ELSEWHERE = {
    "retention": "how long rows are kept is seen from how tables are expired, not from the rows",
    "availability": "it is measured on the service, not in the data",
    "accuracy": "it needs the true values to compare with; write a quality rule",
}


@dataclass(frozen=True, slots=True)
class SlaChecks:
    """`always`: valid for every version of the table; `timed`: depend on the clock. Notes: what no check covers."""

    always: CompiledChecks
    timed: CompiledChecks


def sla_checks_of(table: TableContract, contract: Contract | None) -> SlaChecks:
    """The contract's service levels of the table. No contract: none."""
    if contract is None:
        return SlaChecks(CompiledChecks(), CompiledChecks())
    document = contract.document
    default = document.data.get("slaDefaultElement") if document is not None else None
    promises = [promise_of(each, str(default) if isinstance(default, str) else None) for each in contract.sla]
    known = [promise for promise in promises if promise is not None]
    return SlaChecks(
        collect_checks(
            found for promise in known if promise.service in _SHARES for found in _share(promise, table, contract)
        ),
        collect_checks(
            found for promise in known if promise.service not in _SHARES for found in _timed(promise, table, contract)
        ),
    )


def _timed(promise: Promise, table: TableContract, contract: Contract) -> Iterator[CheckOrNote]:
    for column in _meant(promise, table, contract):
        if promise.service not in _TIMED:
            reason = _ELSEWHERE.get(promise.service, "Forge does not measure it")
            yield Note(promise.place, f"{promise.service} {promise.shown} is not checked: {reason}")
        elif column is None:
            first = next((p.name for p in table.columns if p.logical_type in _DATED), "updated_at")
            reason = f"it names no column; write element: {table.name or table.table}.{first}"
            yield Note(promise.place, f"{promise.service} {promise.shown} of {table.table} is not checked: {reason}")
        elif column.logical_type not in (*_DATED, None):
            reason = f"{column.name} is {column.logical_type}, not a date or a timestamp"
            yield Note(promise.place, f"{promise.service} {promise.shown} is not checked: {reason}")
        elif isinstance(promise.value, Duration) and promise.value.longest > 0:
            yield _freshness(promise, column, promise.value), promise.place


def _freshness(promise: Promise, column: ContractProperty, age: Duration) -> Check:
    return {
        "type": "freshness",
        "timestamp_column": column.column,
        "max_age_hours": float(age.longest / 3600),
        "severity": "warning",
        "name": f"{promise.service} of {column.name}: {promise.shown}",
    }


def _share(promise: Promise, table: TableContract, contract: Contract) -> Iterator[CheckOrNote]:
    for column in _meant(promise, table, contract):
        if column is None or not isinstance(promise.value, Fraction):
            reason = f"it names no column; write element: {table.name or table.table}.column"
            yield Note(promise.place, f"{promise.service} {promise.shown} of {table.table} is not checked: {reason}")
            continue
        missing = float(100 - promise.value)
        name = f"{promise.service} of {column.name}: {promise.shown}"
        if promise.service == "completeness":
            check: Check = {"type": "not_null", "column": column.column, "max_null_percentage": missing, "name": name}
        else:
            check = {"type": "unique", "columns": [column.column], "max_violation_percentage": missing, "name": name}
        yield check, promise.place


def _meant(promise: Promise, table: TableContract, contract: Contract) -> list[ContractProperty | None]:
    """The columns of the table that a service level covers; None for the whole table. Empty: it covers another
    table."""
    if not promise.elements:
        return [None]
    names = {table.name.lower(), table.table.lower(), table.table.lower().rsplit(".", 1)[-1]}
    columns = {each.name.lower(): each for each in table.columns} | {
        each.column.lower(): each for each in table.columns
    }
    found: list[ContractProperty | None] = []
    for element in sorted(promise.elements):
        owner, _, name = element.rpartition(".")
        if element in names:
            found.append(None)
        elif (owner in names or (not owner and len(contract.tables) == 1)) and name in columns:
            found.append(columns[name])
    return found
