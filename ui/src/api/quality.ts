/** What can be asked and done about quality: datasets, monitors, results, service levels, metrics and remediations. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { client, unwrap } from "./client";
import { followed, isTicket, waitFor, type Sent } from "./polling";
import { problemOf } from "./problem";
import type { paths } from "./schema";
import type { FeedbackBody, MonitorChange, MonitorCreate, RemediationView } from "./types";

type Filter<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Omit<NonNullable<Q>, "cursor" | "offset"> : never;

const EVERY_MS = 4_000;

export const datasetsQuery = (filter: Filter<"/api/v1/quality/datasets"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["quality", "datasets", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/quality/datasets", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const trendQuery = (branch?: string, days = 30) =>
  queryOptions({
    queryKey: ["quality", "trend", branch ?? null, days],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/trend", { params: { query: { branch, days } }, signal })),
  });

export const monitorsQuery = (filter: Filter<"/api/v1/quality/monitors"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["quality", "monitors", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/quality/monitors", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

/** One that works is asked for again until it has ended. */
export const monitorQuery = (id: string) =>
  queryOptions({
    queryKey: ["quality", "monitor", id],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/monitors/{monitor_id}", { params: { path: { monitor_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.last_run?.status === "running" || state.data?.last_run?.status === "queued" ? EVERY_MS : false),
  });

export const monitorRunsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["quality", "monitor", id, "runs"],
    queryFn: ({ signal, pageParam }) =>
      unwrap(client.GET("/api/v1/quality/monitors/{monitor_id}/runs", { params: { path: { monitor_id: id }, query: { cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });

export const monitorResultsQuery = (id: string, run: string | undefined) =>
  queryOptions({
    queryKey: ["quality", "monitor", id, "results", run ?? null],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/quality/monitors/{monitor_id}/results", { params: { path: { monitor_id: id }, query: { monitor_run_id: run, limit: 500 } }, signal })),
    placeholderData: keepPreviousData,
  });

export const slaQuery = (id: string, windowDays?: number) =>
  queryOptions({
    queryKey: ["quality", "monitor", id, "sla", windowDays ?? null],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/quality/monitors/{monitor_id}/sla", { params: { path: { monitor_id: id }, query: { window_days: windowDays } }, signal })),
  });

export const channelsQuery = () =>
  queryOptions({
    queryKey: ["quality", "channels"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/channels", { signal })),
    staleTime: 60_000,
  });

/** The types of checks and what each is asked: forms are made of it. It changes with the server only. */
export const checkTypesQuery = () =>
  queryOptions({
    queryKey: ["quality", "check types"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/checks/types", { signal })),
    staleTime: Infinity,
  });

/** What a monitor would be: read, planned on its dataset, and when it would run. Nothing is kept, nothing run. */
export const monitorPreviewQuery = (wanted: MonitorCreate, id?: string) =>
  queryOptions({
    queryKey: ["quality", "preview", id ?? null, wanted],
    queryFn: ({ signal }) => unwrap(client.POST("/api/v1/quality/monitors/preview", { body: { ...wanted }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  });

export const resultQuery = (id: string) =>
  queryOptions({
    queryKey: ["quality", "result", id],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/results/{result_id}", { params: { path: { result_id: id } }, signal })),
  });

export const resultsOfRunQuery = (runId: string) =>
  queryOptions({
    queryKey: ["quality", "results", runId],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/results", { params: { query: { run_id: runId, limit: 1 } }, signal })),
  });

export const incidentsQuery = (filter: Filter<"/api/v1/quality/incidents"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["quality", "incidents", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/quality/incidents", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ["quality", "incident", id],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/incidents/{incident_id}", { params: { path: { incident_id: id } }, signal })),
  });

export const metricsQuery = (dataset: string, branch?: string) =>
  queryOptions({
    queryKey: ["quality", "metrics", dataset, branch ?? null],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/quality/datasets/{dataset_id}/metrics", { params: { path: { dataset_id: dataset }, query: { branch } }, signal })),
  });

export interface SeriesWanted {
  dataset: string;
  metric: string;
  branch?: string | undefined;
  method?: Filter<"/api/v1/quality/datasets/{dataset_id}/series">["method"];
  limit?: number | undefined;
  around?: string | undefined;
}

export const seriesQuery = ({ dataset, metric, branch, method, limit, around }: SeriesWanted) =>
  queryOptions({
    queryKey: ["quality", "series", dataset, metric, branch ?? null, method ?? null, limit ?? null, around ?? null],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/quality/datasets/{dataset_id}/series", { params: { path: { dataset_id: dataset }, query: { metric, branch, method, limit, around } }, signal })),
    placeholderData: keepPreviousData,
  });

export const remediationsQuery = (filter: Filter<"/api/v1/quality/remediations"> = {}) =>
  infiniteQueryOptions({
    queryKey: ["quality", "remediations", filter],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/quality/remediations", { params: { query: { ...filter, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const remediationQuery = (id: string) =>
  queryOptions({
    queryKey: ["quality", "remediation", id],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/remediations/{remediation_id}", { params: { path: { remediation_id: id } }, signal })),
  });

export const remedyPreviewQuery = (id: string, table?: string) =>
  queryOptions({
    queryKey: ["quality", "remediation", id, "preview", table ?? null],
    queryFn: ({ signal }) =>
      waitFor(() => client.GET("/api/v1/quality/remediations/{remediation_id}/preview", { params: { path: { remediation_id: id }, query: { table } }, signal })),
  });

/** What was an anomaly when it came, over all datasets. */
export const newestAnomaliesQuery = (days = 30) =>
  queryOptions({
    queryKey: ["quality", "anomalies", days],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/anomalies", { params: { query: { days } }, signal })),
  });

export const mutesQuery = () =>
  queryOptions({
    queryKey: ["quality", "mutes"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/alerts/mutes", { params: { query: { limit: 200 } }, signal })),
  });

// what can be done

/** Whatever was done, numbers on many pages change: of datasets, incidents, monitors and the home page. */
/** `gone` is the id of what was deleted: the page that still shows it must not ask for it again. */
export function refreshQuality(queries: QueryClient, gone?: string): void {
  const isOld = (key: readonly unknown[]): boolean => gone === undefined || !key.includes(gone);
  for (const key of ["quality", "overview", "asset"]) void queries.invalidateQueries({ queryKey: [key], predicate: ({ queryKey }) => isOld(queryKey) });
}

export function useCreateMonitor() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: MonitorCreate) => unwrap(client.POST("/api/v1/quality/monitors", { body: wanted })),
    onSuccess: () => refreshQuality(queries),
  });
}

export function useChangeMonitor() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...change }: { id: string } & Partial<MonitorChange>) =>
      unwrap(client.PATCH("/api/v1/quality/monitors/{monitor_id}", { params: { path: { monitor_id: id } }, body: change })),
    onSuccess: () => refreshQuality(queries),
  });
}

export function useDeleteMonitor() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unwrap(client.DELETE("/api/v1/quality/monitors/{monitor_id}", { params: { path: { monitor_id: id } } })),
    onSuccess: (_, id) => refreshQuality(queries, id),
  });
}

export function useRunMonitor() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unwrap(client.POST("/api/v1/quality/monitors/{monitor_id}/run", { params: { path: { monitor_id: id } } })),
    onSuccess: () => {
      refreshQuality(queries);
      for (const key of ["runs", "system"]) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
}

export type IncidentPatch = paths["/api/v1/quality/incidents/{incident_id}"]["patch"]["requestBody"]["content"]["application/json"];

export function useChangeIncident(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: IncidentPatch) =>
      unwrap(client.PATCH("/api/v1/quality/incidents/{incident_id}", { params: { path: { incident_id: id } }, body: change })),
    onSuccess: () => refreshQuality(queries),
  });
}

export function useMute() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { check_id: string; dataset: string; hours: number; reason: string }) => unwrap(client.POST("/api/v1/quality/alerts/mutes", { body: wanted })),
    onSuccess: () => refreshQuality(queries),
  });
}

export function useUnmute() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unwrap(client.DELETE("/api/v1/quality/alerts/mutes/{mute_id}", { params: { path: { mute_id: id } } })),
    onSuccess: () => refreshQuality(queries),
  });
}

export function useFeedback(dataset: string, branch: string | undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (said: FeedbackBody) =>
      unwrap(client.POST("/api/v1/quality/datasets/{dataset_id}/feedback", { params: { path: { dataset_id: dataset }, query: { branch } }, body: said })),
    onSuccess: () => {
      for (const key of ["series", "metrics"]) void queries.invalidateQueries({ queryKey: ["quality", key, dataset] });
    },
  });
}

export type Decision = "approve" | "reject" | "revert";

/** Approves, rejects or reverts. What takes longer goes on as a run, of which `runId` tells; its end is waited for. */
export function useDecide(id: string) {
  const queries = useQueryClient();
  const [runId, setRunId] = useState<string | null>(null);
  const mutation = useMutation({
    mutationFn: async ({ decision, comment }: { decision: Decision; comment: string }): Promise<RemediationView> => {
      const at = { params: { path: { remediation_id: id } }, body: { comment } };
      const sent = await send(decision, at);
      if (!sent.response.ok) throw problemOf(sent.response.status, sent.error);
      if (isTicket(sent.data, sent.response)) {
        setRunId(sent.data.run_id);
        await followed(sent.data.run_id);
        return unwrap(client.GET("/api/v1/quality/remediations/{remediation_id}", { params: { path: { remediation_id: id } } }));
      }
      return sent.data as RemediationView;
    },
    onSettled: () => {
      setRunId(null);
      refreshQuality(queries);
      for (const key of ["branches", "branch", "commit", "runs"]) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  return { ...mutation, runId };
}

type At = {
  params: { path: { remediation_id: string } };
  body: { comment: string };
};

function send(decision: Decision, at: At): Promise<Sent<unknown>> {
  if (decision === "approve") return client.POST("/api/v1/quality/remediations/{remediation_id}/approve", at);
  if (decision === "reject") return client.POST("/api/v1/quality/remediations/{remediation_id}/reject", at);
  return client.POST("/api/v1/quality/remediations/{remediation_id}/revert", at);
}
