import { Link } from "@tanstack/react-router";
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBandage,
  IconBell,
  IconBellOff,
  IconBellX,
  IconCircleCheck,
  IconCircleX,
  IconEye,
  IconMessage,
  IconTrendingUp,
  IconUser,
  type Icon,
} from "@tabler/icons-react";

import type { TimelineEntry } from "../../api";
import { CommitLink, RunLink, type Tone } from "../../components";
import { whoOf } from "../../format/names";
import { exact, moment } from "../../format/numbers";

const LOOKS: Record<TimelineEntry["kind"], { icon: Icon; tone: Tone }> = {
  opened: { icon: IconAlertTriangle, tone: "bad" },
  "failed again": { icon: IconCircleX, tone: "bad" },
  worse: { icon: IconTrendingUp, tone: "bad" },
  reopened: { icon: IconArrowBackUp, tone: "bad" },
  acknowledged: { icon: IconEye, tone: "busy" },
  assigned: { icon: IconUser, tone: "busy" },
  note: { icon: IconMessage, tone: "calm" },
  muted: { icon: IconBellOff, tone: "calm" },
  "alert queued": { icon: IconBell, tone: "calm" },
  "alert sent": { icon: IconBell, tone: "calm" },
  "alert failed": { icon: IconBellX, tone: "warn" },
  remediation: { icon: IconBandage, tone: "busy" },
  recovered: { icon: IconCircleCheck, tone: "good" },
  resolved: { icon: IconCircleCheck, tone: "good" },
};

/** What happened, oldest first. */
export function Timeline({ entries, table }: { entries: readonly TimelineEntry[]; table: string }) {
  return (
    <ol className="timeline" aria-label="Timeline">
      {entries.map((entry, index) => {
        const { icon: Sign, tone } = LOOKS[entry.kind];
        return (
          <li key={`${entry.time} ${index}`} data-tone={tone}>
            <span className="timeline-sign" aria-hidden>
              <Sign size={15} stroke={1.9} />
            </span>
            <div className="timeline-text">
              <div>
                <strong>{entry.kind}</strong>
                {entry.count > 1 && <span className="timeline-count"> {entry.count} times</span>}
                {entry.by !== null && <span> by {whoOf(entry.by)}</span>}
                <time dateTime={entry.time} title={exact(entry.time)} className="timeline-time">
                  {moment(entry.time)}
                  {entry.until != null && ` – ${moment(entry.until)}`}
                </time>
              </div>
              {entry.text !== "" && <p className="name">{entry.text}</p>}
              <Ways entry={entry} table={table} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Ways({ entry, table }: { entry: TimelineEntry; table: string }) {
  if (entry.kind !== "remediation" && entry.commit == null && entry.run_id == null && entry.result_id == null) return null;
  return (
    <p className="timeline-ways">
      {entry.kind === "remediation" && (
        <Link to="/quality/remediations" search={{ dataset: table }} className="link">
          remedies of {table}
        </Link>
      )}
      {entry.result_id != null && (
        <Link to="/quality/results/$resultId" params={{ resultId: entry.result_id }} className="link">
          the result
        </Link>
      )}
      {entry.commit != null && (
        <span>
          commit <CommitLink commit={entry.commit} />
        </span>
      )}
      {entry.run_id != null && (
        <span>
          run <RunLink runId={entry.run_id} />
        </span>
      )}
    </p>
  );
}
