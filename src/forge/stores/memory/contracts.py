"""Registered contracts in memory; passes the test suite of the SQL store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from forge.contracts.datacontract_results import MOST_RUNS, TestRun, TestSummary
from forge.contracts.lifecycle import LifecycleStep
from forge.contracts.registry import (
    CompileRecord,
    ContractCheck,
    ContractHead,
    RegisteredContract,
    find_touched_tables,
    unknown_contract,
    version_conflict,
)
from forge.contracts.semver import Version
from forge.flows.contracts.ports import LifecycleWrite, Registration
from forge.flows.runs.records import AuditRecord
from forge.quality.alerts.delivery import Delivery


class MemoryContracts:
    """`changed`: called with names of tables, as the log of the catalog's changes is."""

    def __init__(self, changed: Callable[[Sequence[str]], None] = lambda names: None) -> None:
        self._changed = changed
        self._lock = threading.RLock()
        self._versions: dict[str, dict[str, RegisteredContract]] = {}
        self._states: dict[str, list[LifecycleStep]] = {}
        self._results: dict[str, TestRun] = {}
        self._checks: dict[str, ContractCheck] = {}
        self._compiled: CompileRecord | None = None
        self.deliveries: list[Delivery] = []
        self.audit: list[AuditRecord] = []

    def register(self, registration: Registration) -> bool:
        new = registration.new
        with self._lock:
            known = self._versions.get(new.id, {}).get(new.version)
            if known is not None and known.digest != new.digest:
                raise version_conflict(known, new)
            before = self._head(new.id)
            moving = registration.decide(before)
            if known is None:
                self._versions.setdefault(new.id, {})[new.version] = new
                self.audit += registration.audit
            if moving is not None:
                self._write(new.id, moving)
            after = self._head(new.id)
            assert after is not None
            self._changed(find_touched_tables(before.newest if before else None, after.newest))
            return known is None

    def register_all(self, registrations: Iterable[Registration]) -> tuple[bool | None, ...]:
        found: list[bool | None] = []
        with self._lock:
            for registration in registrations:
                new = registration.new
                known = self._versions.get(new.id, {}).get(new.version)
                is_taken = known is not None and known.digest != new.digest
                found.append(None if is_taken else self.register(registration))
        return tuple(found)

    def move(self, contract_id: str, decide: Callable[[ContractHead], LifecycleWrite]) -> ContractHead:
        with self._lock:
            found = self._head(contract_id)
            if found is None:
                raise unknown_contract(contract_id, self._versions)
            self._write(contract_id, decide(found))
            moved = self._head(contract_id)
            assert moved is not None
            return moved

    def _write(self, contract_id: str, moving: LifecycleWrite) -> None:
        self._states.setdefault(contract_id, []).append(moving.change)
        self.deliveries += moving.deliveries
        self.audit += moving.audit

    def head(self, contract_id: str) -> ContractHead | None:
        with self._lock:
            return self._head(contract_id)

    def _head(self, contract_id: str) -> ContractHead | None:
        versions = self._versions.get(contract_id)
        if not versions:
            return None
        newest = versions[max(versions, key=Version)]
        last = self._states[contract_id][-1]
        return ContractHead(newest, last.state, last, len(versions))

    def heads(self) -> tuple[ContractHead, ...]:
        with self._lock:
            found = [head for contract_id in self._versions if (head := self._head(contract_id))]
        found.sort(key=lambda head: (head.newest.name, head.id))
        return tuple(replace(head, newest=replace(head.newest, text="")) for head in found)

    def versions(self, contract_id: str) -> tuple[RegisteredContract, ...]:
        with self._lock:
            found = list(self._versions.get(contract_id, {}).values())
        return tuple(sorted(found, key=lambda one: Version(one.version), reverse=True))

    def version(self, contract_id: str, version: str) -> RegisteredContract | None:
        return self._versions.get(contract_id, {}).get(version)

    def history(self, contract_id: str) -> tuple[LifecycleStep, ...]:
        with self._lock:
            return tuple(reversed(self._states.get(contract_id, ())))

    # test results, checks, compiles

    def add_results(self, run: TestRun, audit: AuditRecord) -> bool:
        with self._lock:
            if run.id in self._results:
                return False
            self._results[run.id] = run
            for old in self.results(run.contract_id, len(self._results))[MOST_RUNS:]:
                del self._results[old.id]
            self.audit.append(audit)
            return True

    def results(self, contract_id: str, limit: int = 50) -> tuple[TestRun, ...]:
        with self._lock:
            found = [run for run in self._results.values() if run.contract_id == contract_id]
        return tuple(sorted(found, key=lambda run: (run.received_at, run.id), reverse=True)[:limit])

    def last_results(self) -> Mapping[str, TestSummary]:
        with self._lock:
            ordered = sorted(self._results.values(), key=lambda run: (run.received_at, run.id))
        return {run.contract_id: run.summary for run in ordered}

    def keep_checks(self, checks: Iterable[ContractCheck]) -> None:
        with self._lock:
            self._checks |= {check.contract_id: check for check in checks}

    def checks(self) -> Mapping[str, ContractCheck]:
        return dict(self._checks)

    def keep_compiled(self, record: CompileRecord) -> None:
        self._compiled = record

    def compiled(self) -> CompileRecord | None:
        return self._compiled
