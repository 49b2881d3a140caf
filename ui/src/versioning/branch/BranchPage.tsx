import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconGitBranch, IconGitCompare, IconLock, IconPlayerPlay, IconTrash, IconUpload } from "@tabler/icons-react";

import "./branches.css";
import "../merge/merge.css";
import { asProblem, branchCommitsQuery, branchesQuery, branchQuery, commitQuery, sessionQuery, type BranchView } from "../../api";
import { itemsOf } from "../../api/pages";
import { BranchLink, CommitLink, PageHeader, Problem, RelativeTime, StatusBadge } from "../../components";
import { Fact } from "../../components/Fact";
import { CommitDialogs } from "../commit/Dialogs";
import { showRange } from "../merge/words";
import { AheadBehind } from "./AheadBehind";
import { BranchCommits } from "./Commits";
import { FixSteps, NextCommands } from "./NextCommands";
import { OpenMerges } from "./OpenMerges";
import { UploadRows } from "./UploadRows";

const route = getRouteApi("/frame/branches/$branch");

/** One branch: where it stands, what to do on it, and its commits. */
export default function BranchPage() {
  const { branch: name } = route.useParams();
  const query = useQuery(branchQuery(name));
  const branch = query.data;
  return (
    <>
      <PageHeader
        title={name}
        documentTitle={`Branch ${name}`}
        marks={branch !== undefined && <Marks branch={branch} />}
        about={branch === undefined ? " " : branch.description || undefined}
        actions={branch !== undefined && <Actions branch={branch} />}
      />
      {branch !== undefined && <Shown branch={branch} />}
      {branch === undefined && query.error !== null && <NotThere error={query.error} retry={() => void query.refetch()} />}
      {branch === undefined && query.error === null && (
        <Stack gap="md" aria-busy>
          <span className="only-readers">Loading</span>
          <Skeleton h={150} radius="md" />
          <Skeleton h={420} radius="md" />
        </Stack>
      )}
    </>
  );
}

function Marks({ branch }: { branch: BranchView }) {
  return (
    <>
      {branch.is_default && (
        <span className="badge" data-tone="calm">
          default
        </span>
      )}
      {branch.is_protected && (
        <span className="badge" data-tone="busy">
          <IconLock size={13} aria-hidden />
          protected
        </span>
      )}
      {branch.status !== "active" && <StatusBadge word={branch.status} />}
    </>
  );
}

function useMain(): string {
  const { data } = useQuery(branchesQuery());
  return data?.items.find((branch) => branch.is_default)?.name ?? "main";
}

/** When it was made: a branch that was only created just now may stand on an old one. */
function CommitTime({ commit }: { commit: string }) {
  const { data } = useQuery(commitQuery(commit));
  if (data === undefined) return null;
  return (
    <>
      , <RelativeTime time={data.time} />
    </>
  );
}

function Facts({ branch, main }: { branch: BranchView; main: string }) {
  return (
    <section className="panel" aria-label="About it">
      <dl className="facts">
        {!branch.is_default && (
          <Fact label={`Against ${main}`}>
            <AheadBehind branch={branch} main={main} longest={Math.max(branch.ahead, branch.behind)} />
          </Fact>
        )}
        <Fact label="Newest commit">
          {branch.head_commit === null ? (
            "none yet"
          ) : (
            <>
              <CommitLink commit={branch.head_commit} />
              <CommitTime commit={branch.head_commit} />
            </>
          )}
        </Fact>
        <Fact label="Created by">
          {branch.created_by}, <RelativeTime time={branch.created_at} />
        </Fact>
        {branch.parent !== null && (
          <Fact label="From">
            <BranchLink branch={branch.parent} />
            {branch.fork_commit !== null && (
              <>
                {" at "}
                <CommitLink commit={branch.fork_commit} />
              </>
            )}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Actions({ branch }: { branch: BranchView }) {
  const { data: session } = useQuery(sessionQuery());
  const main = useMain();
  return (
    <>
      {!branch.is_default && (
        <Button
          leftSection={<IconGitCompare size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/compare/$range" params={{ range: showRange({ base: main, compare: branch.name }) }} {...props} />}
        >
          Compare and merge
        </Button>
      )}
      <Button variant="default" leftSection={<IconPlayerPlay size={16} aria-hidden />} renderRoot={(props) => <Link to="/runs" search={{ branch: branch.name }} {...props} />}>
        Its runs
      </Button>
      {session?.scope === "write" && (
        <>
          <Button
            variant="default"
            leftSection={<IconUpload size={16} aria-hidden />}
            renderRoot={(props) => <Link from="/branches/$branch" to="/branches/$branch" params={{ branch: branch.name }} search={(before) => ({ ...before, dialog: "commit" as const })} resetScroll={false} {...props} />}
          >
            Commit rows…
          </Button>
          <Button
            variant="default"
            leftSection={<IconGitBranch size={16} aria-hidden />}
            renderRoot={(props) => <Link to="/branches" search={{ dialog: "create", from: branch.name }} {...props} />}
          >
            Branch from here
          </Button>
          {!branch.is_default && (
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              renderRoot={(props) => <Link to="/branches" search={{ dialog: "delete", name: branch.name }} {...props} />}
            >
              Delete
            </Button>
          )}
        </>
      )}
    </>
  );
}

function Shown({ branch }: { branch: BranchView }) {
  const { table, author, fix, dialog, commit, into } = route.useSearch();
  const navigate = route.useNavigate();
  const close = (): void =>
    void navigate({ search: (before) => ({ ...before, dialog: undefined, commit: undefined, into: undefined }), replace: true, resetScroll: false });
  const main = useMain();
  const { data } = useInfiniteQuery(branchCommitsQuery(branch.name));
  const commits = itemsOf(data?.pages ?? []);
  return (
    <Stack gap="lg">
      <OpenMerges branch={branch.name} />
      <Facts branch={branch} main={main} />
      {fix !== undefined && !branch.is_default && <FixSteps branch={branch} table={fix} main={main} />}
      {(fix === undefined || branch.is_default) && <NextCommands branch={branch} commits={commits} />}
      <BranchCommits
        branch={branch}
        filter={{ table, author }}
        onFilter={(filter) => void navigate({ search: (before) => ({ ...before, ...filter }), replace: true, resetScroll: false })}
      />
      {dialog === "commit" && <UploadRows branch={branch.name} table={into} onClose={close} />}
      {dialog !== undefined && dialog !== "commit" && commit !== undefined && <CommitDialogs dialog={dialog} commit={commit} branch={branch.name} onClose={close} />}
    </Stack>
  );
}

function NotThere({ error, retry }: { error: unknown; retry: () => void }) {
  const { branch } = route.useParams();
  const gone = asProblem(error).status === 404;
  return (
    <Stack gap="md">
      <Problem error={error} retry={gone ? undefined : retry} />
      <Group gap="xs">
        <Button variant="default" renderRoot={(props) => <Link to="/branches" {...props} />}>
          All branches
        </Button>
        {gone && (
          <Button variant="default" renderRoot={(props) => <Link to="/branches" search={{ dialog: "create", name: branch }} {...props} />}>
            Create it
          </Button>
        )}
      </Group>
    </Stack>
  );
}
