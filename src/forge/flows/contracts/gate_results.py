"""The last word on each contract: of a check or compile that was kept, or of the gate through which its tables went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from forge.contracts.contract import Violation, ViolationSeverity
from forge.contracts.registry import Checked, Finding
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import Known
from forge.flows.quality.health import is_of_gate
from forge.flows.quality.incidents.open import ALL
from forge.flows.runs.records import RunRecord
from forge.model.names import RunId
from forge.quality.verdict import Outcome, Severity, Verdict

_SEVERITIES: dict[str, ViolationSeverity] = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "info",
}
_UNGATED = ("adopt", "repair")  # kinds of runs that take a table as it is


def last_checks(ports: ContractPorts, every: Iterable[Known]) -> Mapping[str, Checked]:
    """By contract, whichever is newer. The gate says nothing when it is content, so a version of a table that went
    through it while the contract was registered was checked, and nothing was wrong."""
    kept = ports.store.checks()
    if ports.governance.is_off:
        return kept
    gates = _Gates(ports)
    found = dict(kept)
    for known in every:
        checked, before = gates.checked(known), kept.get(known.id)
        if checked is not None and (before is None or checked.checked_at > before.checked_at):
            found[known.id] = checked
    return found


class _Gates:
    """What the runs that wrote the tables of the default branch were told; of a table that was never published, the
    run that was stopped."""

    def __init__(self, ports: ContractPorts) -> None:
        metadata = ports.metadata
        branch = metadata.branch(ports.default_branch)
        tree = metadata.tree(branch.head if branch else None)
        stopped = {str(table): run.id for run, table in metadata.blocked(ports.default_branch)}
        written = {str(table): RunId(version.run_id) for table, version in tree.items() if version.run_id}
        self._attempts = {name.lower(): run_id for name, run_id in (stopped | written).items()}
        self._runs = metadata.find_runs(set(self._attempts.values()))
        failed = metadata.verdicts(run_ids=set(self._runs), outcome=Outcome.FAILED, limit=ALL)
        self._said: dict[tuple[RunId, str], list[Verdict]] = {}
        for run_id, verdict in failed:
            if is_of_gate(verdict):
                self._said.setdefault((run_id, verdict.table.lower()), []).append(verdict)

    def checked(self, known: Known) -> Checked | None:
        times: list[datetime] = []
        findings: list[Finding] = []
        for table in known.tables:
            run = self._runs.get(self._attempts.get(table, RunId("")))
            said = self._said.get((run.id, table), []) if run else []
            if run is not None and (said or _was_there(known, run)):
                times.append(run.finished_at or run.started_at)
                findings += [_finding(verdict, known.id) for verdict in said]
        # What is wrong with a contract as a whole is said of each of its tables.
        return Checked(known.id, known.version, max(times), tuple(dict.fromkeys(findings))) if times else None


def _was_there(known: Known, run: RunRecord) -> bool:
    """Only contracts of the project's files hold its tables to what they say."""
    registered, ended = known.registered, run.finished_at or run.started_at
    if registered is None or known.contract is None or run.kind in _UNGATED:
        return False
    return registered.run_id == run.id or registered.registered_at <= ended


def _finding(verdict: Verdict, contract_id: str) -> Finding:
    details = verdict.details
    file, _, line = str(details.get("where") or "").rpartition(":")
    violation = Violation(
        code=str(details.get("code") or ""),
        severity=_SEVERITIES[str(details.get("severity") or verdict.severity)],
        file=file,
        line=int(line) if line.isdigit() else 0,
        column=0,
        path="",
        message=verdict.message,
        fix=str(details.get("fix") or ""),
    )
    source = "drift" if verdict.check_type == "schema" else "policy"
    return Finding(source, violation, "data_contract", contract_id)
