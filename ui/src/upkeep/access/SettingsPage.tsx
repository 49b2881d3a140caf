import { Button, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { IconLogout } from "@tabler/icons-react";
import type { ReactNode } from "react";

import "./settings.css";
import { ApiProblem, sessionQuery, systemQuery, useSignOut, type SessionView, type SparkView, type SystemView } from "../../api";
import { QueryResult, notifyProblem, PageHeader, Problem, RelativeTime, StatusBadge } from "../../components";
import { exact, plural } from "../../format/numbers";
import { Sessions } from "./Sessions";
import { Tokens } from "./Tokens";

export default function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" about="Who may use Forge, and how the server is." />
      <Stack gap="lg">
        <Tokens />
        <Sessions />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: "start" }}>
          <Session />
          <Server />
        </SimpleGrid>
      </Stack>
    </>
  );
}

function Section({ id, title, actions, children }: { id: string; title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel settings-section" aria-labelledby={id}>
      <div className="settings-head">
        <h2 className="panel-title" id={id}>
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
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

function Session() {
  const query = useQuery(sessionQuery());
  return (
    <Section id="settings-session" title="Your session" actions={<SignOut />}>
      <QueryResult query={query} skeleton={<Skeleton height={150} />}>
        {(session) => (
          <dl className="settings-facts">
            <Fact name="Signed in as">{session.user}</Fact>
            <Fact name="May">{mayOf(session)}</Fact>
            <Fact name="Ends">{session.expires_at == null ? "with its token, or when you sign out" : <EndsAt session={session} />}</Fact>
          </dl>
        )}
      </QueryResult>
    </Section>
  );
}

function EndsAt({ session }: { session: SessionView }) {
  return (
    <>
      <RelativeTime time={session.expires_at} /> <span className="settings-quiet">({exact(session.expires_at)})</span>
    </>
  );
}

function mayOf({ scope }: SessionView): string {
  return scope === "write" ? "read and write: runs, branches, tokens" : "read, and change nothing";
}

function SignOut() {
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Button
      size="xs"
      variant="default"
      loading={signOut.isPending}
      leftSection={<IconLogout size={15} aria-hidden />}
      onClick={() => signOut.mutate(undefined, { onSuccess: () => void navigate({ to: "/login", search: { reason: "signed-out" } }), onError: notifyProblem })}
    >
      Sign out
    </Button>
  );
}

function Server() {
  const query = useQuery(systemQuery());
  return (
    <Section id="settings-server" title="The server">
      <QueryResult query={query} skeleton={<Skeleton height={260} />}>
        {(system) => (
          <dl className="settings-facts">
            <Fact name="Project">{system.project}</Fact>
            <Fact name="Version">Forge {system.version}</Fact>
            <Fact name="Started">
              <RelativeTime time={system.started_at} />
            </Fact>
            <Fact name="Database">{databaseOf(system.database)}</Fact>
            <Fact name="Publishing">{system.publish}</Fact>
            <Fact name="Queue">{queueOf(system)}</Fact>
            <Fact name="Spark">
              <Spark spark={system.spark} />
            </Fact>
          </dl>
        )}
      </QueryResult>
    </Section>
  );
}

function databaseOf(name: string): string {
  return { sqlite: "SQLite", postgresql: "PostgreSQL" }[name] ?? name;
}

function queueOf({ jobs_running, jobs_queued, jobs_limit }: SystemView): string {
  const now = jobs_running + jobs_queued === 0 ? "empty" : `${plural(jobs_running, "run")} at work, ${jobs_queued} waiting`;
  return `${now}; up to ${jobs_limit} may wait`;
}

const SPARK: Record<SparkView["state"], { label: string; about: string }> = {
  stopped: { label: "asleep", about: "It starts by itself with the first run. All pages work without it." },
  starting: { label: "starting", about: "A few seconds; runs wait for it, pages do not." },
  ready: { label: "ready", about: "" },
  failed: { label: "failed", about: "It is tried again with the next run." },
};

function Spark({ spark }: { spark: SparkView }) {
  const { label, about } = SPARK[spark.state];
  return (
    <Stack gap={8}>
      <span className="settings-spark">
        <StatusBadge word={spark.state} label={label} />
        <span className="mono">{spark.master}</span>
        {spark.since != null && spark.state !== "stopped" && (
          <span className="settings-quiet">
            <RelativeTime time={spark.since} />
          </span>
        )}
      </span>
      {about !== "" && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
      {spark.error != null && <Problem error={new ApiProblem(-1, spark.error)} plain />}
    </Stack>
  );
}
