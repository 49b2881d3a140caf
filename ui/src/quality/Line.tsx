import type { ReactNode } from "react";

/** A name and what is known under it, in a list of facts. */
export function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="name">{children}</dd>
    </div>
  );
}
