import { ActionIcon, Button, Group, Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconArrowBackUp, IconCheck, IconCopy, IconGitBranch, IconGitCherryPick, IconTag } from "@tabler/icons-react";

import "../branch/branches.css";
import "../merge/merge.css";
import { asProblem, commitQuery, sessionQuery, type ChangeView, type CommitDetail, type VersionView } from "../../api";
import { BranchLink, CommitLink, DataTable, QueryResult, PageHeader, Problem, RelativeTime, RunLink, type Column } from "../../components";
import { Fact } from "../../components/Fact";
import { bytes, count, exact, NONE, plural, signed } from "../../format/numbers";
import { shortCommit } from "../../format/refs";
import type { CommitDialog } from "../branch/search";
import { CommitDialogs } from "./Dialogs";
import { Refs } from "./LogGraph";
import { TableVersionLink } from "./TableVersionLink";

const route = getRouteApi("/frame/commits/$commit");

/** One commit: what it did, and every table as it had it. */
export default function CommitPage() {
  const { commit: name } = route.useParams();
  const query = useQuery(commitQuery(name));
  const commit = query.data;
  const [title = "", ...rest] = (commit?.message ?? "").split("\n");
  const body = rest.join("\n").trim();
  return (
    <>
      <PageHeader
        title={title === "" ? `Commit ${shortCommit(name)}` : title}
        documentTitle={`Commit ${shortCommit(commit?.id ?? name)}`}
        marks={commit !== undefined && <Refs commit={commit.id} />}
        about={commit === undefined ? " " : <CommitId id={commit.id} />}
        actions={commit !== undefined && <Actions commit={commit} />}
      />
      {commit !== undefined && <Dialogs commit={commit} />}
      {body !== "" && <p className="commit-message">{body}</p>}
      {commit === undefined && query.error !== null ? (
        <NotThere error={query.error} retry={() => void query.refetch()} />
      ) : (
        <QueryResult query={query} skeleton={<CommitSkeleton />}>
          {(data) => (
            <Stack gap="lg">
              <Facts commit={data} />
              <Changed commit={data} />
              <Tree commit={data} />
            </Stack>
          )}
        </QueryResult>
      )}
    </>
  );
}

function Facts({ commit }: { commit: CommitDetail }) {
  const [first] = commit.parents;
  return (
    <section className="panel" aria-label="About it">
      <dl className="facts">
        <Fact label="Author">
          <span title={commit.author.email}>{commit.author.name}</span>
        </Fact>
        <Fact label="Made">
          <RelativeTime time={commit.time} />, {exact(commit.time)}
        </Fact>
        <Fact label="On branch">
          <BranchLink branch={commit.branch} />
        </Fact>
        <Fact label="By run">{commit.run_id === null ? "no run" : <RunLink runId={commit.run_id} />}</Fact>
        <Fact label={commit.is_merge ? "Parents" : "Parent"}>
          {first === undefined && "none: it is the first"}
          {commit.parents.map((parent, index) => (
            <span key={parent}>
              {index > 0 && ", "}
              <CommitLink commit={parent} />
            </span>
          ))}
        </Fact>
      </dl>
    </section>
  );
}

/** All of its characters can be copied; twelve are enough to read. */
function CommitId({ id }: { id: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const label = clipboard.copied ? "Copied" : "Copy the whole id";
  return (
    <span className="commit-id">
      <span className="mono" title={id}>
        {shortCommit(id)}
      </span>
      <Tooltip label={label} withArrow>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={() => clipboard.copy(id)}>
          {clipboard.copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      </Tooltip>
    </span>
  );
}

const DIALOGS: readonly { dialog: CommitDialog; label: string; icon: typeof IconTag }[] = [
  { dialog: "revert", label: "Revert…", icon: IconArrowBackUp },
  { dialog: "cherry-pick", label: "Cherry-pick to…", icon: IconGitCherryPick },
  { dialog: "tag", label: "Tag…", icon: IconTag },
];

function Actions({ commit }: { commit: CommitDetail }) {
  const { data: session } = useQuery(sessionQuery());
  if (session?.scope !== "write") return null;
  // The first commit has nothing that it changed: nothing was before it.
  const shown = DIALOGS.filter(({ dialog }) => dialog === "tag" || commit.parents.length > 0);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconGitBranch size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/branches" search={{ dialog: "create", from: commit.id }} {...props} />}
      >
        Branch from here
      </Button>
      {shown.map(({ dialog, label, icon: Sign }) => (
        <Button
          key={dialog}
          variant="default"
          leftSection={<Sign size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/commits/$commit" params={{ commit: commit.id }} search={{ dialog }} resetScroll={false} {...props} />}
        >
          {label}
        </Button>
      ))}
    </>
  );
}

function Dialogs({ commit }: { commit: CommitDetail }) {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  if (dialog === undefined) return null;
  return <CommitDialogs dialog={dialog} commit={commit.id} branch={commit.branch} onClose={() => void navigate({ search: {}, replace: true, resetScroll: false })} />;
}

function Changed({ commit }: { commit: CommitDetail }) {
  const views = new Set(commit.versions.filter((version) => version.kind === "view").map((version) => version.table));
  const stored = (show: (change: ChangeView) => string) => (change: ChangeView) => (views.has(change.table) ? NONE : show(change));
  const [parent] = commit.parents;
  const columns: Column<ChangeView>[] = [
    { key: "table", label: "Table", cell: (change) => <TableVersionLink table={change.table} commit={commit.id} /> },
    { key: "added", label: "Rows added", align: "right", cell: stored((change) => count(change.rows_added)) },
    { key: "modified", label: "Rows updated", align: "right", cell: stored((change) => count(change.rows_modified)) },
    { key: "deleted", label: "Rows deleted", align: "right", cell: stored((change) => count(change.rows_deleted)) },
    { key: "rows", label: "Rows after", align: "right", cell: stored((change) => count(change.record_count)) },
    { key: "bytes", label: "Written", align: "right", cell: stored((change) => bytes(change.bytes_added)) },
    { key: "size", label: "Size after", align: "right", cell: stored((change) => bytes(change.total_size)) },
  ];
  if (parent !== undefined) columns.push({ key: "before", label: "As it was before", cell: (change) => <Before table={change.table} parent={parent} /> });
  return (
    <section aria-labelledby="changed">
      <Heading id="changed" title="Changed by this commit" about={`${plural(commit.tables.length, "table")}, rows ${signed(commit.rows_added)} and ${signed(-commit.rows_deleted)}`} />
      <div className="panel">
        {commit.tables.length === 0 ? (
          <Text p="md" size="sm" c="dimmed">
            It changed no table’s rows.
          </Text>
        ) : (
          <DataTable caption="Tables changed by this commit" columns={columns} rows={commit.tables} rowKey={(change) => change.table} />
        )}
      </div>
    </section>
  );
}

/** The table one commit earlier, where there was one. */
function Before({ table, parent }: { table: string; parent: string }) {
  const { data: before } = useQuery(commitQuery(parent));
  if (before?.versions.every((version) => version.table !== table)) return <span className="branches-quiet">new here</span>;
  return (
    <Link to="/assets/$assetId" params={{ assetId: table }} search={{ at: parent }} className="link mono" title={`${table} before this commit`}>
      @{shortCommit(parent)}
    </Link>
  );
}

function Tree({ commit }: { commit: CommitDetail }) {
  const columns: Column<VersionView>[] = [
    { key: "table", label: "Table", cell: (version) => <TableVersionLink table={version.table} commit={commit.id} /> },
    { key: "kind", label: "Kind", cell: (version) => version.kind },
    { key: "version", label: "Version", align: "right", cell: (version) => version.version },
    { key: "changed", label: "Here", cell: (version) => (version.changed ? <span className="badge" data-tone="busy">changed</span> : <span className="branches-quiet">as before</span>) },
    { key: "run", label: "Written by run", wide: true, cell: (version) => (version.run_id === null ? null : <RunLink runId={version.run_id} />) },
  ];
  return (
    <section aria-labelledby="tree">
      <Heading id="tree" title="Every table as this commit has it" about={plural(commit.versions.length, "table or view", "tables and views")} />
      <div className="panel">
        <DataTable caption="Tables of this commit" columns={columns} rows={commit.versions} rowKey={(version) => version.table} />
      </div>
    </section>
  );
}

function Heading({ id, title, about }: { id: string; title: string; about: string }) {
  return (
    <Group gap={10} mb="sm" align="baseline">
      <h2 className="panel-title" id={id} style={{ fontSize: 16 }}>
        {title}
      </h2>
      <Text size="sm" c="dimmed" className="numbers">
        {about}
      </Text>
    </Group>
  );
}

function NotThere({ error, retry }: { error: unknown; retry: () => void }) {
  const gone = asProblem(error).status === 404;
  return (
    <Stack gap="md">
      <Problem error={error} retry={gone ? undefined : retry} />
      <Group gap="xs">
        <Button variant="default" renderRoot={(props) => <Link to="/branches" {...props} />}>
          Branches and their commits
        </Button>
      </Group>
    </Stack>
  );
}

function CommitSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton h={260} radius="md" />
      <Skeleton h={420} radius="md" />
    </Stack>
  );
}
