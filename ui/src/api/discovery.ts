/** What is used, what is alike, and what somebody may want to see. */
import { queryOptions } from "@tanstack/react-query";

import { client, itemsOf, unwrap } from "./client";
import type { UsageView } from "./types";

const of = (assetId: string) => ({ path: { asset_id: assetId } });

export const recommendationsQuery = (limit = 6) =>
  queryOptions({
    queryKey: ["recommendations", limit],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/recommendations", { params: { query: { limit } }, signal })),
    staleTime: 60_000,
  });

export const similarQuery = (assetId: string, limit = 8) =>
  queryOptions({
    queryKey: ["asset", assetId, "similar", limit],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/assets/{asset_id}/similar", { params: { ...of(assetId), query: { limit } }, signal })),
    retry: false,
  });

/** Most used first; of one domain, or of all. */
export const popularQuery = (domain: string | undefined, period: UsageView["period"], limit = 20) =>
  queryOptions({
    queryKey: ["popular", domain ?? null, period, limit],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/popular", { params: { query: { domain, time_range: period, limit } }, signal })),
    staleTime: 30_000,
  });

export const usageQuery = (assetId: string, period: UsageView["period"] = "month") =>
  queryOptions({
    queryKey: ["asset", assetId, "usage", period],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/catalog/assets/{asset_id}/usage", { params: { ...of(assetId), query: { time_range: period } }, signal })),
    retry: false,
  });
