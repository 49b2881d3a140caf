"""Whether an output is made, and from what: the decision that a run takes and a plan tells. Nothing is started."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.pins import Base, key_of
from forge.model.errors import ForgeError
from forge.model.names import RunId
from forge.transforms.fingerprint import Fingerprint, fingerprint
from forge.transforms.transform import FileSource, JdbcSource, Kind, Transform

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from forge.flows.ports import Lake, Metadata
    from forge.flows.runs.engine import TimeRange
    from forge.flows.runs.pin import Pin
    from forge.flows.runs.project import Project
    from forge.flows.runs.records import LoadedFile
    from forge.model.names import BranchName, CommitId, TableName
    from forge.versioning.commit import TableVersion


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
    """What an engine tells of files before it is started."""

    def files_of(self, transform: Transform) -> tuple[LoadedFile, ...]: ...
    def with_digests(self, files: Sequence[LoadedFile]) -> tuple[LoadedFile, ...]: ...


class Deciding(Protocol):
    """What a decision looks at, of a run or of a plan."""

    @property
    def project(self) -> Project: ...
    @property
    def metadata(self) -> Metadata: ...
    @property
    def lake(self) -> Lake: ...
    @property
    def engine(self) -> SourceFiles: ...
    @property
    def head(self) -> CommitId | None: ...
    @property
    def params(self) -> Mapping[str, object]: ...
    @property
    def time_range(self) -> TimeRange | None: ...
    @property
    def force(self) -> bool: ...


def files_to_load(job: Deciding, transform: Transform, base: Base) -> tuple[LoadedFile, ...]:
    if not isinstance(transform.body, FileSource):
        return ()
    files = job.engine.files_of(transform)
    if base.catalog is None:
        return files
    loaded = job.metadata.loaded_files(transform.output, job.head)
    files = tuple(_as_loaded(job, file, loaded) for file in files)
    if transform.kind is not Kind.APPEND:
        return files
    new = tuple(file for file in files if file not in loaded)
    _refuse_changed(transform, new, {file.path for file in loaded})
    return new


def _as_loaded(job: Deciding, file: LoadedFile, loaded: frozenset[LoadedFile]) -> LoadedFile:
    """A file that was only touched or copied anew, with the same content, is the file that was loaded. Its content is
    read only where its time alone tells them apart."""
    if file in loaded:
        return file
    like = [one for one in loaded if (one.path, one.size) == (file.path, file.size) and one.digest is not None]
    if not like:
        return file
    (hashed,) = job.engine.with_digests((file,))
    return next((one for one in like if one.digest == hashed.digest), hashed)


def _refuse_changed(transform: Transform, new: Sequence[LoadedFile], loaded: set[str]) -> None:
    """Loading a changed file again would add its rows to those it gave before."""
    changed = [file.path for file in new if file.path in loaded]
    if changed:
        raise ForgeError(
            "E215",
            f"{changed[0]} was loaded before and has changed since",
            where=transform.where,
            why=f"{transform.output} is kind: append, so its rows would be there twice.",
            fix="Deliver corrections as a new file, or make the source `kind: full` for one run, which loads all anew.",
        )


def fingerprint_of(
    job: Deciding, transform: Transform, inputs: Mapping[TableName, Pin], files: Sequence[LoadedFile]
) -> Fingerprint:
    pinned: dict[TableName, object] = {table: key_of(pin) for table, pin in inputs.items()}
    params = dict(job.params)
    if job.time_range and transform.kind is Kind.BY_TIME_RANGE:
        params |= {"start": job.time_range.start, "end": job.time_range.end}
    seen = [{"path": file.path, "size": file.size, "modified_ns": file.modified_ns} for file in files]
    return fingerprint(transform, pinned, params, seen, job.project.rules_hash.get(transform.output, ""))


def range_missing(job: Deciding, transform: Transform, base: Base) -> ForgeError | None:
    """What is wrong if the output is built as the run was asked for."""
    if transform.kind is not Kind.BY_TIME_RANGE or job.time_range is not None or base.catalog is None:
        return None
    return ForgeError(
        "E206",
        f"{transform.output} needs a time range",
        where=transform.where,
        why="It is incremental_by_time_range and the table exists already.",
        fix="Give `start` and `end`: forge run … --start 2026-11-14 --end 2026-11-15",
    )


def why_unchanged(
    job: Deciding, transform: Transform, base: Base, mark: str, files: Sequence[LoadedFile]
) -> str | None:
    """Why nothing need be done, or None."""
    if job.force or base.version is None or base.is_foreign or isinstance(transform.body, JdbcSource):
        return None
    if isinstance(transform.body, FileSource) and transform.kind is Kind.APPEND and not files:
        return "no new files"
    return "same code, inputs and parameters" if base.version.fingerprint == mark else None


def would_run(job: Deciding, transform: Transform, base: Base, inputs: Mapping[TableName, Pin]) -> tuple[str, str]:
    """For `forge plan`: the decision of `build`, in words, with nothing started."""
    files = files_to_load(job, transform, base)
    made_from = fingerprint_of(job, transform, inputs, files)
    unchanged = why_unchanged(job, transform, base, made_from.fingerprint, files)
    if unchanged:
        return "up to date", unchanged
    if job.force:
        return "run", "forced"
    if base.catalog is None:
        return "run", "it does not exist yet"
    if base.is_foreign:
        return "run", "another engine wrote it last"
    if isinstance(transform.body, JdbcSource):
        return "run", "a database is read anew each time"
    assert base.version is not None, "a table that is not foreign has a version"
    if base.version.fingerprint is None:
        return "run", _written_by_hand(job, transform)
    if files and transform.kind is Kind.APPEND:
        return "run", f"{len(files)} new {'file' if len(files) == 1 else 'files'}"
    return "run", _what_changed(job, base.version, transform.output, inputs, made_from)


def _written_by_hand(job: Deciding, transform: Transform) -> str:
    """A commit of rows, a merge or a revert wrote it last: whoever plans a run should know what happens to that."""
    from forge.flows.versioning.log import find_log  # asked for in plans alone

    assert job.head is not None, "a version has a commit"
    found = find_log(job.metadata, job.head, limit=1, paths=(str(transform.output),))
    if not found:
        return "no run made it as it is"
    last = found[0]
    then = "it will be made anew without that" if transform.kind is Kind.FULL else "the run goes on from there"
    return f"commit {last.id[:8]} of {last.author.name} changed it ({last.message.splitlines()[0]}): {then}"


def _what_changed(
    job: Deciding, version: TableVersion, table: TableName, inputs: Mapping[TableName, Pin], now: Fingerprint
) -> str:
    run = job.metadata.run(RunId(version.run_id)) if version.run_id else None
    before = next((output for output in run.outputs if output.table == table), None) if run else None
    if before is None or before.parts is None:
        return "it was made from something else"
    changed = [name for name, value in now.parts.items() if before.parts.get(name) != value]
    if changed == ["inputs"]:
        moved = [str(t) for t, pin in inputs.items() if before.inputs.get(str(t)) != pin.snapshot_id]
        return f"its input {moved[0]} changed" if len(moved) == 1 else f"its inputs {', '.join(moved)} changed"
    words = [
        {"files": "the files it loads", "parameters": "its parameters"}.get(name, f"its {name}") for name in changed
    ]
    return f"{' and '.join(words)} changed"
