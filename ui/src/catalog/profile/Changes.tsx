import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconEqual } from "@tabler/icons-react";

import type { ProfileDiffView, StatisticChangeView } from "../../api";
import { profileDiffQuery } from "../../api/profiles";
import { CommitLink, DataTable, EmptyState, QueryResult, type Column } from "../../components";
import { plural } from "../../format/numbers";
import { changeInWords, sideInWords, statisticName } from "./words";

interface Props {
  assetId: string;
  before: string;
  after: string | undefined;
}

/** What changed between the profiles of two commits. */
export function ProfileChanges({ assetId, before, after }: Props) {
  const query = useQuery(profileDiffQuery(assetId, before, after));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={200} radius="md" />}>
      {(diff) => (
        <section className="panel" aria-labelledby="profile-changes">
          <div className="profile-head">
            <h2 className="panel-title" id="profile-changes">
              What changed
            </h2>
            <Text size="sm" c="dimmed" component="div">
              from <CommitLink commit={diff.before.commit_id} /> to <CommitLink commit={diff.after.commit_id} />
              {differentColumns(diff)}
            </Text>
          </div>
          {diff.changes.length === 0 ? (
            <EmptyState icon={IconEqual} title="All statistics are the same" />
          ) : (
            <DataTable caption="Statistics that changed" columns={COLUMNS} rows={diff.changes} rowKey={(one) => `${one.column ?? ""} ${one.statistic}`} />
          )}
        </section>
      )}
    </QueryResult>
  );
}

function differentColumns({ columns_added: added, columns_removed: removed }: ProfileDiffView): string {
  const parts = [];
  if (added.length > 0) parts.push(`${plural(added.length, "new column")}: ${added.join(", ")}`);
  if (removed.length > 0) parts.push(`${plural(removed.length, "column")} gone: ${removed.join(", ")}`);
  return parts.length === 0 ? "" : ` · ${parts.join("; ")}`;
}

const COLUMNS: Column<StatisticChangeView>[] = [
  { key: "column", label: "Of", cell: (one) => (one.column === null ? "the table" : <span className="name">{one.column}</span>) },
  { key: "statistic", label: "Statistic", cell: (one) => statisticName(one.statistic) },
  { key: "before", label: "Before", align: "right", cell: (one) => <span className="profile-side">{sideInWords(one.statistic, one.before)}</span> },
  { key: "after", label: "After", align: "right", cell: (one) => <span className="profile-side">{sideInWords(one.statistic, one.after)}</span> },
  { key: "by", label: "Change", align: "right", cell: changeInWords },
];
