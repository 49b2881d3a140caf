"""What templates of a dbt project can refer to: models, sources, variables, and macros of the project and its
packages."""

from __future__ import annotations

import re
from collections import ChainMap
from dataclasses import dataclass, field

from jinja2 import Template
from jinja2.runtime import Macro

from forge.lineage.edge import Gap
from forge.lineage.extract.dbt.context import ModelConfig, names_of
from forge.lineage.extract.dbt.draft import DbtDraft
from forge.lineage.extract.dbt.node import Columns
from forge.lineage.extract.dbt.properties import DbtSettings, mapping_of
from forge.lineage.extract.dbt.relation import DbtColumn, DbtRelation, DbtTarget, dbt_columns
from forge.lineage.extract.dbt.shims import DBT
from forge.lineage.extract.template import (
    MacroPackage,
    Names,
    RenderFailure,
    TemplateEnvironment,
    compile_template,
    line_now,
    load_module,
)
from forge.lineage.extract.template_undefined import TextNote, without_marks

_NOT_MACROS = re.compile(r"\{%-?\s*(test|data_test|materialization|snapshot|docs)\b.*?\{%-?\s*end\1\s*-?%\}", re.DOTALL)


@dataclass(eq=False, kw_only=True)
class ProjectContext:
    """`relations`: of models, seeds, snapshots and sources by id. `asked` and `noted`: dependencies and notes of the
    current template."""

    root: DbtSettings
    packages: tuple[DbtSettings, ...]
    target: DbtTarget
    dialect: str
    templates: TemplateEnvironment = field(default_factory=TemplateEnvironment)
    drafts: dict[str, DbtDraft] = field(default_factory=dict)
    relations: dict[str, DbtRelation] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    macros: dict[str, dict[str, object]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    noted: list[TextNote] = field(default_factory=list)
    _present: dict[str, object] = field(default_factory=dict)  # the names for the template that is being rendered
    _columns: Columns = field(default=lambda name: None)
    _by_name: dict[str, list[DbtDraft]] = field(default_factory=dict)
    _calling: Template | None = None

    # What the names of templates ask for (`dbt_context.Project`)

    def ref(self, package: str, name: str, version: str) -> DbtRelation | None:
        draft = self.find(package, name, version)
        if draft is None:
            return None
        self.asked.append(draft.id)
        return self.relations.get(draft.id) or DbtRelation("", "", draft.name, self.dialect)

    def source(self, source: str, table: str) -> DbtRelation | None:
        for settings in (self.root, *self.packages):
            id_ = f"source.{settings.name}.{source}.{table}"
            if id_ in self.relations:
                self.asked.append(id_)
                return self.relations[id_]
        return None

    def variable(self, package: str, name: str) -> object | None:
        for settings in (self.root, *(one for one in self.packages if one.name == package)):
            given = mapping_of(settings.raw, "vars")
            for scope in (mapping_of(given, package), given):
                if name in scope and not (scope is given and isinstance(given[name], dict) and name == package):
                    return scope[name]
        return None

    def columns(self, relation: object) -> list[DbtColumn] | None:
        found = self._columns(relation.dotted if isinstance(relation, DbtRelation) else str(relation))
        return None if found is None else dbt_columns(found, self.dialect)

    def macro(self, package: str, name: str) -> object | None:
        found = self.macros.get(package or self.root.name, {}).get(name)
        if found is None and package in ("dbt", "dbt_utils"):
            own = self._present.get("dbt_utils") if package == "dbt_utils" else None
            found = getattr(own, name, None) or DBT.get(name)
        return found

    def note(self, reason: str) -> None:
        self.noted.append(TextNote(line_now(), reason))

    def find(self, package: str, name: str, version: str = "") -> DbtDraft | None:
        """The own project's first."""
        found = [
            draft
            for draft in self._by_name.get(name, ())
            if (not package or draft.package.name == package)
            and (draft.version == version.removeprefix("v") if version else draft.latest)
        ]
        return min(found, key=lambda draft: draft.package is not self.root, default=None)

    def add(self, draft: DbtDraft) -> None:
        self.drafts[draft.id] = draft
        self._by_name.setdefault(draft.name, []).append(draft)

    # Macros and templates

    def remove(self, draft: DbtDraft) -> None:
        """It is switched off."""
        del self.drafts[draft.id]
        self._by_name[draft.name].remove(draft)

    def begin(
        self, package: str, config: ModelConfig, this: DbtRelation | None, columns: Columns = lambda name: None
    ) -> Names:
        """The names for one template. Macros find there, too, what is of this template only."""
        self.asked, self.noted, self._columns = [], [], columns
        self._present.clear()
        self._present.update(names_of(self.templates, self, self.target, self.dialect, package, config, this))
        for name, macros in self.macros.items():
            shims = vars(self._present["dbt_utils"]) if name == "dbt_utils" else {}
            self._present[name] = MacroPackage(name, {**macros, **shims})
        return self.names(package)

    def names(self, package: str) -> Names:
        """In a package its own macros win, then those of the project."""
        return ChainMap(
            {}, self.macros.setdefault(package, {}), self.macros.setdefault(self.root.name, {}), self._present
        )

    def load_macros(self) -> None:
        self.begin(self.root.name, ModelConfig(), None)
        for settings in (*self.packages, self.root):
            found = self.macros.setdefault(settings.name, {})
            for path, _ in settings.below(settings.macros, ".sql"):
                text = _NOT_MACROS.sub(lambda match: "\n" * match[0].count("\n"), settings.files[path])
                template = compile_template(self.templates, text, lines=False)
                module = (
                    load_module(template, self.names(settings.name)) if isinstance(template, Template) else template
                )
                if isinstance(module, RenderFailure):
                    self.gaps.append(Gap(path, module.line, f"its macros are not known: {module.reason}"))
                else:
                    found.update({name: one for name, one in module.items() if isinstance(one, Macro)})

    def named_by(self, macro: str, *args: object) -> str:
        """What the project's own macro, else dbt's, says about a name."""
        own = self.macros.get(self.root.name, {}).get(macro)
        usual = self._present[macro]
        for found in (own, usual):
            if found is not None:
                self._calling = self._calling or self.templates.from_string("{{ forge_macro(*forge_args) }}")
                self.templates.asked.truth = False
                names = ChainMap({"forge_macro": found, "forge_args": args}, self.names(self.root.name))
                made = load_module(self._calling, names)
                if not isinstance(made, RenderFailure):
                    return without_marks(str(made[""]), self.templates.asked).strip()
        return ""

    def text(self, value: object, package: str) -> str:
        """A value of a YAML file, in which there may be a template."""
        plain = "" if value is None else str(value)
        if "{{" not in plain and "{%" not in plain:
            return plain
        template = compile_template(self.templates, plain, lines=False)
        if isinstance(template, RenderFailure):
            return plain
        self.templates.asked.truth = False
        made = load_module(template, self.names(package))
        return plain if isinstance(made, RenderFailure) else without_marks(str(made[""]), self.templates.asked).strip()
