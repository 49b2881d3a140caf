"""Merges SLAs of a child with its parent's, matched by property, element and driver, in any spelling and unit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.contracts.contract import SlaProperty
from forge.contracts.inherit.table import bare
from forge.contracts.sla import Direction, Promise, SlaKind, promise_of, service_of, strength
from forge.contracts.tree import InheritanceFindings, TreeNode

Element = tuple[str, ...]  # table, column…; empty: all that the contract covers

# These cover the table; a column in `element` only names the clock.
_CLOCKED = ("latency", "freshness", "retention", "frequency", "timeOfAvailability")


@dataclass(frozen=True, slots=True)
class SlaEntry:
    """One entry and its meaning; None where it cannot be interpreted."""

    node: TreeNode
    service: str
    elements: Mapping[Element, str]  # as written
    driver: str | None
    promise: Promise | None

    @property
    def scope(self) -> frozenset[Element]:
        return frozenset(self.elements)


def with_elements(contract: TreeNode) -> TreeNode:
    """Writes `slaDefaultElement` into each entry without an element, as entries of many contracts may be merged."""
    default = contract.get("slaDefaultElement")
    entries = contract.get("slaProperties")
    if default is None:
        return contract
    changes: dict[str, TreeNode | None] = {"slaDefaultElement": None}
    if entries is not None:
        listed = [
            each
            if each.get("element")
            else each.with_({"element": TreeNode(default.source, default.path, default.value)})
            for each in contract.items("slaProperties")
        ]
        changes["slaProperties"] = TreeNode(entries.source, entries.path, listed)
    return contract.with_(changes)


def merge_slas(
    parent: TreeNode, child: TreeNode, tables: Sequence[TreeNode], findings: InheritanceFindings
) -> TreeNode | None:
    """The strictest of each. `tables` of the merged contract resolve elements."""
    names = ElementNames(tables)
    above = [_entry_of(node, names) for node in parent.items("slaProperties")]
    own = _strongest([_entry_of(node, names) for node in child.items("slaProperties")])
    kept = dict.fromkeys(range(len(above)), True)
    merged: list[TreeNode] = []
    for entry in own:
        lost: set[Element] = set()
        replaced = []
        for index, other in enumerate(above):
            shared = _shared(other, entry, own, above)
            if not shared:
                continue
            verdict = _judge(other, entry, findings)
            if verdict == "weaker":
                lost |= shared
            elif verdict == "holds" and _is_within(other, entry):
                replaced.append(index)
        kept |= dict.fromkeys(() if lost else replaced, False)
        merged.extend(_less(entry, lost))
    inherited = [other.node for index, other in enumerate(above) if kept[index]]
    entries = child.get("slaProperties") or parent.get("slaProperties")
    return TreeNode(entries.source, entries.path, [*merged, *inherited]) if entries and (merged or inherited) else None


def _strongest(entries: Sequence[SlaEntry]) -> list[SlaEntry]:
    """Of entries on the same element the strictest counts: all of them apply."""

    def is_beaten(one: SlaEntry, other: SlaEntry) -> bool:
        same = (one.service, one.scope, one.driver) == (other.service, other.scope, other.driver)
        if not same or one.promise is None or other.promise is None:
            return False
        return strength(one.promise, other.promise) == -1

    return [each for each in entries if not any(is_beaten(each, other) for other in entries)]


class ElementNames:
    """Resolves `element`: tables by name, physical name or id; a bare column where only one table has it."""

    def __init__(self, tables: Sequence[TreeNode]) -> None:
        self._tables: dict[str, str] = {}
        for table in tables:
            canonical = table.text("name").lower()
            texts = (table.text("name"), table.text("physicalName"), table.text("id"))
            for text in (*texts, *(bare(text) for text in texts[:2] if text)):
                if text:
                    self._tables.setdefault(text.lower(), canonical)
        self._nodes = {table.text("name").lower(): table for table in tables}
        self._known: dict[str, dict[str, str]] = {}
        self.only = next(iter(self._nodes)) if len(self._nodes) == 1 else None

    def _columns(self, table: str) -> dict[str, str]:
        """The canonical name of each column by all its names."""
        if table not in self._known:
            self._known[table] = {
                alias.lower(): column.text("name").lower()
                for column in self._nodes[table].items("properties")
                for alias in (column.text("id"), column.text("physicalName"), column.text("name"))
                if alias
            }
        return self._known[table]

    def elements(self, text: str) -> dict[Element, str]:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        return {self._element(part.lower()): part for part in parts} or {self._all(): ""}

    def _all(self) -> Element:
        return (self.only,) if self.only is not None else ()

    def _element(self, text: str) -> Element:
        plain = re.sub(r"[`\"'\s]", "", text).strip("/")
        if plain in ("*", "all"):
            return self._all()
        if "/" in plain:
            plain = ".".join(step for step in plain.split("/") if step not in ("schema", "properties"))
        plain = plain.removesuffix(".*").removesuffix("[*]")
        steps = plain.split(".")
        for size in range(len(steps), 0, -1):
            table = self._tables.get(".".join(steps[:size]))
            if table is not None:
                return (table, *self._inside(table, steps[size:]))
        if self.only is not None:
            return (self.only, *self._inside(self.only, steps))
        owners = [table for table in self._nodes if steps[0] in self._columns(table)]
        return (owners[0], *self._inside(owners[0], steps)) if len(owners) == 1 else tuple(steps)

    def _inside(self, table: str, steps: list[str]) -> Element:
        if not steps:
            return ()
        return (self._columns(table).get(steps[0], steps[0]), *steps[1:])


def _entry_of(node: TreeNode, names: ElementNames) -> SlaEntry:
    entry = SlaProperty(
        property=node.text("property"),
        value=node.plain("value"),
        unit=node.text("unit") or None,
        element=node.text("element") or None,
        driver=node.text("driver") or None,
    )
    service = service_of(entry.property)
    name = service.name if service else re.sub(r"[\s_-]+", "", entry.property).lower()
    return SlaEntry(
        node, name, names.elements(entry.element or ""), (entry.driver or "").lower() or None, promise_of(entry)
    )


def _shared(
    above: SlaEntry, own: SlaEntry, siblings: Sequence[SlaEntry], parents: Sequence[SlaEntry]
) -> frozenset[Element]:
    """The elements that the child's entry shares with the parent's; none: they are unrelated."""
    if above.service != own.service:
        return frozenset()
    if above.driver != own.driver and above.driver is not None:
        restated = any(s.service == above.service and s.driver == above.driver for s in siblings)
        if own.driver is not None or restated:
            return frozenset()
    others = [each for each in parents if each is not above and each.service == own.service]
    return frozenset(
        mine
        for mine in own.scope
        for theirs in above.scope
        if _meet(theirs, mine, above.service, own, siblings) and not _is_excepted(mine, theirs, above, own, others)
    )


def _is_excepted(mine: Element, theirs: Element, above: SlaEntry, own: SlaEntry, others: Sequence[SlaEntry]) -> bool:
    """Whether the parent has a specific entry for this element or driver; then its general one does not count."""
    for other in others:
        is_driven = other.driver == own.driver and above.driver != own.driver
        if other.driver not in (above.driver, own.driver):
            continue
        for element in other.scope:
            if mine[: len(element)] == element and (len(element), is_driven) > (len(theirs), False):
                return True
    return False


def _meet(theirs: Element, mine: Element, service: str, own: SlaEntry, siblings: Sequence[SlaEntry]) -> bool:
    if mine[: len(theirs)] == theirs:
        return True
    if theirs[: len(mine)] != mine or not mine or service not in _CLOCKED:
        return False
    others = (s for s in siblings if s is not own and s.service == service)
    return not any(each[: len(theirs)] == theirs for s in others for each in s.scope)


def _is_within(above: SlaEntry, own: SlaEntry) -> bool:
    """Whether the child's entry covers all that the parent's covers."""
    is_driven = own.driver in (None, above.driver)
    return is_driven and all(any(theirs[: len(mine)] == mine for mine in own.scope) for theirs in above.scope)


def _judge(above: SlaEntry, own: SlaEntry, findings: InheritanceFindings) -> str:
    """weaker | holds (as strict or stricter) | open (undecidable)."""
    if above.promise is None:
        return "holds"
    at = own.node.get("value") or own.node
    written = own.node.text("property")
    if own.promise is None:
        if own.node.get("value") is None:
            findings.weaker(
                own.node,
                f"{written}: has no value, the parent promises {above.promise.shown}",
                above.node,
                "Give it a value, or leave it out to inherit it.",
            )
        return "weaker"  # a value that cannot be read is the linter's; the parent's stays
    order = strength(own.promise, above.promise)
    if order is not None and order >= 0:
        return "holds"
    if order is None:
        if own.promise.kind is SlaKind.DATE and own.promise.direction is Direction.NONE:
            return "holds"
        findings.unclear(
            at,
            f"{written}: nobody can tell whether {own.promise.shown} is as strong as {above.promise.shown}",
            above.node,
            "Write both in the same way, or leave it out to inherit it.",
        )
        return "holds" if own.promise.direction is Direction.NONE else "open"
    about = f" on {own.node.text('element')}" if own.node.text("element") else ""
    least = "at most" if own.promise.direction is Direction.LOWER else "at least"
    findings.weaker(
        at,
        f"{written}{about}: {own.promise.shown} is weaker than the parent's {above.promise.shown}",
        above.node,
        f"Promise {least} {above.promise.shown}, or leave it out to inherit it.",
    )
    return "weaker"


def _less(entry: SlaEntry, lost: set[Element]) -> tuple[TreeNode, ...]:
    """The entry without the elements where the parent's applies."""
    if not lost:
        return (entry.node,)
    if entry.scope <= lost or not entry.node.get("element"):
        return ()
    rest = ", ".join(text for element, text in entry.elements.items() if element not in lost)
    return (entry.node.with_({"element": entry.node.leaf("element", rest)}),)
