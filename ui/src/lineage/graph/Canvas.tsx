import "@xyflow/react/dist/base.css";
import "./lineage.css";

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Controls, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useState, type KeyboardEvent } from "react";

import { snapshotsQuery } from "../../api";
import { HEAD } from "../../format/refs";
import { CardNode, type CardNodeType } from "./CardNode";
import type { Columns, Way } from "./choice";
import { ColumnEdge, type ColumnEdgeType } from "./ColumnEdge";
import { reach, viewOf, type Link, type Picture } from "./layout";
import type { PictureProps } from "./LineagePicture";
import { labelled, linesOf, type Line } from "./paths";
import { edgeMark, linkWord } from "./words";

interface Props extends PictureProps {
  picture: Picture;
  width: number;
  /** Of the frame. */
  high: number;
  onColumns: (table: string, columns: Columns) => void;
  onNear: (way: Way, table: string, steps: number | undefined) => void;
}

const NODE_TYPES = { card: CardNode };
const EDGE_TYPES = { column: ColumnEdge };
const DETAIL_WIDTH = 380;

export default function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow(props: Props) {
  const { graph, picture, width, high, label, onEdge, chosenEdge, controls } = props;
  const flow = useReactFlow();
  const bad = useMemo(() => badColumns(picture, props.failing, props.origin), [picture, props.failing, props.origin]);
  const nodes = useNodes(props, bad);
  const lines = useMemo(() => linesOf(picture), [picture]);
  const { edges, setFocused } = useEdges(props, lines, bad);

  // Where the picture stands is computed, not measured: it never jumps. What was opened in it leaves it where it is.
  const place = viewOf(picture, width, high);
  const [first, setFirst] = useState({ root: "", width: 0, place });
  if (first.root !== graph.root_id || first.width !== width) setFirst({ root: graph.root_id, width, place });
  const start = picture.vertical ? place : first.place;
  useEffect(() => void flow.setViewport(start), [flow, start.x, start.y, start.zoom]); // eslint-disable-line react-hooks/exhaustive-deps
  useEffect(() => {
    const link = picture.links.find((one) => one.id === chosenEdge);
    const target = picture.cards.find((card) => card.id === link?.targetCard);
    if (target === undefined || picture.vertical) return;
    const { x, y, zoom } = flow.getViewport();
    const over = (target.x + target.width) * zoom + x - (width - DETAIL_WIDTH);
    // The detail lies on the right side of the picture; the edge it tells of stays in sight, with both its ends.
    if (over > 0) void flow.setViewport({ x: x - over - 16, y, zoom }, { duration: 200 });
  }, [flow, chosenEdge]); // eslint-disable-line react-hooks/exhaustive-deps

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
        defaultViewport={start}
        minZoom={0.05}
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
        {controls === true && !picture.vertical && <Controls showInteractive={false} position="bottom-left" fitViewOptions={{ padding: 0.05 }} />}
      </ReactFlow>
    </div>
  );
}

function useNodes({ graph, picture, origin, spared, onColumn, onColumns, onNear }: Props, bad: ReadonlySet<string>): CardNodeType[] {
  const navigate = useNavigate();
  const at = graph.at === HEAD ? undefined : graph.at;
  const { data: snapshots } = useQuery({ ...snapshotsQuery(), enabled: at !== undefined });
  // A snapshot of lineage is no revision of data.
  const dataAt = snapshots?.items.some((one) => one.name === at) === true ? undefined : at;
  const open = useMemo(
    () => onColumn ?? ((focus: string) => void navigate({ to: "/lineage", search: { focus, at } })),
    [onColumn, navigate, at],
  );
  return useMemo(() => {
    const safe = new Set(spared);
    return picture.cards.map((card) => ({
      id: card.id,
      type: "card",
      position: { x: card.x, y: card.y },
      width: card.width,
      height: card.height,
      // The picture itself selects and drags nothing, so it would take the mouse away from the buttons within.
      style: { pointerEvents: "all" },
      data: { card, root: graph.root_id, bad, origin, spared: safe, at: dataAt, onColumn: open, onColumns, onNear },
    }));
  }, [picture, graph.root_id, bad, origin, spared, dataAt, open, onColumns, onNear]);
}

function useEdges({ picture, chosenEdge: chosen, failing, origin }: Props, lines: ReadonlyMap<string, Line>, bad: ReadonlySet<string>) {
  // Where a check failed is told everywhere; which way bad data went only where that is the story.
  const told = failing !== undefined || origin !== undefined;
  const [focused, setFocused] = useState<string | null>(null);
  const marked = useMemo(() => labelled(lines, picture, edgeMark), [lines, picture]);
  const edges = useMemo(
    () =>
      picture.links.map((link): ColumnEdgeType => ({
        ...edgeOf(link, bad),
        className: link.id === chosen ? "chosen" : "",
        data: {
          link,
          line: lines.get(link.id) ?? { path: "", x: 0, y: 0 },
          tone: told ? toneOf(link, bad) : "calm",
          named: link.id === focused,
          marked: marked.has(link.id),
        },
      })),
    [picture, lines, bad, told, chosen, focused, marked],
  );
  return { edges, setFocused };
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

function toneOf(link: Link, bad: ReadonlySet<string>): "bad" | "stopped" | "calm" {
  return bad.has(link.source) && bad.has(link.target) ? "bad" : bad.has(link.source) ? "stopped" : "calm";
}

function edgeOf(link: Link, bad: ReadonlySet<string>): ColumnEdgeType {
  return {
    id: link.id,
    type: "column",
    source: link.sourceCard,
    target: link.targetCard,
    sourceHandle: "out",
    targetHandle: "in",
    ariaLabel: `${link.source} to ${link.target}, ${linkWord(link)}`,
    zIndex: bad.has(link.source) ? 1 : 0,
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
