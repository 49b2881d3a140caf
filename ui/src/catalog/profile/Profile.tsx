import "./profile.css";

import { Button, Group, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconChartHistogram, IconChevronDown, IconChevronRight, IconLock } from "@tabler/icons-react";

import { asProblem, type ProfiledColumnView, type ProfileView } from "../../api";
import { profileHistoryQuery, profileQuery, useProfile } from "../../api/profiles";
import { useMayWrite } from "../../api/scope";
import { CommitLink, CopyCommand, DataTable, EmptyState, Problem, QueryResult, RelativeTime, type Column } from "../../components";
import { Fact } from "../../components/Fact";
import { LongWork } from "../../components/LongWork";
import { count, percent, plural } from "../../format/numbers";
import { inShell } from "../../format/shell";
import { ProfileChanges } from "./Changes";
import { Distribution } from "./Distribution";
import { Histogram } from "./Histogram";
import { binsOf, distinctInWords, profileName, rangeInWords, rowsRead, share, shown, statisticsOf } from "./words";

interface Props {
  assetId: string;
  at: string | undefined;
  /** The column that is opened. */
  col: string | undefined;
  /** The revision it is compared with. */
  since: string | undefined;
  change: (part: { col?: string | undefined; since?: string | undefined }) => void;
}

/** What the values of each column look like, and what changed since another commit. */
export function AssetProfile({ assetId, at, col, since, change }: Props) {
  const query = useQuery(profileQuery(assetId, at));
  if (query.data === undefined && query.error !== null && asProblem(query.error).status === 404) return <NotProfiled assetId={assetId} at={at} />;
  return (
    <QueryResult query={query} skeleton={<Skeleton h={480} radius="md" />}>
      {(profile) => (
        <Stack gap="md">
          <Head profile={profile} assetId={assetId} at={at} since={since} change={change} />
          {since !== undefined && <ProfileChanges assetId={assetId} before={since} after={at} />}
          <Columns profile={profile} col={col} change={change} />
        </Stack>
      )}
    </QueryResult>
  );
}

function NotProfiled({ assetId, at }: { assetId: string; at: string | undefined }) {
  const mayWrite = useMayWrite();
  const work = useProfile(assetId);
  return (
    <div className="panel">
      <EmptyState
        icon={IconChartHistogram}
        title={at === undefined ? "Nobody looked at its values yet" : `There is no profile of it at ${at}`}
        action={
          mayWrite ? (
            <Button loading={work.isPending} onClick={() => work.mutate(at)}>
              Profile it now
            </Button>
          ) : (
            <CopyCommand command={`forge catalog profile ${inShell(assetId)}`} />
          )
        }
      >
        {at === undefined ? "Every published run does it by itself." : "The version of that time can still be profiled, and then compared with others."} A profile counts NULLs and distinct values, and shows how values are spread; of personal data no value is kept.
      </EmptyState>
      <LongWork runId={work.runId} what="The profile" />
      {work.error !== null && <Problem error={work.error} />}
    </div>
  );
}

interface HeadProps {
  profile: ProfileView;
  assetId: string;
  at: string | undefined;
  since: string | undefined;
  change: Props["change"];
}

function Head({ profile, assetId, at, since, change }: HeadProps) {
  const mayWrite = useMayWrite();
  const work = useProfile(assetId);
  return (
    <section className="panel" aria-label="The profile">
      <dl className="facts">
        <Fact label="Rows">{count(profile.row_count)}</Fact>
        <Fact label="Looked at">{profile.sampled ? `a sample of ${plural(rowsRead(profile), "row")} (${percent(100 * (profile.sample_fraction ?? 0))})` : "all rows"}</Fact>
        <Fact label="Duplicate rows">{profile.duplicate_rows === null ? "not counted" : `${count(profile.duplicate_rows)} (${share(profile.duplicate_rows, profile.row_count)})`}</Fact>
        <Fact label="Profiled">
          <RelativeTime time={profile.profiled_at} />
        </Fact>
        {profile.commit_id !== null && (
          <Fact label="Of commit">
            <CommitLink commit={profile.commit_id} />
          </Fact>
        )}
      </dl>
      <div className="profile-actions">
        <Since profile={profile} assetId={assetId} since={since} change={change} />
        {mayWrite && (
          <Button variant="default" loading={work.isPending} onClick={() => work.mutate(at)}>
            Profile again
          </Button>
        )}
      </div>
      {(work.runId !== null || work.error !== null) && (
        <div className="profile-note">
          <LongWork runId={work.runId} what="The profile" />
          {work.error !== null && <Problem error={work.error} plain />}
        </div>
      )}
    </section>
  );
}

function Since({ profile, assetId, since, change }: Omit<HeadProps, "at">) {
  const { data } = useQuery(profileHistoryQuery(assetId));
  const others = (data?.items ?? []).filter((one) => one.commit_id !== null && one.state !== profile.state);
  if (others.length === 0 && since === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {data === undefined ? " " : "It is the only profile: after the next change the two can be compared."}
      </Text>
    );
  }
  const known = others.some((one) => one.commit_id === since);
  return (
    <NativeSelect
      className="profile-since"
      label="Compare with"
      value={since ?? ""}
      onChange={(event) => change({ since: event.currentTarget.value === "" ? undefined : event.currentTarget.value })}
      data={[
        { value: "", label: "nothing" },
        ...(since !== undefined && !known ? [{ value: since, label: since }] : []),
        ...others.map((one) => ({ value: one.commit_id ?? "", label: `${profileName(one)}, ${plural(one.row_count, "row")}` })),
      ]}
    />
  );
}

function Columns({ profile, col, change }: { profile: ProfileView; col: string | undefined; change: Props["change"] }) {
  const rows = rowsRead(profile);
  const columns: Column<ProfiledColumnView>[] = [
    { key: "name", label: "Column", cell: (column) => <Opener column={column} opened={column.name === col} change={change} /> },
    { key: "type", label: "Type", wide: true, cell: (column) => <span className="mono asset-type">{column.type}</span> },
    { key: "nulls", label: "NULL", align: "right", cell: (column) => share(column.nulls, rows) },
    { key: "distinct", label: "Distinct", align: "right", cell: distinctInWords },
    { key: "bins", label: "Distribution", cell: (column) => <Distribution column={column} /> },
    { key: "range", label: "Range", cell: (column) => <span className="profile-range numbers" title={rangeInWords(column)}>{rangeInWords(column)}</span> },
    { key: "top", label: "Most frequent", wide: true, cell: (column) => <Frequent column={column} /> },
  ];
  return (
    <div className="panel profile-columns">
      <DataTable
        caption={`Profile of the columns of ${profile.table}`}
        columns={columns}
        rows={profile.columns}
        rowKey={(column) => column.name}
        detail={(column) => (column.name === col ? <Detail column={column} rows={rows} /> : undefined)}
      />
    </div>
  );
}

function Opener({ column, opened, change }: { column: ProfiledColumnView; opened: boolean; change: Props["change"] }) {
  const Sign = opened ? IconChevronDown : IconChevronRight;
  return (
    <button type="button" className="profile-opener" aria-expanded={opened} onClick={() => change({ col: opened ? undefined : column.name })}>
      <Sign size={15} aria-hidden />
      <span className="name">{column.name}</span>
      {column.masked && <IconLock size={14} aria-label="personal data: no value is kept" />}
    </button>
  );
}

function Frequent({ column }: { column: ProfiledColumnView }) {
  const [first] = column.top;
  if (column.masked) return <span className="quiet">hidden</span>;
  if (first === undefined) return <span className="quiet">no value twice</span>;
  return (
    <span className="profile-top" title={shown(first.value, column.type)}>
      {shown(first.value, column.type)} <span className="quiet numbers">× {count(first.count)}</span>
    </span>
  );
}

function Detail({ column, rows }: { column: ProfiledColumnView; rows: number }) {
  const statistics = statisticsOf(column);
  return (
    <div className="profile-detail">
      {column.histogram !== null && (
        <div>
          <p className="profile-label">{column.min_length === null ? "Values" : "Lengths"}</p>
          <Histogram bins={column.histogram} label={binsOf(column)} large />
        </div>
      )}
      {column.top.length > 0 && <Top column={column} rows={rows} />}
      <dl className="profile-statistics">
        <div>
          <dt>NULL</dt>
          <dd className="numbers">
            {count(column.nulls)} of {count(rows)}
          </dd>
        </div>
        {statistics.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="numbers">{value}</dd>
          </div>
        ))}
      </dl>
      {column.masked && (
        <Text size="sm" c="dimmed">
          It holds personal data: counts are kept, values are not.
        </Text>
      )}
    </div>
  );
}

function Top({ column, rows }: { column: ProfiledColumnView; rows: number }) {
  const most = Math.max(...column.top.map((one) => one.count));
  return (
    <div>
      <p className="profile-label">Most frequent{column.top_exact ? "" : ", counted at least so often"}</p>
      <ul className="profile-values" aria-label={`Most frequent values of ${column.name}`}>
        {column.top.map((one) => (
          <li key={JSON.stringify(one.value)}>
            <Group gap={8} wrap="nowrap" justify="space-between">
              <span className="profile-top" title={shown(one.value, column.type)}>
                {shown(one.value, column.type)}
              </span>
              <span className="quiet numbers">
                {count(one.count)} ({share(one.count, rows)})
              </span>
            </Group>
            <span className="profile-bar" style={{ width: `${(100 * one.count) / most}%` }} aria-hidden />
          </li>
        ))}
      </ul>
    </div>
  );
}
