import { Button, Group, Text, Title } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { IconPlayerPlay, IconShieldCheck } from "@tabler/icons-react";

import { useStartRun, type Overview } from "../api";
import { CopyCommand, CommitLink, Empty, Problem, RelativeTime, StatusBadge } from "../parts";
import { duration, plural } from "../parts/formats";

/** Nothing is wrong: what was checked last, and when. */
export function Calm({ overview }: { overview: Overview }) {
  const { last_run: run, branch, counters } = overview;
  return (
    <section className="panel calm" aria-labelledby="calm">
      <IconShieldCheck size={34} stroke={1.5} aria-hidden className="calm-sign" />
      <div style={{ minWidth: 0 }}>
        <Title order={2} id="calm" fz={20} lh={1.3}>
          {counters.checks_failing === 0 ? `Nothing is wrong on ${branch}` : `Nothing on ${branch} is blocked`}
        </Title>
        <Text c="dimmed" size="sm" mt={4}>
          {counters.checks_failing === 0
            ? "Every check of the newest version of each table passed."
            : `${plural(counters.checks_failing, "check")} failed without blocking a publish.`}
        </Text>
        {run !== null && (
          <Group gap={8} mt="md">
            <StatusBadge word={run.status} label={`last run ${run.status}`} />
            <Text size="sm" c="dimmed" component="span">
              <RelativeTime time={run.started_at ?? run.queued_at} /> · {duration(run.seconds)} ·{" "}
              {plural(run.outputs.length, "table")}
              {run.commit != null && (
                <>
                  {" "}
                  · commit <CommitLink commit={run.commit} />
                </>
              )}
            </Text>
          </Group>
        )}
        <Group gap="xs" mt="md">
          {run !== null && (
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run.run_id }} {...props} />}
            >
              Open the last run
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

/** A project in which nothing has run yet. */
export function FirstRun() {
  const start = useStartRun();
  const navigate = useNavigate();
  const begin = (): void => {
    start.mutate({}, { onSuccess: (run) => void navigate({ to: "/runs/$runId", params: { runId: run.run_id } }) });
  };
  return (
    <section className="panel">
      <Empty
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
      </Empty>
      {start.isError && (
        <div style={{ padding: "0 20px 20px" }}>
          <Problem error={start.error} plain />
        </div>
      )}
    </section>
  );
}
