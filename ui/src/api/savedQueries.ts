/** Queries that people keep by a name. */
import { queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { client, unwrap } from "./client";
import type { SavedQueryCreate, SavedQueryPatch, SavedQueryView } from "./types";

const PAGE = 500;
const KEY = ["federation", "saved"];
const of = (id: string) => ({ path: { query_id: id } });

/** The caller's own and those that are shared, by name. */
export const savedQueriesQuery = () =>
  queryOptions({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const page = (cursor: string | null) => unwrap(client.GET("/api/v1/federation/saved-queries", { params: { query: { limit: PAGE, cursor } }, signal }));
      const found: SavedQueryView[] = [];
      for (let next: string | null = null, first = true; first || next !== null; first = false) {
        const { items, next_cursor }: { items: SavedQueryView[]; next_cursor?: string | null } = await page(next);
        found.push(...items);
        next = next_cursor ?? null;
      }
      return found;
    },
    staleTime: 30_000,
  });

function refresh(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: KEY });
}

export function useSaveQuery() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: SavedQueryCreate) => unwrap(client.POST("/api/v1/federation/saved-queries", { body })),
    onSuccess: () => refresh(queries),
  });
}

export function useChangeSavedQuery() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string } & SavedQueryPatch) => unwrap(client.PATCH("/api/v1/federation/saved-queries/{query_id}", { params: of(id), body })),
    onSettled: () => refresh(queries),
  });
}

export function useDropSavedQuery() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: { id: string; version: number }) => unwrap(client.DELETE("/api/v1/federation/saved-queries/{query_id}", { params: { ...of(id), query: { expected_version: version } } })),
    onSettled: () => refresh(queries),
  });
}
