"""`forge contract drift` in a project: its contracts against the lake at a revision, or against a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forge.cli.contracts.drift_view import answer_drift, contract_at
from forge.cli.contracts.standalone_file import refuse_without_project
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError, UnknownNameError

if TYPE_CHECKING:
    from forge.contracts.contract import Contract, Violation
    from forge.contracts.drift.table import ContractDrift
    from forge.wiring import Wiring

_TABLE = re.compile(r"\w+\.\w+")


def drift_of_project(terminal: Terminal, subject: str | None, at: str | None, source: str | None) -> None:
    if subject is not None:
        fix = f"forge contract drift {subject} --schema schema.yaml"
        refuse_without_project(terminal, subject, "What is the contract to be compared with?", fix)
    subject, at = _at(subject, at)
    if at is not None and source is not None:
        raise ForgeError("E105", "--at and --source do not go together", fix="A database has no branches; drop --at.")
    with terminal.open() as wiring:
        if source is not None:
            _refuse_no_source(wiring, source)
        contracts, broken = _contracts(wiring, subject, source)
        drifts: list[ContractDrift] = []
        for contract in contracts:
            drifts += _drift(wiring, contract, subject, at, source)
    answer_drift(terminal, drifts, broken)


def _at(subject: str | None, at: str | None) -> tuple[str | None, str | None]:
    """`core.orders@ref` is the table there. An id or a file may contain an @."""
    table, is_there, ref = (subject or "").rpartition("@")
    if subject is None or not (is_there and ref and _TABLE.fullmatch(table)) or Path(subject).is_file():
        return subject, at
    if at is not None and at != ref:
        raise ForgeError("E105", f"{subject} and --at {at} are two revisions", fix="Leave out one of them.")
    return table, ref


def _refuse_no_source(wiring: Wiring, source: str) -> None:
    """Before looking for a contract of it."""
    from forge.flows.contracts.drift import source_of
    from forge.model.names import TableName

    source_of(TableName.parse(source), wiring.project())


def _drift(
    wiring: Wiring, contract: Contract, subject: str | None, at: str | None, source: str | None
) -> Sequence[ContractDrift]:
    from forge.flows.contracts.drift import find_live_drift, find_source_drift
    from forge.model.names import TableName
    from forge.model.secret import resolve_secret

    if source is None:
        found = find_live_drift(contract, wiring.versioning.reader(), at)
        named = [drift for drift in found if subject is not None and drift.table == subject.lower()]
        return named or found
    return find_source_drift(
        contract,
        TableName.parse(source),
        wiring.project(),
        lambda: wiring.engine,
        lambda reference: resolve_secret(reference, wiring.environ, "forge.yaml"),
        wiring.runs.bind({}),
        wiring.runs.loads,
    )


def _contracts(wiring: Wiring, subject: str | None, source: str | None) -> tuple[list[Contract], list[Violation]]:
    """Those that match: a file, a table, an id or a name; none: all readable ones."""
    from forge.flows.contracts.effective import resolve_contracts
    from forge.flows.contracts.files import project_files
    from forge.model.name_suggestions import did_you_mean
    from forge.wiring.governance import governance_of

    if subject is not None and Path(subject).is_file():
        return [contract_at(Path(subject))], []
    files = project_files(wiring.root)
    own = [file.contract for file in files if file.contract is not None]
    contracts = [one.effective for one in resolve_contracts(own, governance_of(wiring.settings), wiring.root)]
    wanted = subject or source
    if wanted is None:
        unread = [file for file in files if file.contract is None]
        return contracts, [violation for file in unread for violation in file.violations]
    chosen = [contract for contract in contracts if wanted.lower() in _names_of(contract)]
    if not chosen:
        names = [name for contract in contracts for name in _names_of(contract)]
        raise UnknownNameError(
            f"No contract is about {wanted}",
            why=did_you_mean(wanted.lower(), names),
            fix="Name a table, a contract's id or a file; `forge contract list` shows them.",
        )
    return chosen, []


def _names_of(contract: Contract) -> list[str]:
    names = [contract.id, contract.name or "", contract.file, *(table.table for table in contract.tables)]
    return [name.lower() for name in names if name]
