"""Whether an output is made, and from what: one pure function, for a plan and for the run that executes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.input_pins import BaseVersion, key_of
from forge.model.errors import ForgeError
from forge.transforms.fingerprint import Fingerprint, fingerprint
from forge.transforms.transform import Body, ConnectorSource, FileSource, JdbcSource, Transform, TransformKind
from forge.versioning.commit import ADOPTED, Commit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from forge.flows.runs.engine import TimeRange
    from forge.flows.runs.pin import Pin
    from forge.flows.runs.records import LoadedFile, OutputRecord
    from forge.model.names import BranchName, RunId, TableName

NEEDS_RANGE = "it needs a time range: --start … --end …"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    branch: BranchName
    selection: tuple[str, ...] = ()  # empty: everything
    params: Mapping[str, object] = field(default_factory=dict)  # bound and typed
    time_range: TimeRange | None = None
    message: str | None = None
    force: bool = False
    run_id: RunId | None = None  # where it was given out before the run began


class SourceFiles(Protocol):
    """What an engine knows of files before it is started."""

    def files_of(self, transform: Transform) -> tuple[LoadedFile, ...]: ...
    def with_digests(self, files: Sequence[LoadedFile]) -> tuple[LoadedFile, ...]: ...


class StepAction(StrEnum):
    RUN = "run"
    UP_TO_DATE = "up to date"
    BLOCKED = "blocked"  # it could not be made as things are
    BROKEN = "broken"  # its files are not right


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFacts:
    """What a decision about one output looks at, other than the pins of its inputs: read once, when it is planned."""

    transform: Transform
    base: BaseVersion
    request: RunRequest
    files: tuple[LoadedFile, ...] = ()  # to load
    rules_hash: str = ""
    source_state: str = ""  # of what a connector would load
    made_by: Callable[[], OutputRecord | None] = lambda: None  # how a run recorded the version there is
    last_commit: Callable[[], Commit | None] = lambda: None  # the newest that changed it


@dataclass(frozen=True, slots=True)
class StepDecision:
    action: StepAction
    reason: str
    fingerprint: Fingerprint
    error: ForgeError | None = None  # blocked: what a run says of it


def decide(facts: OutputFacts, pins: Mapping[TableName, Pin], why: str = "") -> StepDecision:
    """`pins`: of all inputs, as the output would read them. `why` it is made, where that is known already."""
    made_from = _fingerprint(facts, pins)
    unchanged = _why_unchanged(facts, made_from)
    if unchanged:
        return StepDecision(StepAction.UP_TO_DATE, unchanged, made_from)
    missing = range_missing(facts)
    if missing is not None:
        return StepDecision(StepAction.BLOCKED, NEEDS_RANGE, made_from, missing)
    return StepDecision(StepAction.RUN, why or _why_made(facts, pins, made_from), made_from)


def _fingerprint(facts: OutputFacts, pins: Mapping[TableName, Pin]) -> Fingerprint:
    transform, request = facts.transform, facts.request
    pinned: dict[TableName, object] = {table: key_of(pin) for table, pin in pins.items()}
    params = dict(request.params)
    if request.time_range and transform.kind is TransformKind.BY_TIME_RANGE:
        params |= {"start": request.time_range.start, "end": request.time_range.end}
    seen = [{"path": file.path, "size": file.size, "modified_ns": file.modified_ns} for file in facts.files]
    return fingerprint(transform, pinned, params, seen, facts.rules_hash, facts.source_state)


def range_missing(facts: OutputFacts) -> ForgeError | None:
    """What is wrong if the output is built as the run was asked for. The first run takes all of time."""
    transform = facts.transform
    if (
        transform.kind is not TransformKind.BY_TIME_RANGE
        or facts.request.time_range is not None
        or facts.base.catalog is None
    ):
        return None
    return ForgeError(
        "E206",
        f"{transform.output} needs a time range",
        where=transform.where,
        why="It is incremental_by_time_range and the table exists already.",
        fix="Give `start` and `end`: forge run … --start 2026-11-14 --end 2026-11-15",
    )


def _why_unchanged(facts: OutputFacts, made_from: Fingerprint) -> str | None:
    """Why the output is up to date, or None."""
    transform, base = facts.transform, facts.base
    if facts.request.force or base.version is None or base.is_foreign or _is_untold(facts):
        return None
    if isinstance(transform.body, FileSource) and transform.kind is TransformKind.APPEND and not facts.files:
        return "no new files"
    return "same code, inputs and parameters" if base.version.fingerprint == made_from.fingerprint else None


def _why_made(facts: OutputFacts, pins: Mapping[TableName, Pin], made_from: Fingerprint) -> str:
    transform, base, files = facts.transform, facts.base, facts.files
    if facts.request.force:
        return "forced"
    if base.catalog is None:
        return "it does not exist yet"
    if base.is_foreign:
        return "another engine wrote it last"
    if _is_untold(facts):
        return f"{_untold(transform.body)} is read anew each time"
    assert base.version is not None, "a table that is not foreign has a version"
    if base.version.fingerprint is None:
        return _written_by_hand(facts)
    if files and transform.kind is TransformKind.APPEND:
        return f"{len(files)} new {'file' if len(files) == 1 else 'files'}"
    return _what_changed(facts.made_by(), pins, made_from)


def _untold(body: Body) -> str:
    is_api = isinstance(body, ConnectorSource) and body.declared["connector"] == "rest"
    return "an API" if is_api else "a database"


def _is_untold(facts: OutputFacts) -> bool:
    """Whether nobody can tell, before it is read, that a source is as it was."""
    body = facts.transform.body
    return isinstance(body, JdbcSource) or (isinstance(body, ConnectorSource) and not facts.source_state)


def loaded_state(facts: OutputFacts, made_from: Fingerprint) -> str:
    """The state of the source that the version there is was loaded from, by this same load; empty: it is loaded as a
    whole, as after a commit of rows, a merge, or another engine."""
    transform, base = facts.transform, facts.base
    if transform.kind is not TransformKind.BY_UNIQUE_KEY or facts.request.force:
        return ""
    if base.version is None or base.is_foreign or base.version.fingerprint is None:
        return ""
    before = facts.made_by()
    if before is None or before.parts is None or before.fingerprint != base.version.fingerprint:
        return ""
    return before.parts.get("source", "") if before.parts["code"] == made_from.parts["code"] else ""


def _written_by_hand(facts: OutputFacts) -> str:
    """A commit of rows, a merge or a revert wrote it last: a plan has to say what happens to that."""
    last = facts.last_commit()
    if last is None:
        return "no run made it as it is"
    if ADOPTED in last.metadata:
        return "another engine wrote it last"
    transform = facts.transform
    by_key = transform.kind is TransformKind.BY_UNIQUE_KEY and isinstance(transform.body, ConnectorSource)
    full = transform.kind is TransformKind.FULL or by_key
    then = "it will be made anew without that" if full else "the run goes on from there"
    return f"commit {last.id[:8]} of {last.author.name} changed it ({last.message.splitlines()[0]}): {then}"


def _what_changed(before: OutputRecord | None, pins: Mapping[TableName, Pin], now: Fingerprint) -> str:
    if before is None or before.parts is None:
        return "it was made from something else"
    changed = [name for name, value in now.parts.items() if before.parts.get(name) != value]
    if changed == ["inputs"]:
        moved = [str(t) for t, pin in pins.items() if before.inputs.get(str(t)) != pin.snapshot_id]
        return f"its input {moved[0]} changed" if len(moved) == 1 else f"its inputs {', '.join(moved)} changed"
    words = [
        {"files": "the files it loads", "parameters": "its parameters", "source": "what it loads"}.get(
            name, f"its {name}"
        )
        for name in changed
    ]
    return f"{' and '.join(words)} changed"
