/** What can be asked and done about contracts: promises, problems, versions, drift, readers and tests. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { client, unwrap } from "./client";
import type { paths } from "./schema";
import type { ContractDetail, StateChange } from "./types";

type Filter<P extends "/api/v1/contracts" | "/api/v1/contract-violations"> = Omit<NonNullable<paths[P]["get"]["parameters"]["query"]>, "cursor" | "offset">;

/** A contract by its id, in a path. */
const of = (id: string) => ({ path: { contract_id: id } });

export const contractsQuery = (filter: Filter<"/api/v1/contracts"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["contracts", "list", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/contracts", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

/** The contract of a table, where it has one. */
export const contractOfTableQuery = (table: string) =>
  queryOptions({
    queryKey: ["contracts", "table", table],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/contracts", { params: { query: { table, limit: 1 } }, signal })),
  });

/** The newest version; or another, `file` for the project's file as it is now. */
export const contractQuery = (id: string, version?: string) =>
  queryOptions({
    queryKey: ["contracts", "one", id, "version", version ?? null],
    queryFn: async ({ signal }): Promise<ContractDetail> => {
      const found = await unwrap(client.GET("/api/v1/contracts/{contract_id}", { params: { ...of(id), query: { version } }, signal }));
      // A text comes only to those who ask for YAML.
      return found as ContractDetail;
    },
  });

export const effectiveQuery = (id: string) =>
  queryOptions({
    queryKey: ["contracts", "one", id, "effective"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/contracts/{contract_id}/effective", { params: of(id), signal })),
  });

export const violationsQuery = (id: string) =>
  queryOptions({
    queryKey: ["contracts", "one", id, "violations"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/contracts/{contract_id}/violations", { params: of(id), signal })),
  });

export const versionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["contracts", "one", id, "versions"],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/contracts/{contract_id}/versions", { params: { ...of(id), query: { cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });

/** `file` as a version names the project's file as it is now. */
export const comparisonQuery = (id: string, old: string | undefined, next: string | undefined) =>
  queryOptions({
    queryKey: ["contracts", "one", id, "diff", old ?? null, next ?? null],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/contracts/{contract_id}/diff", { params: { ...of(id), query: { old, new: next } }, signal })),
    placeholderData: keepPreviousData,
  });

export const driftQuery = (id: string, at: string | undefined) =>
  queryOptions({
    queryKey: ["contracts", "one", id, "drift", at ?? null],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/contracts/{contract_id}/drift", { params: { ...of(id), query: { at } }, signal })),
    placeholderData: keepPreviousData,
  });

export const consumersQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["contracts", "one", id, "consumers"],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/contracts/{contract_id}/consumers", { params: { ...of(id), query: { cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });

export const testsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["contracts", "one", id, "results"],
    queryFn: ({ signal, pageParam }) =>
      unwrap(client.GET("/api/v1/contracts/{contract_id}/results", { params: { ...of(id), query: { cursor: pageParam, limit: 20 } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });

/** What the last checks found, over all contracts; the worst first. */
export const allViolationsQuery = (filter: Filter<"/api/v1/contract-violations"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["contracts", "violations", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/contract-violations", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

/** What the last `forge compile` said of the whole project; null where there was none. */
export const compileQuery = () =>
  queryOptions({
    queryKey: ["contracts", "compile"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/compile", { signal })),
  });

// what can be done

/** Counts of contracts stand on the home page, too. */
function refreshContracts(queries: QueryClient): void {
  for (const key of ["contracts", "overview"]) void queries.invalidateQueries({ queryKey: [key] });
}

export function useCheckContract(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/api/v1/contracts/{contract_id}/check", { params: of(id) })),
    onSuccess: () => refreshContracts(queries),
  });
}

export function useChangeState(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: StateChange) => unwrap(client.POST("/api/v1/contracts/{contract_id}/state", { params: of(id), body: change })),
    onSuccess: () => refreshContracts(queries),
  });
}
