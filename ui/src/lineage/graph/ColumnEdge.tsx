import { BaseEdge, EdgeLabelRenderer, type Edge, type EdgeProps } from "@xyflow/react";
import { memo, useState } from "react";

import type { Link } from "./layout";
import type { Line } from "./paths";
import { edgeLabel, edgeMark, lineLook, linkWord } from "./words";

interface EdgeData extends Record<string, unknown> {
  link: Link;
  line: Line;
  /** bad: bad data went this way. stopped: it would have gone on here. */
  tone: "bad" | "stopped" | "calm";
  /** Its label is shown without the mouse: it has the focus. */
  named: boolean;
  /** Its mark (`sum`) stands on it all the time. */
  marked: boolean;
}

export type ColumnEdgeType = Edge<EdgeData, "column">;

export const ColumnEdge = memo(function ColumnEdge({ data }: EdgeProps<ColumnEdgeType>) {
  const [near, setNear] = useState(false);
  if (data === undefined) return null;
  const { link, line, tone } = data;
  const full = near || data.named;
  return (
    <g onMouseEnter={() => setNear(true)} onMouseLeave={() => setNear(false)}>
      <BaseEdge path={line.path} className={`edge edge-${tone} edge-${lineLook(link)}`} interactionWidth={18} />
      {(full || data.marked) && (
        <EdgeLabelRenderer>
          <div className="edge-label" data-full={full || undefined} style={{ transform: `translate(-50%, -50%) translate(${line.x}px, ${line.y}px)` }}>
            {full ? (link.edges.length === 1 ? edgeLabel(link) : linkWord(link)) : edgeMark(link)}
          </div>
        </EdgeLabelRenderer>
      )}
    </g>
  );
});
