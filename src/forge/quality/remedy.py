"""Remediation actions of a failed check, as in `on_failure: [quarantine, {action: impute, …}]`. An action is data;
`flows/quality/remediation/proposal.py` executes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum

from forge.model.name_suggestions import did_you_mean
from forge.model.record_json import record_json


class ActionKind(StrEnum):
    NOTIFY = "notify"
    QUARANTINE = "quarantine"
    ROLLBACK = "rollback"
    IMPUTE = "impute"
    DEDUPLICATE = "deduplicate"
    CUSTOM = "custom"

    @property
    def changes_data(self) -> bool:
        return self is not ActionKind.NOTIFY


class ImputeMethod(StrEnum):
    CONSTANT = "constant"
    MEDIAN = "median"
    MODE = "mode"
    FORWARD_FILL = "forward_fill"


@dataclass(frozen=True, slots=True)
class Action:
    """`options` of its kind, hashable: (("method", "median"), ("columns", ("amount",)))."""

    kind: ActionKind
    options: tuple[tuple[str, object], ...] = ()

    def option(self, name: str) -> object:
        """None where it was not given."""
        return dict(self.options).get(name)

    def names(self, name: str) -> tuple[str, ...]:
        """An option that lists names: columns, channels."""
        value = self.option(name)
        return tuple(str(item) for item in value) if isinstance(value, tuple) else ()

    def to_dict(self) -> dict[str, object]:
        """As in a file, JSON-safe; `load_actions` parses it back."""
        return {"action": str(self.kind), **{name: _plain(value) for name, value in self.options}}


@dataclass(frozen=True, slots=True)
class RemedyResult:
    """The result of one action."""

    action: ActionKind
    success: bool
    message: str
    details: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


class InvalidActions(ValueError):
    """All errors in a value of `on_failure`, one line each."""

    def __init__(self, errors: tuple[str, ...]) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors


def load_actions(value: object) -> tuple[Action, ...]:
    """One action or a list: a word, or {action: …, …}. Raises with all errors."""
    listed = value if isinstance(value, list | tuple) else [value]
    actions: list[Action] = []
    errors: list[str] = []
    for number, item in enumerate(listed, start=1):
        action, wrong = _load(item)
        place = f"action {number}: " if len(listed) > 1 else ""
        errors += [f"{place}{error}" for error in wrong]
        if action is not None:
            actions.append(action)
    if errors:
        raise InvalidActions(tuple(errors))
    if len(set(actions)) < len(actions):
        raise InvalidActions(("names the same action twice",))
    return tuple(actions)


def _load(item: object) -> tuple[Action | None, list[str]]:
    given: Mapping[object, object] = {"action": item} if isinstance(item, str) else {}
    if isinstance(item, Mapping):
        given = item
    known = ", ".join(ActionKind)
    if "action" not in given:
        return None, [f"an action is one of {known}, or a mapping like {{action: impute, …}}, and is {item!r}"]
    word = given["action"]
    if word not in list(ActionKind):
        near = did_you_mean(str(word), list(ActionKind)) or f"The actions are {known}."
        return None, [f"there is no action '{word}'. {near}"]
    kind = ActionKind(str(word))
    options, errors = _read_options(kind, given)
    errors += _RULES.get(kind, _no_rule)(options) if not errors else []
    if errors:
        return None, [f"{kind}: {error}" for error in errors]
    return Action(kind, tuple(sorted(options.items()))), []


def _read_options(kind: ActionKind, given: Mapping[object, object]) -> tuple[dict[str, object], list[str]]:
    keys, options, errors = _OPTIONS[kind], {}, []
    for name, value in given.items():
        if name == "action":
            continue
        read = keys.get(str(name))
        if read is None:
            known = f"Its keys are {', '.join(keys)}." if keys else "It has none."
            errors.append(f"there is no key '{name}'. {did_you_mean(str(name), keys) or known}")
            continue
        try:
            options[str(name)] = read(value)
        except ValueError as error:
            errors.append(f"'{name}' {error}")
    return options, errors


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"must be text, and is {value!r}")
    return value.strip()


def _names(value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not listed:
        raise ValueError(f"must be a name or a list of names, and is {value!r}")
    names = tuple(_text(item) for item in listed)
    if len(set(names)) < len(names):
        raise ValueError("has a name twice")
    return names


def _method(value: object) -> str:
    if value not in list(ImputeMethod):
        near = did_you_mean(str(value), list(ImputeMethod))
        raise ValueError(f"is one of {', '.join(ImputeMethod)}, and is {value!r}. {near or ''}".strip())
    return str(value)


def _constant(value: object) -> object:
    if not isinstance(value, str | bool | int | float | Decimal | date):
        raise ValueError(f"must be one value, not NULL, and is {value!r}")
    return value


def _function(value: object) -> str:
    """A file below the project's folder only: executed code must be in the project's history."""
    text = _text(value)
    file, _, name = text.rpartition(":")
    parts = file.split("/")
    inside = ".." not in parts and all(parts) and "\\" not in file and ":" not in file
    if not (inside and file.endswith(".py") and name.isidentifier()):
        raise ValueError(f"must be like quality/repair.py:name, a file of the project, and is {text!r}")
    return text


_OPTIONS: dict[ActionKind, dict[str, Callable[[object], object]]] = {
    ActionKind.NOTIFY: {"channels": _names, "message": _text},
    ActionKind.QUARANTINE: {},
    ActionKind.ROLLBACK: {},
    ActionKind.IMPUTE: {
        "method": _method,
        "columns": _names,
        "column": _names,
        "value": _constant,
        "key": _names,
        "order_by": _names,
    },
    ActionKind.DEDUPLICATE: {"key": _names, "order_by": _names},
    ActionKind.CUSTOM: {"sql": _text, "function": _function},
}


def _no_rule(options: dict[str, object]) -> list[str]:
    return []


def _impute_rule(options: dict[str, object]) -> list[str]:
    errors = []
    if "column" in options:
        if "columns" in options:
            errors.append("'column' and 'columns' say the same; keep one")
        options["columns"] = options.pop("column")
    method = options.get("method")
    if method is None:
        errors.append(f"'method' is missing: one of {', '.join(ImputeMethod)}")
        return errors
    if (method == ImputeMethod.CONSTANT) != ("value" in options):
        errors.append("'value' is missing" if "value" not in options else f"'value' has no use with method {method}")
    if method == ImputeMethod.FORWARD_FILL:
        if "order_by" not in options:
            errors.append("'order_by' is missing: it says which row comes before")
    else:
        errors += [f"'{name}' has no use with method {method}" for name in ("key", "order_by") if name in options]
    return errors


def _deduplicate_rule(options: dict[str, object]) -> list[str]:
    return [] if "order_by" in options else ["'order_by' is missing: it says which row is the newest, and stays"]


_RULES: dict[ActionKind, Callable[[dict[str, object]], list[str]]] = {
    ActionKind.IMPUTE: _impute_rule,
    ActionKind.DEDUPLICATE: _deduplicate_rule,
    ActionKind.CUSTOM: lambda options: [] if len(options) == 1 else ["one of 'sql' and 'function' is needed"],
}


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        return str(value)
    return value.isoformat() if isinstance(value, date) else value


PLAIN_ACTIONS = tuple(str(kind) for kind in ActionKind if not _RULES.get(kind, _no_rule)({}))  # need no options
