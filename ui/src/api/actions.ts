/** What can be done. Each refreshes what it changed; pages show `error` with Problem, or `notifyProblem` it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { client, unwrap } from "./client";
import { refreshAfterRun } from "./events";
import type { RunStart, TokenCreate } from "./types";

/** Starts a run; everything may be left out. Give `request` of an earlier run to do it again. */
export function useStartRun() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: Partial<RunStart>) =>
      unwrap(client.POST("/api/v1/runs", { body: { selection: [], params: {}, force: false, ...wanted } })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["runs"] });
      void queries.invalidateQueries({ queryKey: ["system"] });
    },
  });
}

export function useCancelRun() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (runId: string) => unwrap(client.DELETE("/api/v1/runs/{run_id}", { params: { path: { run_id: runId } } })),
    onSuccess: (_, runId) => {
      void queries.invalidateQueries({ queryKey: ["run", runId] });
      refreshAfterRun(queries);
    },
  });
}

export function useCreateBranch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { name: string; from?: string; description?: string }) =>
      unwrap(
        client.POST("/api/v1/branches", {
          body: { name: wanted.name, from_commit: wanted.from ?? "HEAD", description: wanted.description ?? "" },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["branches"] }),
  });
}

export function useDeleteBranch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ branch, force = false }: { branch: string; force?: boolean }) =>
      unwrap(client.DELETE("/api/v1/branches/{branch}", { params: { path: { branch }, query: { force } } })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["branches"] });
      void queries.invalidateQueries({ queryKey: ["overview"] });
    },
  });
}

export function useCreateToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: TokenCreate) => unwrap(client.POST("/api/v1/tokens", { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["tokens"] }),
  });
}

export function useRevokeToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (tokenId: string) =>
      unwrap(client.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: tokenId } } })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["tokens"] });
      void queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
}

export function useEndSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string) => unwrap(client.DELETE("/api/v1/sessions/{session_id}", { params: { path: { session_id: sessionId } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
}

/** A token for a cookie. The token is sent once and kept nowhere in the browser. */
export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    meta: { ownsSignIn: true },
    mutationFn: (token: string) => unwrap(client.POST("/api/v1/session", { headers: { Authorization: `Bearer ${token}` } })),
    onSuccess: () => queries.clear(),
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.DELETE("/api/v1/session")),
    onSuccess: () => queries.clear(),
  });
}
