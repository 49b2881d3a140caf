"""The cases of tests/quality/fresh_cases: a table, a check as a person writes it, and what must be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from fresh_tables import TABLE_OF, FreshTable

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.check import Check
from forge.quality.spec import load_check
from forge.quality.verdict import Verdict

FOLDER = Path(__file__).parents[1] / "quality" / "fresh_cases"
REFUSED = "refused"
# readings that count bad rows or values
_COUNTS = ("nulls", "duplicates", "outside_set", "outside_range", "not_matching", "orphans", "false")


@dataclass(frozen=True)
class FreshCase:
    """`verdicts`: any of them is right. `violations`: the count of bad rows. `says` stands in the message or the
    reason, `notes` in the note or the message. `only`: the measurer that can run it."""

    file: str
    case: str
    check: Mapping[str, Any]
    verdicts: tuple[str, ...]
    table: FreshTable | None = None
    violations: int | None = None
    partitions: Mapping[str, int] = field(default_factory=dict)
    says: str = ""
    notes: str = ""
    only: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.case}"

    def load(self) -> Check:
        name = self.table.name if self.table else "core.orders"
        return load_check(dict(self.check), table=TableName.parse(name), where=str(self))

    def load_unless_refused(self) -> Check | None:
        """None where it is refused and may be."""
        try:
            return self.load()
        except ForgeError:
            if REFUSED not in self.verdicts:
                raise
            return None


@cache
def fresh_cases() -> tuple[FreshCase, ...]:
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            verdict = entry.pop("verdict", REFUSED)
            verdicts = tuple(verdict) if isinstance(verdict, list) else (verdict,)
            table = TABLE_OF[entry.pop("table")] if "table" in entry else None
            found.append(FreshCase(path.stem, verdicts=verdicts, table=table, **entry))
    return tuple(found)


def faults_of(case: FreshCase, verdict: Verdict) -> list[str]:
    """What a verdict has that the case does not allow; nothing where it is right."""
    told = f"{verdict.message} {verdict.details.get('reason', '')} {verdict.details.get('note', '')}"
    faults = [] if verdict.outcome.value in case.verdicts else [f"{verdict.outcome.value}, not {case.verdicts}"]
    faults += [f"does not say {text!r}" for text in (case.says, case.notes) if text.lower() not in told.lower()]
    if case.violations is not None and (found := violations_of(verdict)) != case.violations:
        faults.append(f"{found} bad rows, not {case.violations}")
    for key, count in case.partitions.items():
        parts = verdict.details.get("partitions")
        found = parts.get(key) if isinstance(parts, Mapping) else None
        if found != count:
            faults.append(f"{found} partitions {key}, not {count}")
    return [f"{case}: {fault}: {told}" for fault in faults]


def violations_of(verdict: Verdict) -> int | None:
    """Of all columns together; outliers without bounds are none but NaN and the infinities."""
    readings = verdict.details.get("readings")
    if not isinstance(readings, Mapping):
        return None
    kinds = _COUNTS if verdict.check_type == "not_null" else _COUNTS[1:]
    counts = [n for name, n in readings.items() if name.partition("(")[0] in kinds and isinstance(n, int)]
    if not counts and verdict.check_type in ("zscore", "iqr"):
        first = readings.get("moments", readings.get("quantiles"))
        finite = first["count"] if isinstance(first, Mapping) else 0
        return int(readings["rows"]) - int(readings["nulls"]) - finite
    return sum(counts) if counts else None
