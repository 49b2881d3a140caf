/** What can be asked of the lineage graph. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { client, unwrap } from "./client";
import { problemOf } from "./problem";
import type { Direction, ErdView } from "./types";

export interface GraphWanted {
  root: string;
  direction?: Direction | undefined;
  depth?: number | undefined;
  at?: string | undefined;
  minConfidence?: number | undefined;
  indirect?: boolean | undefined;
  level?: "column" | "table" | undefined;
  /** Also what exists only inside programs: CTEs, temporary views, DataFrames. */
  inside?: boolean | undefined;
}

function queryOf({ root, direction, depth, at, minConfidence, indirect, level, inside }: GraphWanted) {
  return { root_id: root, direction, depth, at, min_confidence: minConfidence, indirect, level, intermediate: inside === true ? true : undefined };
}

function keyOf({ root, direction, depth, at, minConfidence, indirect, level, inside }: GraphWanted) {
  return [root, direction ?? "both", depth ?? 5, at ?? "HEAD", minConfidence ?? null, indirect ?? false, level ?? "column", inside ?? false] as const;
}

export const graphQuery = (wanted: GraphWanted) =>
  queryOptions({
    queryKey: ["graph", ...keyOf(wanted)],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/lineage/graph", { params: { query: queryOf(wanted) }, signal })),
    placeholderData: keepPreviousData,
  });

/** The same where it may be too large for one answer: the nearest come first. */
export const graphPagesQuery = (wanted: GraphWanted) =>
  infiniteQueryOptions({
    queryKey: ["graph", "pages", ...keyOf(wanted)],
    queryFn: ({ signal, pageParam }) =>
      unwrap(client.GET("/api/v1/lineage/graph", { params: { query: { ...queryOf(wanted), cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const edgeQuery = (id: string, at = "HEAD") =>
  queryOptions({
    queryKey: ["edge", id, at],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/lineage/edges", { params: { query: { id, at } }, signal })),
  });

export const nodesQuery = (query: string, limit = 20) =>
  queryOptions({
    queryKey: ["nodes", query, limit],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/lineage/search", { params: { query: { query, limit } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** Tables and files of the graph, also those that no run of this project made: read from code, or told by another system. */
export const placesQuery = (query: string, limit: number) =>
  queryOptions({
    queryKey: ["nodes", "places", query, limit],
    queryFn: ({ signal }) => {
      const node_types = ["table" as const, "view" as const, "dataset" as const, "external" as const];
      return unwrap(client.GET("/api/v1/lineage/search", { params: { query: { query, node_types, limit } }, signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

interface ErdWanted {
  schema?: string | undefined;
  at?: string | undefined;
}

/** Tables with their keys and what joins them; without a schema of all. */
export const erdQuery = ({ schema, at }: ErdWanted) =>
  queryOptions({
    queryKey: ["erd", schema ?? null, at ?? "HEAD"],
    // A text is only answered where another format was asked for.
    queryFn: async ({ signal }) => (await unwrap(client.GET("/api/v1/lineage/erd", { params: { query: { schema, at } }, signal }))) as ErdView,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** The same as a drawing of the server's, or in a language of diagrams. */
export async function fetchErdText({ schema, at, format }: ErdWanted & { format: "svg" | "mermaid" | "dot" }): Promise<string> {
  const { data, error, response } = await client.GET("/api/v1/lineage/erd", { params: { query: { schema, at, format } }, parseAs: "text" });
  if (!response.ok) throw problemOf(response.status, error);
  return data ?? "";
}

const MOST_COLUMNS = 500;

/** The columns of one table as lineage knows them; also of a file, or of a table that another system holds. */
export const columnsQuery = (table: string, at = "HEAD") =>
  queryOptions({
    queryKey: ["nodes", "columns", table, at],
    queryFn: async ({ signal }) => {
      const query = { query: `${table}.`, node_types: ["column" as const], limit: MOST_COLUMNS, at };
      const found = await unwrap(client.GET("/api/v1/lineage/search", { params: { query }, signal }));
      return { table, columns: found.items.filter((one) => one.attributes.table === table) };
    },
  });

export const snapshotsQuery = () =>
  queryOptions({
    queryKey: ["snapshots"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/lineage/snapshots", { signal })),
  });

export interface ImpactWanted {
  focus: string;
  change: string;
  to?: string | undefined;
  at?: string | undefined;
}

export const impactQuery = ({ focus, change, to, at }: ImpactWanted) =>
  queryOptions({
    queryKey: ["impact", focus, change, to ?? null, at ?? "HEAD"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/lineage/impact", { params: { query: { focus, change, to, at } }, signal })),
  });
