/** The graph of the address: what is asked of the server for it, and the answers as one. */
import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";

import { graphPagesQuery, graphQuery, type GraphView, type GraphWanted } from "../../api";
import { readChoice, type Choice } from "./choice";
import { mergeGraphs } from "./scene";
import type { LineageSearch } from "./search";

export const DEPTH = 5;

/** One question, or one for each direction where they do not go equally far. */
export function wantedOf(focus: string, search: LineageSearch): [GraphWanted, ...GraphWanted[]] {
  const { direction = "both", up = DEPTH, down = DEPTH, at, conf, level } = search;
  const rest = { root: focus, at, minConfidence: conf, indirect: search.indirect === "yes", level, inside: search.inside === "yes" };
  if (direction === "upstream") return [{ ...rest, direction, depth: up }];
  if (direction === "downstream") return [{ ...rest, direction, depth: down }];
  if (up === down) return [{ ...rest, direction, depth: up }];
  return [
    { ...rest, direction: "upstream", depth: up },
    { ...rest, direction: "downstream", depth: down },
  ];
}

/** Neighbours that were asked for and are not in the answers. */
export function askedFor(graph: GraphView, choice: Choice, usual: GraphWanted): GraphWanted[] {
  const hidden = new Map(graph.nodes.map((node) => [node.id, node.attributes]));
  return [...choice.near].flatMap(([key, steps]) => {
    const [way, ...rest] = key.split(":");
    const table = rest.join(":");
    const left = hidden.get(table)?.[way === "up" ? "hidden_upstream" : "hidden_downstream"];
    if (steps === 0 || left === 0 || left === undefined) return [];
    return [{ ...usual, root: table, direction: way === "up" ? ("upstream" as const) : ("downstream" as const), depth: 1 }];
  });
}

export function useGraph(focus: string, search: LineageSearch) {
  const [first, second] = wantedOf(focus, search);
  const one = useInfiniteQuery(graphPagesQuery(first));
  const two = useInfiniteQuery({ ...graphPagesQuery(second ?? first), enabled: second !== undefined });
  const pages = one.data?.pages;
  const others = second === undefined ? undefined : two.data?.pages;
  const ready = pages !== undefined && (second === undefined || others !== undefined);
  const base = useMemo(() => {
    const [head, ...rest] = [...(pages ?? []), ...(others ?? [])];
    if (head === undefined) return undefined;
    const merged = mergeGraphs(head, ...rest);
    return others === undefined ? merged : { ...merged, direction: "both" as const, hidden: merged.hidden + (others[0]?.hidden ?? 0), total_entities: merged.total_entities + (others[0]?.total_entities ?? 0) };
  }, [pages, others]);
  const choice = useMemo(() => readChoice(search.cols, search.near), [search.cols, search.near]);
  const near = useQueries({
    queries: base === undefined ? [] : askedFor(base, choice, first).map((wanted) => graphQuery(wanted)),
    combine: (answers) => answers.flatMap((answer) => answer.data ?? []),
  });
  const graph = useMemo(() => (base === undefined ? undefined : mergeGraphs(base, ...near)), [base, near]);
  const both = second === undefined ? [one] : [one, two];
  return {
    choice,
    query: {
      data: ready ? graph : undefined,
      error: one.error ?? (second === undefined ? null : two.error),
      isFetching: both.some((each) => each.isFetching),
      refetch: () => both.map((each) => each.refetch()),
    },
    stale: both.some((each) => each.isPlaceholderData),
    more: both.find((each) => each.hasNextPage),
  };
}
