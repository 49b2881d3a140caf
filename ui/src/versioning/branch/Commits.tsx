import { Button, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconFilterOff, IconGitCommit } from "@tabler/icons-react";

import { searchQuery, type BranchView } from "../../api";
import { itemsOf } from "../../api/pages";
import { graphLogQuery } from "../../api/versioning";
import { CopyCommand, EmptyState, QueryResult, ShowMore, TypedInput } from "../../components";
import { inShell } from "../../format/shell";
import { LogGraph } from "../commit/LogGraph";

interface Filter {
  table?: string | undefined;
  author?: string | undefined;
}

interface Props {
  branch: BranchView;
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

/** The log of a branch, newest first, as a graph. */
export function BranchCommits({ branch, filter, onFilter }: Props) {
  const query = useInfiniteQuery(graphLogQuery(branch.name, filter));
  const filtered = filter.table !== undefined || filter.author !== undefined;
  return (
    <section aria-labelledby="commits">
      <Stack gap="sm">
        <h2 className="panel-title" id="commits" style={{ fontSize: 16 }}>
          Commits
        </h2>
        <Filters filter={filter} filtered={filtered} onFilter={onFilter} />
        <QueryResult query={query} skeleton={<Skeleton h={420} radius="md" />}>
          {({ pages }) => {
            const commits = itemsOf(pages);
            return (
              <div className="panel commits" aria-busy={query.isPlaceholderData} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
                {commits.length === 0 ? (
                  <NoCommits branch={branch} filtered={filtered} onAll={() => onFilter({ table: undefined, author: undefined })} />
                ) : (
                  <LogGraph branch={branch} commits={commits} />
                )}
                <ShowMore query={query} shown={commits.length} what="commits" />
              </div>
            );
          }}
        </QueryResult>
      </Stack>
    </section>
  );
}

const MOST_TABLES = 500;

function Filters({ filter, filtered, onFilter }: { filter: Filter; filtered: boolean; onFilter: (filter: Filter) => void }) {
  const { data } = useInfiniteQuery(searchQuery({ limit: MOST_TABLES, sort: "name" }));
  const known = data?.pages[0]?.items.map((hit) => hit.qualified_name) ?? [];
  const tables = [...new Set([...known, ...(filter.table === undefined ? [] : [filter.table])])].sort();
  return (
    <div role="search" className="commit-filters" aria-label="Filter commits">
      <NativeSelect
        label="Changed table"
        value={filter.table ?? ""}
        onChange={(event) => onFilter({ ...filter, table: event.currentTarget.value === "" ? undefined : event.currentTarget.value })}
        data={[{ value: "", label: "Any table" }, ...tables.map((table) => ({ value: table, label: table }))]}
      />
      <TypedInput
        label="Author"
        placeholder="Part of a name or e-mail"
        value={filter.author ?? ""}
        onTyped={(author) => onFilter({ ...filter, author: author === "" ? undefined : author })}
      />
      {filtered && (
        <Button variant="subtle" leftSection={<IconFilterOff size={16} aria-hidden />} onClick={() => onFilter({ table: undefined, author: undefined })}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

function NoCommits({ branch, filtered, onAll }: { branch: BranchView; filtered: boolean; onAll: () => void }) {
  if (filtered) {
    return (
      <EmptyState
        icon={IconGitCommit}
        title="No commit passes these filters"
        action={
          <Button variant="default" onClick={onAll}>
            Show all commits
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState icon={IconGitCommit} title="No commit yet" action={<CopyCommand command={branch.is_default ? "forge run" : `forge run --branch ${inShell(branch.name)}`} />}>
      The first run that publishes something makes one.
    </EmptyState>
  );
}
