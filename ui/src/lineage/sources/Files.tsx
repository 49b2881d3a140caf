import { Button, Checkbox, CloseButton, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconFilterOff, IconSearch, IconZoomQuestion } from "@tabler/icons-react";

import { sourcesQuery, type SourceTotals, type SourceView } from "../../api";
import { itemsOf } from "../../api/pages";
import { DataTable, EmptyState, QueryResult, ShowMore, TypedInput, type Column } from "../../components";
import { count, plural } from "../../format/numbers";
import { askedOrder, nextOrder, readOrder, type SourcesSearch } from "./search";
import { Share } from "./Share";
import { languageWord, shareInWords, statementsInWords } from "./words";

const route = getRouteApi("/frame/lineage/sources");

/** All files, the least understood first. */
export function Files({ totals }: { totals: SourceTotals }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { q, language, gaps, order } = search;
  const sorting = readOrder(order);
  const found = useInfiniteQuery(sourcesQuery({ query: q, language, gaps: gaps === "yes" ? true : undefined, ...askedOrder(sorting) }));
  const change = (part: SourcesSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const filtered = q !== undefined || language !== undefined || gaps !== undefined;
  const clear = (): void => change({ q: undefined, language: undefined, gaps: undefined });
  return (
    <Stack gap="sm">
      <Filters search={search} totals={totals} onChange={change} />
      <QueryResult query={found} skeleton={<ListSkeleton />}>
        {({ pages }) => {
          const files = itemsOf(pages);
          const total = pages[0]?.total_count ?? files.length;
          return (
            <>
              <div className="sources-found">
                <span role="status">{filtered ? `${count(total)} of ${plural(totals.files, "file")}` : plural(total, "file")}</span>
                {filtered && (
                  <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={clear}>
                    Clear filters
                  </Button>
                )}
              </div>
              <div className="panel sources-list" aria-busy={found.isPlaceholderData} data-stale={found.isPlaceholderData || undefined}>
                {files.length === 0 ? (
                  <NoneFits onClear={clear} />
                ) : (
                  <DataTable
                    caption="Files that were read"
                    columns={COLUMNS}
                    rows={files}
                    rowKey={(one) => one.id}
                    sorted={sorting}
                    onSort={(by) => change({ order: nextOrder(sorting, by) })}
                  />
                )}
                <ShowMore query={found} shown={files.length} total={total} what="files" />
              </div>
            </>
          );
        }}
      </QueryResult>
    </Stack>
  );
}

const COLUMNS: readonly Column<SourceView>[] = [
  { key: "path", label: "File", cell: (one) => <Named one={one} /> },
  { key: "coverage", label: "Understood", cell: (one) => <Coverage one={one} /> },
  { key: "gaps", label: "Gaps", align: "right", cell: (one) => <span data-tone={one.gaps > 0 ? "warn" : undefined}>{count(one.gaps)}</span> },
  { key: "edges", label: "Edges", align: "right", cell: (one) => count(one.edges) },
];

function Named({ one }: { one: SourceView }) {
  return (
    <span className="sources-named">
      <Link to="/lineage/sources" search={{ file: one.id }} className="link mono name">
        <Path text={one.id} />
      </Link>
      <span className="sources-quiet">{languageWord(one.language)}</span>
    </span>
  );
}

/** A path that may break after its slashes. */
export function Path({ text }: { text: string }) {
  return text.split("/").flatMap((part, index) => (index === 0 ? [part] : ["/", <wbr key={index} />, part]));
}

function Coverage({ one }: { one: SourceView }) {
  return (
    <span className="sources-coverage">
      <Share read={one} />
      <span className="sources-percent numbers">{shareInWords(one)}</span>
      <span className="sources-quiet numbers">{statementsInWords(one)}</span>
    </span>
  );
}

interface FilterProps {
  search: SourcesSearch;
  totals: SourceTotals;
  onChange: (part: SourcesSearch) => void;
}

function Filters({ search, totals, onChange }: FilterProps) {
  const languages = [...new Set([...totals.languages.map((one) => one.language), ...(search.language === undefined ? [] : [search.language])])];
  return (
    <search className="sources-filters" aria-label="Files">
      <TypedInput
        aria-label="Part of a path"
        className="sources-find"
        placeholder="Part of a path"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search.q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => onChange({ q: undefined })} />}
        value={search.q ?? ""}
        onTyped={(q) => onChange({ q: q === "" ? undefined : q })}
        spellCheck={false}
      />
      <NativeSelect
        aria-label="Language"
        value={search.language ?? ""}
        onChange={(event) => onChange({ language: event.currentTarget.value === "" ? undefined : event.currentTarget.value })}
        data={[{ value: "", label: "Any language" }, ...languages.map((one) => ({ value: one, label: languageWord(one) }))]}
      />
      <Checkbox
        className="sources-only"
        label="only with gaps"
        checked={search.gaps === "yes"}
        onChange={(event) => onChange({ gaps: event.currentTarget.checked ? "yes" : undefined })}
      />
    </search>
  );
}

function NoneFits({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={IconZoomQuestion}
      title="No file passes these filters"
      action={
        <Button variant="default" onClick={onClear}>
          Show all files
        </Button>
      }
    />
  );
}

function ListSkeleton() {
  return (
    <div className="panel" style={{ padding: 16 }}>
      <Stack gap={14}>
        {Array.from({ length: 6 }, (_, index) => (
          <Skeleton key={index} h={40} />
        ))}
      </Stack>
    </div>
  );
}
