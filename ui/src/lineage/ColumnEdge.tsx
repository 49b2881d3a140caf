import { BaseEdge, EdgeLabelRenderer, getBezierPath, type Edge, type EdgeProps } from "@xyflow/react";
import { memo, useState } from "react";

import type { Link } from "./layout";
import { edgeLabel } from "./words";

interface EdgeData extends Record<string, unknown> {
  link: Link;
  /** bad: bad data went this way. stopped: it would have gone on here. */
  tone: "bad" | "stopped" | "calm";
  vertical: boolean;
  /** Its label is shown without the mouse: it has the focus. */
  named: boolean;
}

export type ColumnEdgeType = Edge<EdgeData, "column">;

export const ColumnEdge = memo(function ColumnEdge(props: EdgeProps<ColumnEdgeType>) {
  const { data } = props;
  const [near, setNear] = useState(false);
  if (data === undefined) return null;
  const [path, x, y] = data.vertical
    ? arc(props)
    : data.link.lanes.length > 0
      ? alongLanes(props, data.link)
      : getBezierPath(props);
  return (
    <g onMouseEnter={() => setNear(true)} onMouseLeave={() => setNear(false)}>
      <BaseEdge path={path} className={`edge edge-${data.tone}`} interactionWidth={18} />
      <EdgeLabelRenderer>
        <div
          className="edge-label"
          data-near={near || data.named || undefined}
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {edgeLabel(data.link)}
        </div>
      </EdgeLabelRenderer>
    </g>
  );
});

/** Over the layers it skips an edge keeps to its lane. */
function alongLanes({ sourceX, sourceY, targetX, targetY }: EdgeProps<ColumnEdgeType>, link: Link): [string, number, number] {
  let path = `M ${sourceX} ${sourceY}`;
  let from = { x: sourceX, y: sourceY };
  const bend = (to: { x: number; y: number }): string => {
    const middle = (from.x + to.x) / 2;
    return ` C ${middle} ${from.y}, ${middle} ${to.y}, ${to.x} ${to.y}`;
  };
  for (const lane of link.lanes) {
    path += `${bend(lane)} L ${lane.x + lane.width} ${lane.y}`;
    from = { x: lane.x + lane.width, y: lane.y };
  }
  const middle = link.lanes[Math.floor(link.lanes.length / 2)] ?? { x: sourceX, y: sourceY, width: 0 };
  return [path + bend({ x: targetX, y: targetY }), middle.x + middle.width / 2, middle.y];
}

/** From the left side of one card around to the left side of another below it; longer ways bend farther out. */
function arc({ sourceX, sourceY, targetX, targetY }: EdgeProps<ColumnEdgeType>): [string, number, number] {
  const out = Math.min(50, 16 + Math.abs(targetY - sourceY) / 14);
  const path = `M ${sourceX} ${sourceY} C ${sourceX - out} ${sourceY}, ${targetX - out} ${targetY}, ${targetX} ${targetY}`;
  return [path, Math.min(sourceX, targetX) + 60, (sourceY + targetY) / 2];
}
