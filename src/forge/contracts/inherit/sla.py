"""SLAs of a child against its parent's: per property, element and driver, whatever words and units they use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.contracts.contract import SlaProperty
from forge.contracts.inherit.table import bare
from forge.contracts.sla import Direction, Kind, Promise, promise_of, service_of, strength
from forge.contracts.tree import Findings, Node

Element = tuple[str, ...]  # table, column…; empty: all that the contract covers

# Of these the table is promised; a column in `element` only says which clock is read.
_CLOCKED = ("latency", "freshness", "retention", "frequency", "timeOfAvailability")


@dataclass(frozen=True, slots=True)
class Said:
    """One entry and what it promises; None where it promises nothing that can be read."""

    node: Node
    service: str
    elements: Mapping[Element, str]  # as written
    driver: str | None
    promise: Promise | None

    @property
    def scope(self) -> frozenset[Element]:
        return frozenset(self.elements)


def with_elements(contract: Node) -> Node:
    """`slaDefaultElement` written into each entry that names no element, as entries of several contracts may meet."""
    default = contract.get("slaDefaultElement")
    entries = contract.get("slaProperties")
    if default is None:
        return contract
    changes: dict[str, Node | None] = {"slaDefaultElement": None}
    if entries is not None:
        listed = [
            each if each.get("element") else each.with_({"element": Node(default.source, default.path, default.value)})
            for each in contract.items("slaProperties")
        ]
        changes["slaProperties"] = Node(entries.source, entries.path, listed)
    return contract.with_(changes)


def merge_slas(parent: Node, child: Node, tables: Sequence[Node], findings: Findings) -> Node | None:
    """The strongest of each promise. `tables` are those of the merged contract, which say what an element means."""
    names = Names(tables)
    above = [_said(node, names) for node in parent.items("slaProperties")]
    own = _strongest([_said(node, names) for node in child.items("slaProperties")])
    kept = dict.fromkeys(range(len(above)), True)
    merged: list[Node] = []
    for said in own:
        lost: set[Element] = set()
        replaced = []
        for index, other in enumerate(above):
            shared = _shared(other, said, own, above)
            if not shared:
                continue
            verdict = _judge(other, said, findings)
            if verdict == "weaker":
                lost |= shared
            elif verdict == "holds" and _is_within(other, said):
                replaced.append(index)
        kept |= dict.fromkeys(() if lost else replaced, False)
        merged.extend(_less(said, lost))
    inherited = [other.node for index, other in enumerate(above) if kept[index]]
    entries = child.get("slaProperties") or parent.get("slaProperties")
    return Node(entries.source, entries.path, [*merged, *inherited]) if entries and (merged or inherited) else None


def _strongest(entries: Sequence[Said]) -> list[Said]:
    """Of entries on one thing the strongest counts: all of them hold."""

    def is_beaten(one: Said, other: Said) -> bool:
        same = (one.service, one.scope, one.driver) == (other.service, other.scope, other.driver)
        if not same or one.promise is None or other.promise is None:
            return False
        return strength(one.promise, other.promise) == -1

    return [each for each in entries if not any(is_beaten(each, other) for other in entries)]


class Names:
    """What the texts in `element` mean: tables by name, physical name or id; a column alone where one table has it."""

    def __init__(self, tables: Sequence[Node]) -> None:
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
        """The name of each column by all that it may be called."""
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


def _said(node: Node, names: Names) -> Said:
    entry = SlaProperty(
        property=node.text("property"),
        value=node.plain("value"),
        unit=node.text("unit") or None,
        element=node.text("element") or None,
        driver=node.text("driver") or None,
    )
    service = service_of(entry.property)
    name = service.name if service else re.sub(r"[\s_-]+", "", entry.property).lower()
    return Said(
        node, name, names.elements(entry.element or ""), (entry.driver or "").lower() or None, promise_of(entry)
    )


def _shared(above: Said, own: Said, siblings: Sequence[Said], parents: Sequence[Said]) -> frozenset[Element]:
    """The elements of the child's entry on which it meets the parent's; none: they are about different things."""
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


def _is_excepted(mine: Element, theirs: Element, above: Said, own: Said, others: Sequence[Said]) -> bool:
    """Whether the parent has a word of its own on this element or driver; then its general one does not count."""
    for other in others:
        is_driven = other.driver == own.driver and above.driver != own.driver
        if other.driver not in (above.driver, own.driver):
            continue
        for element in other.scope:
            if mine[: len(element)] == element and (len(element), is_driven) > (len(theirs), False):
                return True
    return False


def _meet(theirs: Element, mine: Element, service: str, own: Said, siblings: Sequence[Said]) -> bool:
    if mine[: len(theirs)] == theirs:
        return True
    if theirs[: len(mine)] != mine or not mine or service not in _CLOCKED:
        return False
    others = (s for s in siblings if s is not own and s.service == service)
    return not any(each[: len(theirs)] == theirs for s in others for each in s.scope)


def _is_within(above: Said, own: Said) -> bool:
    """Whether all that the parent's entry is about the child's is about, too."""
    is_driven = own.driver in (None, above.driver)
    return is_driven and all(any(theirs[: len(mine)] == mine for mine in own.scope) for theirs in above.scope)


def _judge(above: Said, own: Said, findings: Findings) -> str:
    """weaker | holds (as strong or stronger) | open (nobody can tell)."""
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
        if own.promise.kind is Kind.DATE and own.promise.direction is Direction.NONE:
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


def _less(said: Said, lost: set[Element]) -> tuple[Node, ...]:
    """The entry without the elements for which the parent's promise stays."""
    if not lost:
        return (said.node,)
    if said.scope <= lost or not said.node.get("element"):
        return ()
    rest = ", ".join(text for element, text in said.elements.items() if element not in lost)
    return (said.node.with_({"element": said.node.said("element", rest)}),)
