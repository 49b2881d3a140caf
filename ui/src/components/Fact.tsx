import "./facts.css";

import type { ReactNode } from "react";

/** A name and what is known under it, in a list of facts. */
export function Fact({ label, wide, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div data-wide={wide}>
      <dt>{label}</dt>
      <dd className="name numbers">{children}</dd>
    </div>
  );
}
