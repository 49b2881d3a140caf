/** The picture as an SVG file: the same cards and lines, drawn from the same layout. It needs nothing else to be looked at. */
import { feetOf, FOOT_HEIGHT, HEAD_HEIGHT, PAD, ROW_HEIGHT, type Card, type Link, type Picture } from "./layout";
import { labelled, linesOf, type Line } from "./paths";
import { cardSubtitle, edgeMark, footWord, lineLook, linkWord } from "./words";

const TITLE = 56;
const STYLE = `
  .ground{fill:#f5f5f2} .card{fill:#fff;stroke:#d6d6d1} .outside{fill:#f0f0ec;stroke-dasharray:4 3} .focus{stroke:#0f6f7f;stroke-width:2}
  .rule{stroke:#e2e2dd} .edge{fill:none;stroke:#8f908c;stroke-width:1.6} .indirect{stroke-dasharray:6 4} .unsure{stroke-dasharray:2 4}
  .inside{stroke-width:1.2;stroke-dasharray:3 3;opacity:.75}
  text{font-family:"Inter Variable",Inter,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-size:13px;fill:#1c1e1d}
  .name{font-weight:600} .quiet{fill:#5c5f5b;font-size:11px} .bad{fill:#b3261e} .title{font-size:17px;font-weight:620}
  .mark{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:11px;text-anchor:middle} .plate{fill:#fff;stroke:#d6d6d1}
  @media (prefers-color-scheme:dark){.ground{fill:#121617} .card,.plate{fill:#1b2022;stroke:#444c50} .outside{fill:#242a2d} .focus{stroke:#6cc3d0}
  .rule{stroke:#30373a} .edge{stroke:#7c8588} text{fill:#e6e9e9} .quiet{fill:#a9b1b3} .bad{fill:#ff9d95}}
`;

// What XML does not allow at all would break the whole file.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, "").replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Cut to what fits, by the usual width of a letter; no letter is measured, so a file is the same everywhere. */
export function cut(text: string, room: number, letter = 7): string {
  const most = Math.max(1, Math.floor(room / letter));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function text(x: number, y: number, words: string, kind = "", more = ""): string {
  return `<text x="${round(x)}" y="${round(y)}"${kind === "" ? "" : ` class="${kind}"`}${more}>${escapeXml(words)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function drawCard(card: Card, picture: Picture, root: string): string {
  const { x, y, width } = card;
  const kinds = ["card", (card.external || card.inside) && "outside", card.id === picture.focus && "focus"].filter(Boolean).join(" ");
  const parts = [
    `<rect class="${kinds}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(card.height)}" rx="10"/>`,
    text(x + 10, y + 19, cut(card.name, width - 20, 7.4), card.failing ? "name bad" : "name"),
    text(x + 10, y + 35, cut(cardSubtitle(card), width - 20, 6), "quiet"),
  ];
  if (card.height > HEAD_HEIGHT) parts.push(`<path class="rule" d="M ${round(x)} ${round(y + HEAD_HEIGHT)} h ${round(width)}"/>`);
  card.columns.forEach((column, index) => {
    const base = y + HEAD_HEIGHT + index * ROW_HEIGHT + 18;
    const room = width - 20;
    const name = cut(column.name, room, 7);
    const left = room - name.length * 7 - 10;
    const looks = [column.id === root && "name", column.failing && "bad"].filter(Boolean).join(" ");
    parts.push(text(x + 10, base, name, looks));
    if (column.dataType !== "" && left > 36) parts.push(text(x + width - 10, base, cut(column.dataType, left, 6), "quiet", ' text-anchor="end"'));
  });
  feetOf(card).forEach((foot, index) => {
    const base = y + HEAD_HEIGHT + card.columns.length * ROW_HEIGHT + index * FOOT_HEIGHT + 18;
    parts.push(text(x + 10, base, footWord(card, foot), "quiet"));
  });
  return `<g><title>${escapeXml(card.table)}</title>${parts.join("")}</g>`;
}

function drawLine(link: Link, line: Line, marked: boolean): string {
  const look = lineLook(link);
  const kinds = look === "plain" ? "edge" : `edge ${look}`;
  const words = `${link.source} → ${link.target}: ${link.expression || linkWord(link)} (${link.level}, ${link.confidence.toFixed(2)})`;
  const path = `<path class="${kinds}" d="${line.path}"/>`;
  if (!marked) return `<g><title>${escapeXml(words)}</title>${path}</g>`;
  const mark = edgeMark(link);
  const wide = mark.length * 6.8 + 12;
  const plate = `<rect class="plate" x="${round(line.x - wide / 2)}" y="${round(line.y - 9)}" width="${round(wide)}" height="18" rx="5"/>`;
  return `<g><title>${escapeXml(words)}</title>${path}${plate}${text(line.x, line.y + 4, mark, "mark")}</g>`;
}

/** `about` is the line below the title: when, how far, how sure. */
export function drawSvg(picture: Picture, { title, about, root }: { title: string; about: string; root: string }): string {
  const width = Math.max(Math.ceil(picture.width) + 2 * PAD, 420);
  const height = Math.ceil(picture.height) + TITLE + 2 * PAD;
  const lines = linesOf(picture);
  const marked = labelled(lines, picture, edgeMark);
  const drawn = picture.links.map((link) => drawLine(link, lines.get(link.id) ?? { path: "", x: 0, y: 0 }, marked.has(link.id)));
  const cards = picture.cards.map((card) => drawCard(card, picture, root));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title><style>${STYLE.replaceAll(/\s*\n\s*/g, " ")}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    text(PAD, 28, cut(title, width - 2 * PAD, 9.4), "title"),
    text(PAD, 46, cut(about, width - 2 * PAD, 6.2), "quiet"),
    `<g transform="translate(${PAD} ${TITLE + PAD / 2})">${drawn.join("")}${cards.join("")}</g>`,
    "</svg>",
    "",
  ].join("\n");
}
