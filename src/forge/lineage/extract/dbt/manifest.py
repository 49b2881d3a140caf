"""Artifacts of dbt: `target/manifest.json`, and `target/catalog.json` for the existing columns."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from forge.lineage.edge import Gap
from forge.lineage.extract.dbt.draft import all_typed
from forge.lineage.extract.dbt.node import (
    CompiledModel,
    DbtExposure,
    DbtKind,
    DbtNode,
    DbtProject,
    SnapshotColumns,
    made_of,
)
from forge.lineage.extract.dbt.properties import Raw, mapping_of, text_of
from forge.lineage.extract.dbt.relation import DbtTarget
from forge.lineage.extract.definition import ColumnDefinition
from forge.lineage.extract.template import RenderedSql

_KINDS: dict[str, DbtKind] = {"model": "model", "snapshot": "snapshot", "seed": "seed", "source": "source"}


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """`raw`: the code of each model when it was compiled; without compiled code it has no texts."""

    project: DbtProject
    target: DbtTarget | None = None
    raw: Mapping[str, str] = field(default_factory=dict)
    without_code: frozenset[str] = frozenset()
    names: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)  # database, schema, relation


def read_manifest(text: str, file: str, root: str, packages: str, catalog: str | None = None) -> Manifest:
    """`root` and `packages`: the folders of the project and of what it uses. Never raises."""
    content = _loaded(text)
    if content is None or not isinstance(content.get("nodes"), dict):
        return Manifest(DbtProject({}, gaps=(Gap(file, 1, "the manifest cannot be read; run dbt compile again"),)))
    real = _catalog(catalog)
    own = text_of(mapping_of(content, "metadata"), "project_name")
    nodes: dict[str, DbtNode] = {}
    raw_codes: dict[str, str] = {}
    without: set[str] = set()
    names: dict[str, tuple[str, str, str]] = {}
    for id_, raw in _entries(content, "nodes", "sources"):
        names[id_] = names_of(raw)
        kind = _KINDS.get(text_of(raw, "resource_type") or id_.partition(".")[0])
        if kind is None:
            continue
        folder = root if text_of(raw, "package_name") in ("", own) else f"{packages}{text_of(raw, 'package_name')}/"
        code = text_of(raw, "raw_code") or text_of(raw, "raw_sql")
        raw_codes[id_] = code
        node = _node(id_, kind, raw, folder, code, real.get(id_))
        nodes[id_] = node
        if kind in ("model", "snapshot") and not _compiled(raw):
            without.add(id_)
    exposures = tuple(_exposure(raw, root, names) for _, raw in _entries(content, "exposures"))
    return Manifest(DbtProject(nodes, exposures), _target(content), raw_codes, frozenset(without), names)


def names_of(raw: Raw) -> tuple[str, str, str]:
    """Of the relation: database, schema, its own. Where dbt writes it without quotes, case does not matter there."""
    last = text_of(raw, "alias") or text_of(raw, "identifier") or text_of(raw, "name")
    database, schema = text_of(raw, "database"), text_of(raw, "schema")
    written = text_of(raw, "relation_name")
    if written and not re.search(r"[\"`\[]", written):
        database, schema, last = database.lower(), schema.lower(), last.lower()
        if written.count(".") == 1:  # an engine without databases
            database = ""
    return database, schema, last


def _dotted(parts: Iterable[str]) -> str:
    return ".".join(part for part in parts if part)


def _node(
    id_: str, kind: DbtKind, raw: Raw, folder: str, code: str, real: tuple[ColumnDefinition, ...] | None
) -> DbtNode:
    config = mapping_of(raw, "config")
    materialized = text_of(config, "materialized")
    declared = tuple(
        ColumnDefinition(text_of(one, "name"), text_of(one, "data_type").lower())
        for one in mapping_of(raw, "columns").values()
        if isinstance(one, dict)
    )
    enforced = bool(mapping_of(config, "contract").get("enforced") or mapping_of(raw, "contract").get("enforced"))
    key = config.get("unique_key")
    keys = tuple(str(one) for one in key) if isinstance(key, list) else (str(key),) if key else ()
    history = SnapshotColumns(keys, text_of(config, "updated_at")) if kind == "snapshot" else None
    file = folder + (text_of(raw, "original_file_path") or text_of(raw, "path"))
    text = _compiled(raw)
    needs = mapping_of(raw, "depends_on").get("nodes")
    ids = tuple(str(one) for one in needs) if isinstance(needs, list) else ()
    gaps: tuple[Gap, ...] = ()
    if text_of(raw, "language") == "python":
        gaps, text = (
            (Gap(file, 1, "a model in Python: it is known what it reads, not what becomes of the columns"),),
            "",
        )
    compiled = CompiledModel((placed_like(text, RenderedSql(code)),) if text else (), ids, gaps)
    return DbtNode(
        id=id_,
        kind=kind,
        name=_dotted(names_of(raw)),
        file=file,
        line=1,
        made=made_of(materialized),
        ephemeral=materialized == "ephemeral",
        needs=ids,
        columns=real or declared,
        complete=bool(real) or (bool(declared) and enforced) or (kind == "source" and all_typed(declared)),
        history=history,
        compiled=lambda columns: compiled,
    )


def _compiled(raw: Raw) -> str:
    return text_of(raw, "compiled_code") or text_of(raw, "compiled_sql")


def same_text(text: str) -> str:
    """What is left of a text when quotes, case and blanks do not count."""
    return re.sub(r"[\"`\[\]\s]", "", text).lower()


def placed_like(text: str, known: RenderedSql) -> RenderedSql:
    """Compiled text with the lines of its template: equal lines are aligned, and those between belong to the last
    aligned line before."""
    old = [same_text(line) for line in known.text.split("\n")]
    new = [same_text(line) for line in text.split("\n")]
    if len(old) + len(new) > 5000:
        return RenderedSql(text, (1,) * len(new))
    lines = [0] * len(new)
    for one, other, size in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for step in range(size):
            lines[other + step] = known.line(one + step + 1)
    now = next((line for line in lines if line), 1)
    for place, line in enumerate(lines):
        now = line or now
        lines[place] = now
    return RenderedSql(text, tuple(lines))


def _target(content: Raw) -> DbtTarget | None:
    """What the profile says, as far as the names of models show it."""
    metadata = mapping_of(content, "metadata")
    for _, raw in _entries(content, "nodes"):
        config = mapping_of(raw, "config")
        if text_of(raw, "resource_type") in ("model", "seed") and not config.get("schema") and text_of(raw, "schema"):
            return DbtTarget(
                text_of(raw, "schema"),
                "" if config.get("database") else text_of(raw, "database"),
                text_of(metadata, "adapter_type") or "spark",
            )
    return None


def _exposure(raw: Raw, root: str, names: Mapping[str, tuple[str, str, str]]) -> DbtExposure:
    needs = mapping_of(raw, "depends_on").get("nodes")
    uses = tuple(_dotted(names[one]) for one in needs if one in names) if isinstance(needs, list) else ()
    details = {key: raw[key] for key in ("label", "url", "owner", "description", "maturity") if raw.get(key)}
    file = root + text_of(raw, "original_file_path")
    return DbtExposure(text_of(raw, "name"), text_of(raw, "type") or "dashboard", uses, file, 1, details)


def _catalog(text: str | None) -> dict[str, tuple[ColumnDefinition, ...]]:
    content = _loaded(text) if text else None
    found: dict[str, tuple[ColumnDefinition, ...]] = {}
    for id_, raw in _entries(content or {}, "nodes", "sources"):
        columns = [one for one in mapping_of(raw, "columns").values() if isinstance(one, dict)]
        columns.sort(key=lambda one: int(str(one.get("index") or 0)))
        shouting = all(text_of(one, "name").isupper() for one in columns)  # Snowflake's unquoted identifiers
        found[id_] = tuple(
            ColumnDefinition(
                text_of(one, "name").lower() if shouting else text_of(one, "name"), text_of(one, "type").lower()
            )
            for one in columns
        )
    return found


def _entries(content: Raw, *keys: str) -> Iterator[tuple[str, Raw]]:
    for key in keys:
        for id_, raw in mapping_of(content, key).items():
            if isinstance(raw, dict):
                yield str(id_), raw


def _loaded(text: str) -> Raw | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
