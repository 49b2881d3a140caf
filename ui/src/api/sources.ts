/** What can be asked of the code that was read for its lineage. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { client, unwrap } from "./client";
import type { paths } from "./schema";

type Filter<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Omit<NonNullable<Q>, "cursor" | "offset"> : never;

/** The sums of all files. */
export const sourceTotalsQuery = () =>
  queryOptions({
    queryKey: ["sources", "totals"],
    queryFn: async ({ signal }) => (await unwrap(client.GET("/api/v1/lineage/sources", { params: { query: { limit: 1 } }, signal }))).totals,
  });

export const sourcesQuery = (filter: Filter<"/api/v1/lineage/sources"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["sources", "files", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/lineage/sources", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const sourceQuery = (id: string) =>
  queryOptions({
    queryKey: ["sources", "file", id],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/lineage/sources/{source_id}", { params: { path: { source_id: id } }, signal })),
  });

export const gapsQuery = (filter: Filter<"/api/v1/lineage/sources/gaps"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["sources", "gaps", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/lineage/sources/gaps", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const disagreementsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["sources", "disagreements"],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/lineage/sources/disagreements", { params: { query: { cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });
