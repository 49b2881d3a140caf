"""dbt projects: what each model reads and writes, in dependency order.

A project is read from `target/manifest.json` where that is up to date; the rest is rendered here. Columns are known
from models read before, seeds, `target/catalog.json`, sources whose columns are all typed, and models with an enforced
contract; a partial list of untyped columns is ignored.

Tests, analyses, hooks and operations produce no tables and are skipped."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from forge.lineage.edge import Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.dbt.files import read_files
from forge.lineage.extract.dbt.manifest import Manifest, placed_like, read_manifest, same_text
from forge.lineage.extract.dbt.node import Columns, CompiledModel, DbtExposure, DbtNode, DbtProject
from forge.lineage.extract.dbt.program import LANGUAGE, declared_of, read_node
from forge.lineage.extract.dbt.properties import DbtSettings, find_settings
from forge.lineage.extract.dbt.relation import DbtTarget
from forge.lineage.extract.definition import ColumnDefinition, TableDefinition
from forge.lineage.extract.program import Program
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeType
from forge.lineage.node import Entity, NodeType

_TYPES = {"dashboard": NodeType.DASHBOARD, "ml": NodeType.MODEL, "application": NodeType.PROCESS}
_STALE = "the file was changed after dbt compiled it, and was read as it is now"


@dataclass(frozen=True, slots=True)
class DbtExtraction:
    """`files`: all files of projects, which are then not read as plain SQL or Python."""

    programs: tuple[Program, ...] = ()
    exposures: tuple[DbtExposure, ...] = ()
    files: frozenset[str] = frozenset()


def read_dbt(
    files: Mapping[str, str], catalog: TableCatalog, *, dialect: str = "spark", default_schema: str | None = None
) -> tuple[Program, ...]:
    """`files`: path → text, of whole folders: the projects in them are found by their `dbt_project.yml`."""
    found = read_projects(files, catalog, dialect=dialect, default_schema=default_schema)
    return (*found.programs, *_declaring(found.exposures))


def _declaring(exposures: Iterable[DbtExposure]) -> Iterator[Program]:
    """Files with exposures."""
    files: dict[str, list[DbtExposure]] = {}
    for one in exposures:
        files.setdefault(one.file, []).append(one)
    for file, some in files.items():
        edges, nodes = claims_of(some)
        yield Program(file=file, language="dbt", statements=len(some), understood=len(some), edges=edges, nodes=nodes)


def read_projects(
    files: Mapping[str, str], catalog: TableCatalog, *, dialect: str = "spark", default_schema: str | None = None
) -> DbtExtraction:
    programs: list[Program] = []
    exposures: list[DbtExposure] = []
    schema = default_schema or catalog.default_schema or "main"
    for root, packages in _roots(find_settings(files)):
        project = _project(root, packages, files, dialect, schema)
        programs += _read(project, catalog, dialect)
        exposures += [
            replace(one, uses=tuple(catalog.complete(name.split(".")) for name in one.uses))
            for one in project.exposures
        ]
    return DbtExtraction(tuple(programs), tuple(exposures), dbt_files(files))


def dbt_files(paths: Iterable[str]) -> frozenset[str]:
    """All that lie in a project."""
    every = tuple(paths)
    roots = tuple(path[: -len(posixpath.basename(path))] for path in every if _is_project(path))
    return frozenset(path for path in every if path.startswith(roots)) if roots else frozenset()


def is_read_by_dbt(path: str) -> bool:
    """Whether a file in a project is of any use here; `target/` has thousands that are not."""
    name = posixpath.basename(path).lower()
    if "/target/" in f"/{path}":
        return name in ("manifest.json", "catalog.json")
    return name.endswith((".sql", ".py", ".yml", ".yaml", ".csv"))


def claims_of(exposures: Iterable[DbtExposure]) -> tuple[tuple[EdgeClaim, ...], tuple[NodeClaim, ...]]:
    """Exposures as what the graph takes: a dashboard, report, model or process that consumes tables."""
    edges: list[EdgeClaim] = []
    nodes: list[NodeClaim] = []
    for one in exposures:
        entity = Entity(_TYPES.get(one.type, NodeType.REPORT), one.name)
        nodes.append(NodeClaim(entity, {**one.details, "source_file": one.file}))
        sight = Evidence(basis=Basis.DECLARED, extractor="dbt", file=one.file, line=one.line)
        kind = EdgeKind(EdgeType.CONSUMES, None)
        edges += [
            EdgeClaim(source=Entity(NodeType.TABLE, table), target=entity, kind=kind, evidence=(sight,))
            for table in one.uses
        ]
    return tuple(edges), tuple(nodes)


def _is_project(path: str) -> bool:
    return posixpath.basename(path) in ("dbt_project.yml", "dbt_project.yaml")


def _roots(found: tuple[DbtSettings, ...]) -> Iterator[tuple[DbtSettings, tuple[DbtSettings, ...]]]:
    """Each project with the packages that were installed into it."""
    inner = {one.root for root in found for one in found if one is not root and one.root.startswith(root.packages)}
    for root in found:
        if root.root not in inner:
            yield root, tuple(one for one in found if one is not root and one.root.startswith(root.packages))


def _project(
    root: DbtSettings, packages: tuple[DbtSettings, ...], files: Mapping[str, str], dialect: str, schema: str
) -> DbtProject:
    path = f"{root.target}manifest.json"
    compiled = None
    if path in files:
        compiled = read_manifest(files[path], path, root.root, root.packages, files.get(f"{root.target}catalog.json"))
    target = (
        compiled.target if compiled and compiled.target else DbtTarget(schema, type=_ADAPTERS.get(dialect, dialect))
    )
    named = compiled.names if compiled else {}
    rendered = read_files(root, packages, target, dialect, named)
    return rendered if compiled is None else _joined(compiled, rendered, files)


_ADAPTERS = {"tsql": "sqlserver", "hive": "spark"}


def _joined(manifest: Manifest, rendered: DbtProject, files: Mapping[str, str]) -> DbtProject:
    """What dbt compiled, and the rest rendered. Models whose file is gone are gone."""
    nodes = dict(rendered.nodes)
    for id_, node in manifest.project.nodes.items():
        mine = rendered.nodes.get(id_)
        if mine is None:
            if node.file in files or node.kind == "source":
                nodes[id_] = node
            continue
        nodes[id_] = _fresher(node, mine, manifest, files)
    exposures = {one.name: one for one in (*manifest.project.exposures, *rendered.exposures)}
    return DbtProject(nodes, tuple(exposures.values()), (*manifest.project.gaps, *rendered.gaps))


def _fresher(node: DbtNode, mine: DbtNode, manifest: Manifest, files: Mapping[str, str]) -> DbtNode:
    if node.kind in ("seed", "source"):
        known = node if node.complete else mine
        return replace(mine, name=node.name, columns=known.columns, complete=known.complete)
    raw = manifest.raw.get(node.id, "")
    named = replace(mine, name=node.name, columns=node.columns or mine.columns, complete=node.complete)
    if node.id in manifest.without_code and not node.file.lower().endswith(".py"):
        return named
    if _is_stale(node, raw, files.get(node.file, "")):
        return replace(named, compiled=_with_gap(mine, Gap(mine.file, 1, _STALE)))
    return replace(named, needs=node.needs, compiled=_compiled_by_dbt(node, mine, both="is_incremental" in raw))


def _is_stale(node: DbtNode, raw: str, text: str) -> bool:
    """A snapshot is a part of its file; of one that YAML declares the file does not hold the code."""
    then, now = "".join(raw.split()), "".join(text.split())
    return then != now if node.kind == "model" else then not in now and node.file.lower().endswith(".sql")


def _with_gap(node: DbtNode, gap: Gap) -> Callable[[Columns], CompiledModel]:
    def compiled(columns: Columns) -> CompiledModel:
        found = node.compiled(columns)
        return replace(found, gaps=(gap, *found.gaps))

    return compiled


def _compiled_by_dbt(node: DbtNode, mine: DbtNode, *, both: bool) -> Callable[[Columns], CompiledModel]:
    """dbt's own text, at the lines that rendering here shows. `both`: dbt compiles an incremental model for its first
    run or for a later one, and both happen."""

    def compiled(columns: Columns) -> CompiledModel:
        theirs, ours = node.compiled(columns), mine.compiled(columns)
        if not ours.texts:
            return theirs
        texts = [placed_like(one.text, ours.texts[0]) for one in theirs.texts]
        seen = {same_text(one.text) for one in texts}
        more = [one for one in ours.texts if both and same_text(one.text) not in seen]
        return CompiledModel((*texts, *more), theirs.needs, theirs.gaps)

    return compiled


def _read(project: DbtProject, catalog: TableCatalog, dialect: str) -> Iterator[Program]:
    by_file: dict[str, list[TableDefinition]] = {}
    for node in project.nodes.values():
        for definition in declared_of(node):
            by_file.setdefault(node.file, []).append(definition)
    known = catalog.with_(definition for found in by_file.values() for definition in found)
    gaps: dict[str, list[Gap]] = {}
    for gap in project.gaps:
        gaps.setdefault(gap.place, []).append(gap)
    models = [node for node in project.nodes.values() if node.kind in ("model", "snapshot")]
    for file in sorted({*by_file, *gaps} - {node.file for node in models}):
        yield Program(
            file=file, language=LANGUAGE, gaps=tuple(gaps.get(file, ())), definitions=tuple(by_file.get(file, ()))
        )
    for level in _levels(models):
        found = [(node, _program(node, project, known, dialect)) for node in level if not node.ephemeral]
        known = known.with_(one for _, program in found for one in program.definitions if one.inferred)
        yield from (program for _, program in found)


def _program(node: DbtNode, project: DbtProject, catalog: TableCatalog, dialect: str) -> Program:
    def columns(name: str) -> tuple[ColumnDefinition, ...] | None:
        definition = catalog.find(name.split(".")).definition
        return None if definition is None else definition.columns

    compiled = node.compiled(columns)
    reads = _real(compiled.needs, project, set())
    return read_node(node, compiled, catalog, dialect, reads)


def _real(needs: Iterable[str], project: DbtProject, seen: set[str]) -> Iterator[str]:
    """Relation names; an ephemeral model is replaced by what it reads."""
    for id_ in needs:
        node = project.nodes.get(id_)
        if node is None or id_ in seen:
            continue
        seen.add(id_)
        if node.ephemeral:
            yield from _real(node.needs, project, seen)
        else:
            yield node.name


def _levels(models: list[DbtNode]) -> Iterator[list[DbtNode]]:
    """Each model after all that it needs; what needs itself in a circle comes last."""
    left = {node.id: node for node in models}
    while left:
        ready = [node for node in left.values() if not any(id_ in left and id_ != node.id for id_ in node.needs)]
        for node in ready or tuple(left.values()):
            del left[node.id]
            if not ready:
                yield [node]
        if ready:
            yield ready
