import { Link } from "@tanstack/react-router";
import { IconShieldCheck } from "@tabler/icons-react";

import type { DatasetHealth, IncidentView } from "../api";
import { Name, RelativeTime, StatusBadge } from "../components";
import { plural } from "../format/numbers";
import { sawOf, subjectOf } from "./incident/words";

interface Props {
  incidents: readonly IncidentView[];
  /** How many there are in all. */
  total: number | null;
  datasets: readonly DatasetHealth[];
}

/** Incidents, the worst first; then datasets whose checks fail without one. */
export function FailingChecks({ incidents, total, datasets }: Props) {
  const others = datasets.filter((one) => one.open_incidents === 0 && one.failed > 0);
  if (incidents.length === 0 && others.length === 0) return <Calm />;
  const more = (total ?? incidents.length) - incidents.length;
  return (
    <ul className="failing-list">
      {incidents.map((incident) => (
        <li key={incident.id}>
          <StatusBadge word={incident.severity} />
          <div className="failing-text">
            <Link to="/quality/incidents/$incidentId" params={{ incidentId: incident.id }} className="link name failing-subject">
              <Name text={subjectOf(incident)} />
            </Link>
            <span className="name">{sawOf(incident.message, incident.column)}</span>
          </div>
          <span className="failing-since">
            <RelativeTime time={incident.since} />
          </span>
        </li>
      ))}
      {others.map((one) => (
        <li key={one.dataset}>
          <StatusBadge word="warning" label={`${one.failed} failed`} />
          <div className="failing-text">
            {one.failing_result_id === null ? (
              <Link to="/assets/$assetId" params={{ assetId: one.dataset }} search={{ tab: "quality" }} className="link name failing-subject">
                <Name text={one.dataset} />
              </Link>
            ) : (
              <Link to="/quality/results/$resultId" params={{ resultId: one.failing_result_id }} className="link name failing-subject">
                <Name text={one.dataset} />
              </Link>
            )}
            <span className="name">{one.failing}</span>
          </div>
          <span className="failing-since">
            <RelativeTime time={one.checked_at} />
          </span>
        </li>
      ))}
      {more > 0 && (
        <li>
          <Link to="/quality/incidents" className="link">
            {plural(more, "more incident")}
          </Link>
        </li>
      )}
    </ul>
  );
}

function Calm() {
  return (
    <div className="failing-none">
      <IconShieldCheck size={30} stroke={1.5} aria-hidden />
      <div>
        <strong>Nothing fails</strong>
        <p>No incident is open, and no check of the newest version of a dataset failed.</p>
      </div>
    </div>
  );
}
