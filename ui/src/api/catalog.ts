/** Search over the catalog, and walking through it. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";

import { client, unwrap } from "./client";
import type { paths } from "./schema";

type Wanted = Omit<NonNullable<paths["/api/v1/catalog/search"]["get"]["parameters"]["query"]>, "cursor">;

const PAGE = 30;
const FACETS: Wanted["facets"] = ["type", "domain", "tag", "owner", "classification", "pii", "quality"];
const LIST = 200;

/** Results with their reasons and counts; pages follow each other by cursor and never tear. */
export const findQuery = (wanted: Wanted = {}) =>
  infiniteQueryOptions({
    queryKey: ["find", wanted],
    queryFn: ({ signal, pageParam }) =>
      unwrap(client.GET("/api/v1/catalog/search", { params: { query: { ...wanted, explain: true, facets: FACETS, limit: PAGE, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });

/** A list by name, with no counts. */
export const listQuery = (wanted: Wanted) =>
  infiniteQueryOptions({
    queryKey: ["find", "list", wanted],
    queryFn: ({ signal, pageParam }) => unwrap(client.GET("/api/v1/catalog/search", { params: { query: { ...wanted, sort: "name", limit: LIST, cursor: pageParam } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
  });
