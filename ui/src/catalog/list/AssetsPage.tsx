import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconFilterOff, IconTable, IconZoomQuestion } from "@tabler/icons-react";

import "./assets.css";
import { client, searchQuery, unwrap, type SearchHit } from "../../api";
import { itemsOf } from "../../api/pages";
import { CopyCommand, EmptyState, QueryResult, PageHeader, ShowMore } from "../../components";
import { count, plural } from "../../format/numbers";
import { CatalogNav } from "../Nav";
import { AssetFilters } from "./Filters";
import { AssetList, ColumnList } from "./List";
import type { AssetsSearch } from "./search";
import { foundInWords, isFiltered, wordsOf } from "./words";

const route = getRouteApi("/frame/assets");
const TABLES: ("table" | "view" | "column")[] = ["table", "view"];
/** As many as one request may give: enough to know the owners and tags of a project. */
const KNOWN = 500;

/** All tables and views, or those one looks for. */
export default function AssetsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { q, type, state, owners, tags, sort } = search;
  const found = useInfiniteQuery(searchQuery({ q, types: type === undefined ? TABLES : [type], state: state === undefined ? undefined : [state], owners, tags, sort }));
  const all = useAll();
  const change = (part: AssetsSearch): void => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  };
  const clear = (): void => void navigate({ search: { sort }, replace: true, resetScroll: false });
  const nothingYet = all.total === 0 && !isFiltered(search);
  return (
    <>
      <PageHeader title="Assets" about="Every table and view, as readers have it now." />
      <CatalogNav />
      <Stack gap="md">
        {!nothingYet && <AssetFilters search={search} owners={all.owners} tags={all.tags} onChange={change} />}
        <QueryResult query={found} skeleton={<ListSkeleton />}>
          {({ pages }) => {
            const hits = itemsOf(pages);
            const total = pages[0]?.total_count ?? hits.length;
            return (
              <>
                <AssetCount search={search} total={total} all={all.total} onClear={clear} />
                <div className="panel assets-list" aria-busy={found.isPlaceholderData} data-stale={found.isPlaceholderData}>
                  <Hits hits={hits} search={search} onClear={clear} />
                  <ShowMore query={found} shown={hits.length} total={total} what={type === undefined ? "assets" : `${type}s`} />
                </div>
              </>
            );
          }}
        </QueryResult>
      </Stack>
    </>
  );
}

/** Owners and tags to choose from, and how many assets there are. */
function useAll(): { owners: string[]; tags: string[]; total: number | undefined } {
  const { data } = useQuery({
    queryKey: ["search", "all"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/catalog/search", { params: { query: { limit: KNOWN } }, signal })),
    staleTime: 60_000,
  });
  const items = data?.items ?? [];
  return {
    owners: [...new Set(items.flatMap(({ owner }) => (owner == null ? [] : [owner])))],
    tags: [...new Set(items.flatMap((item) => item.tags))],
    total: data?.total_count ?? undefined,
  };
}

interface AssetCountProps {
  search: AssetsSearch;
  total: number;
  all: number | undefined;
  onClear: () => void;
}

/** How many there are, said aloud when it changes; and that columns were found too. */
function AssetCount({ search, total, all, onClear }: AssetCountProps) {
  const narrowed = isFiltered(search) && search.type !== "column" && all !== undefined;
  return (
    <div className="assets-found">
      <Text size="sm" c="dimmed" component="div">
        <span role="status">{narrowed ? `${count(total)} of ${plural(all, "asset")}` : foundInWords(total, search)}</span>
        <ColumnsToo search={search} />
      </Text>
      {isFiltered(search) && (
        <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

function ColumnsToo({ search }: { search: AssetsSearch }) {
  const { q, type, owners, tags } = search;
  const wanted = q !== undefined && type === undefined;
  const { data } = useInfiniteQuery({ ...searchQuery({ q, types: ["column"], owners, tags, limit: 1 }), enabled: wanted });
  const columns = data?.pages[0]?.total_count ?? 0;
  if (!wanted || columns === 0) return null;
  return (
    <>
      {" · "}
      <Link from="/assets" to="/assets" search={(before) => ({ ...before, type: "column" as const, state: undefined })} className="link">
        {plural(columns, "column")} found too
      </Link>
    </>
  );
}

function Hits({ hits, search, onClear }: { hits: readonly SearchHit[]; search: AssetsSearch; onClear: () => void }) {
  const words = wordsOf(search.q);
  if (hits.length > 0) return search.type === "column" ? <ColumnList hits={hits} words={words} /> : <AssetList hits={hits} words={words} />;
  if (!isFiltered(search)) {
    return (
      <EmptyState icon={IconTable} title="No tables yet" action={<CopyCommand command="forge run" />}>
        The first run makes them: every transform of the project becomes a table or a view here.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconZoomQuestion}
      title={search.q === undefined ? "Nothing passes these filters" : `Nothing is called “${search.q}” or nearly so`}
      action={
        <Button variant="default" onClick={onClear}>
          Show all assets
        </Button>
      }
    >
      {search.state === "failing" && search.q === undefined
        ? "No check fails and nothing is held back."
        : "Names and descriptions were looked through, with one typo allowed in a word."}
    </EmptyState>
  );
}

function ListSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton h={18} w={90} />
      <div className="panel" style={{ padding: 16 }}>
        <Stack gap={14}>
          {Array.from({ length: 8 }, (_, index) => (
            <Skeleton key={index} h={52} />
          ))}
        </Stack>
      </div>
    </Stack>
  );
}
