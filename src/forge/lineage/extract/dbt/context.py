"""The Jinja context of dbt templates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import yaml
from jinja2 import TemplateError

from forge.lineage.extract.dbt.relation import DbtColumn, DbtRelation, DbtTarget
from forge.lineage.extract.dbt.shims import COMPILE, DBT, DbtUtils
from forge.lineage.extract.template import MacroPackage, MacroReturn, Names, TemplateEnvironment
from forge.lineage.extract.template_undefined import RenderState, quoted
from forge.model.yaml_file import read_yaml
from forge.model.yaml_problems import YamlProblem


class GuessedText(str):
    """A guessed string; conditions on it are rendered as true and as false."""

    asked: RenderState

    def __eq__(self, other: object) -> bool:
        return self.asked.decide()

    def __ne__(self, other: object) -> bool:
        return self.asked.decide()

    def __hash__(self) -> int:
        return super().__hash__()


class TemplateProject(Protocol):
    """The project as templates see it."""

    def ref(self, package: str, name: str, version: str) -> DbtRelation | None: ...
    def source(self, source: str, table: str) -> DbtRelation | None: ...
    def variable(self, package: str, name: str) -> object | None: ...
    def columns(self, relation: object) -> list[DbtColumn] | None: ...
    def macro(self, package: str, name: str) -> object | None: ...
    def note(self, reason: str) -> None: ...


@dataclass(eq=False)
class ModelConfig:
    """`config(…)` in a model, and its getters."""

    values: dict[str, object] = field(default_factory=dict)

    def __call__(self, *args: object, **kwargs: object) -> str:
        for one in args:
            if isinstance(one, Mapping):
                self.values.update(one)
        self.values.update(kwargs)
        return ""

    def get(self, name: str, default: object = None, validator: object = None) -> object:
        return self.values.get(name, default)

    def require(self, name: str, validator: object = None) -> object:
        return self.values.get(name, "")

    def set(self, name: str, value: object) -> str:
        self.values[name] = value
        return ""


@dataclass(eq=False)
class DbtAdapter:
    project: TemplateProject
    target: DbtTarget
    dialect: str
    package: str
    unknown: Callable[[str], object]

    def dispatch(self, macro_name: str, macro_namespace: str | None = None, packages: object = None) -> object:
        name = macro_name.rpartition(".")[2]
        spoken = (self.target.type, "spark") if self.target.type == "databricks" else (self.target.type,)
        for form in (*(f"{one}__{name}" for one in spoken), f"default__{name}"):
            for package in dict.fromkeys(("", macro_namespace or self.package)):
                found = self.project.macro(package, form)
                if found is not None:
                    return found
        found = self.project.macro(macro_namespace or "dbt", name)
        if found is None:
            return self.unknown(f"{macro_namespace or self.package}.{name}")
        return found

    def get_columns_in_relation(self, relation: object) -> list[DbtColumn]:
        found = self.project.columns(relation)
        if found is None:
            self.project.note(f"the model asks for the columns of {relation}, which are not known")
        return found or []

    def get_relation(
        self, database: object = None, schema: object = None, identifier: object = None
    ) -> DbtRelation | None:
        found = DbtRelation(str(database or ""), str(schema or ""), str(identifier or ""), self.dialect)
        return found if self.project.columns(found) is not None else None

    def quote(self, identifier: object) -> str:
        return quoted(str(identifier), self.dialect)

    def type(self) -> str:
        return self.target.type

    def check_schema_exists(self, *args: object) -> bool:
        return True


def names_of(
    templates: TemplateEnvironment,
    project: TemplateProject,
    target: DbtTarget,
    dialect: str,
    package: str,
    config: ModelConfig,
    this: DbtRelation | None,
) -> Names:
    """All but the macros of the project and its packages."""
    found: Names = dict(templates.globals)
    found.update(DBT)
    found.update(_silent())
    found.update(_plain())
    found.update(_asking(templates, project, package, config))
    found.update(_refused(project))
    found.update(_naming(target, templates.asked))
    utils = DbtUtils(project.columns, dialect, project.note)
    found.update(
        config=config,
        this=this,
        execute=False,
        target=_target(target, templates.asked),
        adapter=DbtAdapter(project, target, dialect, package, templates.unknown),
        api=_api(dialect),
        dbt=MacroPackage("dbt", {**DBT, "date_spine": utils.date_spine, "is_incremental": templates.asked.decide}),
        dbt_utils=MacroPackage("dbt_utils", utils.shims()),
        exceptions=MacroPackage("exceptions", {"raise_compiler_error": _refuse, "warn": _nothing}),
        flags=MacroPackage("flags", {"FULL_REFRESH": False, "WHICH": "compile"}),
        is_incremental=templates.asked.decide,
        project_name=package,
        dbt_version="1.10.0",
        model=templates.unknown("model"),
        graph=templates.unknown("graph"),
        modules=templates.unknown("modules"),
        run_started_at=templates.unknown("run_started_at"),
        invocation_id=templates.unknown("invocation_id"),
    )
    found["builtins"] = MacroPackage("builtins", {name: found[name] for name in ("ref", "source", "config", "var")})
    found["context"] = found
    return found


def _asking(templates: TemplateEnvironment, project: TemplateProject, package: str, config: ModelConfig) -> Names:
    def ref(*args: str, v: object = None, version: object = None) -> DbtRelation:
        owner, name = (args[0], args[1]) if len(args) > 1 else ("", args[0])
        wanted = v if v is not None else version
        found = project.ref(str(owner), str(name), "" if wanted is None else str(wanted))
        if found is None:
            project.note(f"ref('{name}') names no model, seed or snapshot of the project")
            return DbtRelation("", "", str(name))
        return found

    def source(source_name: str, table_name: str) -> DbtRelation:
        found = project.source(source_name, table_name)
        if found is None:
            project.note(f"source('{source_name}', '{table_name}') is declared in no file of the project")
            return DbtRelation("", str(source_name), str(table_name))
        return found

    def var(name: str, default: object = None) -> object:
        found = project.variable(package, name)
        if found is not None:
            return found
        return templates.unknown(f"var.{name}") if default is None else default

    def env_var(name: str, default: object = None) -> object:
        """Never the true environment: what is read out of code must not depend on who reads it."""
        return templates.unknown(f"env_var.{name}") if default is None else default

    def metric(*args: object) -> object:
        return templates.unknown("metric")

    var.has_var = lambda name: project.variable(package, name) is not None  # type: ignore[attr-defined]
    return {"ref": ref, "source": source, "var": var, "env_var": env_var, "metric": metric}


def _naming(target: DbtTarget, asked: RenderState) -> Names:
    """How dbt names relations, unless the project has macros of its own for it."""

    def schema(custom_schema_name: object = None, node: object = None) -> str:
        custom = str(custom_schema_name or "").strip()
        return f"{target.schema}_{custom}" if custom else target.schema

    def schema_for_env(custom_schema_name: object = None, node: object = None) -> str:
        custom = str(custom_schema_name or "").strip()
        in_production = target.name == "prod" if target.known_name else asked.decide()
        return custom if custom and in_production else target.schema

    def alias(custom_alias_name: object = None, node: object = None) -> str:
        if custom_alias_name:
            return str(custom_alias_name).strip()
        about = node if isinstance(node, Mapping) else {}
        version = str(about.get("version") or "").replace(".", "_")
        return f"{about.get('name', '')}_v{version}" if version else str(about.get("name", ""))

    def database(custom_database_name: object = None, node: object = None) -> str:
        return str(custom_database_name or "").strip() or target.database

    macros = {"generate_schema_name": schema, "generate_alias_name": alias, "generate_database_name": database}
    usual = {f"default__{name}": macro for name, macro in macros.items()}
    return {**macros, **usual, "generate_schema_name_for_env": schema_for_env}


def _refused(project: TemplateProject) -> Names:
    """What only a database could answer."""

    def ask(name: str, answer: object) -> Callable[..., object]:
        def asked(*args: object, **kwargs: object) -> object:
            caller = kwargs.get("caller")
            if callable(caller):
                caller()
            project.note(
                f"the model asks the database while it is compiled ({name}); what depends on the answer is missing. "
                + COMPILE
            )
            return answer

        return asked

    return {
        "run_query": ask("run_query", None),
        "statement": ask("statement", ""),
        "load_result": ask("load_result", None),
    }


def _silent() -> Names:
    return dict.fromkeys(("log", "print", "debug", "store_result", "store_raw_result", "write"), _nothing)


def _plain() -> Names:
    return {
        "return": _return,
        "tojson": lambda value, default=None, sort_keys=False: _or(default, json.dumps, value),
        "fromjson": lambda value, default=None: _or(default, json.loads, value),
        "toyaml": lambda value, default=None, sort_keys=False: _or(default, yaml.safe_dump, value),
        "fromyaml": lambda value, default=None: _or(default, _from_yaml, value),
        "set": lambda value, default=None: set(value) if isinstance(value, Iterable) else default,
        "set_strict": set,
        "zip": lambda *args, **kwargs: list(zip(*args, strict=False)),
        "zip_strict": lambda *args: list(zip(*args, strict=True)),
        "local_md5": lambda value: hashlib.md5(str(value).encode(), usedforsecurity=False).hexdigest(),
    }


def _or(default: object, make: Callable[..., object], value: object) -> object:
    try:
        return make(value)
    except (TypeError, ValueError, yaml.YAMLError, YamlProblem):
        return default


def _from_yaml(value: object) -> object:
    if not isinstance(value, str):
        raise TypeError(f"no text: {value!r}")
    return read_yaml(value).data


def _nothing(*args: object, **kwargs: object) -> str:
    return ""


def _return(value: object = None) -> object:
    raise MacroReturn(value)


def _refuse(message: object = "", *args: object) -> object:
    raise TemplateError(str(message))


def _api(dialect: str) -> MacroPackage:
    def create(
        database: object = None, schema: object = None, identifier: object = None, **kwargs: object
    ) -> DbtRelation:
        return DbtRelation(str(database or ""), str(schema or ""), str(identifier or ""), dialect)

    column = MacroPackage("api.Column", {"translate_type": lambda type: type, "string_type": lambda size=0: "string"})
    return MacroPackage("api", {"Relation": MacroPackage("api.Relation", {"create": create}), "Column": column})


def _target(target: DbtTarget, asked: RenderState) -> MacroPackage:
    name: str = target.name
    if not target.known_name:
        name = GuessedText(target.name)
        name.asked = asked
    plain = {"schema": target.schema, "dataset": target.schema, "database": target.database, "dbname": target.database}
    return MacroPackage(
        "target", {**plain, "project": target.database, "type": target.type, "name": name, "threads": 1}
    )
