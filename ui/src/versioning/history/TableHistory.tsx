import { Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconHistory } from "@tabler/icons-react";

import { commitQuery, tableCommitsQuery, type AssetDetail, type BranchView, type ChangeView, type CommitView } from "../../api";
import { itemsOf } from "../../api/pages";
import { BranchLink, DataTable, EmptyState, QueryResult, RelativeTime, ShowMore, type Column } from "../../components";
import { bytes, count, NONE, signed } from "../../format/numbers";
import { shortCommit } from "../../format/refs";
import { branchOfHistory, type Stand } from "./revision";

interface Props {
  asset: AssetDetail;
  stand: Stand;
  branches: readonly BranchView[];
}

/** The commits that changed it, newest first. Each leads to the table as it was then. */
export function TableHistory({ asset, stand, branches }: Props) {
  const { data: shown } = useQuery({ ...commitQuery(asset.commit), enabled: stand.kind === "past" });
  const branch = branchOfHistory(stand, shown?.branch, branches);
  if (branch === undefined) return <HistorySkeleton />;
  return <OnBranch asset={asset} branch={branch} />;
}

function OnBranch({ asset, branch }: { asset: AssetDetail; branch: string }) {
  const query = useInfiniteQuery(tableCommitsQuery(asset.id, branch));
  return (
    <QueryResult query={query} skeleton={<HistorySkeleton />}>
      {({ pages }) => {
        const commits = itemsOf(pages);
        return (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              Commits on <BranchLink branch={branch} /> that changed it, newest first.
            </Text>
            <div className="panel">
              {commits.length === 0 ? (
                <EmptyState icon={IconHistory} title="No commit of this branch changed it" />
              ) : (
                <DataTable caption={`Commits that changed ${asset.qualified_name}`} columns={columnsOf(asset)} rows={commits} rowKey={(commit) => commit.id} />
              )}
              <ShowMore query={query} shown={commits.length} what="commits" />
            </div>
          </>
        );
      }}
    </QueryResult>
  );
}

function columnsOf(asset: AssetDetail): Column<CommitView>[] {
  const done = (commit: CommitView): ChangeView | undefined => commit.tables.find((change) => change.table === asset.qualified_name);
  return [
    { key: "message", label: "Commit", cell: (commit) => <Message commit={commit} /> },
    { key: "time", label: "When", cell: (commit) => <RelativeTime time={commit.time} /> },
    { key: "author", label: "Author", cell: (commit) => <span title={commit.author.email}>{commit.author.name}</span> },
    { key: "change", label: "Rows changed", align: "right", cell: (commit) => <Rows change={done(commit)} /> },
    { key: "rows", label: "Rows then", align: "right", cell: (commit) => count(done(commit)?.record_count) },
    { key: "size", label: "Size then", align: "right", wide: true, cell: (commit) => bytes(done(commit)?.total_size) },
    { key: "version", label: "As it was", cell: (commit) => <Then asset={asset} commit={commit} /> },
  ];
}

function Message({ commit }: { commit: CommitView }) {
  const [first] = commit.message.split("\n");
  return (
    <Link to="/commits/$commit" params={{ commit: commit.id }} className="link name" title={commit.id}>
      {first}
    </Link>
  );
}

function Rows({ change }: { change: ChangeView | undefined }) {
  if (change === undefined) return NONE;
  if (change.rows_added === 0 && change.rows_deleted === 0) return <span className="quiet">none</span>;
  return (
    <span>
      {signed(change.rows_added)}
      {change.rows_deleted > 0 && ` ${signed(-change.rows_deleted)}`}
    </span>
  );
}

function Then({ asset, commit }: { asset: AssetDetail; commit: CommitView }) {
  if (commit.id === asset.last_commit?.id) return <span className="quiet">shown</span>;
  return (
    <Link to="/assets/$assetId" params={{ assetId: asset.id }} search={{ at: commit.id }} className="link mono" title={`${asset.qualified_name} as of this commit`}>
      @{shortCommit(commit.id)}
    </Link>
  );
}

function HistorySkeleton() {
  return <Skeleton h={360} radius="md" />;
}
