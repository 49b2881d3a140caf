"""Who may read a virtual table: he who may read all that it is made of, too."""

from __future__ import annotations

from collections.abc import Mapping

from forge.federation.lake_rules import LakeRules
from forge.federation.rights import refuse_reader
from forge.federation.source import LAKE, VIRTUAL, Source
from forge.federation.virtual_table import VirtualTable
from forge.model.errors import ForgeError


def has_rights(
    table: VirtualTable,
    tables: Mapping[str, VirtualTable],
    sources: Mapping[str, Source],
    user: str,
    rules: LakeRules,
) -> bool:
    try:
        refuse_without_rights(table, tables, sources, user, rules)
    except ForgeError:
        return False
    return True


def refuse_without_rights(
    table: VirtualTable,
    tables: Mapping[str, VirtualTable],
    sources: Mapping[str, Source],
    user: str,
    rules: LakeRules,
) -> None:
    """E885 where the user may not read it, or anything that it is made of. What is not declared, nobody may. `rules`:
    of the lake, those of its views with them."""
    waiting, seen = [table], {table.name}
    while waiting:
        one = waiting.pop()
        one.refuse_reader(user)
        for each in one.sources:
            if each.connector_id == VIRTUAL and each.table_name in tables:
                inner = tables[each.table_name]
                waiting += [] if inner.name in seen else [inner]
                seen.add(inner.name)
            elif each.connector_id in sources:
                refuse_reader(sources[each.connector_id], user)
            elif each.connector_id == LAKE:
                rules.refuse_reader(str(each.relation), user)
            else:
                what = f"The virtual table {one.name} reads {each.relation}, which is not declared"
                raise ForgeError("E885", what, fix="Ask whoever declared it.")
