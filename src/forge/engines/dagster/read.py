"""Reads Dagster's assets: those that its code defines, and those that its runs materialized."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from forge.lineage.extract.dagster import DagsterAsset, DagsterColumn, Key
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from dagster import AssetKey, DagsterInstance, Definitions, EventLogEntry

_INPUT = ("dagster/input_data_version/", "dagster/input_event_pointer/")
_BACK = 200  # materializations of an asset that are searched for one of a job
_SIGNS = ("dagster.yaml", "storage", "history")  # of which an instance's folder has at least one


def read_dagster(target: str, *, job: str | None = None, run_id: str | None = None) -> tuple[DagsterAsset, ...]:
    """What `--dagster` names: the folder of an instance, else a code location, which has no runs."""
    path = Path(target).expanduser()
    if path.is_dir():
        return read_instance(path, job=job, run_id=run_id)
    if run_id is not None:
        raise ForgeError(
            "E819",
            f"{target} has no runs",
            why="It is no folder, so it is taken for the code of assets.",
            fix="Give the folder that DAGSTER_HOME names, or leave the run out.",
        )
    return read_code(target, job=job)


def read_instance(home: Path, *, job: str | None = None, run_id: str | None = None) -> tuple[DagsterAsset, ...]:
    """The newest materialization of each asset of the instance in this folder (DAGSTER_HOME); with a job, of that job;
    with a run, of that run. E819 where there is none."""
    dagster = _dagster()
    if not home.is_dir() or not any((home / sign).exists() for sign in _SIGNS):
        raise ForgeError(
            "E819",
            f"{home} is no instance of Dagster",
            why="It is a folder with a dagster.yaml, or with the storage of one.",
            fix="Give the folder that DAGSTER_HOME names.",
        )
    with _dagster_errors(f"the instance {home}"), dagster.DagsterInstance.from_config(str(home)) as instance:
        entries = _of_run(instance, run_id) if run_id else _newest(instance, job)
        found = tuple(_asset(entry) for entry in entries if job is None or entry.job_name == job)
    if not found and (job or run_id):
        what = f"the run {run_id}" if run_id else f"the job {job}"
        raise ForgeError("E819", f"{what} has materialized no asset", where=str(home), fix="Look it up in Dagster.")
    return found


def _of_run(instance: DagsterInstance, run_id: str) -> Iterable[EventLogEntry]:
    return instance.all_logs(run_id, of_type=_dagster().DagsterEventType.ASSET_MATERIALIZATION)


def _newest(instance: DagsterInstance, job: str | None) -> Iterable[EventLogEntry]:
    for key in instance.get_asset_keys():
        records = instance.fetch_materializations(key, limit=1 if job is None else _BACK).records
        entries = (record.event_log_entry for record in records)
        entry = next((one for one in entries if job is None or one.job_name == job), None)
        if entry is not None:
            yield entry


def _asset(entry: EventLogEntry) -> DagsterAsset:
    made = entry.asset_materialization
    assert made is not None
    values = {name: getattr(value, "value", value) for name, value in made.metadata.items()}
    return DagsterAsset(
        key=_key(made.asset_key),
        deps=_deps(made.tags or {}),
        columns=tuple(_columns(values)),
        lineage=_lineage(values),
        table=_table(values),
        description=made.description or "",
        job="" if (entry.job_name or "").startswith("__") else entry.job_name or "",
        run_id=entry.run_id,
        at=datetime.fromtimestamp(entry.timestamp, UTC),
    )


def _deps(tags: Mapping[str, str]) -> tuple[Key, ...]:
    """Dagster records for each input which version was read."""
    found = (tag.removeprefix(start) for start in _INPUT for tag in tags if tag.startswith(start))
    return tuple(dict.fromkeys(tuple(path.split("/")) for path in found))


def read_code(target: str, *, job: str | None = None) -> tuple[DagsterAsset, ...]:
    """The assets that a code location defines: a Python file, or a module by its name. It is imported, so its code
    is executed."""
    _dagster()
    with _dagster_errors(f"the code of {target}"):
        definitions = _definitions(_module(target), target)
        graph = _graph(definitions)
        keys = graph.get_all_asset_keys()
        if job is not None:
            keys = keys & _keys_of_job(definitions, job)
        return tuple(_declared(graph.get(key), job or "") for key in sorted(keys))


def _declared(node: Any, job: str) -> DagsterAsset:
    values = {name: getattr(value, "value", value) for name, value in node.metadata.items()}
    return DagsterAsset(
        key=_key(node.key),
        deps=tuple(sorted(_key(parent) for parent in node.parent_keys)),
        columns=tuple(_columns(values)),
        lineage=_lineage(values),
        table=_table(values),
        group=node.group_name or "",
        description=node.description or "",
        owners=tuple(str(owner) for owner in node.owners),
        job=job,
    )


def _graph(definitions: Definitions) -> Any:
    if hasattr(definitions, "resolve_asset_graph"):
        return definitions.resolve_asset_graph()
    return definitions.get_repository_def().asset_graph  # as it was until 1.11


def _keys_of_job(definitions: Definitions, name: str) -> set[AssetKey]:
    resolve = getattr(definitions, "resolve_job_def", None) or definitions.get_job_def
    found: Any = resolve(name)
    return set(found.asset_layer.selected_asset_keys)


def _module(target: str) -> ModuleType:
    path = Path(target)
    if path.suffix != ".py":
        with _importable(Path.cwd()):
            return importlib.import_module(target)
    spec = importlib.util.spec_from_file_location(f"forge_dagster_{path.stem}", path.resolve())
    if spec is None or spec.loader is None or not path.is_file():
        raise ForgeError("E819", f"there is no file {target}", fix="Give a Python file, or a module by its name.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with _importable(path.resolve().parent):  # sibling files are imported by their names
        spec.loader.exec_module(module)
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _definitions(module: ModuleType, target: str) -> Definitions:
    dagster = _dagster()
    found: list[Definitions] = [value for value in vars(module).values() if isinstance(value, dagster.Definitions)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ForgeError(
            "E819", f"{target} has {len(found)} Definitions", fix="Give a file or module with one of them."
        )
    assets = dagster.load_assets_from_modules([module])
    if not assets:
        raise ForgeError("E819", f"{target} defines no assets", fix="Give a file or module with Definitions or assets.")
    made: Definitions = dagster.Definitions(assets=assets)
    return made


def _columns(values: Mapping[str, Any]) -> Iterator[DagsterColumn]:
    schema = values.get("dagster/column_schema")
    for column in getattr(schema, "columns", ()):
        yield DagsterColumn(column.name, column.type or "", column.description or "")


def _lineage(values: Mapping[str, Any]) -> dict[str, tuple[tuple[Key, str], ...]]:
    found = getattr(values.get("dagster/column_lineage"), "deps_by_column", {})
    return {column: tuple((_key(dep.asset_key), dep.column_name) for dep in deps) for column, deps in found.items()}


def _table(values: Mapping[str, Any]) -> str:
    found = values.get("dagster/table_name")
    return found if isinstance(found, str) else ""


def _key(key: AssetKey) -> Key:
    return tuple(key.path)


def _dagster() -> Any:
    try:
        return importlib.import_module("dagster")
    except ModuleNotFoundError as error:
        if error.name != "dagster":
            raise
        raise ForgeError(
            "E819",
            "Dagster is not installed",
            why="What it knows is read by its own library.",
            fix="Install it beside Forge: pip install 'forge[dagster]'",
        ) from None


@contextmanager
def _dagster_errors(what: str) -> Iterator[None]:
    """Dagster's library and the user's code may raise anything; all of it becomes one error."""
    try:
        yield
    except ForgeError:
        raise
    except Exception as error:
        raise ForgeError(
            "E819",
            f"Dagster cannot read {what}",
            why=f"{type(error).__name__}: {' '.join(str(error).split())[:500]}",
            fix="Mend it, or check that this Dagster is not older than the one that wrote it.",
        ) from error
