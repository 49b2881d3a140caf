import { Button, Group, Text, Title } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  IconAlertTriangle,
  IconBan,
  IconLoader2,
  IconPlayerPlay,
  IconShieldCheck,
  IconShieldQuestion,
  type Icon,
} from "@tabler/icons-react";
import type { ReactNode } from "react";

import { useStartRun, type Overview, type RunView } from "../../api";
import { CopyCommand, CommitLink, EmptyState, Problem, RelativeTime, StatusBadge, type Tone } from "../../components";
import { WithCode } from "../../components/CopyCommand";
import { duration, plural } from "../../format/numbers";
import { brokenWords, standingOf, type Standing } from "./words";

interface Look {
  icon: Icon;
  tone: Tone;
  title: string;
  text: string;
}

/** What to say of a branch on which no check holds anything back. */
export function BranchHealth({ overview }: { overview: Overview }) {
  const { last_run: run } = overview;
  const standing = standingOf(overview);
  if (standing === "first run") return <FirstRun />;
  if (standing === "broken" && run !== null) return <BrokenRun run={run} head={overview.head} />;
  const { icon, tone, title, text } = lookOf(standing, overview);
  return (
    <Card icon={icon} tone={tone} title={title} run={run}>
      <Text c="dimmed" size="sm" mt={4}>
        {text}
      </Text>
      {run !== null && <RunLine run={run} />}
    </Card>
  );
}

function lookOf(standing: Standing, { branch, counters }: Overview): Look {
  switch (standing) {
    case "first run works":
      return { icon: IconLoader2, tone: "busy", title: "The first run is working", text: "Its tables are here as soon as it has published them." };
    case "working":
      return { icon: IconLoader2, tone: "busy", title: `A run is working on ${branch}`, text: "Readers see nothing of it until it is published." };
    case "stopped":
      return { icon: IconBan, tone: "calm", title: "The last run was cancelled", text: `Nothing of it was published; readers of ${branch} keep what they had.` };
    case "failing":
      return {
        icon: IconAlertTriangle,
        tone: "warn",
        title: `Nothing on ${branch} is blocked`,
        text: `${plural(counters.checks_failing, "check")} failed without blocking a publish.`,
      };
    case "well":
      return {
        icon: IconShieldCheck,
        tone: "good",
        title: `Nothing is wrong on ${branch}`,
        text: "Every check of the newest version of each table passed.",
      };
    default:
      return { icon: IconShieldQuestion, tone: "calm", title: `No check has seen ${branch} yet`, text: "Nothing failed, and nothing was checked." };
  }
}

/** The newest run did not end well: what happened, where, and that readers have what they had. */
export function BrokenRun({ run, head }: { run: RunView; head: string | null }) {
  const { title, where, error } = brokenWords(run);
  const kept = head === null ? "Nothing was published yet." : "Nothing of it was published: readers keep what they had.";
  return (
    <Card icon={IconAlertTriangle} tone="bad" title={title} run={run}>
      {where !== null && (
        <Text size="sm" c="dimmed" mt={4} className="name">
          {where}
        </Text>
      )}
      {error?.why != null && (
        <Text size="sm" mt={4} className="name">
          <WithCode text={error.why} />
        </Text>
      )}
      <Text size="sm" mt={4}>
        {run.commit == null ? kept : "What passed was published; readers of the rest keep what they had."}
      </Text>
      <RunLine run={run} />
    </Card>
  );
}

interface CardProps {
  icon: Icon;
  tone: Tone;
  title: string;
  run: RunView | null;
  children: ReactNode;
}

function Card({ icon: Sign, tone, title, run, children }: CardProps) {
  return (
    <section className="panel calm" aria-labelledby="calm">
      <Sign size={34} stroke={1.5} aria-hidden className="calm-sign" data-tone={tone} />
      <div style={{ minWidth: 0 }}>
        <Title order={2} id="calm" fz={20} lh={1.3} className="name">
          {title}
        </Title>
        {children}
        <Group gap="xs" mt="md">
          {run !== null && (
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run.run_id }} {...props} />}
            >
              {tone === "busy" ? "Watch the run" : "Open the last run"}
            </Button>
          )}
          <Button variant="default" renderRoot={(props) => <Link to="/assets" {...props} />}>
            Look at the tables
          </Button>
        </Group>
      </div>
    </section>
  );
}

function RunLine({ run }: { run: RunView }) {
  return (
    <Group gap={8} mt="md">
      <StatusBadge word={run.status} label={`last run ${run.status}`} />
      <Text size="sm" c="dimmed" component="span">
        <RelativeTime time={run.started_at ?? run.queued_at} />
        {run.seconds != null && ` · ${duration(run.seconds)}`}
        {run.outputs.length > 0 && ` · ${plural(run.outputs.length, "table")}`}
        {run.commit != null && (
          <>
            {" "}
            · commit <CommitLink commit={run.commit} />
          </>
        )}
      </Text>
    </Group>
  );
}

/** A project in which nothing has run yet. */
function FirstRun() {
  const start = useStartRun();
  const navigate = useNavigate();
  const begin = (): void => {
    start.mutate({}, { onSuccess: (run) => void navigate({ to: "/runs/$runId", params: { runId: run.run_id } }) });
  };
  return (
    <section className="panel">
      <EmptyState
        icon={IconPlayerPlay}
        title="Nothing has run yet"
        action={
          <Button loading={start.isPending} leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={begin}>
            Make the first run
          </Button>
        }
      >
        A run reads the sources, builds every table apart, checks it, and publishes what passed as one commit. Start it here, or
        type:
        <div className="first-command">
          <CopyCommand command="forge run" />
        </div>
      </EmptyState>
      {start.isError && (
        <div style={{ padding: "0 20px 20px" }}>
          <Problem error={start.error} plain />
        </div>
      )}
    </section>
  );
}
