import "./markdown.css";

import { Button } from "@mantine/core";
import { createElement, useMemo, useState, type ReactNode } from "react";

import { bytes } from "../../format/numbers";
import { parseMarkdown, showUnseen, type Block, type Inline } from "./parse";

const SHORT = 4_000;
const RENDERED = 60_000;
const DEEPEST = 6;

interface Props {
  text: string;
  /** The level of its first headings: one below that of the part it stands in. */
  level?: number;
}

/** A text of people, written as Markdown. It becomes elements one by one and never HTML; what is very long is shown in part,
 * and then as plain text. */
export function Markdown({ text, level = 3 }: Props) {
  const [whole, setWhole] = useState(false);
  const shown = whole || text.length <= SHORT ? text : text.slice(0, SHORT);
  const blocks = useMemo(() => (shown.length > RENDERED ? null : parseMarkdown(shown)), [shown]);
  return (
    <div className="markdown" dir="auto">
      {blocks === null ? <pre className="markdown-plain">{showUnseen(shown)}</pre> : <Blocks blocks={blocks} level={level} />}
      {shown.length < text.length && (
        <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
          Show all {bytes(new TextEncoder().encode(text).length)}
        </Button>
      )}
    </div>
  );
}

function Blocks({ blocks, level }: { blocks: readonly Block[]; level: number }) {
  const levels = headingLevels(blocks, level);
  return blocks.map((block, index) => <One key={index} block={block} level={levels[index] ?? level} />);
}

/** Whatever levels people write, none is left out on the way down: who listens to the page hears an outline. */
export function headingLevels(blocks: readonly Block[], first: number): number[] {
  let last = first - 1;
  return blocks.map((block) => {
    if (block.kind !== "heading") return Math.max(last, first);
    last = Math.min(first + block.level - 1, last + 1, DEEPEST);
    return last;
  });
}

function One({ block, level }: { block: Block; level: number }): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Inlines parts={block.parts} />
        </p>
      );
    case "heading":
      return createElement(`h${level}`, { className: "markdown-heading" }, <Inlines parts={block.parts} />);
    case "code":
      return <pre className="markdown-code">{block.text}</pre>;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} level={level} />
        </blockquote>
      );
    case "list":
      return createElement(
        block.ordered ? "ol" : "ul",
        null,
        block.items.map((parts, index) => (
          <li key={index}>
            <Inlines parts={parts} />
          </li>
        )),
      );
    case "rule":
      return <hr />;
  }
}

function Inlines({ parts }: { parts: readonly Inline[] }): ReactNode {
  return parts.map((part, index) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "code":
        return <code key={index}>{part.text}</code>;
      case "strong":
        return (
          <strong key={index}>
            <Inlines parts={part.parts} />
          </strong>
        );
      case "emphasis":
        return (
          <em key={index}>
            <Inlines parts={part.parts} />
          </em>
        );
      case "link":
        return (
          <a key={index} href={part.href} className="link" rel="noopener noreferrer nofollow" title={part.href}>
            <Inlines parts={part.parts} />
          </a>
        );
    }
  });
}
