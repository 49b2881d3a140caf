/** Virtual tables: SELECTs that are kept as data. */
import { queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { client, unwrap } from "./client";
import type { VirtualTableCreate, VirtualTableList, VirtualTablePatch } from "./types";

const ALL = 500;
const named = (name: string) => ({ path: { table_id: name } });
const keyOfDrift = (name: string) => ["federation", "virtual drift", name];

/** By name: those that the caller may read are named in queries like any table. */
export const virtualTablesQuery = () =>
  queryOptions({
    queryKey: ["federation", "virtual"],
    queryFn: ({ signal }): Promise<VirtualTableList> => unwrap(client.GET("/api/v1/federation/virtual-tables", { params: { query: { limit: ALL } }, signal })),
    staleTime: 30_000,
  });

export const virtualTableQuery = (name: string) =>
  queryOptions({
    queryKey: ["federation", "virtual", name],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/federation/virtual-tables/{table_id}", { params: named(name), signal })),
  });

/** Its sources are connected to for this. */
export const virtualDriftQuery = (name: string) =>
  queryOptions({
    queryKey: keyOfDrift(name),
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/federation/virtual-tables/{table_id}/drift", { params: named(name), signal })),
    staleTime: 60_000,
  });

/** What a SELECT is as a virtual table, or why it is none. `types`: of the result, where the query was run. */
export const virtualDraftQuery = (sql: string, types: Record<string, string>) =>
  queryOptions({
    queryKey: ["federation", "draft", sql, types],
    queryFn: ({ signal }) => unwrap(client.POST("/api/v1/federation/virtual-tables/draft", { body: { sql, types }, signal })),
    gcTime: 0,
    retry: false,
  });

function refresh(queries: QueryClient, name: string): void {
  void queries.invalidateQueries({ queryKey: ["federation", "virtual"] });
  void queries.invalidateQueries({ queryKey: keyOfDrift(name) });
}

export function useCreateVirtualTable() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: VirtualTableCreate) => unwrap(client.POST("/api/v1/federation/virtual-tables", { body })),
    onSuccess: ({ name }) => refresh(queries, name),
  });
}

export function useChangeVirtualTable() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, ...body }: { name: string } & VirtualTablePatch) => unwrap(client.PATCH("/api/v1/federation/virtual-tables/{table_id}", { params: named(name), body })),
    onSettled: (_, __, { name }) => refresh(queries, name),
  });
}

export function useDropVirtualTable() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, version }: { name: string; version: number }) =>
      unwrap(client.DELETE("/api/v1/federation/virtual-tables/{table_id}", { params: { ...named(name), query: { expected_version: version } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["federation", "virtual"], exact: true }),
  });
}

/** Asks its sources whether they have what it reads, and takes them as they are now for its drift. */
export function useTestVirtualTable() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => unwrap(client.POST("/api/v1/federation/virtual-tables/{table_id}/test", { params: named(name) })),
    onSettled: (_, __, name) => queries.invalidateQueries({ queryKey: keyOfDrift(name) }),
  });
}
