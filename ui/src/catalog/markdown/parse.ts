/** Markdown as a tree of plain data. Nothing in it is HTML: what looks like a tag stays the text it is. */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "emphasis"; parts: Inline[] }
  | { kind: "link"; href: string; parts: Inline[] };

export type Block =
  | { kind: "paragraph"; parts: Inline[] }
  | { kind: "heading"; level: number; parts: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "rule" };

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const NUMBER = /^\s*\d{1,9}[.)]\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const DEEPEST = 4;

/** Writing direction is only turned by letters, never by an invisible sign; such signs are shown. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function showUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** In a list, where there is no room for more than a line: without the signs that make headings, bold and code. */
export function plainLine(text: string): string {
  return showUnseen(text.replaceAll(/\*\*|`|^#{1,6} |(?<=\n)#{1,6} /g, ""));
}

export function parseMarkdown(text: string): Block[] {
  return blocksOf(showUnseen(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n")).split("\n"), 0);
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const [block, next] = blockAt(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function blockAt(lines: readonly string[], at: number, depth: number): [Block, number] {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return fenced(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) return [{ kind: "heading", level: heading[1]?.length ?? 1, parts: inlinesOf(heading[2] ?? "") }, at + 1];
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (QUOTE.test(line) && depth < DEEPEST) return quoted(lines, at, depth);
  if (BULLET.test(line)) return listed(lines, at, BULLET, false);
  if (NUMBER.test(line)) return listed(lines, at, NUMBER, true);
  return paragraph(lines, at);
}

function fenced(lines: readonly string[], at: number, fence: string): [Block, number] {
  const end = lines.findIndex((line, index) => index > at && line.trimStart().startsWith(fence));
  const last = end < 0 ? lines.length : end;
  return [{ kind: "code", text: lines.slice(at + 1, last).join("\n") }, last + 1];
}

function quoted(lines: readonly string[], at: number, depth: number): [Block, number] {
  const inside: string[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const found = QUOTE.exec(lines[next] ?? "");
    if (found === null) break;
    inside.push(found[1] ?? "");
  }
  return [{ kind: "quote", blocks: blocksOf(inside, depth + 1) }, next];
}

function listed(lines: readonly string[], at: number, form: RegExp, ordered: boolean): [Block, number] {
  const items: string[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    const found = form.exec(line);
    if (found !== null) items.push(found[1] ?? "");
    // A line that is set in goes on with the item above.
    else if (/^\s{2,}\S/.test(line) && items.length > 0) items.push(`${items.pop() ?? ""} ${line.trim()}`);
    else break;
  }
  return [{ kind: "list", ordered, items: items.map(inlinesOf) }, next];
}

function paragraph(lines: readonly string[], at: number): [Block, number] {
  let next = at + 1;
  while (next < lines.length && !endsParagraph(lines[next] ?? "")) next += 1;
  return [{ kind: "paragraph", parts: inlinesOf(lines.slice(at, next).join("\n")) }, next];
}

function endsParagraph(line: string): boolean {
  return line.trim() === "" || [FENCE, HEADING, RULE, QUOTE, BULLET, NUMBER].some((form) => form.test(line));
}

// One pass from left to right; what is opened and never closed is text.
const MARKS = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|(?<![\w])_([^_\s][^_\n]*)_(?!\w)|\[([^\]\n]{1,300})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>()]{1,2000})/g;

export function inlinesOf(text: string): Inline[] {
  const parts: Inline[] = [];
  let at = 0;
  for (const found of text.matchAll(MARKS)) {
    if (found.index > at) parts.push({ kind: "text", text: text.slice(at, found.index) });
    parts.push(inlineOf(found));
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push({ kind: "text", text: text.slice(at) });
  return parts;
}

function inlineOf([whole, code, bold, boldToo, slanted, slantedToo, words, target, bare]: RegExpExecArray): Inline {
  const strong = bold ?? boldToo;
  const emphasis = slanted ?? slantedToo;
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", parts: inlinesOf(strong) };
  if (emphasis !== undefined) return { kind: "emphasis", parts: inlinesOf(emphasis) };
  const href = safeTarget(target ?? bare ?? "");
  // A link that leads nowhere good shows where it would have led.
  if (href === null) return { kind: "text", text: whole };
  return { kind: "link", href, parts: [{ kind: "text", text: words ?? bare ?? "" }] };
}

const SCHEMES = ["http:", "https:", "mailto:"];

/** The address of a link, or null for one that could run something. */
export function safeTarget(target: string): string | null {
  if (/^\/(?!\/)/.test(target)) return target;
  try {
    const { protocol, href } = new URL(target);
    return SCHEMES.includes(protocol) ? href : null;
  } catch {
    return null;
  }
}
