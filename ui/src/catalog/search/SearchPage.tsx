import "../list/assets.css";
import "./search.css";

import { Button, CloseButton, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useHotkeys, useMediaQuery } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { IconFilter, IconFilterOff, IconSearch, IconZoomQuestion } from "@tabler/icons-react";
import { useState, type KeyboardEvent } from "react";

import type { SearchHit } from "../../api";
import { findQuery } from "../../api/catalog";
import { itemsOf } from "../../api/pages";
import { CopyCommand, EmptyState, PageHeader, QueryResult, ShowMore, TypedInput } from "../../components";
import { count, plural } from "../../format/numbers";
import { isTyping } from "../keys";
import { CatalogNav } from "../Nav";
import { Facets, type Counts } from "./Facets";
import { Hit } from "./Hit";
import { FACETS, SORTS, type CatalogSearch } from "./search";
import { isNarrowed, placeOf } from "./words";

const route = getRouteApi("/frame/search");
const SORT_NAMES = { relevance: "Best match", popularity: "Most used", freshness: "Newest change", name: "Name" };

/** Everything the catalog knows, by words: names, columns, descriptions, tags and terms. */
export default function SearchPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(findQuery(search));
  const change = (part: CatalogSearch): void => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  };
  const clear = (): void => void navigate({ search: { q: search.q, sort: search.sort }, replace: true, resetScroll: false });
  const hits = itemsOf(query.data?.pages ?? []);
  const keys = useKeys(hits);
  return (
    <>
      <PageHeader title="Search" documentTitle={search.q === undefined ? "Search" : `${search.q}, search`} about="Names, columns, descriptions, tags and terms; one typo in a word is forgiven." />
      <CatalogNav />
      <div className="find" role="search" aria-label="Catalog">
        <TypedInput
          className="find-text"
          size="md"
          aria-label="Words"
          placeholder="orders, customer e-mail, net revenue…"
          maxLength={200}
          leftSection={<IconSearch size={18} aria-hidden />}
          rightSection={search.q === undefined ? undefined : <CloseButton aria-label="Empty the field" onClick={() => change({ q: undefined })} />}
          value={search.q ?? ""}
          onTyped={(q) => change({ q: q === "" ? undefined : q })}
          onKeyDown={keys.onKey}
        />
        <NativeSelect
          size="md"
          aria-label="Sort by"
          value={search.sort ?? "relevance"}
          onChange={(event) => change({ sort: SORTS.find((one) => one === event.currentTarget.value && one !== "relevance") })}
          data={SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
        />
      </div>
      <QueryResult query={query} skeleton={<FoundSkeleton />}>
        {({ pages }) => {
          const [first] = pages;
          return (
            <div className="find-columns">
              <FacetPanel counts={first?.facets ?? {}} search={search} change={change} clear={clear} />
              <div>
                <div className="assets-found">
                  <Text size="sm" c="dimmed" role="status">
                    {query.isPlaceholderData ? "Searching…" : `${first?.total_exact === false ? "at least " : ""}${plural(first?.total_count ?? hits.length, "result")}`}
                  </Text>
                  <Text size="sm" c="dimmed" component="div" className="find-keys">
                    <kbd className="key">j</kbd> <kbd className="key">k</kbd> choose, <kbd className="key">Enter</kbd> opens
                  </Text>
                  {isNarrowed(search) && (
                    <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={clear}>
                      Clear filters
                    </Button>
                  )}
                </div>
                <div className="panel" aria-busy={query.isPlaceholderData}>
                  {hits.length === 0 ? (
                    <Nothing search={search} clear={clear} />
                  ) : (
                    <ol className="hits" aria-label="Results" data-stale={query.isPlaceholderData || undefined}>
                      {hits.map((hit, index) => (
                        <Hit key={hit.id} hit={hit} chosen={index === keys.at} sort={search.sort} />
                      ))}
                    </ol>
                  )}
                  <ShowMore query={query} shown={hits.length} total={first?.total_exact === false ? undefined : first?.total_count} what="results" />
                </div>
              </div>
            </div>
          );
        }}
      </QueryResult>
    </>
  );
}

/** j and k or the arrows choose a result, Enter opens it; in the field only the arrows and Enter. */
function useKeys(hits: readonly SearchHit[]) {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string | null>(null);
  const at = hits.findIndex((hit) => hit.id === chosen);
  const step = (by: number): void => {
    const next = at < 0 ? hits[0] : hits[Math.min(Math.max(at + by, 0), hits.length - 1)];
    if (next !== undefined) setChosen(next.id);
  };
  const open = (): void => {
    const hit = hits[at];
    if (hit !== undefined) void navigate(placeOf(hit));
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") open();
  };
  // Letters also where a tick of a filter has the focus; arrows belong to what has it.
  useHotkeys(
    [
      ["j", (event) => !isTyping(event) && step(1), { preventDefault: false }],
      ["k", (event) => !isTyping(event) && step(-1), { preventDefault: false }],
    ],
    ["TEXTAREA", "SELECT"],
  );
  useHotkeys([
    ["ArrowDown", () => step(1)],
    ["ArrowUp", () => step(-1)],
    [
      "Enter",
      (event) => {
        // A link or button that has the focus is what Enter is for.
        if (!(event.target instanceof HTMLElement) || event.target.closest("a, button, [role='menuitem']") === null) open();
      },
      { preventDefault: false },
    ],
  ]);
  return { at, onKey };
}

interface PanelProps {
  counts: Counts;
  search: CatalogSearch;
  change: (part: CatalogSearch) => void;
  clear: () => void;
}

function FacetPanel({ counts, search, change }: PanelProps) {
  const narrow = useMediaQuery("(max-width: 62em)", undefined, { getInitialValueInEffect: false });
  const chosen = FACETS.reduce((sum, facet) => sum + (search[facet]?.length ?? 0), 0);
  const facets = <Facets counts={counts} search={search} onChange={change} />;
  if (!narrow) {
    return (
      <section className="facets" aria-label="Filters">
        {facets}
      </section>
    );
  }
  return (
    <details className="panel facets-folded">
      <summary>
        <IconFilter size={16} aria-hidden /> Filters{chosen > 0 && ` (${count(chosen)})`}
      </summary>
      <div className="facets">{facets}</div>
    </details>
  );
}

function Nothing({ search, clear }: { search: CatalogSearch; clear: () => void }) {
  if (search.q === undefined && !isNarrowed(search)) {
    return (
      <EmptyState icon={IconSearch} title="The catalog is empty" action={<CopyCommand command="forge catalog scan" />}>
        Every published run fills it. A scan reads the lake, declared databases, files and dbt at once.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconZoomQuestion}
      title={search.q === undefined ? "Nothing passes these filters" : `Nothing matches “${search.q}”`}
      action={
        isNarrowed(search) ? (
          <Button variant="default" onClick={clear}>
            Search without filters
          </Button>
        ) : undefined
      }
    >
      Every word must match a name, column, tag, term or description. Fewer or shorter words find more.
    </EmptyState>
  );
}

function FoundSkeleton() {
  return (
    <div className="find-columns">
      <Skeleton h={420} radius="md" />
      <Stack gap={14}>
        {Array.from({ length: 6 }, (_, index) => (
          <Skeleton key={index} h={84} radius="md" />
        ))}
      </Stack>
    </div>
  );
}
