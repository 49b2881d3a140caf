/** Branches beside each other: what differs, merging, conflicts, tags, uploads. Work that takes long answers with a run;
 * what only reads is asked again until it is there, what writes is followed to its end. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { client, unwrap } from "./client";
import { followed, isTicket, waitFor, type Sent } from "./polling";
import { problemOf } from "./problem";
import type { paths } from "./schema";
import type {
  BranchPatch,
  CommitResultView,
  ConflictSet,
  MergeResultView,
  MergeStart,
  MergeView,
  PickStart,
  ResolutionBody,
  RunDetail,
  RunTicket,
  TagCreate,
} from "./types";

export type MergeStatus = MergeView["status"];
/** Those that wait for someone. */
export const OPEN_MERGES: readonly MergeStatus[] = ["conflicted", "blocked", "pending"];
// reading

export const mergesQuery = (status: readonly MergeStatus[], branch?: string) =>
  queryOptions({
    queryKey: ["merges", status, branch ?? null],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/branches/merges", { params: { query: { status: [...status], branch, limit: 100 } }, signal })),
  });

export interface ConflictsWanted {
  table?: string | undefined;
  column?: string | undefined;
  open?: boolean | undefined;
  limit: number;
  offset: number;
}

export const mergeQuery = (mergeId: string, wanted: ConflictsWanted) =>
  queryOptions({
    queryKey: ["merge", mergeId, wanted],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/v1/branches/merges/{merge_id}", { params: { path: { merge_id: mergeId }, query: wanted }, signal })),
    placeholderData: keepPreviousData,
  });

/** `records`: what is known without reading data. `preview`: a trial of the merge. `checks`: with the checks on its result. */
export type CompareDepth = "records" | "preview" | "checks";

export const compareQuery = (base: string, compare: string, depth: CompareDepth) =>
  queryOptions({
    queryKey: ["compare", base, compare, depth],
    queryFn: ({ signal }) => {
      const query = { base, compare, preview: depth !== "records", ...(depth === "checks" ? { checks: true } : {}) };
      return waitFor(() => client.GET("/api/v1/branches/compare", { params: { query }, signal }));
    },
  });

export interface DiffWanted {
  base: string;
  compare: string;
  table: string;
  limit: number;
  offset: number;
}

export const diffQuery = ({ base, compare, table, limit, offset }: DiffWanted) =>
  queryOptions({
    queryKey: ["diff", base, compare, table, limit, offset],
    queryFn: ({ signal }) =>
      waitFor(() =>
        client.GET("/api/v1/branches/diff", {
          params: { query: { base_commit: base, compare_commit: compare, table, limit, offset } },
          signal,
        }),
      ),
    // Between two commits nothing ever changes.
    staleTime: Infinity,
  });

export const tagsQuery = () =>
  queryOptions({
    queryKey: ["tags"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/branches/tags", { params: { query: { limit: 500 } }, signal })),
  });

type LogFilter = Omit<NonNullable<paths["/api/v1/branches/{branch}/commits"]["get"]["parameters"]["query"]>, "cursor" | "offset" | "graph">;

/** The log with a lane for each commit. */
export const graphLogQuery = (branch: string, filter: LogFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ["branch", branch, "graph", filter],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/v1/branches/{branch}/commits", {
          params: { path: { branch }, query: { ...filter, graph: true, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

export const blameQuery = (table: string, at: string, key: Record<string, unknown>) =>
  queryOptions({
    queryKey: ["blame", table, at, key],
    queryFn: ({ signal }) =>
      waitFor(() =>
        client.GET("/api/v1/branches/blame", {
          params: { query: { table, at, key: Object.entries(key).map(([column, value]) => `${column}:${String(value)}`), limit: 1 } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

// doing

function refresh(queries: QueryClient): void {
  for (const key of ["branches", "branch", "merges", "merge", "compare", "tags", "overview", "asset", "search", "runs", "commit"]) {
    void queries.invalidateQueries({ queryKey: [key] });
  }
}

/** How a merge, revert or cherry-pick ended. `mergeId`: someone has to decide, and there. */
export interface MergeEnd {
  type: MergeResultView["type"];
  mergeId: string | null;
  commit: string | null;
  conflicts: number;
}

function endOfResult(result: MergeResultView): MergeEnd {
  return {
    type: result.type,
    mergeId: result.merge_id ?? null,
    commit: result.merge_commit ?? result.commit?.id ?? null,
    conflicts: result.conflict_count,
  };
}

function endOfRun(run: RunDetail): MergeEnd {
  const types: Partial<Record<RunDetail["status"], MergeResultView["type"]>> = {
    conflict: "conflicted",
    blocked: "blocked",
    "nothing to do": "up_to_date",
  };
  return { type: types[run.status] ?? "three_way", mergeId: run.merge_id ?? null, commit: run.commit ?? null, conflicts: 0 };
}

/** A mutation whose work may go on as a run: `runId` is that run, as long as it is waited for. */
function useLong<W, T, E>(send: (wanted: W) => Promise<Sent<T | RunTicket>>, ofAnswer: (answer: T) => E, ofRun: (run: RunDetail) => E) {
  const queries = useQueryClient();
  const [runId, setRunId] = useState<string | null>(null);
  const mutation = useMutation({
    mutationFn: async (wanted: W) => {
      setRunId(null);
      const { data, error, response } = await send(wanted);
      if (!response.ok) throw problemOf(response.status, error);
      if (!isTicket(data, response)) return ofAnswer(data as T);
      setRunId(data.run_id);
      return ofRun(await followed(data.run_id));
    },
    onSettled: () => {
      setRunId(null);
      refresh(queries);
    },
  });
  return { ...mutation, runId };
}

export function useStartMerge() {
  return useLong(
    (wanted: Pick<MergeStart, "source_branch" | "target_branch" | "strategy" | "message">) =>
      client.POST("/api/v1/branches/merge", { body: { no_ff: false, keys: {}, rules: [], ...wanted } }),
    endOfResult,
    endOfRun,
  );
}

/** `revert` takes back what the commit changed, `cherry-pick` does it once more, on another branch. */
export function usePick(what: "revert" | "cherry-pick") {
  return useLong(
    (wanted: Pick<PickStart, "commit" | "branch" | "message">) => {
      const body = { keys: {}, rules: [], ...wanted };
      return what === "revert"
        ? client.POST("/api/v1/branches/revert", { body })
        : client.POST("/api/v1/branches/cherry-pick", { body });
    },
    endOfResult,
    endOfRun,
  );
}

export function useContinueMerge(mergeId: string) {
  return useLong(
    () => client.POST("/api/v1/branches/merges/{merge_id}/continue", { params: { path: { merge_id: mergeId } } }),
    endOfResult,
    endOfRun,
  );
}

export function useApproveMerge(mergeId: string) {
  return useLong(
    (said: { comment: string; expected: string | null | undefined }) =>
      client.POST("/api/v1/branches/merges/{merge_id}/approve", { params: { path: { merge_id: mergeId } }, body: said }),
    endOfResult,
    endOfRun,
  );
}

export function useRejectMerge(mergeId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (comment: string) =>
      unwrap(client.POST("/api/v1/branches/merges/{merge_id}/reject", { params: { path: { merge_id: mergeId } }, body: { comment } })),
    onSuccess: () => refresh(queries),
  });
}

export function useAbortMerge(mergeId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/api/v1/branches/merges/{merge_id}/abort", { params: { path: { merge_id: mergeId } } })),
    onSuccess: () => refresh(queries),
  });
}

/** Kept at once. What is shown changes before the server has answered; a refusal brings it back. */
export function useResolve(mergeId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: ResolutionBody) =>
      unwrap(
        client.POST("/api/v1/branches/merges/{merge_id}/resolve", {
          params: { path: { merge_id: mergeId } },
          body: { resolutions: [], ...wanted },
        }),
      ),
    onMutate: (wanted) => {
      if (wanted.conflict_id == null) return;
      queries.setQueriesData<ConflictSet>({ queryKey: ["merge", mergeId] }, (known) => known && answered(known, wanted));
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ["merge", mergeId] });
      void queries.invalidateQueries({ queryKey: ["merges"] });
    },
  });
}

function answered(known: ConflictSet, { conflict_id: id, resolution, manual_value: value }: ResolutionBody): ConflictSet {
  const conflicts = known.conflicts.map((one) => (one.id === id ? { ...one, resolution: resolution as typeof one.resolution, resolved_value: value ?? null } : one));
  return { ...known, conflicts };
}

export function useChangeBranch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ branch, ...patch }: BranchPatch & { branch: string }) =>
      unwrap(client.PATCH("/api/v1/branches/{branch}", { params: { path: { branch } }, body: patch })),
    onSuccess: () => refresh(queries),
  });
}

export function useCreateTag() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: Pick<TagCreate, "name" | "target" | "message">) =>
      unwrap(client.POST("/api/v1/branches/tags", { body: { force: false, ...wanted } })),
    onSuccess: () => refresh(queries),
  });
}

export const MODES = ["append", "merge", "overwrite", "delete"] as const;
export type Mode = (typeof MODES)[number];

export interface UploadWanted {
  branch: string;
  table: string;
  file: File;
  mode: Mode;
  key: string;
  message: string;
}

/** What became of a file. `result` is missing where it was followed as a run. */
export interface UploadEnd {
  type: CommitResultView["type"];
  commit: string | null;
  result: CommitResultView | null;
  runId: string | null;
}

export function useUpload() {
  return useLong(
    ({ branch, table, file, mode, key, message }: UploadWanted) => {
      const form = new FormData();
      form.set("table", table);
      form.set("mode", mode);
      form.set("key", key);
      if (message !== "") form.set("message", message);
      form.set("file", file);
      // The generated type has a text for the file; what is sent is the form itself, with its own header.
      return client.POST("/api/v1/branches/{branch}/commits", {
        params: { path: { branch } },
        body: form as never,
        bodySerializer: (body: unknown) => body as FormData,
      });
    },
    (result): UploadEnd => ({ type: result.type, commit: result.commit?.id ?? null, result, runId: result.run_id ?? null }),
    (run): UploadEnd => ({ type: run.status === "blocked" ? "blocked" : "committed", commit: run.commit ?? null, result: null, runId: run.run_id }),
  );
}
