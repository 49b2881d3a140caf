"""Impact analysis: validates a proposed change, traverses the graph and reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from forge.flows.lineage.reader import GraphReader
from forge.flows.quality.incidents.impact import lake_table
from forge.lineage.errors import NotInGraphError
from forge.lineage.graph.request import MAKERS
from forge.lineage.graph.traversal import Link, Traversal
from forge.lineage.impact.analysis import impact_of, merge_reports
from forge.lineage.impact.change import NEED_TO, OF_TABLES, ChangeType, ProposedChange
from forge.lineage.impact.path import TableReader
from forge.lineage.impact.report import ImpactReport
from forge.lineage.kind import EdgeType
from forge.lineage.maker import OUTPUT
from forge.lineage.node import TABLE_LIKE, UNPREFIXED, GraphLevel, Node, NodeType
from forge.model.errors import ForgeError, raise_errors
from forge.model.types import same_type

LIMIT = 10_000  # entities in one report, the nearest first
_COLUMNS = frozenset({NodeType.COLUMN, NodeType.FIELD})
_READERS = frozenset(NodeType) - UNPREFIXED | {NodeType.EXTERNAL, NodeType.DATASET}


def report_impact(
    look: GraphReader,
    change: ProposedChange,
    *,
    depth: int | None = None,
    min_confidence: float | None = None,
    limit: int = LIMIT,
) -> ImpactReport:
    """Unlimited depth by default, with indirect edges. E801 for an unknown entity, E810 for a change that does not
    apply to it."""
    start, meant = check_change(look, change)
    walked = look.walk(
        start.id,
        direction="downstream",
        depth=1 if meant.type is ChangeType.ADD else depth,
        min_confidence=min_confidence,
        indirect=True,
        intermediate=True,
        limit=limit,
    )
    inside = _inside(look, walked)
    return impact_of(
        meant,
        walked,
        weights=look.ports.weights,
        owners=find_owners(look),
        readers=tuple(_who_notices(meant, _readers(look, walked, start, inside, min_confidence))),
        table=look.node,
        inside=inside,
    )


def report_schema(
    look: GraphReader,
    table: str,
    changes: Sequence[ProposedChange],
    *,
    depth: int | None = None,
    min_confidence: float | None = None,
    limit: int = LIMIT,
) -> ImpactReport:
    """Changes of one table in one report. Their entities are its columns (`amount`), or the table itself if
    empty. All errors are reported at once."""
    node = look.find(table)
    if node.type not in TABLE_LIKE:
        raise ForgeError(
            "E810", f"{node.id} is a {node.type}, not a table", fix="Give the table, and its columns in the changes."
        )
    if not changes:
        raise ForgeError("E810", f"No change of {node.id} is given", fix="Give at least one, like drop of a column.")
    reports: list[ImpactReport] = []
    wrong: list[ForgeError] = []
    for change in changes:
        try:
            named = replace(change, entity=_in_table(node.id, change.entity))
            reports.append(report_impact(look, named, depth=depth, min_confidence=min_confidence, limit=limit))
        except ForgeError as error:
            wrong.append(error)
    raise_errors(wrong)
    return merge_reports(node.id, reports, look.ports.weights)


def check_change(look: GraphReader, change: ProposedChange) -> tuple[Node, ProposedChange]:
    """Where the walk begins, and the change with the full name of its entity and the type it has."""
    if change.type is ChangeType.ADD:
        return _check_added(look, change)
    node = look.find(change.entity)
    kind = change.type
    if kind is ChangeType.DROP and node.type in TABLE_LIKE:
        kind = ChangeType.DROP_TABLE
    if kind in OF_TABLES and node.type in _COLUMNS:
        fix = f"Ask for the table: {node.table}" + (", or for a drop." if kind is ChangeType.DROP_TABLE else ".")
        raise ForgeError("E810", f"{kind} is a change of a table, and {node.id} is a {node.type}", fix=fix)
    if kind is ChangeType.TYPE and node.type not in _COLUMNS:
        raise ForgeError("E810", f"{node.id} is a {node.type} and has no type to change", fix="Name a column of it.")
    if kind in NEED_TO and not (change.to or "").strip():
        missing = "the new name" if kind is ChangeType.RENAME else "the new type"
        example = "net_amount" if kind is ChangeType.RENAME else "bigint"
        raise ForgeError(
            "E810", f"{kind} of {node.id} needs {missing}", fix=f"Add --to {example}, or `to` in a request."
        )
    meant = replace(change, type=kind, entity=node.id, to=change.to.strip() if change.to else None)
    if kind is ChangeType.RENAME:
        _check_name(look, node, meant.to or "")
    if kind is ChangeType.TYPE:
        meant = _typed(node, meant)
    return node, meant


def _check_added(look: GraphReader, change: ProposedChange) -> tuple[Node, ProposedChange]:
    """The entity is the column to be, or the table with the column's name in `to`."""
    name, column = change.entity.strip(), ""
    try:
        found = look.find(name)
    except NotInGraphError:
        table, _, column = name.rpartition(".")
        if not table:
            raise
        found = look.find(table)
    if found.type in TABLE_LIKE:
        column = column or (change.to or "").strip()
        if not column:
            raise ForgeError("E810", f"Which column {found.id} gets is not said", fix=f"Name it: {found.id}.new_column")
        _check_free(look, f"{found.id}.{column}")
        return found, replace(change, entity=f"{found.id}.{column}")
    raise ForgeError(
        "E810", f"{found.id} is there already", why="Only a column that does not exist can be added.", fix=_other(found)
    )


def _other(node: Node) -> str:
    return f"Give another name, or ask for a change of {node.id}: type, rename or drop."


def _check_name(look: GraphReader, node: Node, to: str) -> None:
    """A new name is given alone (`net`) or in full (`core.orders.net`)."""
    before = node.id[: max(node.id.rfind("."), node.id.find(":")) + 1]
    in_full = to.lower().startswith(before.lower()) or (node.type in TABLE_LIKE and "." in to)
    full = to if in_full else f"{before}{to}"
    if full.lower() == node.id.lower():
        raise ForgeError("E810", f"{node.id} has that name already", fix="Give another name with --to.")
    _check_free(look, full)


def _check_free(look: GraphReader, full: str) -> None:
    numbers = look.store.numbers([full, full.lower()])
    if numbers:
        taken = next(iter(numbers))
        raise ForgeError(
            "E810", f"{taken} is there already", why="Two things cannot have one name.", fix="Give another name."
        )


def _typed(node: Node, change: ProposedChange) -> ProposedChange:
    known = node.details.get("data_type")
    old = change.old_type or (str(known) if known else None)
    if old and change.to and same_type(old, change.to):
        raise ForgeError(
            "E810", f"{node.id} is {old} already", why=f"{change.to} is the same type.", fix="Give another with --to."
        )
    return replace(change, old_type=old)


def _in_table(table: str, column: str) -> str:
    """Columns may be named alone or in full."""
    name = column.strip()
    if not name or name.lower() == table.lower():
        return table
    return name if name.lower().startswith(f"{table.lower()}.") else f"{table}.{name}"


def _inside(look: GraphReader, walked: Traversal) -> frozenset[str]:
    """Intermediate tables on the paths."""
    numbers = look.store.numbers(sorted({item.node.table for item in walked.items if item.node.table}))
    nodes = look.store.nodes(sorted(numbers.values()), look.at)
    return frozenset(node.id for node in nodes.values() if node.hidden)


def _readers(
    look: GraphReader, walked: Traversal, start: Node, inside: Collection[str], min_confidence: float | None
) -> Iterable[TableReader]:
    """Dashboards, models, processes and datasets that read a whole table with an affected column, or another such
    reader: whether they use that column is not recorded, so they are included."""
    if not start.table:
        return
    known = {item.node.table for item in walked.items if item.node.table} - set(inside) | {start.table}
    pairs = _met_tables(walked)
    # One table-level traversal finds the readers; what each of them reads is one hop back.
    coarse = look.walk(
        start.table,
        direction="downstream",
        depth=None if walked.depth is None else walked.depth + 1,
        min_confidence=min_confidence,
        indirect=True,
        level=GraphLevel.TABLE,
        node_types=_READERS,
        intermediate=True,
    )
    for item in coarse.items:  # the nearest first, so that what they read is known
        types = [EdgeType.CONSUMES, *([EdgeType.DERIVES_FROM] if item.node.type is NodeType.DATASET else [])]
        read = [link for link in _into(look, item.node, types, min_confidence) if link.source in known]
        output = item.node.details.get(OUTPUT)
        for link in read:
            if output is None or (link.source, output) in pairs:
                known.add(item.node.id)
                yield TableReader(item.node, link)
        if item.node.type in MAKERS and item.node.id in known:
            yield from _runs(look, item.node, min_confidence)


def _into(look: GraphReader, node: Node, types: Iterable[EdgeType], min_confidence: float | None) -> Iterable[Link]:
    found = look.walk(node.id, direction="upstream", depth=1, min_confidence=min_confidence, edge_types=types)
    return (link for link in found.links if link.target == node.id)


def _runs(look: GraphReader, node: Node, min_confidence: float | None) -> Iterable[TableReader]:
    """The pipelines that run a transform or job: they fail with it."""
    for link in _into(look, node, [EdgeType.EXECUTES], min_confidence):
        yield TableReader(look.node(link.source), replace(link, source=link.target, target=link.source))


def _met_tables(walked: Traversal) -> frozenset[tuple[str, str]]:
    """From which table to which the change goes on: only who makes the second from the first has to do with it."""
    nodes = (*walked.starts, *(item.node for item in walked.items))
    tables = {node.id: node.table or node.id for node in nodes}
    ends = ((link.source, link.target) for link in walked.links)
    return frozenset((tables.get(source, source), tables.get(target, target)) for source, target in ends)


def _who_notices(change: ProposedChange, readers: Iterable[TableReader]) -> Iterable[TableReader]:
    """A new column is reported at the tables made from it, not at the transforms that make them."""
    return (one for one in readers if change.type is not ChangeType.ADD or OUTPUT not in one.node.details)


def find_owners(look: GraphReader) -> Callable[[Node], str | None]:
    """As a node says itself, else as the asset of its table, or of the table that it makes, does, else as the settings
    do."""
    assets = {asset.table: asset.owner for asset in look.ports.metadata.assets() if asset.owner}

    def owner_of(node: Node) -> str | None:
        owner = node.details.get("owner")
        if owner:
            return str(owner)
        owners = node.details.get("owners")
        if isinstance(owners, list) and owners:
            return ", ".join(map(str, owners))
        name = node.table or str(node.details.get(OUTPUT) or "")
        table = lake_table(name) if name else None
        return None if table is None else assets.get(table) or look.ports.owner(table)

    return owner_of
