import { Skeleton, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";

import type { MonitorPreview, MonitorView, PlannedCheck } from "../../api";
import { Problem, RelativeTime, StatusBadge } from "../../components";
import { moment, plural } from "../../format/numbers";
import { scheduleInWords } from "../words";
import { tiersInWords } from "./tiers";

interface Props {
  complete: boolean;
  query: { data: MonitorPreview | MonitorView | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
}

/** What the monitor would do: its checks in words, where they are measured, and when it runs next. */
export function MonitorPreviewPanel({ complete, query }: Props) {
  return (
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <aside className="panel monitor-preview" aria-label="Preview" aria-busy={query.isFetching} tabIndex={0}>
      <h2 className="panel-title">Preview</h2>
      {!complete ? (
        <Text size="sm" c="dimmed" mt="xs">
          Give it a name and a dataset: what it would do is shown here. Nothing is kept or run before you say so.
        </Text>
      ) : (
        <Asked query={query} />
      )}
    </aside>
  );
}

function Asked({ query }: Pick<Props, "query">) {
  const { data, error } = query;
  if (error !== null) return <Problem error={error} plain retry={() => void query.refetch()} retrying={query.isFetching} />;
  if (data === undefined || !("errors" in data)) return <Skeleton h={180} mt="sm" radius="md" />;
  return (
    <>
      <div className="preview-verdict" data-tone={data.valid ? "good" : "bad"} role="status">
        {data.valid ? <IconCircleCheck size={18} aria-hidden /> : <IconAlertTriangle size={18} aria-hidden />}
        {data.valid ? "It can be made" : `${plural(data.errors.length, "thing")} to mend`}
      </div>
      {data.errors.length > 0 && (
        <ul className="preview-errors">
          {data.errors.map((one) => (
            <li key={`${one.path} ${one.message}`} className="name">
              <code className="mono">{one.path}</code> {one.message}
              {one.fix != null && <span className="quality-quiet"> {one.fix}</span>}
            </li>
          ))}
        </ul>
      )}
      <h3 className="quality-sub">{data.checks.length === 0 ? "No check can be read yet" : plural(data.checks.length, "check")}</h3>
      <ul className="preview-checks">
        {data.checks.map((one) => (
          <Planned key={one.path} check={one} />
        ))}
      </ul>
      {data.monitor !== null && <Next times={data.next_runs} monitor={data.monitor} />}
    </>
  );
}

function Planned({ check }: { check: PlannedCheck }) {
  const where = tiersInWords(check.tiers);
  return (
    <li>
      <div className="preview-words name">{check.words}</div>
      <div className="preview-line">
        <StatusBadge word={check.severity} />
        {where !== "" && <span className="quality-quiet">{where}</span>}
      </div>
      {check.problem != null && <div className="check-wrong name">Not measurable now: {check.problem}</div>}
    </li>
  );
}

function Next({ times, monitor }: { times: readonly string[]; monitor: MonitorView }) {
  return (
    <>
      <h3 className="quality-sub">Runs {scheduleInWords(monitor.schedule)}</h3>
      {!monitor.enabled && <Text size="sm">It is switched off: nothing runs by itself.</Text>}
      {times.length > 0 && (
        <ol className="preview-times">
          {times.map((time, index) => (
            <li key={time} className="numbers">
              {moment(time)} UTC
              {index === 0 && (
                <span className="quality-quiet">
                  {" "}
                  <RelativeTime time={time} />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
