/** What can be asked and done about profiles of tables. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { client, unwrap } from "./client";
import { followed } from "./polling";

const of = (assetId: string) => ({ path: { asset_id: assetId } });

/** Of a revision; without one, of the current rows or else the newest there is. */
export const profileQuery = (assetId: string, at?: string) =>
  queryOptions({
    queryKey: ["asset", assetId, "profile", "at", at ?? null],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/catalog/assets/{asset_id}/profile", { params: { ...of(assetId), query: { at } }, signal })),
    retry: false,
  });

/** Newest first. */
export const profileHistoryQuery = (assetId: string) =>
  queryOptions({
    queryKey: ["asset", assetId, "profile", "history"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/catalog/assets/{asset_id}/profile/history", { params: { ...of(assetId), query: { limit: 100 } }, signal })),
  });

export const profileDiffQuery = (assetId: string, before: string, after?: string) =>
  queryOptions({
    queryKey: ["asset", assetId, "profile", "diff", before, after ?? null],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/catalog/assets/{asset_id}/profile/diff", { params: { ...of(assetId), query: { a: before, b: after } }, signal })),
    retry: false,
  });

/** Looks at the values now. The run goes on by itself; this waits for its end. */
export function useProfile(assetId: string) {
  const queries = useQueryClient();
  const [runId, setRunId] = useState<string | null>(null);
  const work = useMutation({
    mutationFn: async (at: string | undefined) => {
      const ticket = await unwrap(client.POST("/api/v1/catalog/assets/{asset_id}/profile", { params: of(assetId), body: { at, exact: false } }));
      setRunId(ticket.run_id);
      return followed(ticket.run_id);
    },
    onSettled: () => {
      setRunId(null);
      void queries.invalidateQueries({ queryKey: ["asset", assetId, "profile"] });
    },
  });
  return { ...work, runId };
}
