"""Results of `datacontract test`, parsed from the JSON that it publishes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from forge.contracts.canonical import hash_of
from forge.contracts.registry import MOST_ID
from forge.model.errors import ForgeError, raise_errors

RESULTS = ("passed", "warning", "failed", "error", "info", "skipped", "unknown")
MOST_CHECKS = 10_000
MOST_RUNS = 100
"""Of one contract; older ones make room."""
_MOST_TEXT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedCheck:
    __test__ = False

    name: str
    type: str
    result: str
    category: str | None = None
    table: str | None = None
    column: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class TestSummary:
    """A test run without its checks, for lists."""

    __test__ = False

    id: str
    contract_id: str
    result: str
    finished_at: datetime | None = None
    passed: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """One test run. Rows and logs in the results are not stored: they may hold personal data."""

    __test__ = False

    id: str
    contract_id: str
    result: str
    received_at: datetime
    received_by: str
    version: str | None = None
    server: str | None = None
    tool: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    checks: tuple[TestedCheck, ...] = ()

    @property
    def summary(self) -> TestSummary:
        passed, failed = self.count("passed"), self.count("failed", "error")
        return TestSummary(self.id, self.contract_id, self.result, self.finished_at, passed, failed)

    def count(self, *results: str) -> int:
        return sum(check.result in results for check in self.checks)

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "contract_id": self.contract_id,
            "version": self.version,
            "server": self.server,
            "result": self.result,
            "started_at": self.started_at,
            "finished_at": self.finished_at,
            "received_at": self.received_at,
            "received_by": self.received_by,
            "tool": self.tool,
            "passed": self.count("passed"),
            "failed": self.count("failed", "error"),
            "checks": [asdict(check) for check in self.checks],
        }


def read_results(data: object, *, at: datetime, by: str) -> TestRun:
    """E105 with all errors. Unknown keys are ignored: newer versions of the tool have more."""
    if not isinstance(data, Mapping):
        raise _bad("", "The results are not a JSON object")
    errors: list[ForgeError] = []
    contract_id = _text(data, "dataContractId", errors, MOST_ID)
    if not contract_id or not contract_id.isprintable():
        errors.append(_bad("dataContractId", "The results do not name their contract"))
    result = _word(data.get("result"))
    checks = _checks(data.get("checks"), errors)
    started, finished = _time(data, "timestampStart", errors), _time(data, "timestampEnd", errors)
    version = _text(data, "dataContractVersion", errors, 100)
    server = _text(data, "server", errors, 255)
    tool = _text(data, "datacontractCliVersion", errors, 100)
    run_id = _text(data, "runId", errors, 64) or _text(data, "id", errors, 64)
    raise_errors(errors)
    return TestRun(
        id=run_id or hash_of(data, "backslashreplace").removeprefix("sha256:")[:32],
        contract_id=contract_id or "",
        result=result,
        received_at=at,
        received_by=by,
        version=version,
        server=server,
        tool=f"datacontract-cli {tool}" if tool else "",
        started_at=started,
        finished_at=finished,
        checks=checks,
    )


def _checks(data: object, errors: list[ForgeError]) -> tuple[TestedCheck, ...]:
    if data is None:
        return ()
    if not isinstance(data, list) or len(data) > MOST_CHECKS:
        errors.append(_bad("checks", f"The checks are not a list of {MOST_CHECKS} at most"))
        return ()
    found = []
    for number, item in enumerate(data):
        if isinstance(item, Mapping):
            found.append(_check(item))
        else:
            errors.append(_bad(f"checks.{number}", "A check is not an object"))
    return tuple(found)


def _check(item: Mapping[str, object]) -> TestedCheck:
    kind = _short(item.get("type")) or "unknown"
    return TestedCheck(
        name=_short(item.get("name")) or kind,
        type=kind,
        result=_word(item.get("result")),
        category=_short(item.get("category")),
        table=_short(item.get("model")),
        column=_short(item.get("field")),
        reason=_short(item.get("reason")),
    )


def _word(value: object) -> str:
    return value if isinstance(value, str) and value in RESULTS else "unknown"


def _short(value: object) -> str | None:
    """Storable in a database: without NUL, and truncated."""
    return None if value is None else _clean(str(value))[:_MOST_TEXT]


def _clean(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _text(data: Mapping[str, object], key: str, errors: list[ForgeError], most: int) -> str | None:
    value = data.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > most:
        errors.append(_bad(key, f"{key} is not a text of {most} characters at most"))
        return None
    return _clean(value)


def _time(data: Mapping[str, object], key: str, errors: list[ForgeError]) -> datetime | None:
    value = data.get(key)
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value if isinstance(value, str) else "")
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        errors.append(_bad(key, f"{key} is not a time"))
        return None


def _bad(where: str, what: str) -> ForgeError:
    return ForgeError(
        "E105",
        what,
        where=f"body.{where}" if where else "body",
        fix="Send what `datacontract test --publish URL` sends.",
    )
