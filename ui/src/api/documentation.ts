/** What people say of assets: edits, their history, and what there is to choose from. */
import { queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { client, itemsOf, unwrap } from "./client";
import type { AssetChange } from "./types";

const of = (assetId: string) => ({ path: { asset_id: assetId } });

/** Newest first. */
export const editsQuery = (assetId: string) =>
  queryOptions({
    queryKey: ["asset", assetId, "edits"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/catalog/assets/{asset_id}/history", { params: { ...of(assetId), query: { limit: 100 } }, signal })),
    retry: false,
  });

export const domainsQuery = () =>
  queryOptions({
    queryKey: ["catalog", "domains"],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/domains", { params: { query: { limit: 500 } }, signal })),
    staleTime: 30_000,
  });

export const tagsQuery = () =>
  queryOptions({
    queryKey: ["catalog", "tags"],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/tags", { params: { query: { limit: 500 } }, signal })),
    staleTime: 30_000,
  });

/** Edits that wait for somebody else, of all assets; newest first. */
export const proposalsQuery = () =>
  queryOptions({
    queryKey: ["proposals"],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/proposals", { params: { query: { state: "open", limit: 500 } }, signal })),
    retry: false,
    staleTime: 15_000,
  });

function refresh(queries: QueryClient, assetId: string): void {
  void queries.invalidateQueries({ queryKey: ["asset", assetId] });
  for (const key of ["proposals", "find", "search", "suggest", "catalog", "glossary"]) void queries.invalidateQueries({ queryKey: [key] });
}

export function useEditAsset(assetId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: AssetChange) => unwrap(client.PATCH("/api/v1/catalog/assets/{asset_id}", { params: of(assetId), body: change })),
    // Also after a refusal: what somebody else said meanwhile is then shown.
    onSettled: () => refresh(queries, assetId),
  });
}

/** Takes one edit back, by another that restores what was before it. */
export function useUndoEdit(assetId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (version: number) => unwrap(client.POST("/api/v1/catalog/assets/{asset_id}/undo", { params: of(assetId), body: { documentation_version: version } })),
    onSettled: () => refresh(queries, assetId),
  });
}

/** Makes a proposed edit so, or not. Whoever was faster is shown after a refusal. */
export function useDecideProposal(assetId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, approve, comment }: { id: string; approve: boolean; comment: string }) => {
      const sent = { params: { path: { proposal_id: id } }, body: { comment } };
      return unwrap(approve ? client.POST("/api/v1/catalog/proposals/{proposal_id}/approve", sent) : client.POST("/api/v1/catalog/proposals/{proposal_id}/reject", sent));
    },
    onSettled: () => refresh(queries, assetId),
  });
}
