import type { ErrorComponentProps } from "@tanstack/react-router";

import { asProblem } from "../api/problem";
import { Problem } from "../parts";

/** A page that broke or could not be loaded. The frame around it still works. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  // A page's file that failed to load is remembered as failed by the browser; only a reload asks for it again.
  const retry = asProblem(error).unreachable ? () => location.reload() : reset;
  return <Problem error={error} retry={retry} />;
}
