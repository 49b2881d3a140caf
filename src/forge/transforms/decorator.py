"""`@transform`: marks a Python function that makes a table. The function itself is unchanged; needs no Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.word_list import words

F = TypeVar("F", bound=Callable[..., Any])
ATTRIBUTE = "__forge_transform__"
KEYS = words("output inputs kind unique_key time_column partitioned_by tags owner description columns checks")


@dataclass(frozen=True, slots=True)
class Declaration:
    """The arguments of the decorator, not validated: only the loader of the file knows the place to report."""

    inputs: Mapping[str, str]
    options: Mapping[str, object]


@overload
def transform(function: F, /) -> F: ...


@overload
def transform(
    *,
    output: str | None = ...,
    inputs: Mapping[str, str] | None = ...,
    kind: str = ...,
    unique_key: Sequence[str] = ...,
    time_column: str | None = ...,
    partitioned_by: Sequence[str] = ...,
    tags: Sequence[str] = ...,
    owner: str | None = ...,
    description: str | None = ...,
    columns: Mapping[str, str] | None = ...,
    checks: Sequence[Mapping[str, object]] = ...,
) -> Callable[[F], F]: ...


def transform(function: Any = None, /, **given: Any) -> Any:
    """Mark a function that makes the table `output` from `inputs` (argument name → table).

    `output` defaults to the last folder and the function's name. The function gets each input as a Spark DataFrame by
    its name, and `ctx` if it asks for it; it returns a Spark DataFrame."""
    raise_errors(_unknown_key(key) for key in given if key not in KEYS)

    def mark(target: F) -> F:
        options = {key: value for key, value in given.items() if key != "inputs"}
        setattr(target, ATTRIBUTE, Declaration(given.get("inputs") or {}, options))
        return target

    return mark if function is None else mark(function)


def declaration_of(value: object) -> Declaration | None:
    """What `@transform` left on a function."""
    found = getattr(value, ATTRIBUTE, None) if callable(value) else None
    return found if isinstance(found, Declaration) else None


def _unknown_key(key: str) -> ForgeError:
    return ForgeError(
        "E104",
        f"@transform does not know '{key}'",
        why=f"It knows {', '.join(KEYS)}.",
        fix=did_you_mean(key, KEYS) or "Remove it.",
    )


__all__ = ["Declaration", "declaration_of", "transform"]
