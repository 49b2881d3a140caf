"""The entity that an unknown name stands for, from its parts alone.

`core.orders` is a table and `core.orders.amount` a column of it; a system or a database adds one part:
`billing:db.public.invoices` is a table, `billing:db.public.invoices.total` a column. `dashboard:revenue` has its type
as prefix. A path is external."""

from __future__ import annotations

from forge.lineage.node import UNPREFIXED, Entity, NodeType, column_of

_TYPES = {str(type_): type_ for type_ in NodeType if type_ not in UNPREFIXED}
_IN_LAKE, _OUTSIDE = 2, 3  # parts of the name of a table


def is_named(text: str) -> bool:
    """Whether no part of it is empty."""
    type_, colon, rest = text.partition(":")
    if colon and type_ in _TYPES:
        return bool(rest.strip())
    if "/" in text:
        return True
    return bool(type_.strip()) and all(part.strip() for part in (rest if colon else type_).split("."))


def entity_of_text(text: str) -> Entity:
    type_, colon, rest = text.partition(":")
    if colon and type_ in _TYPES:
        return Entity(_TYPES[type_], rest)
    if "/" in text:
        return Entity(NodeType.EXTERNAL, text)
    parts = (rest if colon else text).split(".")
    before = f"{type_}:" if colon else ""
    outside = NodeType.EXTERNAL if colon else NodeType.TABLE
    length = _OUTSIDE if colon or len(parts) > _OUTSIDE else _IN_LAKE
    if len(parts) <= length:
        return Entity(outside if len(parts) > 1 or colon else NodeType.DATASET, text)
    table = before + ".".join(parts[:length])
    return column_of(table, parts[length], ".".join(parts[length + 1 :]))
