"""Whether a change breaks an entity, and why.

A change arrives by an edge from an entity that has it (`carries`: a drop carries to everything derived, a rename only
to plain copies of the same name, a type change until it is cast). There the change type and the use decide. What only
depends on a broken entity is blocked until that is fixed, not broken."""

from __future__ import annotations

from dataclasses import dataclass

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.graph.request import MAKERS
from forge.lineage.graph.traversal import Link, ReachedNode
from forge.lineage.impact.change import ChangeType, ProposedChange
from forge.lineage.impact.path import DataUse, ImpactPaths, copies_name, heaviest, is_table, use_of
from forge.lineage.impact.type_change import casts_in, still_meets
from forge.lineage.kind import EdgeType
from forge.lineage.node import NodeType
from forge.model.types import same_type
from forge.model.widening import TypeChange, widens


@dataclass(frozen=True, slots=True)
class ImpactFinding:
    is_breaking: bool
    reason: str
    link: Link  # the edge it is judged by
    met: bool = True  # the change itself arrives here


def carries(change: ProposedChange, link: Link, *, of_table: bool) -> bool:
    """Whether what the edge leads to has the change as well."""
    match change.type:
        case ChangeType.DROP | ChangeType.DROP_TABLE | ChangeType.SEMANTICS:
            return True
        case ChangeType.RENAME:
            return not of_table and copies_name(link)
        case ChangeType.TYPE:
            return link.kind.indirect is None and not casts_in(link.expression)
    return False


def judge(change: ProposedChange, item: ReachedNode, paths: ImpactPaths, carried: frozenset[str]) -> ImpactFinding:
    links = paths.into(item)
    arriving = [link for link in links if _arrives(link, paths, carried)]
    if not arriving:
        link = heaviest(paths.nearest(item))
        return ImpactFinding(False, f"{_how(item, link, link.source)}, {_STANDS[change.type]}", link, met=False)
    nearest = set(paths.nearest(item)).intersection(arriving)
    link = heaviest(nearest or arriving)
    text = _how(item, link, _what(change, link.source, paths))
    match change.type:
        case ChangeType.RENAME:
            return ImpactFinding(True, text + _renamed(change, link, paths), link)
        case ChangeType.TYPE:
            return _of_type(change, link, text)
        case ChangeType.LOCATION:
            named = paths.changed.type is NodeType.EXTERNAL
            more = ": it names the old place" if named else ": it is found by its name, which stays"
            return ImpactFinding(named, text + more, link)
        case ChangeType.SEMANTICS:
            return _of_meaning(link, text)
    return ImpactFinding(True, text + _MORE.get(change.type, ""), link)


def _arrives(link: Link, paths: ImpactPaths, carried: frozenset[str]) -> bool:
    if link.source in carried:
        return True
    if link.kind.type is EdgeType.EXECUTES:  # what runs it fails with it
        return any(_arrives(one, paths, carried) for one in paths.into(paths.items[link.source]))
    return link.kind.type is EdgeType.CONSUMES and paths.holds_carried(link.source, carried)


_STANDS = {
    ChangeType.DROP: "which is not lost",
    ChangeType.DROP_TABLE: "which is not lost",
    ChangeType.RENAME: "which keeps its name: nothing changes here once that is mended",
    ChangeType.TYPE: "which keeps its type: nothing changes here once that is mended",
    ChangeType.ADD: "which names its columns",
    ChangeType.LOCATION: "which stays where it is",
    ChangeType.PERMISSION: "which can still be read, but may not be made again",
    ChangeType.FORMAT: "which keeps its format",
    ChangeType.SCHEMA: "whose columns stay, once that is mended",
    ChangeType.SEMANTICS: "which keeps its meaning",
}
_MORE = {
    ChangeType.PERMISSION: ": who runs it may not be allowed to read that any more",
    ChangeType.FORMAT: ": it must be able to read the new format",
    ChangeType.SCHEMA: ": what it takes from there may be missing or different",
}
_OF_COLUMN = {
    ChangeType.DROP: "the dropped column",
    ChangeType.RENAME: "the renamed column",
    ChangeType.TYPE: "the retyped column",
    ChangeType.PERMISSION: "the restricted column",
    ChangeType.SCHEMA: "the changed column",
    ChangeType.SEMANTICS: "the redefined column",
}
_OF_TABLE = {
    ChangeType.DROP: "the dropped table",
    ChangeType.DROP_TABLE: "the dropped table",
    ChangeType.RENAME: "the renamed table",
    ChangeType.ADD: "the extended table",
    ChangeType.LOCATION: "the moved table",
    ChangeType.PERMISSION: "the restricted table",
    ChangeType.FORMAT: "the reformatted table",
    ChangeType.SCHEMA: "the changed table",
    ChangeType.SEMANTICS: "the redefined table",
}
_FARTHER = {
    ChangeType.DROP: "which is lost with it",
    ChangeType.DROP_TABLE: "which is lost with it",
    ChangeType.RENAME: "which is renamed as well",
    ChangeType.TYPE: "which gets the new type as well",
    ChangeType.SEMANTICS: "which gets the new meaning as well",
}


def _what(change: ProposedChange, source: str, paths: ImpactPaths) -> str:
    """The changed thing as the edge sees it."""
    if is_table(paths.changed) and source == paths.changed.id:
        return f"{_OF_TABLE[change.type]} {source}"
    if not is_table(paths.changed) and source in paths.starts:
        words = _OF_COLUMN.get(change.type, "the changed column").replace("column", str(paths.changed.type))
        return f"{words} {paths.changed.id}"
    if source in paths.starts:
        return f"{source} of {_OF_TABLE.get(change.type, 'the changed table')}"
    if any(node.table == source for node in paths.starts.values()):
        return f"{source}, the table of {_OF_COLUMN.get(change.type, 'the changed column')}"
    if source not in paths.items:
        return f"{source}, in which columns are hit"
    if paths.items[source].node.type in MAKERS:
        return f"{source}, which is hit"
    return f"{source}, {_FARTHER.get(change.type, 'which is hit')}"


_INDIRECT = {
    IndirectType.JOIN: "is joined by",
    IndirectType.FILTER: "is filtered by",
    IndirectType.GROUP_BY: "is grouped by",
    IndirectType.SORT: "is sorted by",
    IndirectType.WINDOW: "has a window over",
}
_DIRECT = {
    Transformation.IDENTITY: "is a copy of",
    Transformation.UNION: "takes its rows by a UNION from",
    Transformation.UNKNOWN: "is made from",
}


def _how(item: ReachedNode, link: Link, source: str) -> str:
    """`marts.daily.net is SUM(amount) of the dropped column core.orders.amount`."""
    subject = item.node.id
    if link.target != item.node.id:
        subject = f"{item.node.id} belongs to {link.target}, which"
    if link.kind.indirect is not None:
        return f"{subject} {_INDIRECT[link.kind.indirect]} {source}"
    if link.kind.type is EdgeType.CONSUMES:
        return f"{subject} reads {source}"
    if link.kind.type is EdgeType.EXECUTES:
        return f"{subject} runs {source}"
    if link.kind.type is EdgeType.PRODUCES:
        return f"{subject} is made by {source}"
    plain = link.transformation is Transformation.IDENTITY
    if link.expression and not plain:
        return f"{subject} is {_short(link.expression)} of {source}"
    return f"{subject} {_DIRECT.get(link.transformation, 'is computed from')} {source}"


def _short(text: str, most: int = 80) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _renamed(change: ProposedChange, link: Link, paths: ImpactPaths) -> str:
    old = change.name if link.source in paths.starts else link.source.rpartition(".")[2]
    if not is_table(paths.changed) and copies_name(link):
        return (
            f": it changes its name to {change.to} as well where its query takes *; "
            f"where its query names {old}, that fails"
        )
    return f", and calls it {paths.changed.id if is_table(paths.changed) else old}"


def _of_type(change: ProposedChange, link: Link, text: str) -> ImpactFinding:
    old, new, direction = change.old_type or "", change.to or "", change.direction
    casts = casts_in(link.expression)
    text = f"{text}, {old or 'of a type that is not known'} → {new}"
    if direction is None:
        return ImpactFinding(True, f"{text}: whether its values fit cannot be told", link)
    if direction is TypeChange.NARROWING:
        return ImpactFinding(True, f"{text}: values that do not fit the narrower type fail or are cut", link)
    if direction is TypeChange.UNRELATED and widens(old, new, "value"):
        return ImpactFinding(
            True, f"{text}: every value fits, but what is computed, joined, filtered or shown changes", link
        )
    if direction is not TypeChange.WIDENING:
        return ImpactFinding(True, f"{text}: what is done with {old} cannot be done with {new}", link)
    small = next((cast for cast in casts if not _takes(cast, new) and _takes(cast, old)), None)
    if small:
        return ImpactFinding(
            True, f"{text}: the cast to {' '.join(small.split())} does not hold the wider values", link
        )
    if use_of(link) is DataUse.JOIN_KEY:
        if still_meets(old, new):
            return ImpactFinding(False, f"{text}: the other side of the join is still {old}, which {new} meets", link)
        return ImpactFinding(
            True, f"{text}: the other side of the join is still {old}, and new values may not meet it", link
        )
    return ImpactFinding(False, f"{text}: every value of {old} fits {new}", link)


def _takes(cast: str, values: str) -> bool:
    """Whether a cast holds all values of a type. Text holds everything."""
    return cast.lower() == "string" or same_type(values, cast) or widens(values, cast, "value")


def _of_meaning(link: Link, text: str) -> ImpactFinding:
    use = use_of(link)
    if use is DataUse.PASSED_THROUGH:
        return ImpactFinding(False, f"{text}: nothing fails, but it means something else", link)
    effect = {DataUse.AGGREGATED: "its figures are others", DataUse.FILTER: "other rows are in it"}
    return ImpactFinding(True, f"{text}: nothing fails, but {effect.get(use, 'other rows meet')}", link)
