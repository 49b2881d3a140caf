import "../quality.css";

import { Button, CloseButton, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconActivity, IconFilterOff, IconPlus, IconSearch, IconZoomQuestion } from "@tabler/icons-react";

import type { MonitorView } from "../../api";
import { itemsOf } from "../../api/pages";
import { monitorsQuery } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { CopyCommand, DataTable, EmptyState, QueryResult, Name, PageHeader, RelativeTime, ShowMore, StatusBadge, TypedInput, type Column } from "../../components";
import { plural } from "../../format/numbers";
import { QualityNav } from "../Nav";
import { MONITOR_STATES, type MonitorsSearch } from "../search";
import { datasetAt, runInWords, scheduleInWords } from "../words";
import { RunMonitor } from "./RunMonitor";

const route = getRouteApi("/frame/quality/monitors");

/** Who watches what, when, and how it stands. */
export default function MonitorsPage() {
  const mayWrite = useMayWrite();
  const { dataset } = route.useSearch();
  return (
    <>
      <PageHeader
        title="Monitors"
        about="Checks that run by themselves: on a schedule, or after each change of a table."
        actions={
          mayWrite && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} renderRoot={(props) => <Link to="/quality/monitors/new" search={{ dataset }} {...props} />}>
              New monitor
            </Button>
          )
        }
      />
      <QualityNav />
      <Monitors />
    </>
  );
}

function Monitors() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(monitorsQuery({ dataset_id: search.dataset, q: search.q, state: search.is === undefined ? undefined : [search.is] }));
  const change = (part: MonitorsSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const clear = (): void => change({ q: undefined, is: undefined, dataset: undefined });
  const filtered = search.q !== undefined || search.is !== undefined || search.dataset !== undefined;
  return (
    <QueryResult query={query} skeleton={<ListSkeleton />}>
      {({ pages }) => {
        const monitors = itemsOf(pages);
        const total = pages[0]?.total_count ?? monitors.length;
        if (monitors.length === 0 && !filtered) return <NoMonitors />;
        return (
          <Stack gap="sm">
            <Filters search={search} onChange={change} />
            <div className="quality-found">
              <span role="status">
                {plural(total, "monitor")}
                {search.dataset !== undefined && ` of ${search.dataset}`}
              </span>
              {filtered && (
                <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={clear}>
                  Clear filters
                </Button>
              )}
            </div>
            <div className="panel quality-list monitors-list" aria-busy={query.isPlaceholderData} data-stale={query.isPlaceholderData || undefined}>
              {monitors.length === 0 ? (
                <EmptyState
                  icon={IconZoomQuestion}
                  title="No monitor passes these filters"
                  action={
                    <Button variant="default" onClick={clear}>
                      Show all monitors
                    </Button>
                  }
                />
              ) : (
                <DataTable caption="Monitors" columns={COLUMNS} rows={monitors} rowKey={(one) => one.id} />
              )}
              <ShowMore query={query} shown={monitors.length} total={total} what="monitors" />
            </div>
          </Stack>
        );
      }}
    </QueryResult>
  );
}

const COLUMNS: readonly Column<MonitorView>[] = [
  { key: "state", label: "State", cell: (one) => <StatusBadge word={one.state} /> },
  { key: "name", label: "Monitor", cell: (one) => <Named one={one} /> },
  { key: "schedule", label: "Runs", wide: true, cell: (one) => <Schedule one={one} /> },
  { key: "last", label: "Last run", cell: (one) => <LastRun one={one} /> },
  { key: "act", label: "", align: "right", cell: (one) => <RunMonitor monitor={one} small /> },
];

function Named({ one }: { one: MonitorView }) {
  return (
    <span className="quality-named">
      <Link to="/quality/monitors/$monitorId" params={{ monitorId: one.id }} className="link name">
        {one.name}
      </Link>
      <span className="quality-said name">
        <Name text={datasetAt(one.dataset, one.branch)} />
      </span>
    </span>
  );
}

function Schedule({ one }: { one: MonitorView }) {
  return (
    <span className="quality-named">
      <span>{scheduleInWords(one.schedule)}</span>
      {one.enabled && one.next_run_at !== null && (
        <span className="quality-said">
          next <RelativeTime time={one.next_run_at} />
        </span>
      )}
    </span>
  );
}

function LastRun({ one }: { one: MonitorView }) {
  const run = one.last_run;
  if (run === null) return <span className="quality-quiet">never</span>;
  return (
    <span className="quality-named">
      <span className="numbers">{runInWords(run)}</span>
      <span className="quality-said">
        <RelativeTime time={run.ended_at ?? run.started_at ?? run.queued_at} />
      </span>
    </span>
  );
}

function Filters({ search, onChange }: { search: MonitorsSearch; onChange: (part: MonitorsSearch) => void }) {
  return (
    <search className="quality-filters" aria-label="Monitors">
      <TypedInput
        aria-label="Part of a name or dataset"
        placeholder="Part of a name or dataset"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search.q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => onChange({ q: undefined })} />}
        value={search.q ?? ""}
        onTyped={(q) => onChange({ q: q === "" ? undefined : q })}
        spellCheck={false}
      />
      <NativeSelect
        aria-label="State"
        value={search.is ?? ""}
        onChange={(event) => onChange({ is: MONITOR_STATES.find((one) => one === event.currentTarget.value) })}
        data={[{ value: "", label: "Any state" }, ...MONITOR_STATES]}
      />
    </search>
  );
}

function NoMonitors() {
  const mayWrite = useMayWrite();
  return (
    <div className="panel">
      <EmptyState
        icon={IconActivity}
        title="Nothing is watched yet"
        action={
          mayWrite ? (
            <Button leftSection={<IconPlus size={16} aria-hidden />} renderRoot={(props) => <Link to="/quality/monitors/new" {...props} />}>
              New monitor
            </Button>
          ) : (
            <CopyCommand command="forge quality monitor create --help" />
          )
        }
      >
        A monitor runs checks of one dataset by itself, keeps every result, raises alarms and measures a service level. It can also stand in <code>quality/*.yaml</code> of the project.
      </EmptyState>
    </div>
  );
}

function ListSkeleton() {
  return (
    <Stack gap="sm">
      <Skeleton h={36} maw={480} />
      <Skeleton h={300} radius={12} />
    </Stack>
  );
}
