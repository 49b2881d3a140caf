"""Documents that cannot be compared: a value of another shape than the standard's would look as if it were removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forge.contracts.contract import Violation
from forge.contracts.document.file import ContractError, Document, Path, path_text

_LISTS = ("schema", "slaProperties", "servers", "roles", "properties", "quality", "relationships", "enum")
_MAPPINGS = ("items", "map", "logicalTypeOptions", "key", "value")
_OF_MAPPINGS = ("schema", "slaProperties", "servers", "roles", "properties", "quality", "relationships")
_INSIDE = ("schema", "properties", "items", "map", "key", "value")


def refuse_other_shapes(*documents: Document) -> None:
    """Raises E502 with all violations."""
    found = [violation for document in documents for violation in _violations(document)]
    if found:
        raise ContractError(tuple(found))


def _violations(document: Document) -> Iterator[Violation]:
    if "models" in document.data and "schema" not in document.data:
        message = "this is the shorthand with models, not a contract of the standard"
        yield _violation(document, ("models",), message, f"forge contract import {document.file} turns it into one.")
        return
    for path, message in _walk(document.data, ()):
        yield _violation(document, path, message, f"forge contract lint {document.file} tells all that is wrong.")


def _violation(document: Document, path: Path, message: str, fix: str) -> Violation:
    place = document.place_of(path)
    return Violation(
        code="E502",
        severity="error",
        file=place.file,
        line=place.line,
        column=place.column,
        path=path_text(path),
        message=message,
        fix=fix,
    )


def _walk(node: Mapping[str, object], path: Path) -> Iterator[tuple[Path, str]]:
    for key, value in node.items():
        here = (*path, key)
        if value is None:
            continue
        if key in _LISTS and not isinstance(value, list):
            yield here, f"{key} must be a list"
        elif key in _MAPPINGS and not isinstance(value, Mapping):
            yield here, f"{key} must be a mapping"
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                if key in _OF_MAPPINGS and not isinstance(entry, Mapping):
                    yield (*here, index), f"an entry of {key} must be a mapping"
                elif key in _INSIDE and isinstance(entry, Mapping):
                    yield from _walk(entry, (*here, index))
        elif key in _INSIDE and isinstance(value, Mapping):
            yield from _walk(value, here)
