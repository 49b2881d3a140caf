"""Fields of nested objects as columns of their own: `who.mail`.

Keys that differ from object to object are data, and may be somebody: no column is named after one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from forge.catalog.pii.detect import is_key

_DEEPEST = 8


def take_apart(columns: Mapping[str, Sequence[object]]) -> dict[str, list[object]]:
    """Values by column, where objects are dicts; those that have no fields stay."""
    flat: dict[str, list[object]] = {}
    for name, values in columns.items():
        for field, found in _fields(name, values, _DEEPEST):
            flat.setdefault(field, []).extend(found)
    return flat


def _fields(name: str, values: Sequence[object], depth: int) -> Iterator[tuple[str, Sequence[object]]]:
    objects = [one for one in values if isinstance(one, dict)]
    if not depth or len(objects) < len(values) or not _have_fields(objects):
        yield name, values
        return
    for key in dict.fromkeys(key for one in objects for key in one):
        inside = [one[key] for one in objects if one.get(key) is not None]
        yield from _fields(f"{name}.{key}", inside, depth - 1)


def _have_fields(objects: Sequence[Mapping[str, object]]) -> bool:
    """More than a few of the objects have each key, and it reads as a name. Of one object nobody can tell."""
    counts = Counter(key for one in objects for key in one)
    return bool(counts) and all(is_key(key) and count > max(1, len(objects) // 5) for key, count in counts.items())
