import { IconArrowNarrowRight } from "@tabler/icons-react";

import type { HopView } from "../../api";
import { ColumnLink, Name } from "../../components";

/** From where the change is made to what it hits, step by step. */
export function HopPath({ start, hops, at }: { start?: string | undefined; hops: readonly HopView[]; at: string | undefined }) {
  return (
    <ol className="impact-way">
      {start !== undefined && (
        <li>
          <Name text={start} />
        </li>
      )}
      {hops.map((hop) => (
        <li key={`${hop.depth} ${hop.id}`}>
          <IconArrowNarrowRight size={16} aria-hidden />
          <span className="impact-how" title={hop.expression === "" ? undefined : hop.expression}>
            {hop.relationship.replaceAll("_", " ")}
          </span>
          <ColumnLink column={hop.id} at={at} />
        </li>
      ))}
    </ol>
  );
}
