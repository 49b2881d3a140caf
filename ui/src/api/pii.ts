/** What can be asked and done about findings of personal data. */
import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { isLakeTable } from "../format/names";
import { client, unwrap } from "./client";
import { followed } from "./polling";
import type { paths } from "./schema";
import type { PiiReview } from "./types";

type Filter = Omit<NonNullable<paths["/api/v1/catalog/pii/findings"]["get"]["parameters"]["query"]>, "cursor" | "offset">;

export const findingsQuery = (filter: Filter = {}) =>
  infiniteQueryOptions({
    queryKey: ["pii", "findings", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/catalog/pii/findings", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

/** What is hidden in samples, and what search finds by: both follow the findings. */
function refresh(queries: QueryClient): void {
  for (const key of ["pii", "asset", "find", "search"]) void queries.invalidateQueries({ queryKey: [key] });
}

/** A person's decision. What is hidden in samples, and found by search, follows it. */
export function useReview() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string } & PiiReview) =>
      unwrap(client.PATCH("/api/v1/catalog/pii/findings/{finding_id}", { params: { path: { finding_id: id } }, body })),
    onSettled: () => refresh(queries),
  });
}

/** Looks for personal data in a table. The run goes on by itself; this waits for its end. */
export function useScan() {
  const queries = useQueryClient();
  const [runId, setRunId] = useState<string | null>(null);
  const work = useMutation({
    mutationFn: async (assetId: string) => {
      const ticket = await unwrap(client.POST("/api/v1/catalog/assets/{asset_id}/pii/scan", { params: { path: { asset_id: assetId }, query: { force: true } } }));
      setRunId(ticket.run_id);
      return followed(ticket.run_id);
    },
    onSettled: () => {
      setRunId(null);
      refresh(queries);
    },
  });
  return { ...work, runId };
}

interface Scanned {
  scanned: number;
  /** Of these the scan could not be started, or did not come to its end. */
  failed: { table: string; error: unknown }[];
}

/** The same of all tables and views of the lake, one after the other; those that did not change are passed over. */
export function useScanAll() {
  const queries = useQueryClient();
  const [done, setDone] = useState({ tables: 0, of: 0 });
  const work = useMutation({
    mutationFn: async (): Promise<Scanned> => {
      const tables = await lakeTables();
      const failed: Scanned["failed"] = [];
      for (const [index, table] of tables.entries()) {
        setDone({ tables: index, of: tables.length });
        try {
          const ticket = await unwrap(client.POST("/api/v1/catalog/assets/{asset_id}/pii/scan", { params: { path: { asset_id: table } } }));
          await followed(ticket.run_id);
        } catch (error) {
          // One table that cannot be read keeps nobody from looking at the others.
          failed.push({ table, error });
        }
      }
      return { scanned: tables.length - failed.length, failed };
    },
    onSettled: () => refresh(queries),
  });
  return { ...work, done };
}

async function lakeTables(): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const query = { types: ["table" as const, "view" as const], sort: "name" as const, limit: 200, cursor };
    const page: { items: { id: string; vanished?: boolean }[]; next_cursor?: string | null } = await unwrap(client.GET("/api/v1/catalog/search", { params: { query } }));
    found.push(...page.items.filter((hit) => hit.vanished !== true && isLakeTable(hit.id)).map((hit) => hit.id));
    cursor = page.next_cursor ?? null;
  }
  return found;
}
