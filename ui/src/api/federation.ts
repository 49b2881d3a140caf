/** Queries over the lake and its sources, and the sources themselves. */
import { queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { client, itemsOf, unwrap } from "./client";
import { isTicket, waitFor, type Sent } from "./polling";
import type { BuilderQueryView, ColumnsQuestion, DeclaredSourceList, PlanView, QueryOrder, QueryQuestion, QueryResultView, SourceCreate, SourcePatch, SourceTableView } from "./types";

const ALL = 500;
const PAGE = 500;

const named = (name: string) => ({ path: { source_id: name } });

export const declaredSourcesQuery = () =>
  queryOptions({
    queryKey: ["federation", "sources"],
    queryFn: ({ signal }): Promise<DeclaredSourceList> => unwrap(client.GET("/api/v1/federation/sources", { params: { query: { limit: ALL } }, signal })),
  });

export const declaredSourceQuery = (name: string) =>
  queryOptions({
    queryKey: ["federation", "source", name],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/federation/sources/{source_id}", { params: named(name), signal })),
  });

/** Virtual tables, loads and saved queries that use it. */
export const sourceUsersQuery = (name: string) =>
  queryOptions({
    queryKey: ["federation", "users", name],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/federation/sources/{source_id}/users", { params: { ...named(name), query: { limit: ALL } }, signal })),
  });

/** All tables of a source, as they are now: the server connects to it for this. */
export const sourceTablesQuery = (name: string) =>
  queryOptions({
    queryKey: ["federation", "tables", name],
    queryFn: async ({ signal }) => {
      const page = (cursor: string | null) => unwrap(client.GET("/api/v1/federation/sources/{source_id}/tables", { params: { ...named(name), query: { limit: PAGE, cursor } }, signal }));
      const found: SourceTableView[] = [];
      for (let next: string | null = null, first = true; first || next !== null; first = false) {
        const { items, next_cursor }: { items: SourceTableView[]; next_cursor?: string | null } = await page(next);
        found.push(...items);
        next = next_cursor ?? null;
      }
      return found;
    },
    staleTime: 60_000,
  });

export const sourceDriftQuery = (name: string) =>
  queryOptions({
    queryKey: ["federation", "drift", name],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/federation/sources/{source_id}/drift", { params: named(name), signal })),
    staleTime: 60_000,
  });

/** The names of all tables and views of the lake at a revision. */
export const lakeTablesQuery = (at: string) =>
  queryOptions({
    queryKey: ["federation", "lake", at],
    queryFn: async ({ signal }) =>
      (await unwrap(client.GET("/api/v1/branches/commits/{commit_id}", { params: { path: { commit_id: at } }, signal }))).versions.map((one) => one.table),
    staleTime: 30_000,
  });

function refresh(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: ["federation"] });
}

export function useCreateSource() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: SourceCreate) => unwrap(client.POST("/api/v1/federation/sources", { body })),
    onSuccess: () => refresh(queries),
  });
}

export function useChangeSource() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, ...body }: { name: string } & SourcePatch) => unwrap(client.PATCH("/api/v1/federation/sources/{source_id}", { params: named(name), body })),
    onSettled: () => refresh(queries),
  });
}

export function useRemoveSource() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, version }: { name: string; version: number }) =>
      unwrap(client.DELETE("/api/v1/federation/sources/{source_id}", { params: { ...named(name), query: { expected_version: version } } })),
    onSuccess: (_, { name }) => {
      queries.removeQueries({ queryKey: ["federation", "source", name] });
      void queries.invalidateQueries({ queryKey: ["federation", "sources"] });
    },
  });
}

/** Columns of files that do not say them, as the first of them has them. */
export function useProposeColumns() {
  return useMutation({
    mutationFn: (body: ColumnsQuestion) => unwrap(client.POST("/api/v1/federation/sources/columns", { body })),
  });
}

/** Connects, and takes the source as it is now for its drift. */
export function useTestSource() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => unwrap(client.POST("/api/v1/federation/sources/{source_id}/test", { params: named(name) })),
    onSettled: (_, __, name) => {
      for (const part of ["tables", "drift"]) void queries.invalidateQueries({ queryKey: ["federation", part, name] });
    },
  });
}

export interface Asking {
  /** Ends the query, in the sources too: the server notices that nobody waits. */
  signal: AbortSignal;
  /** It takes long and goes on as a run. */
  onRun: (runId: string) => void;
}

/** Asks until the rows are there. */
export async function askRows(body: QueryOrder, asking: Asking): Promise<QueryResultView> {
  const found = await waitFor(() => noted(client.POST("/api/v1/federation/query", { body, signal: asking.signal }), asking));
  if (typeof found === "string") throw new TypeError("Nobody asked for an Arrow stream.");
  const { items: _, rows, ...told } = found;
  return { ...told, rows: rows ?? [] };
}

/** How it would be computed; no row is read. */
export function askPlan(body: QueryQuestion, asking: Asking): Promise<PlanView> {
  return waitFor(() => noted(client.POST("/api/v1/federation/query/explain", { body, signal: asking.signal }), asking));
}

async function noted<T>(sending: Promise<Sent<T>>, { signal, onRun }: Asking): Promise<Sent<T>> {
  signal.throwIfAborted();
  const sent = await sending;
  if (isTicket(sent.data, sent.response)) onRun(sent.data.run_id);
  return sent;
}

export function cancelQuery(runId: string): Promise<unknown> {
  return unwrap(client.DELETE("/api/v1/federation/query/{query_id}", { params: { path: { query_id: runId } } }));
}

/** A query as the builder shows it, or what of it is not shown. */
export const outlineQuery = (sql: string) =>
  queryOptions({
    queryKey: ["federation", "outline", sql],
    queryFn: ({ signal }) => unwrap(client.POST("/api/v1/federation/query/outline", { body: { sql }, signal })),
    staleTime: Infinity,
    retry: false,
  });

/** The SQL of a query of the builder. */
export async function composeQuery(body: BuilderQueryView): Promise<string> {
  return (await unwrap(client.POST("/api/v1/federation/query/compose", { body }))).sql;
}
