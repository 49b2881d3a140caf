import "../quality.css";

import { Button, Group, Skeleton, Stack, Switch, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { IconCopy, IconPencil, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { ApiProblem, type MonitorView } from "../../api";
import { monitorQuery, useChangeMonitor, useDeleteMonitor } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { ConfirmDialog, QueryResult, notify, notifyProblem, PageHeader, Problem, RelativeTime, StatusBadge, TableLink } from "../../components";
import { plural } from "../../format/numbers";
import { QualityNav } from "../Nav";
import { MONITOR_PARTS, type MonitorPart, type MonitorSearch } from "../search";
import { Sla } from "../sla/Sla";
import { branchIn, isUnderWay, scheduleInWords, tableOf } from "../words";
import { MonitorChecks } from "./Checks";
import { MonitorHistory } from "./History";
import { LiveMonitorRun } from "./LiveRun";
import { MonitorResults } from "./Results";
import { RunMonitor } from "./RunMonitor";

const route = getRouteApi("/frame/quality/monitors/$monitorId");

export default function MonitorPage() {
  const { monitorId } = route.useParams();
  const query = useQuery(monitorQuery(monitorId));
  const monitor = query.data;
  return (
    <>
      <PageHeader
        title={monitor?.name ?? monitorId}
        documentTitle={monitor?.name ?? "Monitor"}
        marks={monitor !== undefined && <StatusBadge word={monitor.state} />}
        about={monitor === undefined ? " " : <About monitor={monitor} />}
        actions={monitor !== undefined && <Actions monitor={monitor} />}
      />
      <QualityNav />
      <QueryResult query={query} skeleton={<MonitorSkeleton />}>
        {(found) => <Content monitor={found} />}
      </QueryResult>
    </>
  );
}

function About({ monitor }: { monitor: MonitorView }) {
  return (
    <>
      watches <TableLink table={tableOf(monitor.dataset)} at={branchIn(monitor)} /> · {scheduleInWords(monitor.schedule)}
      {monitor.enabled && monitor.next_run_at !== null && (
        <>
          {" "}
          · next <RelativeTime time={monitor.next_run_at} />
        </>
      )}
    </>
  );
}

function Actions({ monitor }: { monitor: MonitorView }) {
  const mayWrite = useMayWrite();
  const navigate = route.useNavigate();
  if (!mayWrite) return null;
  const ours = monitor.file === null;
  return (
    <>
      {ours && <Enabled monitor={monitor} />}
      {ours ? (
        <Button
          variant="default"
          leftSection={<IconPencil size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/quality/monitors/$monitorId/edit" params={{ monitorId: monitor.id }} {...props} />}
        >
          Edit
        </Button>
      ) : (
        <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} renderRoot={(props) => <Link to="/quality/monitors/new" search={{ copy: monitor.id }} {...props} />}>
          Copy
        </Button>
      )}
      {ours && (
        <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => void navigate({ search: (before) => ({ ...before, dialog: "delete" }) })}>
          Delete…
        </Button>
      )}
      <RunMonitor monitor={monitor} />
    </>
  );
}

function Enabled({ monitor }: { monitor: MonitorView }) {
  const change = useChangeMonitor();
  return (
    <Switch
      label={monitor.enabled ? "On" : "Off"}
      aria-label="Runs by itself"
      checked={change.isPending ? !monitor.enabled : monitor.enabled}
      disabled={change.isPending}
      onChange={(event) => change.mutate({ id: monitor.id, enabled: event.currentTarget.checked }, { onError: notifyProblem })}
    />
  );
}

function Content({ monitor }: { monitor: MonitorView }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: MonitorSearch, replace = true): void => void navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  const watched = search.live ?? (isUnderWay(monitor.last_run) ? monitor.last_run?.id : undefined);
  return (
    <Stack gap="md">
      {watched !== undefined && <LiveMonitorRun key={watched} runId={watched} onClose={() => change({ live: undefined })} />}
      {monitor.last_run?.error != null && <Problem error={new ApiProblem(-1, monitor.last_run.error)} />}
      <Facts monitor={monitor} />
      <Parts monitor={monitor} search={search} change={change} />
      {search.dialog === "delete" && <Delete monitor={monitor} onClose={() => change({ dialog: undefined })} />}
    </Stack>
  );
}

function Facts({ monitor }: { monitor: MonitorView }) {
  return (
    <dl className="panel quality-facts">
      <Fact name="Checks">{monitor.checks.length === 0 ? "those the project has for it" : plural(monitor.checks.length, "check")}</Fact>
      <Fact name="Alerts">
        {monitor.channels.length === 0 ? (
          <span className="quality-quiet">to nobody</span>
        ) : (
          <>
            {monitor.channels.join(", ")} <span className="quality-quiet">from {monitor.severity_threshold}</span>
          </>
        )}
      </Fact>
      <Fact name="Service level">
        {monitor.sla_target_percentage === null ? (
          <span className="quality-quiet">no target</span>
        ) : (
          <>
            {monitor.sla_target_percentage}% <span className="quality-quiet">in {plural(monitor.sla_window_days, "day")}</span>
          </>
        )}
      </Fact>
      <Fact name="Last run">
        {monitor.last_run === null ? <span className="quality-quiet">never</span> : <RelativeTime time={monitor.last_run.ended_at ?? monitor.last_run.started_at ?? monitor.last_run.queued_at} />}
      </Fact>
      <Fact name={monitor.file === null ? "Made by" : "Kept in"}>
        {monitor.file === null ? monitor.created_by || "–" : <code className="mono name">{monitor.file}</code>}
      </Fact>
      {monitor.description !== "" && (
        <div className="quality-wide">
          <dt>About it</dt>
          <dd className="name">{monitor.description}</dd>
        </div>
      )}
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

const LABELS: Record<MonitorPart, string> = { results: "Results", history: "History", sla: "Service level", checks: "Checks" };

interface PartProps {
  monitor: MonitorView;
  search: MonitorSearch;
  change: (part: MonitorSearch, replace?: boolean) => void;
}

function Parts({ monitor, search, change }: PartProps) {
  const part = search.part ?? "results";
  const contents: Record<MonitorPart, () => ReactNode> = {
    results: () => <MonitorResults monitor={monitor} run={search.run} onNewest={() => change({ run: undefined })} />,
    history: () => <MonitorHistory monitor={monitor} />,
    sla: () => <Sla monitor={monitor} days={search.days} onDays={(days) => change({ days })} />,
    checks: () => <MonitorChecks monitor={monitor} />,
  };
  return (
    <Tabs value={part} keepMounted={false} onChange={(next) => change({ part: MONITOR_PARTS.find((one) => one === next && one !== "results"), run: undefined })}>
      <Tabs.List className="quality-tabs" aria-label={`Parts of ${monitor.name}`}>
        {MONITOR_PARTS.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {LABELS[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {MONITOR_PARTS.map((one) => (
        <Tabs.Panel key={one} value={one} pt="md">
          {part === one && contents[one]()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Delete({ monitor, onClose }: { monitor: MonitorView; onClose: () => void }) {
  const remove = useDeleteMonitor();
  const navigate = useNavigate();
  const confirm = (): void =>
    remove.mutate(monitor.id, {
      onSuccess: () => {
        notify("good", `Monitor ${monitor.name} is deleted`, "Results it has kept stay in the history of its dataset.");
        void navigate({ to: "/quality/monitors" });
      },
    });
  return (
    <ConfirmDialog opened title={`Delete ${monitor.name}?`} confirm="Delete the monitor" danger busy={remove.isPending} error={remove.error} onConfirm={confirm} onClose={onClose}>
      <Text size="sm">It does not run any more and raises no alarm. What it found of {monitor.dataset} is kept. To stop it for a while, switch it off instead.</Text>
    </ConfirmDialog>
  );
}

function MonitorSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton h={84} radius={12} />
      <Group gap="sm">
        <Skeleton h={32} w={300} />
      </Group>
      <Skeleton h={300} radius={12} />
    </Stack>
  );
}
