"""Runtime parameters: environment variables, command line arguments, notebook widgets. Their defaults are used where
the program has some."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from forge.lineage.extract.python.library import Call, Handler, Library, ValueKind, methods
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    DictOf,
    LibraryValue,
    UnknownValue,
    known_text,
    list_of,
    truth_of,
)
from forge.lineage.extract.python.world import World


def default_at(place: int, name: str) -> Handler:
    """`os.getenv("X", "y")`: the argument at that place. An empty one says nothing."""

    def handler(call: Call, world: World) -> AbstractValue:
        return _default_or_unknown(call.arg(place, name), call.written, call.text(0))

    return handler


def _default_or_unknown(default: AbstractValue | None, what: str, setting: str | None) -> AbstractValue:
    return default if default is not None and truth_of(default) else UnknownValue(what, setting)


def _all_settings(call: Call, world: World) -> AbstractValue:
    """A file of settings that is loaded."""
    return UnknownValue(call.written, "")


def _variable(call: Call, world: World) -> AbstractValue:
    """Airflow's Variable.get; one that holds JSON is many."""
    default = call.named.get("default_var") or call.named.get("default") or call.arg(1)
    return _default_or_unknown(default, call.written, call.text(0, "key"))


@dataclass(frozen=True, slots=True, eq=False)
class ArgparseValue(LibraryValue):
    """An ArgumentParser and its namespace: `values` are the defaults by name."""

    kind: str
    values: dict[str, AbstractValue] = field(default_factory=dict)


def _add_argument(call: Call, world: World) -> AbstractValue:
    parser = call.receiver(ArgparseValue)
    names = [name for one in call.args if (name := known_text(one)) is not None]
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    name = known_text(call.named.get("dest")) or long.lstrip("-").replace("-", "_")
    if name:
        parser.values[name] = _default_or_unknown(call.named.get("default"), f"the argument {long}", name)
    return NONE


def _set_defaults(call: Call, world: World) -> AbstractValue:
    call.receiver(ArgparseValue).values.update(call.named)
    return NONE


def _parse(call: Call, world: World) -> AbstractValue:
    values = ArgparseValue("argparse.values", call.receiver(ArgparseValue).values)
    return list_of((values, UnknownValue(call.written)), "tuple") if call.name.endswith("known_args") else values


def _value(call: Call, world: World) -> AbstractValue | None:
    return call.receiver(ArgparseValue).values.get(call.name) or UnknownValue(call.written, call.name)


def _vars(call: Call, world: World) -> AbstractValue:
    of = call.arg(0)
    if not isinstance(of, ArgparseValue):
        return UnknownValue(call.written)
    found = DictOf(open=True)
    found.items.update(of.values)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class DbutilsValue(LibraryValue):
    """`dbutils` and its widgets."""

    kind: str


_WIDGETS = DbutilsValue("dbutils.widgets")
_DBUTILS = DbutilsValue("dbutils")


def _defaults(world: World) -> dict[str, AbstractValue]:
    return cast("dict[str, AbstractValue]", world.settings.setdefault("widgets", {}))


def _add_widget(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "name")
    if name is not None:
        _defaults(world)[name] = _default_or_unknown(call.arg(1, "defaultValue"), f"the widget {name}", name)
    return NONE


def _get_widget(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "name")
    return _defaults(world).get(name or "") or UnknownValue(call.written, name)


def _section(call: Call, world: World) -> AbstractValue:
    """`parser.get("section", "option", fallback=…)`"""
    name = "_".join(one for one in (call.text(0, "section"), call.text(1, "option")) if one)
    return _default_or_unknown(call.named.get("fallback"), call.written, name or None)


_SETTINGS_FILE = DbutilsValue("configparser")
_LOADS = (
    *("yaml.safe_load", "yaml.load", "yaml.full_load", "json.load", "json.loads", "toml.load", "toml.loads"),
    *("tomllib.load", "tomllib.loads", "tomli.load", "omegaconf.OmegaConf.load", "pyhocon.ConfigFactory.parse_file"),
    *("dotenv.dotenv_values", "awsglue.utils.getResolvedOptions", "dynaconf.Dynaconf"),
)
_VARIABLES = ("airflow.models.Variable.get", "airflow.models.variable.Variable.get", "airflow.sdk.Variable.get")


PARAMETERS = Library(
    modules=(
        *("os.environ", "argparse", "dbutils", "yaml", "json", "toml", "tomllib", "tomli", "omegaconf", "pyhocon"),
        *("dotenv", "awsglue", "dynaconf", "configparser", "airflow.models", "airflow.sdk"),
    ),
    functions={
        "os.getenv": default_at(1, "default"),
        "os.environ.get": default_at(1, "default"),
        "argparse.ArgumentParser": lambda call, world: ArgparseValue("argparse.parser"),
        **dict.fromkeys(_LOADS, _all_settings),
        **dict.fromkeys(_VARIABLES, _variable),
        **dict.fromkeys(
            ("configparser.ConfigParser", "configparser.SafeConfigParser", "configparser.RawConfigParser"),
            lambda call, world: _SETTINGS_FILE,
        ),
        "builtins.vars": _vars,
    },
    constants={"builtins.dbutils": _DBUTILS, "parameter.dbutils": _DBUTILS},
    kinds=(
        ValueKind(
            name="argparse.parser",
            methods={
                "add_argument": _add_argument,
                "set_defaults": _set_defaults,
                **methods(_parse, ("parse_args", "parse_known_args")),
            },
            otherwise=lambda call, world: call.receiver(ArgparseValue),
        ),
        ValueKind(name="argparse.values", attribute=_value),
        ValueKind(
            name="configparser",
            methods={"get": _section},
            item=lambda call, world: UnknownValue(call.written, known_text(call.args[0])),
            otherwise=lambda call, world: UnknownValue(call.written),
        ),
        ValueKind(
            name="dbutils",
            attribute=lambda call, world: _WIDGETS if call.name == "widgets" else UnknownValue(call.written),
        ),
        ValueKind(
            name="dbutils.widgets",
            methods={**methods(_add_widget, ("text", "dropdown", "combobox", "multiselect")), "get": _get_widget},
            otherwise=lambda call, world: UnknownValue(call.written),
        ),
    ),
)
