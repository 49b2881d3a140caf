"""Who may read a source, and what of it."""

from __future__ import annotations

from forge.federation.relation import SourceRelation
from forge.federation.source import Source
from forge.model.errors import ForgeError


def may_read(source: Source, user: str) -> bool:
    """Names are compared as they are written. None named: everyone who may read the lake."""
    return not source.readers or user in source.readers


def refuse_reader(source: Source, user: str) -> None:
    """E885, which tells nothing of what the source holds."""
    if not may_read(source, user):
        raise ForgeError(
            "E885",
            f"You may not read the source {source.name}",
            why="It names its readers, and you are not among them.",
            fix="Ask whoever declared it.",
        )


def hidden_columns(source: Source, relation: SourceRelation) -> frozenset[str]:
    """In small letters. `customers.email` is said of a table in any schema, and `public.customers.email` also of one
    whose source has no schemas; points within names hide rather too much than too little. Of files, which are one
    table without a name, any name will do."""
    columns = [column.name.lower() for column in relation.columns]
    if not relation.name.path:
        return frozenset(one for one in columns if any(said.endswith(f".{one}") for said in source.hidden))
    table = ".".join(relation.name.path).lower()
    return frozenset(one for one in columns if any(_is_said(f"{table}.{one}", said) for said in source.hidden))


def _is_said(column: str, said: str) -> bool:
    return column == said or column.endswith(f".{said}") or said.endswith(f".{column}")
