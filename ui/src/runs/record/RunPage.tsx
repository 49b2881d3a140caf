import { Button, Group, Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconActivity, IconPlayerStop } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";

import "../run.css";
import { ApiProblem, hasEnded, systemQuery, useCancelRun, useRunEvents, type LiveRun, type RunDetail } from "../../api";
import { useConnection } from "../../api/connection";
import { resultsOfRunQuery } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { BranchLink, CommitLink, ConfirmDialog, QueryResult, PageHeader, Problem, RelativeTime, StatusBadge } from "../../components";
import { lookOf } from "../../components/StatusBadge";
import { useNow } from "../../components/useNow";
import { duration } from "../../format/numbers";
import { secondsOf } from "../../format/run";
import { RunAgain } from "../RunAgain";
import { leadOf, selectionOf } from "../words";
import { RunChecks } from "./Checks";
import { RunTables } from "./Tables";
import { RunTimeline } from "./Timeline";

const route = getRouteApi("/frame/runs/$runId");

export default function RunPage() {
  const { runId } = route.useParams();
  const { query, mode } = useRunEvents(runId);
  const run = query.data;
  return (
    <>
      <PageHeader
        title={<span className="mono run-id">{runId}</span>}
        documentTitle={run === undefined ? runId : `${run.status} · ${runId}`}
        marks={run !== undefined && <Marks run={run} mode={mode} />}
        actions={run !== undefined && <Actions run={run} />}
      />
      <QueryResult query={query} skeleton={<RunSkeleton />}>
        {(data) => <Content run={data} />}
      </QueryResult>
    </>
  );
}

function Content({ run }: { run: RunDetail }) {
  return (
    <Stack gap="lg">
      <LeadPanel run={run} />
      {run.error != null && ["failed", "conflict", "blocked"].includes(run.status) && <Problem error={new ApiProblem(-1, run.error)} />}
      <Facts run={run} />
      {run.kind === "monitor" ? <OfMonitor run={run} /> : <RunTables run={run} />}
      <RunChecks verdicts={run.verdicts} holds={run.kind !== "monitor"} />
      <RunTimeline run={run} />
    </Stack>
  );
}

/** Which monitor it was is known once it has said something. */
function OfMonitor({ run }: { run: RunDetail }) {
  const { data } = useQuery({ ...resultsOfRunQuery(run.run_id), enabled: hasEnded(run.status) });
  const monitorId = data?.items[0]?.monitor_id;
  if (monitorId == null) return null;
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<IconActivity size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/quality/monitors/$monitorId" params={{ monitorId }} search={{ run: run.run_id }} {...props} />}
      >
        Open its monitor
      </Button>
    </Group>
  );
}

const MODES: Record<"live" | "polling" | "reconnecting", string> = {
  live: "Changes are shown as they happen.",
  polling: "The live connection is away; the page asks every two seconds.",
  reconnecting: "Forge does not answer; what you see may be old. The page goes on by itself.",
};

function Marks({ run, mode }: { run: RunDetail; mode: LiveRun["mode"] }) {
  const { reachable } = useConnection();
  const word = reachable ? mode : "reconnecting";
  return (
    <>
      <StatusBadge word={run.status} />
      {mode !== "ended" && word !== "ended" && (
        <Tooltip label={MODES[word]} withArrow multiline maw={280}>
          <span className="run-mode" data-mode={word} role="status">
            {word}
          </span>
        </Tooltip>
      )}
    </>
  );
}

function Actions({ run }: { run: RunDetail }) {
  const mayWrite = useMayWrite();
  return (
    <>
      {run.can_cancel && mayWrite && <Cancel run={run} />}
      <RunAgain run={run} variant={run.status === "interrupted" ? "filled" : "default"} />
    </>
  );
}

function Cancel({ run }: { run: RunDetail }) {
  const [asked, setAsked] = useState(false);
  const cancel = useCancelRun();
  const close = (): void => {
    setAsked(false);
    cancel.reset();
  };
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={() => setAsked(true)}>
        Cancel…
      </Button>
      <ConfirmDialog
        opened={asked}
        title="Cancel this run?"
        confirm="Cancel the run"
        keep={run.status === "queued" ? "Keep it in the queue" : "Keep it running"}
        danger
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate(run.run_id, { onSuccess: close })}
        onClose={close}
      >
        <Text size="sm">
          {run.status === "queued"
            ? "It leaves the queue and never begins."
            : `Spark is stopped and what was staged is dropped. Nothing of it is published; ${run.branch} stays as it is.`}
        </Text>
      </ConfirmDialog>
    </>
  );
}

/** How it stands, in words. Its changes are read out; the ticking time is not part of it. */
function LeadPanel({ run }: { run: RunDetail }) {
  const ended = hasEnded(run.status);
  const spark = useQuery({ ...systemQuery(), enabled: !ended }).data?.spark;
  const { tone, title, text } = leadOf(run, ended ? undefined : spark);
  const { icon: Sign, turning } = lookOf(run.status);
  return (
    <div className="run-lead panel" data-tone={tone} role="status">
      <Sign size={22} aria-hidden className={turning ? "turning" : undefined} />
      <div style={{ minWidth: 0 }}>
        <Text fw={640} size="md" className="name">
          {title}
        </Text>
        {text.length > 0 && (
          <Text size="sm" className="name" mt={2}>
            {text.join(" ")}
          </Text>
        )}
      </div>
    </div>
  );
}

function Facts({ run }: { run: RunDetail }) {
  const now = useNow(run.status === "running");
  const message = run.request?.message;
  const params = Object.entries(run.params);
  return (
    <dl className="run-facts panel">
      <Fact name="Branch">
        <BranchLink branch={run.branch} />
      </Fact>
      <Fact name="Commit">{run.commit == null ? <span className="run-quiet">{hasEnded(run.status) ? "none" : "not yet"}</span> : <CommitLink commit={run.commit} />}</Fact>
      <Fact name={hasEnded(run.status) ? "Took" : "So far"}>
        <span className="numbers">{duration(secondsOf(run, now))}</span>
      </Fact>
      <Fact name={run.started_at == null ? "Queued" : "Began"}>
        <RelativeTime time={run.started_at ?? run.queued_at} />
      </Fact>
      <Fact name="By">{run.user === "" ? "–" : run.user}</Fact>
      <Fact name="On">
        {run.host === "" ? "–" : run.host}
        {run.pid != null && <span className="run-quiet">, process {run.pid}</span>}
      </Fact>
      {run.kind !== "monitor" && (
        <Fact name="Selected">
          <span className="mono">{selectionOf(run)}</span>
        </Fact>
      )}
      {params.length > 0 && (
        <Fact name="Parameters">
          {params.map(([name, value]) => (
            <span key={name} className="mono run-param">
              {name}={value}
            </span>
          ))}
        </Fact>
      )}
      {run.request?.force === true && <Fact name="Forced">yes, what was up to date, too</Fact>}
      {message != null && message !== "" && <Fact name="Message">{message}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="name">{children}</dd>
    </div>
  );
}

function RunSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={78} radius={12} />
      <Skeleton height={132} radius={12} />
      <Skeleton height={320} radius={12} />
    </Stack>
  );
}
