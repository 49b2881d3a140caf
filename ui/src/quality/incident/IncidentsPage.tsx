import "../quality.css";

import { Button, SegmentedControl, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconFilterOff, IconShieldCheck } from "@tabler/icons-react";

import type { TrackedIncidentView } from "../../api";
import { itemsOf } from "../../api/pages";
import { incidentsQuery } from "../../api/quality";
import { DataTable, EmptyState, QueryResult, Name, PageHeader, RelativeTime, ShowMore, StatusBadge, type Column } from "../../components";
import { whoOf } from "../../format/names";
import { plural } from "../../format/numbers";
import { QualityNav } from "../Nav";
import { INCIDENT_STATES, type IncidentsSearch } from "../search";
import { sawOf, subjectOf } from "./words";

const route = getRouteApi("/frame/quality/incidents");

/** What went wrong, who is on it, and what came of it. */
export default function IncidentsPage() {
  return (
    <>
      <PageHeader title="Incidents" about="A check that fails opens one; it is closed when the check passes again, or by hand." />
      <QualityNav />
      <Incidents />
    </>
  );
}

const LABELS: Record<(typeof INCIDENT_STATES)[number], string> = { unresolved: "Not resolved", open: "Open", acknowledged: "Acknowledged", resolved: "Resolved", all: "All" };
/** An acknowledged one is not resolved yet: who looks for those that nobody has, looks for open ones. */
const OFFERED = INCIDENT_STATES.filter((one) => one !== "open");

function Incidents() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const status = search.status ?? "unresolved";
  const query = useInfiniteQuery(incidentsQuery({ status, dataset_id: search.dataset, branch: search.branch }));
  const change = (part: IncidentsSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  return (
    <Stack gap="sm">
      <SegmentedControl
        className="quality-choice"
        aria-label="Which incidents"
        value={status}
        onChange={(value) => change({ status: INCIDENT_STATES.find((one) => one === value && one !== "unresolved") })}
        data={(status === "open" ? INCIDENT_STATES : OFFERED).map((one) => ({ value: one, label: LABELS[one] }))}
      />
      <QueryResult query={query} skeleton={<Skeleton h={280} radius={12} />}>
        {({ pages }) => {
          const incidents = itemsOf(pages);
          const total = pages[0]?.total_count ?? incidents.length;
          return (
            <>
              <div className="quality-found">
                <span role="status">
                  {plural(total, "incident")}
                  {search.dataset !== undefined && ` of ${search.dataset}`}
                </span>
                {(search.dataset !== undefined || search.branch !== undefined) && (
                  <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={() => change({ dataset: undefined, branch: undefined })}>
                    Of all datasets
                  </Button>
                )}
              </div>
              <div className="panel quality-list incidents-list" aria-busy={query.isPlaceholderData} data-stale={query.isPlaceholderData || undefined}>
                {incidents.length === 0 ? <None status={status} /> : <DataTable caption={`Incidents: ${LABELS[status].toLowerCase()}`} columns={COLUMNS} rows={incidents} rowKey={(one) => one.id} />}
                <ShowMore query={query} shown={incidents.length} total={total} what="incidents" />
              </div>
            </>
          );
        }}
      </QueryResult>
    </Stack>
  );
}

const COLUMNS: readonly Column<TrackedIncidentView>[] = [
  { key: "severity", label: "Severity", cell: (one) => <StatusBadge word={one.severity} /> },
  { key: "what", label: "What", cell: (one) => <What one={one} /> },
  { key: "status", label: "Status", cell: (one) => <StatusBadge word={one.status} /> },
  { key: "who", label: "With", wide: true, cell: (one) => (one.assignee == null ? <span className="quality-quiet">nobody</span> : whoOf(one.assignee)) },
  { key: "since", label: "Since", align: "right", cell: (one) => <RelativeTime time={one.since} /> },
];

function What({ one }: { one: TrackedIncidentView }) {
  return (
    <span className="quality-named">
      <Link to="/quality/incidents/$incidentId" params={{ incidentId: one.id }} className="link name">
        <Name text={subjectOf(one)} />
      </Link>
      <span className="quality-said name">{sawOf(one.message, one.column)}</span>
    </span>
  );
}

function None({ status }: { status: (typeof INCIDENT_STATES)[number] }) {
  const open = status !== "resolved" && status !== "all";
  return (
    <EmptyState icon={IconShieldCheck} title={open ? `No incident is ${status === "unresolved" ? "open" : status}` : "No incident yet"}>
      {open ? "Nothing fails that nobody has looked at." : "When a check fails, what was seen, who was told and what was done is kept here."}
    </EmptyState>
  );
}
