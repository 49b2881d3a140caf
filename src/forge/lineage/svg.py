"""SVG of cards joined by curves: no script, no external resources, everything escaped, for light and dark themes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from operator import mul
from unicodedata import east_asian_width

PADDING, GAP_X, GAP_Y, HEAD, LINE = 16, 96, 20, 30, 20
LETTER, BOLD = 6.9, 7.6  # the mean width of a letter of the text, in pixels
TALLEST = 1400  # taller layers are split into columns
FOOT = 20

_LIGHT = (
    "--paper:#ffffff;--ink:#1b1f24;--dim:#57606a;--card:#f5f7f9;--head:#e8ecf0;--rim:#c4ccd4;--line:#6a7683;"
    "--focus:#0a5fb4;--glow:#dcecfb;--mask:#7a37b0"
)
_DARK = (
    "--paper:#15181b;--ink:#e6e9ec;--dim:#a3adb8;--card:#1f2428;--head:#2a3036;--rim:#454d56;--line:#8d99a6;"
    "--focus:#72b6ff;--glow:#17324e;--mask:#cda3ff"
)
# In a notebook the style is seen by the whole page, so every rule begins with the class of the picture. Notebooks that
# have a theme of their own say so on the page.
STYLE = (
    f".forge-svg{{{_LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{.forge-svg{{{_DARK}}}}}"
    f'[data-jp-theme-light="true"] .forge-svg,.vscode-light .forge-svg{{{_LIGHT}}}'
    f'[data-jp-theme-light="false"] .forge-svg,.vscode-dark .forge-svg{{{_DARK}}}'
    ".forge-svg{max-width:100%;height:auto;font:12px system-ui,sans-serif}"
    ".forge-svg .paper{fill:var(--paper)}.forge-svg text{fill:var(--ink)}.forge-svg .dim{fill:var(--dim)}"
    ".forge-svg .title{font-weight:600}.forge-svg .end{text-anchor:end}.forge-svg .mid{text-anchor:middle}"
    ".forge-svg .card{fill:var(--card);stroke:var(--rim)}.forge-svg .head{fill:var(--head)}"
    ".forge-svg .card,.forge-svg .head{fill-opacity:.88}"  # a long curve shows through what it passes behind
    ".forge-svg .outside .card{stroke-dasharray:4 3}"
    ".forge-svg .focus .card{stroke:var(--focus);stroke-width:2}"
    ".forge-svg .mark{fill:var(--glow);stroke:var(--focus)}"
    ".forge-svg .curve{fill:none;stroke:var(--line);stroke-width:1.5}.forge-svg .tip{fill:var(--line)}"
    ".forge-svg .thin .curve{stroke-width:.8}.forge-svg .dashed .curve{stroke-dasharray:5 4}"
    ".forge-svg .dotted .curve{stroke-dasharray:1 4;stroke-linecap:round}"
    ".forge-svg .mask .curve{stroke:var(--mask)}.forge-svg .mask .tip{fill:var(--mask)}"
    ".forge-svg .word{font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:4px}"
)


@dataclass(frozen=True, slots=True)
class CardRow:
    """`note` is right-aligned; `marked`: highlighted."""

    key: str
    text: str
    note: str = ""
    marked: bool = False
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """`tone`: focus if highlighted, outside if only referenced."""

    key: str
    title: str
    note: str = ""
    rows: tuple[CardRow, ...] = ()
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """From a card, or one of its rows, to another. `tones`: thin, dashed, dotted, mask. `label` is drawn, `title` is
    the tooltip."""

    source: tuple[str, str]
    target: tuple[str, str]
    label: str = ""
    title: str = ""
    tones: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _CardPlace:
    card: Card
    x: float
    y: float
    width: float

    @property
    def height(self) -> float:
        return card_height(self.card)

    def middle(self, row: str) -> float:
        """Of a row, or of the head where there is none of that name."""
        place = next((number for number, one in enumerate(self.card.rows) if one.key == row), None) if row else None
        return self.y + HEAD / 2 if place is None else self.y + HEAD + 4 + LINE * (place + 0.5)


def drawn(
    layers: Sequence[Sequence[Card]],
    curves: Iterable[Curve],
    *,
    label: str,
    width: float = 200,
    notes: Sequence[str] = (),
) -> str:
    """The SVG. `label`: for screen readers; `notes`: below."""
    placed = _place([column for layer in layers for column in _columns(layer)], width)
    wide = max([one.x + one.width for one in placed.values()], default=0.0) + PADDING
    wide = max([wide, *(len(note) * LETTER + 2 * PADDING for note in notes)])
    high = max([one.y + one.height for one in placed.values()], default=0.0) + PADDING
    lines = "".join(_text(PADDING, high + FOOT * (number + 0.5), note, "dim") for number, note in enumerate(notes))
    high += FOOT * len(notes) + (PADDING / 2 if notes else 0)
    given = tuple(curves)
    body = "".join(
        [
            *(_curve(curve, placed) for curve in given),
            *(_card(one) for one in placed.values()),
            *(_word(curve, placed) for curve in given if curve.label),
        ]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="forge-svg" role="img" aria-label="{escape(_plain(label))}" '
        f'width="{wide:g}" height="{high:g}" viewBox="0 0 {wide:g} {high:g}"><style>{STYLE}</style>'
        f'<rect class="paper" width="100%" height="100%"/>{body}{lines}</svg>'
    )


def card_height(card: Card) -> float:
    return HEAD + (LINE * len(card.rows) + 8 if card.rows else 0)


def fit(text: str, width: float, letter: float = LETTER) -> str:
    """As much of a text as fits, by a guess at the width of its letters."""
    sizes = [2.0 if east_asian_width(one) in "WF" else 1.0 for one in text]
    if sum(sizes) * letter <= width:
        return text
    room, kept = width / letter - 1, 0
    for size in sizes:
        room -= size
        if room < 0:
            break
        kept += 1
    return text[:kept] + "…"


def _columns(layer: Sequence[Card]) -> list[list[Card]]:
    found: list[list[Card]] = [[]]
    high = 0.0
    for card in layer:
        if found[-1] and high + card_height(card) > TALLEST:
            found.append([])
            high = 0.0
        found[-1].append(card)
        high += card_height(card) + GAP_Y
    return found


def _place(columns: Sequence[Sequence[Card]], width: float) -> dict[str, _CardPlace]:
    """Left to right, each column in the middle of the height."""
    heights = [sum(card_height(card) + GAP_Y for card in column) - GAP_Y for column in columns]
    tallest = max(heights, default=0.0)
    placed: dict[str, _CardPlace] = {}
    for number, (column, high) in enumerate(zip(columns, heights, strict=True)):
        y = PADDING + (tallest - high) / 2
        for card in column:
            placed[card.key] = _CardPlace(card, PADDING + number * (width + GAP_X), y, width)
            y += card_height(card) + GAP_Y
    return placed


def _card(placed: _CardPlace) -> str:
    card, x, y, width = placed.card, placed.x, placed.y, placed.width
    note = fit(card.note, width * 0.4)
    room = width - 20 - (len(note) + 1) * LETTER
    parts = [
        f'<rect class="card" x="{x:g}" y="{y:g}" width="{width:g}" height="{placed.height:g}" rx="6"/>',
        f'<path class="head" d="M{x + 1:g} {y + HEAD:g}v-{HEAD - 7}q0 -6 6 -6h{width - 14:g}q6 0 6 6v{HEAD - 7}z"/>',
        _text(x + 10, y + 20, fit(card.title, room, BOLD), "title"),
        _text(x + width - 10, y + 20, note, "dim end"),
    ]
    for number, row in enumerate(card.rows):
        top = y + HEAD + 4 + number * LINE
        if row.marked:
            parts.append(f'<rect class="mark" x="{x + 4:g}" y="{top:g}" width="{width - 8:g}" height="{LINE}" rx="4"/>')
        note = fit(row.note, width * 0.45)
        room = width - 20 - (len(note) + 1) * LETTER
        bold = row.bold or row.marked
        parts.append(_text(x + 10, top + 14, fit(row.text, room, BOLD if bold else LETTER), "title" if bold else ""))
        parts.append(_text(x + width - 10, top + 14, note, "dim end"))
    tooltip = "\n".join([card.title, *(f"{row.text} {row.note}".strip() for row in card.rows)])
    return f'<g class="{escape(card.tone)}"><title>{escape(_plain(tooltip))}</title>{"".join(parts)}</g>'


@dataclass(frozen=True, slots=True)
class _Bend:
    """The control points of a curve. `sign`: 1 with the flow, -1 against it (in a cycle), 0 within one column of
    cards."""

    x1: float
    y1: float
    x2: float
    y2: float
    sign: int

    @property
    def reach(self) -> float:
        return max(abs(self.x2 - self.x1) / 2, 40) * (self.sign or 1)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        end = self.x2 - 6 * self.sign if self.sign else self.x2 + 6
        bend = self.x2 - self.reach if self.sign else self.x2 + self.reach
        return (self.x1, self.y1), (self.x1 + self.reach, self.y1), (bend, self.y2), (end, self.y2)

    def word(self) -> tuple[float, float]:
        """The position of the label: in the gap before its end, where no card hides it."""
        wanted = self.x2 - self.sign * min(GAP_X, abs(self.x2 - self.x1)) / 2 if self.sign else self.x2 + self.reach
        return min((self._at(number / 24) for number in range(25)), key=lambda point: abs(point[0] - wanted))

    def _at(self, share: float) -> tuple[float, float]:
        weights = ((1 - share) ** 3, 3 * share * (1 - share) ** 2, 3 * share**2 * (1 - share), share**3)
        xs, ys = zip(*self.points, strict=True)
        return sum(map(mul, weights, xs)), sum(map(mul, weights, ys))


def _bend(curve: Curve, placed: Mapping[str, _CardPlace]) -> _Bend:
    source, target = placed[curve.source[0]], placed[curve.target[0]]
    y1, y2 = source.middle(curve.source[1]), target.middle(curve.target[1])
    if source.x < target.x:
        return _Bend(source.x + source.width, y1, target.x, y2, 1)
    if source.x > target.x:
        return _Bend(source.x, y1, target.x + target.width, y2, -1)
    return _Bend(source.x + source.width, y1, target.x + target.width, y2, 0)


def _curve(curve: Curve, placed: Mapping[str, _CardPlace]) -> str:
    bend = _bend(curve, placed)
    start, out, back, end = (f"{x:g} {y:g}" for x, y in bend.points)
    near = bend.points[3][0]
    tip = f"M{bend.x2:g} {bend.y2:g}L{near:g} {bend.y2 - 4:g}L{near:g} {bend.y2 + 4:g}z"
    title = f"<title>{escape(_plain(curve.title))}</title>" if curve.title else ""
    return (
        f'<g class="{escape(" ".join(curve.tones))}">{title}<path class="curve" d="M{start}C{out} {back} {end}"/>'
        f'<path class="tip" d="{tip}"/></g>'
    )


def _word(curve: Curve, placed: Mapping[str, _CardPlace]) -> str:
    x, y = _bend(curve, placed).word()
    return _text(x, y + 4, curve.label, "word mid")


def _text(x: float, y: float, text: str, classes: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{classes}">{escape(_plain(text))}</text>' if text else ""


def _plain(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(letter if letter >= " " or letter in "\n\t" else "\ufffd" for letter in text).translate(_NEVER)


_NEVER = dict.fromkeys([*range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd")
