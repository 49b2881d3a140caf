/** What can be asked and done about terms of the glossary. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { client, itemsOf, unwrap } from "./client";
import { problemOf } from "./problem";
import type { TermChange, TermCreate, TermImportBody, TermView } from "./types";

/** As many as one request may give; a glossary that people wrote is shorter. */
const ALL = 500;

const of = (id: string) => ({ path: { term_id: id } });

export const termsQuery = (filter: { q?: string | undefined; domain?: string | undefined; state?: TermView["state"] | undefined }) =>
  queryOptions({
    queryKey: ["glossary", "terms", filter],
    queryFn: async ({ signal }) => {
      const page = (cursor: string | null) => unwrap(client.GET("/api/v1/catalog/glossary/terms", { params: { query: { ...filter, limit: ALL, cursor } }, signal }));
      const found: TermView[] = [];
      for (let next: string | null = null, first = true; first || next !== null; first = false) {
        const { items, next_cursor }: { items: TermView[]; next_cursor?: string | null } = await page(next);
        found.push(...items);
        next = next_cursor ?? null;
      }
      return found;
    },
    placeholderData: keepPreviousData,
  });

/** What is wrong with files of terms. */
export const glossariesQuery = () =>
  queryOptions({
    queryKey: ["glossary", "domains"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/catalog/glossary", { signal })),
  });

export const termQuery = (id: string) =>
  queryOptions({
    queryKey: ["glossary", "term", id],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/catalog/glossary/terms/{term_id}", { params: of(id), signal })),
    placeholderData: keepPreviousData,
  });

export const termHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ["glossary", "history", id],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/glossary/terms/{term_id}/history", { params: { ...of(id), query: { limit: 100 } }, signal })),
  });

/** Terms for the columns of an asset that have none. */
export const termSuggestionsQuery = (asset: string) =>
  queryOptions({
    queryKey: ["glossary", "suggestions", asset],
    queryFn: ({ signal }) => itemsOf(client.GET("/api/v1/catalog/glossary/suggestions", { params: { query: { asset, limit: 1 } }, signal })),
    retry: false,
  });

function refresh(queries: QueryClient): void {
  for (const key of ["glossary", "find", "suggest"]) void queries.invalidateQueries({ queryKey: [key] });
}

export function useCreateTerm() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: TermCreate) => unwrap(client.POST("/api/v1/catalog/glossary/terms", { body: wanted })),
    onSuccess: () => refresh(queries),
  });
}

export function useChangeTerm() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string } & TermChange) => unwrap(client.PATCH("/api/v1/catalog/glossary/terms/{term_id}", { params: of(id), body })),
    // Also after a refusal: whoever was faster is then shown.
    onSettled: () => refresh(queries),
  });
}

export function useDeleteTerm() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<TermView, "id" | "version">) =>
      unwrap(client.DELETE("/api/v1/catalog/glossary/terms/{term_id}", { params: { ...of(id), query: { expected_version: version } } })),
    onSuccess: () => refresh(queries),
  });
}

/** With `dry_run` only what would change. */
export function useImportTerms() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: TermImportBody) => unwrap(client.POST("/api/v1/catalog/glossary/import", { body })),
    onSuccess: ({ dry_run }) => {
      if (!dry_run) refresh(queries);
    },
  });
}

/** The terms as a file. */
export async function fetchGlossary(format: TermImportBody["format"], domain: string | undefined): Promise<string> {
  const { data, error, response } = await client.GET("/api/v1/catalog/glossary/export", { params: { query: { format, domain } }, parseAs: "text" });
  if (!response.ok) throw problemOf(response.status, error);
  return data ?? "";
}
