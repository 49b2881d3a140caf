"""What there is to know of an output before it is decided: where it stands, and the files that it would load."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.decision import OutputFacts, RunRequest, SourceFiles
from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId
from forge.transforms.transform import ConnectorSource, FileSource, Transform, TransformKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forge.flows.ports import Lake, Metadata
    from forge.flows.runs.input_pins import BaseVersion, PinnedBranch
    from forge.flows.runs.project import Project
    from forge.flows.runs.records import LoadedFile, OutputRecord, RunRecord
    from forge.flows.runs.source_rows import SourceLoads
    from forge.versioning.commit import Commit, Tree


class PlanDependencies(Protocol):
    """What a plan needs of the world; a run needs more."""

    @property
    def metadata(self) -> Metadata: ...
    @property
    def lake(self) -> Lake: ...
    @property
    def engine(self) -> SourceFiles: ...
    @property
    def default_branch(self) -> BranchName: ...
    @property
    def readers(self) -> Callable[[Sequence[Transform], Tree], None]: ...
    @property
    def loads(self) -> SourceLoads | None: ...


@dataclass(frozen=True, slots=True)
class PlanPorts:
    """Just that."""

    metadata: Metadata
    lake: Lake
    engine: SourceFiles
    default_branch: BranchName
    readers: Callable[[Sequence[Transform], Tree], None]
    loads: SourceLoads | None = None  # None: no connector loads anything


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What all steps of one plan share."""

    request: RunRequest
    project: Project
    ports: PlanDependencies
    line: PinnedBranch
    run_of: Callable[[RunId], RunRecord | None]


def facts_of(known: PlanContext, transform: Transform, base: BaseVersion) -> OutputFacts:
    """Raises what prevents making it, whatever its inputs are."""
    _refuse_other_nature(transform, base)
    return OutputFacts(
        transform=transform,
        base=base,
        request=known.request,
        files=_files_to_load(known.ports, known.line, transform, base),
        source_state=_source_state(known.ports, transform),
        rules_hash=known.project.rules_hash.get(transform.output, ""),
        made_by=partial(_made_by, known.run_of, base, transform),
        last_commit=partial(_last_commit, known.ports.metadata, known.line, transform),
    )


def _refuse_other_nature(transform: Transform, base: BaseVersion) -> None:
    """A table never turns into a view under its readers, nor a view into a table."""
    new = "view" if transform.kind is TransformKind.VIEW else "table"
    if base.version is not None and base.version.kind != new:
        raise ForgeError(
            "E206",
            f"{transform.output} is a {base.version.kind} and cannot become a {new}",
            where=transform.where,
            why="Its history holds it as what it was.",
            fix="Give the output another name.",
        )


def _source_state(ports: PlanDependencies, transform: Transform) -> str:
    if not isinstance(transform.body, ConnectorSource):
        return ""
    assert ports.loads is not None, "wiring gives them"
    return ports.loads.state(transform)


def _files_to_load(
    ports: PlanDependencies, line: PinnedBranch, transform: Transform, base: BaseVersion
) -> tuple[LoadedFile, ...]:
    if not isinstance(transform.body, FileSource):
        return ()
    files = ports.engine.files_of(transform)
    if base.catalog is None:
        return files
    loaded = ports.metadata.loaded_files(transform.output, line.head)
    files = tuple(_as_loaded(ports.engine, file, loaded) for file in files)
    if transform.kind is not TransformKind.APPEND:
        return files
    new = tuple(file for file in files if file not in loaded)
    _refuse_changed(transform, new, {file.path for file in loaded})
    return new


def _as_loaded(engine: SourceFiles, file: LoadedFile, loaded: frozenset[LoadedFile]) -> LoadedFile:
    """A file that was only touched or copied again, with the same content, is the file that was loaded. Its content is
    read only where nothing but its time differs."""
    if file in loaded:
        return file
    like = [one for one in loaded if (one.path, one.size) == (file.path, file.size) and one.digest is not None]
    if not like:
        return file
    (hashed,) = engine.with_digests((file,))
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


def _made_by(
    run_of: Callable[[RunId], RunRecord | None], base: BaseVersion, transform: Transform
) -> OutputRecord | None:
    version = base.version
    run = run_of(RunId(version.run_id)) if version is not None and version.run_id else None
    return next((output for output in run.outputs if output.table == transform.output), None) if run else None


def _last_commit(metadata: Metadata, line: PinnedBranch, transform: Transform) -> Commit | None:
    from forge.flows.versioning.log import find_log  # asked for where nobody knows what made the table

    assert line.head is not None, "a version has a commit"
    return next(iter(find_log(metadata, line.head, limit=1, paths=(str(transform.output),))), None)
