import type { ReactNode } from "react";

import { asProblem } from "../api/problem";
import { Problem } from "./Problem";

interface Asked<T> {
  data: T | undefined;
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

interface Props<T> {
  query: Asked<T>;
  /** As high as what comes, so that nothing jumps. */
  skeleton: ReactNode;
  children: (data: NonNullable<T>) => ReactNode;
}

/** What was asked for: its data as long as there is any, else the problem, else a skeleton. */
export function QueryResult<T>({ query, skeleton, children }: Props<T>) {
  if (query.data !== undefined && query.data !== null) return children(query.data);
  if (query.error !== null) {
    // What is not there, or cannot be meant, is not there the second time either.
    const { status } = asProblem(query.error);
    const lasting = status === 404 || status === 422;
    return <Problem error={query.error} retry={lasting ? undefined : () => void query.refetch()} retrying={query.isFetching} />;
  }
  return (
    <div aria-busy="true" aria-live="polite">
      <span className="only-readers">Loading</span>
      {skeleton}
    </div>
  );
}
