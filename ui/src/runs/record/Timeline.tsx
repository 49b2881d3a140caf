import { Text } from "@mantine/core";

import { hasEnded, type EventView, type RunDetail } from "../../api";
import { CommitLink } from "../../components";
import { exact } from "../../format/numbers";
import { isCommit } from "../../format/refs";

/** What happened, in the order it did. */
export function RunTimeline({ run }: { run: RunDetail }) {
  const events = run.progress?.events ?? [];
  if (events.length === 0 && !hasEnded(run.status)) return null;
  return (
    <section className="panel" aria-labelledby="run-events">
      <div className="run-head">
        <h2 className="panel-title" id="run-events">
          What happened
        </h2>
        <Text size="sm" c="dimmed">
          times in UTC
        </Text>
      </div>
      {events.length === 0 ? (
        <Text size="sm" c="dimmed" px={20} pb={20}>
          {run.queued_at == null ? "It was started in a terminal; the single steps of such runs are not kept." : "It ended before its first step."}
        </Text>
      ) : (
        <ol className="run-events">
          {events.map((event, index) => (
            <TimelineEvent key={index} event={event} />
          ))}
        </ol>
      )}
    </section>
  );
}

function TimelineEvent({ event: { at, table, step, detail } }: { event: EventView }) {
  const commit = isCommit(detail);
  return (
    <li>
      <time className="numbers" dateTime={at} title={exact(at)}>
        {exact(at).slice(11, 19)}
      </time>
      <span className="name">
        {table != null && <span className="run-event-table">{table} </span>}
        {table == null ? `${step.charAt(0).toUpperCase()}${step.slice(1)}` : step === "blocked" ? "held back" : step}
        {commit ? (
          <>
            {" as "}
            <CommitLink commit={detail} />
          </>
        ) : (
          detail !== "" && <span className="run-quiet">: {detail}</span>
        )}
      </span>
    </li>
  );
}
