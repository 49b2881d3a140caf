"""Lint errors of a child, without those that inherited terms resolve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.contracts.contract import Violation
from forge.contracts.document.file import Document
from forge.contracts.inherit.contract import EffectiveContract
from forge.contracts.linter.lint import lint_document

_OPTIONS = "logicalTypeOptions"


def without_inherited(
    errors: Sequence[Violation], child: Document, effective: EffectiveContract, profile: str = "standard"
) -> tuple[Violation, ...]:
    """A child may set options of a type that only its parent declares; the standard wants both in one place."""
    typeless = _typeless(child.data.get("schema"), "schema")
    excused = [each for each in errors if _is_about(each, typeless)]
    if not excused:
        return tuple(errors)
    still = {(each.file, each.line) for each in lint_document(effective.document, profile)}
    return tuple(each for each in errors if each not in excused or (each.file, each.line) in still)


def _is_about(violation: Violation, typeless: Sequence[str]) -> bool:
    """Whether it concerns the options of one of these properties."""
    if violation.path in typeless:
        return _OPTIONS in violation.message or "logicalType" in violation.message
    return any(violation.path.startswith((f"{path}.{_OPTIONS}", f"{path}.logicalType")) for path in typeless)


def _typeless(value: object, path: str) -> list[str]:
    """Paths of properties with options but no type of their own."""
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in _typeless(item, f"{path}[{index}]")]
    if not isinstance(value, Mapping):
        return []
    own = [path] if value.get(_OPTIONS) and not value.get("logicalType") else []
    inside = ("properties", "items", "map", "key", "value")
    return [*own, *(found for key in inside if key in value for found in _typeless(value[key], f"{path}.{key}"))]
