"""Cleans contracts inferred from rows (CSV, JSON): sample values may be personal, and bounds of a sample are no
promise."""

from __future__ import annotations

from collections.abc import Mapping

FORMATS = ("csv", "json", "parquet")
_SHOWN = ("required", "unique")  # Parquet declares them itself
_BOUNDS = ("minimum", "maximum")
_INSIDE = ("properties", "items")


def without_sample(data: Mapping[str, object], format: str) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """The contract without sample values and unintended promises, and what was removed."""
    dropped: set[str] = set()
    schema = data.get("schema")
    if not isinstance(schema, list):
        return data, ()
    names = ("examples",) if format == "parquet" else ("examples", *_SHOWN)
    bare = {**data, "schema": [_bare(each, names, dropped) for each in schema]}
    promises = [name for name in (*_SHOWN, *_BOUNDS) if name in dropped]
    notes = ["examples: were left out; they are values of rows"] if "examples" in dropped else []
    if promises:
        notes.append(f"{', '.join(promises)}: were left out; what the rows of one file show is no promise")
    return bare, tuple(notes)


def _bare(given: object, names: tuple[str, ...], dropped: set[str]) -> object:
    """One table or column with its nested parts."""
    if isinstance(given, list):
        return [_bare(each, names, dropped) for each in given]
    if not isinstance(given, Mapping):
        return given
    dropped.update(name for name in names if name in given)
    found = {key: value for key, value in given.items() if key not in names}
    found |= {key: _bare(given[key], names, dropped) for key in _INSIDE if key in given}
    options = found.pop("logicalTypeOptions", None)
    if isinstance(options, Mapping):
        dropped.update(name for name in _BOUNDS if name in options)
        options = {key: value for key, value in options.items() if key not in _BOUNDS}
    return {**found, "logicalTypeOptions": options} if options else found
