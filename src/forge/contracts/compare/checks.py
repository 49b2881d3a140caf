"""Changed checks that a contract writes for Forge itself: `{type: custom, engine: forge, implementation: {…}}`."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.compare.change import ContractChangeKind, ContractPart, canonical
from forge.contracts.compare.interval import number_of
from forge.contracts.document.file import parse_document

_TALK = ("name", "description", "tags")
_WHAT = ("type", "column", "columns")


def check_of(rule: ContractPart) -> Mapping[str, object] | None:
    """The check, a mapping or YAML text by the standard; None for other engines."""
    check = rule.data.get("implementation")
    if rule.text("engine").lower() != "forge":
        return None
    if isinstance(check, str):
        document, problems = parse_document(check, rule.document.file)
        return document.data if document is not None and not problems else None
    return check if isinstance(check, Mapping) else None


def what_of(check: Mapping[str, object]) -> str:
    """The type and columns of a check: its target, without its limits."""
    columns = check.get("columns") or check.get("column") or ()
    named = columns if isinstance(columns, list) else [columns]
    return canonical([check.get("type"), sorted(str(name) for name in named)]).lower()


def limits_compared(old: Mapping[str, object], new: Mapping[str, object]) -> ContractChangeKind | None:
    """A higher `min…`, a lower `max…`, fewer `values` are tighter; other differences are undecidable."""
    kinds = {_compared(str(key), old.get(key), new.get(key)) for key in old.keys() | new.keys()} - {None}
    if not kinds:
        return None
    return kinds.pop() if len(kinds) == 1 else ContractChangeKind.CHANGED


def _compared(key: str, old: object, new: object) -> ContractChangeKind | None:
    if key in (*_TALK, *_WHAT, "severity") or canonical(old) == canonical(new):
        return None
    if key == "values" and isinstance(old, list) and isinstance(new, list):
        before, after = ({canonical(value) for value in side} for side in (old, new))
        return (
            ContractChangeKind.TIGHTENED
            if after < before
            else ContractChangeKind.LOOSENED
            if before < after
            else ContractChangeKind.CHANGED
        )
    is_low, is_high = key.startswith("min"), key.startswith("max")
    if not is_low and not is_high:
        return ContractChangeKind.CHANGED
    if key in ("min", "max") and (old is None or new is None):
        return ContractChangeKind.TIGHTENED if old is None else ContractChangeKind.LOOSENED
    first, second = (number_of(0 if value is None else value) for value in (old, new))
    if first is None or second is None:
        return ContractChangeKind.CHANGED
    return ContractChangeKind.TIGHTENED if (second > first) == is_low else ContractChangeKind.LOOSENED
