"""A dbt project from its files alone: every model rendered as dbt would compile it, without dbt and a database.

Relation names follow dbt: a model is in the target schema, one with a custom schema in `<target>_<custom>`, unless the
project overrides `generate_schema_name` and the like. The target profile is not part of a project: its schema is the
given default schema, else `main`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from jinja2 import Template

from forge.lineage.edge import Gap
from forge.lineage.extract.dbt.context import ModelConfig
from forge.lineage.extract.dbt.draft import DbtDraft, all_typed, declared_columns, drafts_of, header_of
from forge.lineage.extract.dbt.node import (
    Columns,
    CompiledModel,
    DbtExposure,
    DbtNode,
    DbtProject,
    SnapshotColumns,
    made_of,
)
from forge.lineage.extract.dbt.project_context import ProjectContext
from forge.lineage.extract.dbt.properties import DbtSettings, PropertyEntry, mapping_of, read_properties, text_of
from forge.lineage.extract.dbt.relation import DbtRelation, DbtTarget
from forge.lineage.extract.definition import ColumnDefinition
from forge.lineage.extract.template import RenderedSql, RenderFailure, compile_template, render_both
from forge.lineage.extract.template_undefined import TextNote

EPHEMERAL = "__dbt__cte__"
_REFERENCE = re.compile(r"""\b(ref|source)\(\s*['"]([^'"]+)['"]\s*(?:,\s*['"]([^'"]+)['"]\s*)?""")
_BEGINNING = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*(?P<with>with\b(?:\s+recursive\b)?)?", re.DOTALL | re.IGNORECASE
)
_PYTHON = "a model in Python: it is known what it reads, not what becomes of the columns"


@dataclass(eq=False)
class DbtReader:
    around: ProjectContext
    templates: dict[str, Template | RenderFailure]

    def learn(self, draft: DbtDraft) -> None:
        """What the model says about itself, and what it needs; its names are not known by then."""
        config = ModelConfig(dict(draft.config))
        draft.refs = [*self._compiled(draft, config, None, lambda name: None).needs]
        draft.config = config.values

    def compiled(self, draft: DbtDraft, columns: Columns) -> CompiledModel:
        this = self.around.relations.get(draft.id)
        found = self._compiled(draft, ModelConfig(dict(draft.config)), this, columns)
        inside = list(self._ephemeral(found.needs, columns, set()))
        if not inside:
            return found
        needs = (*found.needs, *(id_ for _, one in inside for id_ in one.needs))
        texts = tuple(with_ctes(text, [(name, one.texts[0]) for name, one in inside]) for text in found.texts)
        gaps = (*found.gaps, *(gap for _, one in inside for gap in one.gaps))
        return CompiledModel(texts, tuple(dict.fromkeys(needs)), tuple(dict.fromkeys(gaps)))

    def _ephemeral(self, needs: Iterable[str], columns: Columns, seen: set[str]) -> Iterator[tuple[str, CompiledModel]]:
        """Models that exist only inside of others: what they need themselves before them."""
        for id_ in needs:
            draft = self.around.drafts.get(id_)
            if draft is None or id_ in seen or not is_ephemeral(draft):
                continue
            seen.add(id_)
            found = self._compiled(draft, ModelConfig(dict(draft.config)), None, columns)
            yield from self._ephemeral(found.needs, columns, seen)
            if found.texts:
                yield self.around.relations[id_].identifier, found

    def _compiled(
        self, draft: DbtDraft, config: ModelConfig, this: DbtRelation | None, columns: Columns
    ) -> CompiledModel:
        if draft.is_python:
            return self._python(draft)
        template = self.templates.get(draft.id)
        if template is None:
            template = self.templates[draft.id] = compile_template(self.around.templates, draft.text)
        if isinstance(template, RenderFailure):
            return CompiledModel((), self._mentioned(draft), (Gap(draft.file, template.line, template.reason),))
        names = self.around.begin(draft.package.name, config, this, columns)
        found = render_both(self.around.templates, template, names, self.around.dialect)
        needs = dict.fromkeys(self.around.asked)
        failed = [one for one in found if isinstance(one, RenderFailure)]
        texts = tuple(one for one in found if isinstance(one, RenderedSql))
        if failed:
            needs.update(dict.fromkeys(self._mentioned(draft)))
        notes: list[RenderFailure | TextNote] = [
            *failed,
            *(one for text in texts for one in text.notes),
            *self.around.noted,
        ]
        return CompiledModel(
            texts, tuple(needs), tuple(dict.fromkeys(Gap(draft.file, one.line, one.reason) for one in notes))
        )

    def _mentioned(self, draft: DbtDraft) -> tuple[str, ...]:
        """What a text names that cannot be rendered."""
        found = (self.id_of(*match) for match in _REFERENCE.findall(draft.text))
        return tuple(dict.fromkeys(id_ for id_ in found if id_))

    def _python(self, draft: DbtDraft) -> CompiledModel:
        try:
            tree = ast.parse(draft.text)
        except (SyntaxError, ValueError, RecursionError):
            return CompiledModel((), self._mentioned(draft), (Gap(draft.file, 1, "the model is not Python"),))
        needs: dict[str, None] = {}
        for call in ast.walk(tree):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr in ("ref", "source")
            ):
                words = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                id_ = self.id_of(call.func.attr, *words[:2]) if words else None
                if id_:
                    needs[id_] = None
        return CompiledModel((), tuple(needs), (Gap(draft.file, 1, _PYTHON),))

    def id_of(self, kind: str, first: str, second: str = "") -> str | None:
        if kind == "source":
            self.around.source(first, second)
            return self.around.asked[-1] if self.around.source(first, second) is not None else None
        found = self.around.find(first, second) if second else self.around.find("", first)
        return found.id if found else None


def read_files(
    root: DbtSettings,
    packages: tuple[DbtSettings, ...],
    target: DbtTarget,
    dialect: str,
    named: Mapping[str, tuple[str, str, str]] | None = None,
) -> DbtProject:
    """`named`: what is known of the names of relations by id, from who compiled the project."""
    around = ProjectContext(root=root, packages=packages, target=target, dialect=dialect)
    reader = DbtReader(around, {})
    properties = {settings.name: read_properties(settings) for settings in (root, *packages)}
    around.load_macros()
    nodes: dict[str, DbtNode] = {}
    for settings in (root, *packages):
        around.gaps += [*settings.gaps, *properties[settings.name].gaps]
        for declared in properties[settings.name].of("sources"):
            node, relation = source_of(settings, declared, around, named or {})
            around.relations[node.id] = relation
            nodes[node.id] = node
        for draft in drafts_of(settings, root, properties[settings.name]):
            around.add(draft)
    for draft in tuple(around.drafts.values()):
        if draft.kind != "seed":
            reader.learn(draft)
    for draft in tuple(around.drafts.values()):
        if str(draft.config.get("enabled", True)).lower() == "false":
            around.remove(draft)
        else:
            given = None if is_ephemeral(draft) else (named or {}).get(draft.id)
            around.relations[draft.id] = DbtRelation(*given, dialect) if given else relation_of_draft(draft, around)
    for draft in around.drafts.values():
        nodes[draft.id] = seed_of(draft, around) if draft.kind == "seed" else node_of(draft, reader)
    exposures = tuple(
        exposure_of(one, settings.name, reader)
        for settings in (root, *packages)
        for one in properties[settings.name].of("exposures")
    )
    return DbtProject(nodes, exposures, tuple(dict.fromkeys(around.gaps)))


def source_of(
    settings: DbtSettings, declared: PropertyEntry, around: ProjectContext, named: Mapping[str, tuple[str, str, str]]
) -> tuple[DbtNode, DbtRelation]:
    outer = mapping_of(declared.raw, "source")
    id_ = f"source.{settings.name}.{text_of(outer, 'name')}.{declared.name}"
    database = (
        around.text(text_of(outer, "database") or text_of(outer, "catalog"), settings.name) or around.target.database
    )
    schema = around.text(text_of(outer, "schema"), settings.name) or text_of(outer, "name")
    identifier = around.text(text_of(declared.raw, "identifier"), settings.name) or declared.name
    relation = DbtRelation(*named.get(id_, (database, schema, identifier)), around.dialect)
    columns = declared_columns(declared)
    node = DbtNode(
        id=id_,
        kind="source",
        name=relation.dotted,
        file=declared.file,
        line=declared.line,
        columns=columns,
        complete=all_typed(columns),
    )
    return node, relation


def is_ephemeral(draft: DbtDraft) -> bool:
    return draft.config.get("materialized") == "ephemeral"


def relation_of_draft(draft: DbtDraft, around: ProjectContext) -> DbtRelation:
    if is_ephemeral(draft):
        return DbtRelation("", "", EPHEMERAL + draft.name, around.dialect, cte=True)
    config = draft.config

    def word(key: str) -> str | None:
        return around.text(config.get(key), draft.package.name) or None

    node = {
        "name": draft.name,
        "resource_type": draft.kind,
        "package_name": draft.package.name,
        "path": draft.file,
        "original_file_path": draft.file,
        "fqn": list(draft.fqn),
        "config": config,
        "version": draft.version or None,
        "alias": word("alias") or draft.name,
        "unique_id": draft.id,
    }
    schema = word("target_schema") if draft.kind == "snapshot" else None
    database = word("target_database") if draft.kind == "snapshot" else None
    return DbtRelation(
        database or around.named_by("generate_database_name", word("database") or word("catalog"), node),
        schema or around.named_by("generate_schema_name", word("schema") or word("dataset"), node),
        around.named_by("generate_alias_name", word("alias"), node) or draft.name,
        around.dialect,
    )


def node_of(draft: DbtDraft, reader: DbtReader) -> DbtNode:
    around = reader.around
    contract = draft.config.get("contract")
    enforced = isinstance(contract, dict) and bool(contract.get("enforced"))
    columns = declared_columns(draft.declared)
    return DbtNode(
        id=draft.id,
        kind=draft.kind,
        name=around.relations[draft.id].dotted,
        file=draft.file,
        line=draft.line,
        made=made_of(str(draft.config.get("materialized") or ("snapshot" if draft.kind == "snapshot" else "view"))),
        ephemeral=is_ephemeral(draft),
        needs=tuple(draft.refs),
        columns=columns,
        complete=enforced and bool(columns),
        history=history_of(draft.config) if draft.kind == "snapshot" else None,
        compiled=lambda known: reader.compiled(draft, known),
    )


def history_of(config: dict[str, object]) -> SnapshotColumns:
    key = config.get("unique_key")
    keys = tuple(str(one) for one in key) if isinstance(key, list | tuple) else (str(key),) if key else ()
    return SnapshotColumns(keys, str(config.get("updated_at") or ""))


def seed_of(draft: DbtDraft, around: ProjectContext) -> DbtNode:
    types = {one.name.lower(): one.type for one in declared_columns(draft.declared)}
    given = draft.config.get("column_types")
    types.update({str(key).lower(): str(value) for key, value in given.items()} if isinstance(given, dict) else {})
    names = header_of(draft.text, str(draft.config.get("delimiter") or ","))
    columns = tuple(ColumnDefinition(name, types.get(name.lower(), "")) for name in names)
    return DbtNode(
        id=draft.id,
        kind="seed",
        name=around.relations[draft.id].dotted,
        file=draft.file,
        columns=columns,
        complete=bool(columns),
    )


def exposure_of(declared: PropertyEntry, package: str, reader: DbtReader) -> DbtExposure:
    listed = declared.raw.get("depends_on")
    ids = [
        reader.id_of(*match)
        for one in (listed if isinstance(listed, list) else ())
        for match in _REFERENCE.findall(str(one))
    ]
    names = tuple(reader.around.relations[id_].dotted for id_ in ids if id_ and id_ in reader.around.relations)
    details = {
        key: declared.raw[key] for key in ("label", "url", "owner", "description", "maturity") if key in declared.raw
    }
    return DbtExposure(
        declared.name, text_of(declared.raw, "type") or "dashboard", names, declared.file, declared.line, details
    )


def with_ctes(sql: RenderedSql, ctes: Iterable[tuple[str, RenderedSql]]) -> RenderedSql:
    """The text with others before it, as dbt does for ephemeral models; their lines count as the line they are put
    in."""
    inserted = ", ".join(f"{name} as (\n{one.text.strip().rstrip(';')}\n)" for name, one in ctes)
    beginning = _BEGINNING.match(sql.text)
    at = beginning.end() if beginning else 0
    opens = beginning is not None and beginning["with"]
    new = f" {inserted}, " if opens else f"with {inserted} "
    row = sql.text.count("\n", 0, at)
    lines = (*sql.lines[: row + 1], *((sql.line(row + 1),) * new.count("\n")), *sql.lines[row + 1 :])
    return RenderedSql(sql.text[:at] + new + sql.text[at:], lines, sql.notes)
