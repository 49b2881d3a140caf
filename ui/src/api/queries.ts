/** What can be asked, one function per route. Pages write `useQuery(runsQuery({ branch }))`. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { client, itemsOf, unwrap } from "./client";
import { waitFor } from "./polling";
import type { paths } from "./schema";

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? NonNullable<Q> : never;

const SYSTEM_EVERY_MS = 5_000;

export const overviewQuery = (branch?: string) =>
  queryOptions({
    queryKey: ["overview", branch ?? null],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/overview", { params: { query: { branch } }, signal })),
  });

/** Asked every five seconds while the tab is looked at. */
export const systemQuery = () =>
  queryOptions({
    queryKey: ["system"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/system", { signal })),
    refetchInterval: SYSTEM_EVERY_MS,
    staleTime: SYSTEM_EVERY_MS,
  });

export const sessionQuery = () =>
  queryOptions({
    queryKey: ["session"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/session", { signal })),
    staleTime: Infinity,
  });

export const tokensQuery = () =>
  queryOptions({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/tokens", { signal })),
  });

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/sessions", { signal })),
  });

// lists: pages follow each other by cursor; `data.pages.flatMap((page) => page.items)`

type Listed<P extends keyof paths> = Omit<QueryOf<P>, "cursor" | "offset">;

export const runsQuery = (filter: Listed<"/api/v1/runs"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["runs", filter],
    queryFn: ({ signal, pageParam }) =>
      unwrap(client.GET("/api/v1/runs", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
  });

export const searchQuery = (filter: Listed<"/api/v1/catalog/search"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["search", filter],
    queryFn: ({ signal, pageParam }) =>
      unwrap(client.GET("/api/v1/catalog/search", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const suggestQuery = (prefix: string, limit = 10) =>
  queryOptions({
    queryKey: ["suggest", prefix, limit],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/suggest", { params: { query: { prefix, limit } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

export const assetQuery = (assetId: string, at = "HEAD") =>
  queryOptions({
    queryKey: ["asset", assetId, at],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/catalog/assets/{asset_id}", { params: { path: { asset_id: assetId }, query: { at } }, signal })),
  });

export const branchesQuery = () =>
  queryOptions({
    queryKey: ["branches"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/branches", { params: { query: { limit: 500 } }, signal })),
  });

export const branchQuery = (branch: string) =>
  queryOptions({
    queryKey: ["branch", branch],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/branches/{branch}", { params: { path: { branch } }, signal })),
  });

export const branchCommitsQuery = (branch: string, filter: Listed<"/api/v1/branches/{branch}/commits"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["branch", branch, "commits", filter],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/v1/branches/{branch}/commits", {
          params: { path: { branch }, query: { ...filter, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const commitQuery = (commit: string) =>
  queryOptions({
    queryKey: ["commit", commit],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/branches/commits/{commit_id}", { params: { path: { commit_id: commit } }, signal })),
  });

export const tableCommitsQuery = (table: string, branch: string) =>
  infiniteQueryOptions({
    queryKey: ["asset", table, "commits", branch],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/v1/branches/datasets/{dataset_id}/branches/{branch}/commits", {
          params: { path: { dataset_id: table, branch }, query: { cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });

export const rowsQuery = (table: string, commit: string, limit = 50) =>
  queryOptions({
    queryKey: ["asset", table, "rows", commit, limit],
    queryFn: ({ signal }) =>
      waitFor(() =>
        client.GET("/api/v1/branches/datasets/{dataset_id}/commits/{commit_id}/data", {
          params: { path: { dataset_id: table, commit_id: commit }, query: { limit } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

export const healthQuery = (table: string, at = "HEAD") =>
  queryOptions({
    queryKey: ["asset", table, "health", at],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/v1/quality/datasets/{dataset_id}/health", {
          params: { path: { dataset_id: table }, query: { at } },
          signal,
        }),
      ),
  });
