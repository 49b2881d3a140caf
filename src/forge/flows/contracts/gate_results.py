"""The latest findings of each contract: from a stored check, a compile, or the gate its tables passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from forge.contracts.contract import FindingSource, Violation, ViolationSeverity
from forge.contracts.registry import ContractCheck, ContractFinding
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.queries import KnownContract
from forge.flows.quality.health import is_of_gate
from forge.flows.quality.incidents.open_incidents import ALL
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


def last_checks(ports: ContractPorts, every: Iterable[KnownContract]) -> Mapping[str, ContractCheck]:
    """By contract, whichever is newer. The gate is silent when it passes, so a table version that passed it while the
    contract was registered counts as checked without findings."""
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
    """Gate verdicts of the runs that wrote the tables of the default branch; of an unpublished table, of the run that
    was blocked."""

    def __init__(self, ports: ContractPorts) -> None:
        metadata = ports.metadata
        branch = metadata.branch(ports.default_branch)
        tree = metadata.tree(branch.head if branch else None)
        stopped = {str(table): run.id for run, table in metadata.blocked(ports.default_branch)}
        written = {str(table): RunId(version.run_id) for table, version in tree.items() if version.run_id}
        self._attempts = {name.lower(): run_id for name, run_id in (stopped | written).items()}
        self._runs = metadata.find_runs(set(self._attempts.values()))
        failed = metadata.verdicts(run_ids=set(self._runs), outcome=Outcome.FAILED, limit=ALL)
        self._verdicts: dict[tuple[RunId, str], list[Verdict]] = {}
        for run_id, verdict in failed:
            if is_of_gate(verdict):
                self._verdicts.setdefault((run_id, verdict.table.lower()), []).append(verdict)

    def checked(self, known: KnownContract) -> ContractCheck | None:
        times: list[datetime] = []
        findings: list[ContractFinding] = []
        for table in known.tables:
            run = self._runs.get(self._attempts.get(table, RunId("")))
            verdicts = self._verdicts.get((run.id, table), []) if run else []
            if run is not None and (verdicts or _was_there(known, run)):
                times.append(run.finished_at or run.started_at)
                findings += [_finding(verdict, known.id) for verdict in verdicts]
        # Findings about the whole contract apply to each of its tables.
        return ContractCheck(known.id, known.version, max(times), tuple(dict.fromkeys(findings))) if times else None


def _was_there(known: KnownContract, run: RunRecord) -> bool:
    """Only contracts in the project's files are enforced by its gate."""
    registered, ended = known.registered, run.finished_at or run.started_at
    if registered is None or known.contract is None or run.kind in _UNGATED:
        return False
    return registered.run_id == run.id or registered.registered_at <= ended


def _finding(verdict: Verdict, contract_id: str) -> ContractFinding:
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
    source: FindingSource = "drift" if verdict.check_type == "schema" else "policy"
    return ContractFinding(source, violation, "data_contract", contract_id)
