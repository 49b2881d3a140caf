import "@xyflow/react/dist/base.css";
import "./lineage.css";

import { useNavigate } from "@tanstack/react-router";
import { Controls, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useState, type KeyboardEvent } from "react";

import { CardNode, type CardNodeType } from "./CardNode";
import { ColumnEdge, type ColumnEdgeType } from "./ColumnEdge";
import { PAD, reach, type Link, type Picture } from "./layout";
import type { PictureProps } from "./LineagePicture";
import { transformationWord } from "./words";

interface Props extends PictureProps {
  picture: Picture;
  width: number;
  zoom: number;
  onToggle: (table: string) => void;
}

const NODE_TYPES = { card: CardNode };
const EDGE_TYPES = { column: ColumnEdge };

export default function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({
  graph,
  picture,
  width,
  zoom,
  label,
  failing,
  origin,
  spared,
  onColumn,
  onEdge,
  chosenEdge,
  controls,
  onToggle,
}: Props) {
  const navigate = useNavigate();
  const flow = useReactFlow();
  const [focused, setFocused] = useState<string | null>(null);
  const open = useMemo(
    () =>
      onColumn ??
      ((root: string) => void navigate({ to: "/lineage", search: { root, at: graph.at === "HEAD" ? undefined : graph.at } })),
    [onColumn, navigate, graph.at],
  );
  const bad = useMemo(() => badColumns(picture, failing, origin), [picture, failing, origin]);
  const nodes = useMemo<CardNodeType[]>(
    () =>
      picture.cards.map((card) => ({
        id: card.id,
        type: "card",
        position: { x: card.x, y: card.y },
        width: card.width,
        height: card.height,
        // The picture itself selects and drags nothing, so it would take the mouse away from the buttons within.
        style: { pointerEvents: "all" },
        data: {
          card,
          root: graph.root_id,
          bad,
          origin,
          spared: new Set(spared),
          vertical: picture.vertical,
          onColumn: open,
          onToggle,
        },
      })),
    [picture, graph.root_id, bad, origin, spared, open, onToggle],
  );
  const edges = useMemo<ColumnEdgeType[]>(
    () =>
      picture.links.map((link) =>
        edgeOf(link, picture.vertical, bad, { chosen: link.id === chosenEdge, focused: link.id === focused }),
      ),
    [picture, bad, chosenEdge, focused],
  );

  // Where the picture stands is computed, not measured: it never jumps.
  const x = picture.vertical ? PAD : Math.max(PAD, (width - picture.width * zoom) / 2);
  useEffect(() => void flow.setViewport({ x, y: PAD, zoom }), [flow, x, zoom]);

  return (
    // The arrows walk along the lineage; Tab walks through everything.
    // eslint-disable-next-line jsx-a11y-x/no-static-element-interactions
    <div
      style={{ height: "100%" }}
      onKeyDown={(event) => onKey(event, picture, onEdge)}
      onFocus={(event) => setFocused(edgeAt(event.target))}
      onBlur={() => setFocused(null)}
    >
      <ReactFlow
        aria-label={label}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        defaultViewport={{ x, y: PAD, zoom }}
        minZoom={0.2}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable
        elementsSelectable={false}
        disableKeyboardA11y
        panOnDrag={!picture.vertical}
        zoomOnScroll={false}
        zoomOnPinch={!picture.vertical}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
        onEdgeClick={(_, edge) => onEdge?.(edge.id)}
      >
        {controls === true && !picture.vertical && <Controls showInteractive={false} position="bottom-left" />}
      </ReactFlow>
    </div>
  );
}

/** The way the bad data took: from where it came in to the column whose check failed. */
function badColumns(picture: Picture, failing: string | undefined, origin: string | undefined): ReadonlySet<string> {
  const marked = picture.cards.flatMap((card) => card.columns.filter((column) => column.failing).map((column) => column.id));
  const ends = failing === undefined ? marked : [...marked, failing];
  const found = new Set(ends);
  if (origin !== undefined) {
    const after = reach(picture.links, origin, "down");
    for (const end of ends) for (const before of reach(picture.links, end, "up")) if (after.has(before)) found.add(before);
  }
  return found;
}

function edgeOf(
  link: Link,
  vertical: boolean,
  bad: ReadonlySet<string>,
  is: { chosen: boolean; focused: boolean },
): ColumnEdgeType {
  const tone = bad.has(link.source) && bad.has(link.target) ? "bad" : bad.has(link.source) ? "stopped" : "calm";
  return {
    id: link.id,
    type: "column",
    source: link.sourceCard,
    target: link.targetCard,
    sourceHandle: `${link.source}:${vertical ? "left" : "right"}`,
    targetHandle: `${link.target}:left`,
    ariaLabel: `${link.source} to ${link.target}, ${transformationWord(link)}`,
    className: is.chosen ? "chosen" : "",
    data: { link, tone, vertical, named: is.focused },
  };
}

function edgeAt(element: Element): string | null {
  return element.closest(".react-flow__edge")?.getAttribute("data-id") ?? null;
}

function onKey(event: KeyboardEvent, picture: Picture, onEdge: ((id: string) => void) | undefined): void {
  if (!(event.target instanceof Element)) return;
  const edge = edgeAt(event.target);
  if (edge !== null && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    onEdge?.(edge);
    return;
  }
  const column = event.target.closest("[data-column]")?.getAttribute("data-column");
  const next = column == null ? undefined : neighbour(picture, column, event.key);
  if (next === undefined) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>(`[data-column="${CSS.escape(next)}"]`)?.focus();
}

/** Up and down within the card, left and right along the edges. */
export function neighbour(picture: Picture, column: string, key: string): string | undefined {
  if (key === "ArrowRight") return picture.links.find((link) => link.source === column)?.target;
  if (key === "ArrowLeft") return picture.links.find((link) => link.target === column)?.source;
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  const columns = picture.cards.find((card) => card.columns.some((one) => one.id === column))?.columns ?? [];
  return step === 0 ? undefined : columns[columns.findIndex((one) => one.id === column) + step]?.id;
}
