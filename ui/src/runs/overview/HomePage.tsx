import "./home.css";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";

import { hasEnded, overviewQuery, type IncidentView, type Overview, type RecentChange } from "../../api";
import { Recommendations } from "../../catalog/discovery/Recommendations";
import { CommitLink, QueryResult, PageHeader, RefSwitch, RelativeTime, StatusBadge, TableLink } from "../../components";
import { TrendBars } from "../../components/TrendBars";
import { percent, signed } from "../../format/numbers";
import { sawOf, subjectOf } from "../../quality/incident/words";
import { BrokenRun, BranchHealth } from "./BranchHealth";
import { Counters } from "./Counters";
import { Incident } from "./Incident";
import { WaitingEdits } from "./WaitingEdits";
import { isBroken } from "./words";

const route = getRouteApi("/frame/");
const REFRESH_MS = 3_000;

export default function HomePage() {
  const { branch } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    ...overviewQuery(branch),
    // While a run works, what is said here will not be true for long.
    refetchInterval: ({ state }) => (state.data?.last_run != null && !hasEnded(state.data.last_run.status) ? REFRESH_MS : false),
  });
  const { data } = query;
  return (
    <>
      <PageHeader
        title={data?.project ?? "Home"}
        documentTitle="Home"
        about={data === undefined ? " " : <Standing overview={data} />}
        actions={<RefSwitch at={branch} branchesOnly onChange={(next) => void navigate({ search: { branch: next } })} />}
      />
      <QueryResult query={query} skeleton={<HomeSkeleton />}>
        {(overview) => <Content overview={overview} />}
      </QueryResult>
    </>
  );
}

function Standing({ overview }: { overview: Overview }) {
  const { last_run: run, branch, head } = overview;
  if (head === null || run === null) return <>{branch} has no commit yet{run !== null && `, last run ${run.status}`}</>;
  return (
    <>
      {branch} is at <CommitLink commit={head} /> · last run{" "}
      <Link to="/runs/$runId" params={{ runId: run.run_id }} className="link">
        {run.status}
      </Link>{" "}
      <RelativeTime time={run.started_at ?? run.queued_at} />
    </>
  );
}

function Content({ overview }: { overview: Overview }) {
  const [worst, ...others] = overview.incidents;
  const { last_run: run } = overview;
  const fresh = overview.head === null && run === null;
  // What a check found is told already; a run after it may have failed on its own.
  const broken = run !== null && run.run_id !== worst?.run_id && run.status !== "blocked" && isBroken(run);
  return (
    <div className="home">
      <Counters overview={overview} />
      {worst !== undefined && <Incident incident={worst} picture={overview.picture} />}
      {worst === undefined ? <BranchHealth overview={overview} /> : broken && <BrokenRun run={run} head={overview.head} />}
      {others.length > 0 && <Others incidents={others} />}
      {!fresh && (
        <div className="home-pair">
          <Trend overview={overview} />
          <Recent changes={overview.recent} />
        </div>
      )}
      <WaitingEdits />
      <Recommendations />
    </div>
  );
}

function Others({ incidents }: { incidents: readonly IncidentView[] }) {
  return (
    <section className="panel pad" aria-labelledby="others">
      <h2 className="panel-title" id="others">
        Also wrong
      </h2>
      <ul className="rows">
        {incidents.map((incident) => (
          <li key={incident.id}>
            <StatusBadge word={incident.severity} />
            <Text component="span" size="sm" className="name" style={{ flex: 1 }}>
              <TableLink table={incident.table} />
              {incident.column !== null && `, ${subjectOf(incident).split(".").at(-1) ?? ""}`}:{" "}
              {sawOf(incident.message, incident.column)}
            </Text>
            <Link to="/quality/incidents/$incidentId" params={{ incidentId: incident.id }} className="link" style={{ fontSize: 13 }}>
              since <RelativeTime time={incident.since} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Trend({ overview }: { overview: Overview }) {
  const { branch } = route.useSearch();
  const { trend, pass_rate: rate } = overview;
  const failed = trend.reduce((sum, one) => sum + one.failed, 0);
  const unknown = trend.reduce((sum, one) => sum + one.not_measured, 0);
  return (
    <section className="panel pad" aria-labelledby="trend">
      <div className="trend-head">
        <h2 className="panel-title" id="trend">
          Quality, {trend.length} days
        </h2>
        <Link to="/quality" search={{ branch }} className="link trend-more">
          Health by dataset
        </Link>
      </div>
      <div className="trend-numbers">
        <span className="trend-rate numbers">{percent(rate)}</span>
        <Text size="sm" c="dimmed" component="span">
          {rate === null
            ? "no check was made yet"
            : `of checks passed · ${failed} failed${unknown > 0 ? ` · ${unknown} not measured` : ""}`}
        </Text>
      </div>
      <TrendBars days={trend} />
    </section>
  );
}

function Recent({ changes }: { changes: readonly RecentChange[] }) {
  return (
    <section className="panel pad" aria-labelledby="recent">
      <h2 className="panel-title" id="recent">
        Last change of each table
      </h2>
      {changes.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Nothing was published yet.
        </Text>
      )}
      <ul className="rows">
        {byCommit(changes).map(([first, ...rest]) => (
          <li key={first.commit} className="recent">
            <div className="recent-head">
              <Link to="/commits/$commit" params={{ commit: first.commit }} className="link name recent-message">
                {first.message}
              </Link>
              <Text size="xs" c="dimmed" component="span" style={{ whiteSpace: "nowrap" }}>
                {first.author}, <RelativeTime time={first.time} />
              </Text>
            </div>
            <ul className="recent-tables">
              {[first, ...rest].map((change) => (
                <li key={change.table}>
                  <TableLink table={change.table} /> <span className="recent-rows numbers">{rowsWords(change)}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Commit = [RecentChange, ...RecentChange[]];

/** What was published together stands together. */
function byCommit(changes: readonly RecentChange[]): Commit[] {
  const commits: Commit[] = [];
  for (const change of changes) {
    const last = commits.at(-1);
    if (last?.[0].commit === change.commit) last.push(change);
    else commits.push([change]);
  }
  return commits;
}

/** "+970 rows"; of a table that was written anew, both sides. */
function rowsWords({ rows_added: added, rows_deleted: deleted }: RecentChange): string {
  if (added === 0 && deleted === 0) return "no rows";
  if (deleted === 0) return `${signed(added)} ${added === 1 ? "row" : "rows"}`;
  return added === 0 ? `${signed(-deleted)} rows` : `${signed(added)} ${signed(-deleted)} rows`;
}

function HomeSkeleton() {
  return (
    <div className="home">
      <ul className="counters" aria-hidden>
        {[0, 1, 2, 3].map((one) => (
          <li key={one}>
            <Skeleton h={68} radius={12} />
          </li>
        ))}
      </ul>
      <Skeleton h={640} radius={12} />
      <div className="home-pair">
        <Skeleton h={240} radius={12} />
        <Skeleton h={240} radius={12} />
      </div>
    </div>
  );
}
