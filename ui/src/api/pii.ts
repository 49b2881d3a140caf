/** What can be asked and done about findings of personal data. */
import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

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

/** A person's decision. What is hidden in samples, and found by search, follows it. */
export function useReview() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string } & PiiReview) =>
      unwrap(client.PATCH("/api/v1/catalog/pii/findings/{finding_id}", { params: { path: { finding_id: id } }, body })),
    onSettled: () => {
      for (const key of ["pii", "asset", "search"]) void queries.invalidateQueries({ queryKey: [key] });
    },
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
      void queries.invalidateQueries({ queryKey: ["pii"] });
    },
  });
  return { ...work, runId };
}
