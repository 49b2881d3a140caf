import { Button, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconFilterOff, IconGitCommit } from "@tabler/icons-react";

import { branchCommitsQuery, searchQuery, type BranchView, type CommitView } from "../api";
import { CommitLink, CopyCommand, DataTable, Empty, Loaded, RelativeTime, ShowMore, TypedInput, type Column } from "../parts";
import { count, signed } from "../parts/formats";
import { itemsOf } from "../parts/pages";
import { TableThen } from "./branches.links";
import { inShell } from "./branches.words";

interface Filter {
  table?: string | undefined;
  author?: string | undefined;
}

interface Props {
  branch: BranchView;
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

/** The log of a branch, newest first. */
export function BranchCommits({ branch, filter, onFilter }: Props) {
  const query = useInfiniteQuery(branchCommitsQuery(branch.name, filter));
  const filtered = filter.table !== undefined || filter.author !== undefined;
  return (
    <section aria-labelledby="commits">
      <Stack gap="sm">
        <h2 className="panel-title" id="commits" style={{ fontSize: 16 }}>
          Commits
        </h2>
        <Filters filter={filter} filtered={filtered} onFilter={onFilter} />
        <Loaded query={query} skeleton={<Skeleton h={420} radius="md" />}>
          {({ pages }) => {
            const commits = itemsOf(pages);
            return (
              <div className="panel commits" aria-busy={query.isPlaceholderData} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
                {commits.length === 0 ? (
                  <NoCommits branch={branch} filtered={filtered} onAll={() => onFilter({ table: undefined, author: undefined })} />
                ) : (
                  <DataTable caption={`Commits of ${branch.name}`} columns={columnsOf(branch)} rows={commits} rowKey={(commit) => commit.id} />
                )}
                <ShowMore query={query} shown={commits.length} what="commits" />
              </div>
            );
          }}
        </Loaded>
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

function columnsOf(branch: BranchView): Column<CommitView>[] {
  return [
    { key: "message", label: "Message", cell: (commit) => <Message commit={commit} /> },
    { key: "id", label: "Commit", cell: (commit) => <CommitLink commit={commit.id} /> },
    { key: "tables", label: "Tables", cell: (commit) => <Changed commit={commit} /> },
    { key: "rows", label: "Rows", align: "right", cell: (commit) => <Rows commit={commit} /> },
    { key: "author", label: "Author", cell: (commit) => <span className="commit-author" title={commit.author.email}>{commit.author.name}</span> },
    { key: "when", label: "When", cell: (commit) => <RelativeTime time={commit.time} /> },
    { key: "on", label: "Made on", wide: true, cell: (commit) => (commit.branch === branch.name ? "here" : commit.branch) },
  ];
}

function Message({ commit }: { commit: CommitView }) {
  const [first] = commit.message.split("\n");
  return (
    <Link to="/commits/$commit" params={{ commit: commit.id }} className="quiet-link commit-line">
      {first}
    </Link>
  );
}

const FEW = 2;

function Changed({ commit }: { commit: CommitView }) {
  const more = commit.tables.length - FEW;
  return (
    <span className="commit-tables">
      {commit.tables.slice(0, FEW).map((change) => (
        <TableThen key={change.table} table={change.table} commit={commit.id} />
      ))}
      {more > 0 && (
        <Text span size="sm" c="dimmed">
          and {count(more)} more
        </Text>
      )}
    </span>
  );
}

function Rows({ commit }: { commit: CommitView }) {
  return (
    <span>
      {signed(commit.rows_added)}
      {commit.rows_deleted > 0 && (
        <>
          <br />
          {signed(-commit.rows_deleted)}
        </>
      )}
    </span>
  );
}

function NoCommits({ branch, filtered, onAll }: { branch: BranchView; filtered: boolean; onAll: () => void }) {
  if (filtered) {
    return (
      <Empty
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
    <Empty icon={IconGitCommit} title="No commit yet" action={<CopyCommand command={branch.is_default ? "forge run" : `forge run --branch ${inShell(branch.name)}`} />}>
      The first run that publishes something makes one.
    </Empty>
  );
}
