import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect } from "react";

import { onRecovery } from "../api/connection";
import { asProblem } from "../api/problem";
import { Problem } from "../components";

/** A page that broke or could not be loaded. The frame around it still works. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  // A page's file that failed to load is remembered as failed by the browser; only a reload asks for it again.
  const { unreachable } = asProblem(error);
  const retry = unreachable ? () => location.reload() : reset;
  useEffect(() => (unreachable ? onRecovery(() => location.reload()) : undefined), [unreachable]);
  return <Problem error={error} retry={retry} />;
}
