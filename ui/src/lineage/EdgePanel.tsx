import { useEffect, useRef, type ReactNode } from "react";

import type { EdgeView } from "../api";
import { ColumnLink, StatusBadge } from "../parts";
import { transformationWord } from "./words";

/** How one column comes from another: expression, kind, and how sure that is. */
export function EdgePanel({ edge, close }: { edge: EdgeView; close: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [edge.id]);
  return (
    <aside ref={place} className="panel edge-panel" aria-labelledby="edge">
      <div className="edge-head">
        <h2 className="panel-title" id="edge">
          One step
        </h2>
        {close}
      </div>
      <dl>
        <Term name="From">
          <ColumnLink column={edge.source} />
        </Term>
        <Term name="To">
          <ColumnLink column={edge.target} />
        </Term>
        <Term name="How">
          {transformationWord(edge)} {edge.masking && <StatusBadge word="info" label="masked" />}
        </Term>
        <Term name="Confidence">
          <span className="numbers">
            {edge.level} ({edge.confidence.toFixed(2)})
          </span>
        </Term>
        {edge.expression !== "" && (
          <Term name="Expression">
            <pre className="edge-expression">{edge.expression}</pre>
          </Term>
        )}
      </dl>
    </aside>
  );
}

function Term({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="name">{children}</dd>
    </div>
  );
}
