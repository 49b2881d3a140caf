"""Files of a dbt project that produce relations: models, snapshots and seeds, with their properties."""

from __future__ import annotations

import csv
import io
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from forge.lineage.extract.dbt.node import DbtKind
from forge.lineage.extract.dbt.properties import (
    DbtProperties,
    DbtSettings,
    PropertyEntry,
    Raw,
    config_of,
    entries_of,
    mapping_of,
    text_of,
)
from forge.lineage.extract.definition import ColumnDefinition

_SNAPSHOT = re.compile(r"\{%-?\s*snapshot\s+(\w+)\s*-?%\}(.*?)\{%-?\s*endsnapshot\s*-?%\}", re.DOTALL)


@dataclass(slots=True, eq=False, kw_only=True)
class DbtDraft:
    """`text` keeps the lines of the file. `config`: from YAML; the model itself may add to it."""

    kind: DbtKind
    package: DbtSettings
    name: str
    file: str
    line: int
    text: str
    fqn: tuple[str, ...]
    config: dict[str, object]
    declared: PropertyEntry | None = None
    version: str = ""
    latest: bool = True
    refs: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        tail = f".v{self.version}" if self.version else ""
        return f"{self.kind}.{self.package.name}.{self.name}{tail}"

    @property
    def is_python(self) -> bool:
        return self.file.lower().endswith(".py")


def drafts_of(settings: DbtSettings, root: DbtSettings, properties: DbtProperties) -> Iterator[DbtDraft]:
    versions = _versions(properties)
    for path, inner in settings.below(settings.models, ".sql", ".py"):
        stem = posixpath.basename(path).rpartition(".")[0]
        name, version, latest = versions.get(stem, (stem, "", True))
        fqn = (settings.name, *inner.split("/")[:-1], name, *((f"v{version}",) if version else ()))
        declared = properties.find("models", name)
        yield _draft("model", settings, root, name, path, 1, settings.files[path], fqn, declared, version, latest)
    yield from _snapshots(settings, root, properties)
    for path, inner in settings.below(settings.seeds, ".csv"):
        name = posixpath.basename(path).rpartition(".")[0]
        fqn = (settings.name, *inner.split("/")[:-1], name)
        declared = properties.find("seeds", name)
        yield _draft("seed", settings, root, name, path, 1, settings.files[path], fqn, declared)


def _snapshots(settings: DbtSettings, root: DbtSettings, properties: DbtProperties) -> Iterator[DbtDraft]:
    for path, inner in settings.below(dict.fromkeys((*settings.snapshots, *settings.models)), ".sql"):
        text = settings.files[path]
        for found in _SNAPSHOT.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            body = "\n" * text.count("\n", 0, found.start(2)) + found[2]
            fqn = (settings.name, *inner.split("/"), found[1])
            declared = properties.find("snapshots", found[1])
            yield _draft("snapshot", settings, root, found[1], path, line, body, fqn, declared)
    for declared in properties.of("snapshots"):
        relation = text_of(declared.raw, "relation")
        if relation:  # declared in YAML alone
            body = "\n" * (declared.line - 1) + f"select * from {{{{ {relation} }}}}"  # noqa: S608 - read, never run
            fqn = (settings.name, declared.name)
            yield _draft("snapshot", settings, root, declared.name, declared.file, declared.line, body, fqn, declared)


def _draft(
    kind: DbtKind,
    settings: DbtSettings,
    root: DbtSettings,
    name: str,
    file: str,
    line: int,
    text: str,
    fqn: tuple[str, ...],
    declared: PropertyEntry | None,
    version: str = "",
    latest: bool = True,
) -> DbtDraft:
    config = config_of(settings, root, f"{kind}s", fqn)
    if declared is not None:
        config.update(declared.config)
        for one in _entries_with_v(declared.raw):
            if str(one.get("v")) == version:
                config.update(mapping_of(one, "config"))
    return DbtDraft(
        kind=kind,
        package=settings,
        name=name,
        file=file,
        line=line,
        text=text,
        fqn=fqn,
        config=config,
        declared=declared,
        version=version,
        latest=latest,
    )


def _versions(properties: DbtProperties) -> dict[str, tuple[str, str, bool]]:
    """The files of models with versions: file → model, version, is it the one meant when none is named."""
    found: dict[str, tuple[str, str, bool]] = {}
    for declared in properties.of("models"):
        entries = list(_entries_with_v(declared.raw))
        if not entries:
            continue
        names = [str(one["v"]) for one in entries]
        latest = text_of(declared.raw, "latest_version") or max(names, key=_as_number)
        for one, version in zip(entries, names, strict=True):
            stem = text_of(one, "defined_in") or f"{declared.name}_v{version}"
            found[stem] = (declared.name, version, version == latest)
            if version == latest:
                found.setdefault(declared.name, (declared.name, version, True))
    return found


def _entries_with_v(raw: Raw) -> Iterator[Raw]:
    found = raw.get("versions")
    return (one for one in found if isinstance(one, dict) and "v" in one) if isinstance(found, list) else iter(())


def _as_number(version: str) -> tuple[float, str]:
    try:
        return float(version), version
    except ValueError:
        return -1.0, version


def declared_columns(declared: PropertyEntry | None) -> tuple[ColumnDefinition, ...]:
    if declared is None:
        return ()
    return tuple(
        ColumnDefinition(text_of(one, "name"), text_of(one, "data_type").lower())
        for one in entries_of(declared.raw, "columns")
    )


def all_typed(columns: tuple[ColumnDefinition, ...]) -> bool:
    """A list of columns in which each has a type describes the table; one without types only comments on some."""
    return bool(columns) and all(column.type for column in columns)


def header_of(text: str, delimiter: str = ",") -> tuple[str, ...]:
    """The columns of a seed."""
    first = next(csv.reader(io.StringIO(text.lstrip("\ufeff").partition("\n")[0]), delimiter=delimiter or ","), [])
    return tuple(name.strip() for name in first if name.strip())
