"""The YAML files of a dbt project: `dbt_project.yml`, and properties of models, sources and exposures."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from forge.lineage.edge import Gap
from forge.model.yaml_file import read_yaml
from forge.model.yaml_problems import YamlProblem

Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class DbtSettings:
    """One `dbt_project.yml`. `root`: its folder, "" or with a trailing slash."""

    root: str
    name: str
    raw: Raw
    files: Mapping[str, str]  # below the root, by whole path
    gaps: tuple[Gap, ...] = ()

    def paths(self, *keys: str, default: str) -> tuple[str, ...]:
        for key in keys:
            found = self.raw.get(key)
            if isinstance(found, list) and found:
                return tuple(self.root + posixpath.normpath(str(one)) + "/" for one in found)
        return (f"{self.root}{default}/",)

    def below(self, folders: Iterable[str], *suffixes: str) -> Iterator[tuple[str, str]]:
        """Files in those folders: whole path, and the path from there on."""
        for folder in folders:
            for path in self.files:
                if path.startswith(folder) and path.lower().endswith(suffixes):
                    yield path, path.removeprefix(folder)

    @property
    def models(self) -> tuple[str, ...]:
        return self.paths("model-paths", "source-paths", default="models")

    @property
    def macros(self) -> tuple[str, ...]:
        return self.paths("macro-paths", default="macros")

    @property
    def seeds(self) -> tuple[str, ...]:
        return self.paths("seed-paths", "data-paths", default="seeds")

    @property
    def snapshots(self) -> tuple[str, ...]:
        return self.paths("snapshot-paths", default="snapshots")

    @property
    def target(self) -> str:
        return f"{self.root}{posixpath.normpath(str(self.raw.get('target-path') or 'target'))}/"

    @property
    def packages(self) -> str:
        found = self.raw.get("packages-install-path") or self.raw.get("modules-path") or "dbt_packages"
        return f"{self.root}{posixpath.normpath(str(found))}/"


@dataclass(frozen=True, slots=True, eq=False)
class PropertyEntry:
    """One entry of a properties file, with its place."""

    raw: Raw
    file: str
    line: int

    @property
    def name(self) -> str:
        return text_of(self.raw, "name")

    @property
    def config(self) -> Raw:
        return mapping_of(self.raw, "config")


@dataclass(slots=True, eq=False)
class DbtProperties:
    """By kind (models, seeds, snapshots, sources, exposures) and name."""

    entries: dict[tuple[str, str], PropertyEntry] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)

    def find(self, kind: str, name: str) -> PropertyEntry | None:
        return self.entries.get((kind, name))

    def of(self, kind: str) -> Iterator[PropertyEntry]:
        return (entry for (what, _), entry in self.entries.items() if what == kind)


def load_yaml(text: str, file: str, gaps: list[Gap]) -> Raw:
    """{} and a gap for what is no YAML."""
    try:
        found = read_yaml(text).data
    except YamlProblem as problem:
        gaps.append(
            Gap(file, problem.line, f"the YAML cannot be read: {problem.message.removeprefix('malformed YAML: ')}")
        )
        return {}
    return found if isinstance(found, dict) else {}


def find_settings(files: Mapping[str, str]) -> tuple[DbtSettings, ...]:
    """Every project, packages in `dbt_packages/` too; the outer before the inner."""
    found: list[DbtSettings] = []
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        if posixpath.basename(path) in ("dbt_project.yml", "dbt_project.yaml"):
            root = path[: len(path) - len(posixpath.basename(path))]
            gaps: list[Gap] = []
            raw = load_yaml(files[path], path, gaps)
            name = text_of(raw, "name") or posixpath.basename(root.rstrip("/")) or "project"
            inside = {one: text for one, text in files.items() if one.startswith(root)}
            found.append(DbtSettings(root, name, raw, inside, tuple(gaps)))
    return tuple(found)


def read_properties(settings: DbtSettings) -> DbtProperties:
    found = DbtProperties()
    folders = dict.fromkeys((*settings.models, *settings.seeds, *settings.snapshots))
    for path, _ in settings.below(folders, ".yml", ".yaml"):
        text = settings.files[path]
        raw = load_yaml(text, path, found.gaps)
        for kind in ("models", "seeds", "snapshots", "exposures"):
            for entry in entries_of(raw, kind):
                name = text_of(entry, "name")
                found.entries[kind, name] = PropertyEntry(entry, path, line_of(text, name))
        for source in entries_of(raw, "sources"):
            for table in entries_of(source, "tables"):
                merged = {"source": {key: value for key, value in source.items() if key != "tables"}, **table}
                name = text_of(table, "name")
                place = PropertyEntry(merged, path, line_of(text, name))
                found.entries["sources", f"{text_of(source, 'name')}.{name}"] = place
    return found


def config_of(settings: DbtSettings, root: DbtSettings, kind: str, fqn: tuple[str, ...]) -> dict[str, object]:
    """What the projects' trees of settings say for one model: its own project first, then the one that uses it."""
    found: dict[str, object] = {}
    for one in dict.fromkeys((settings, root)):
        tree: object = one.raw.get(kind)
        for step in ("", *fqn):
            if step:
                tree = tree.get(step) if isinstance(tree, dict) else None
            if not isinstance(tree, dict):
                break
            plain = {key: value for key, value in tree.items() if not isinstance(value, dict)}
            plus = {key: value for key, value in tree.items() if str(key).startswith("+")}
            found.update({str(key).lstrip("+").replace("-", "_"): value for key, value in {**plain, **plus}.items()})
    return found


def entries_of(raw: Raw, key: str) -> Iterator[Raw]:
    found = raw.get(key)
    return (one for one in found if isinstance(one, dict) and one.get("name")) if isinstance(found, list) else iter(())


def mapping_of(raw: Raw, key: str) -> Raw:
    found = raw.get(key)
    return found if isinstance(found, dict) else {}


def text_of(raw: Raw, key: str) -> str:
    found = raw.get(key)
    return "" if found is None or isinstance(found, dict | list) else str(found)


def line_of(text: str, name: str) -> int:
    found = re.search(rf"""name:\s*['"]?{re.escape(name)}['"]?\s*(?:[,}}#]|$)""", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1
