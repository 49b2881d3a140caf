"""A traversal as SVG for notebooks: tables as cards with their touched columns, from left to right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from forge.lineage.edge import Transformation
from forge.lineage.graph.layout import arrange, focus_of
from forge.lineage.node import TABLE_LIKE, Node
from forge.lineage.svg import Card, CardRow, Curve, drawn

if TYPE_CHECKING:
    from forge.lineage.graph.traversal import Link, Traversal

MOST_TABLES = 60
MOST_COLUMNS = 12
MOST_WORDS = 24  # with more curves than this, labels are tooltips only
SHORT = 16  # letters of an expression that fit on a curve
MOST_ROWS = 500  # of the table below a truncated drawing
MORE = "\0more"  # the row for columns that are not drawn


def draw(traversal: Traversal) -> str:
    """Self-contained SVG. Beyond `MOST_TABLES` only the nearest are drawn, with the number of the others, and a
    table of everything reached follows."""
    nodes = {node.id: node for node in (*traversal.starts, *(item.node for item in traversal.items))}
    places = {name: _place(name, nodes) for link in traversal.links for name in (link.source, link.target)}
    places |= {name: _place(name, nodes) for name in (focus_of(traversal), *nodes) if name not in places}
    nearest = _nearest(traversal, places)
    shown = set(nearest[:MOST_TABLES])
    links = [link for link in traversal.links if places[link.source][0] in shown and places[link.target][0] in shown]
    cards = _cards(shown, links, places, nodes, traversal)
    pairs = {(places[link.source][0], places[link.target][0]) for link in links}
    layers: dict[int, list[Card]] = defaultdict(list)
    for name, layer, _ in arrange(shown, pairs):
        layers[layer].append(cards[name])
    curves = _curves(links, places, cards)
    missing = len(nearest) - len(shown)
    picture = drawn(
        [layers[layer] for layer in sorted(layers)],
        curves,
        label=f"{traversal.direction} of {traversal.start}: {traversal.total} reached in {len(nearest)} tables",
        notes=_notes(traversal, links, missing),
    )
    return picture if not missing else picture + _table(traversal)


def _place(name: str, nodes: Mapping[str, Node]) -> tuple[str, str]:
    """The card something is on, and its row; without a row it is the card."""
    node = nodes.get(name)
    if node is None or not node.table or node.table == name:
        return name, ""
    return node.table, node.column or ""


def _nearest(traversal: Traversal, places: Mapping[str, tuple[str, str]]) -> list[str]:
    depths: dict[str, int] = {places[focus_of(traversal)][0]: 0}
    depths |= {places[node.id][0]: 0 for node in traversal.starts}
    for item in traversal.items:
        table = places[item.node.id][0]
        depths[table] = min(item.depth, depths.get(table, item.depth))
    # An indirect edge ends at a table that need not be among what was reached.
    far = max(depths.values(), default=0) + 1
    for table, _ in places.values():
        depths.setdefault(table, far)
    return sorted(depths, key=lambda table: (depths[table], table))


def _cards(
    shown: Iterable[str],
    links: Iterable[Link],
    places: Mapping[str, tuple[str, str]],
    nodes: Mapping[str, Node],
    traversal: Traversal,
) -> dict[str, Card]:
    touched: dict[str, set[str]] = defaultdict(set)
    for name in (focus_of(traversal), *(end for link in links for end in (link.source, link.target))):
        touched[places[name][0]].add(places[name][1])
    for item in traversal.items:
        touched[places[item.node.id][0]].add(places[item.node.id][1])
    focus_card, focus_row = places[focus_of(traversal)]
    cards: dict[str, Card] = {}
    for name in shown:
        marked = focus_row if name == focus_card else ""
        kind = nodes[name].type if name in nodes else None
        note = "" if kind is None or kind in TABLE_LIKE else str(kind)
        title = nodes[name].qualified_name if name in nodes else name
        cards[name] = Card(
            name, title, note, _rows(touched[name] - {""}, marked), "focus" if name == focus_card else ""
        )
    return cards


def _rows(columns: Iterable[str], marked: str) -> tuple[CardRow, ...]:
    names = sorted(columns, key=lambda name: (name != marked, name))
    kept, more = sorted(names[:MOST_COLUMNS]), len(names) - MOST_COLUMNS
    rows = [CardRow(name, name, marked=name == marked) for name in kept]
    return (*rows, CardRow(MORE, "", f"+{more} more")) if more > 0 else tuple(rows)


def _curves(links: Iterable[Link], places: Mapping[str, tuple[str, str]], cards: Mapping[str, Card]) -> list[Curve]:
    rows = {name: {row.key for row in card.rows} for name, card in cards.items()}

    def end(name: str) -> tuple[str, str]:
        card, row = places[name]
        return card, row if not row or row in rows[card] else MORE

    found: dict[tuple[tuple[str, str], tuple[str, str], tuple[str, ...]], Curve] = {}
    for link in sorted(links, key=lambda link: link.sort_key):
        title = f"{link.source} → {link.target}\n{link.how} · {link.kind.word} · confidence {link.confidence:.2f}"
        curve = Curve(end(link.source), end(link.target), _word(link), title, _tones(link))
        found.setdefault((curve.source, curve.target, curve.tones), curve)
    curves = list(found.values())
    return curves if len(curves) <= MOST_WORDS else [replace(curve, label="") for curve in curves]


def _word(link: Link) -> str:
    if link.kind.indirect:
        return str(link.kind.indirect)
    if link.masking:
        return "masked"
    if 0 < len(link.expression) <= SHORT:
        return link.expression
    plain = (Transformation.IDENTITY, Transformation.UNKNOWN)
    return "" if link.transformation in plain else str(link.transformation)


def _tones(link: Link) -> tuple[str, ...]:
    tones = (("dashed", link.kind.indirect), ("mask", link.masking), ("thin", link.confidence < 0.8))
    return tuple(tone for tone, is_so in tones if is_so)


def _notes(traversal: Traversal, links: Iterable[Link], missing: int) -> list[str]:
    """What the lines mean, of those that are there, and what is not drawn."""
    seen = {tone for link in links for tone in _tones(link)}
    words = {"dashed": "dashed: shapes the rows only", "mask": "violet: masked", "thin": "thin: confidence below 0.8"}
    notes = [" · ".join(word for tone, word in words.items() if tone in seen)]
    if missing:
        notes.append(f"{missing} more tables are not drawn.")
    if traversal.truncated:
        notes.append(f"{len(traversal.items)} of the {traversal.total} reached are shown.")
    if traversal.hidden:
        least = traversal.ask.edges.min_confidence
        notes.append(f"{traversal.hidden} edges below the confidence {least:g} were not followed.")
    return [note for note in notes if note]


def _table(traversal: Traversal) -> str:
    kept = traversal.items[:MOST_ROWS]
    rest = len(traversal.items) - len(kept)
    more = f"<p>{rest} more are not in this table.</p>" if rest else ""
    return html_table(replace(traversal, items=kept)) + more


def html_table(traversal: Traversal) -> str:
    """The same without SVG."""
    rows = "".join(
        f"<tr><td>{item.depth}</td><td>{escape(item.name)}</td><td>{escape(item.via.how)}</td>"
        f"<td>{item.confidence:.2f}</td></tr>"
        for item in traversal.items
    )
    titles = "<tr><th>depth</th><th>entity</th><th>by</th><th>confidence</th></tr>"
    return f"<table><caption>{traversal.direction} of {escape(traversal.start)}</caption>{titles}{rows}</table>"
