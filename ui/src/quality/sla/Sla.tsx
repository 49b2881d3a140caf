import { SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { BurnView, MonitorView, SlaView } from "../../api";
import { slaQuery } from "../../api/quality";
import { QueryResult } from "../../components";
import { lookOf } from "../../components/StatusBadge";
import { count, percent, plural } from "../../format/numbers";
import { budgetInWords, burnInWords, slaInWords } from "../words";
import { BurnChart } from "./BurnChart";

interface Props {
  monitor: MonitorView;
  /** The window, where another than the monitor's own is looked at. */
  days: number | undefined;
  onDays: (days: number | undefined) => void;
}

const WINDOWS = [7, 30, 90];

/** Whether the promise is kept: pass rate, what is left of the error budget, and how fast it goes. */
export function Sla({ monitor, days, onDays }: Props) {
  const query = useQuery(slaQuery(monitor.id, days));
  const own = monitor.sla_window_days;
  const windows = [...new Set([...WINDOWS, own, ...(days === undefined ? [] : [days])])].sort((one, other) => one - other);
  return (
    <div className="panel quality-pad">
      <div className="sla-head">
        <h2 className="panel-title">Service level</h2>
        <SegmentedControl
          size="xs"
          aria-label="Window"
          value={String(days ?? own)}
          onChange={(value) => onDays(Number(value) === own ? undefined : Number(value))}
          data={windows.map((one) => ({ value: String(one), label: `${one} days` }))}
        />
      </div>
      <QueryResult query={query} skeleton={<Skeleton h={300} mt="sm" radius="md" />}>
        {(sla) => <Shown sla={sla} monitor={monitor} />}
      </QueryResult>
    </div>
  );
}

const WORDS: Record<SlaView["state"], string> = { met: "passed", "at risk": "warning", missed: "failed", "no target": "unchecked", "no runs": "unchecked" };

function Shown({ sla, monitor }: { sla: SlaView; monitor: MonitorView }) {
  const { tone, title, text } = slaInWords(sla);
  const Sign = lookOf(WORDS[sla.state]).icon;
  return (
    <>
      <div className="sla-lead" data-tone={tone}>
        <Sign size={22} aria-hidden />
        <div>
          <Text fw={640}>{title}</Text>
          <Text size="sm">{text}</Text>
        </div>
      </div>
      <dl className="sla-numbers">
        <Figure name="Pass rate" value={percent(sla.pass_rate)}>
          {sla.target === null ? "no target" : `target ${percent(sla.target)}`}
        </Figure>
        <Figure name="Error budget left" value={budgetInWords(sla.budget_percentage_left)} tone={sla.budget_percentage_left !== null && sla.budget_percentage_left <= 0 ? "bad" : undefined}>
          {sla.budget_runs === null ? "no target" : `${count(sla.missed)} missed, ${Math.round(sla.budget_runs * 10) / 10} allowed`}
        </Figure>
        <Figure name="Burn rate" value={sla.burn_rate === null ? "–" : `${Math.round(sla.burn_rate * 100) / 100}×`} tone={sla.burn_rate !== null && sla.burn_rate > 1 ? "bad" : undefined}>
          1× uses up the budget exactly
        </Figure>
        <Figure name="Not measured" value={count(sla.not_measured)}>
          {plural(sla.not_measured, "run")} apart
        </Figure>
      </dl>
      {sla.target === null ? (
        <Text size="sm" c="dimmed">
          {monitor.file === null ? (
            <>
              Set a target{" "}
              <Link to="/quality/monitors/$monitorId/edit" params={{ monitorId: monitor.id }} className="link">
                in the monitor
              </Link>{" "}
              and its error budget is measured here.
            </>
          ) : (
            <>
              Set <code>sla_target_percentage</code> in <code>{monitor.file}</code> and its error budget is measured here.
            </>
          )}
        </Text>
      ) : (
        <>
          <h3 className="quality-sub">Error budget left, day by day</h3>
          <BurnChart days={sla.days} />
          <Burns burns={sla.burns} />
        </>
      )}
    </>
  );
}

function Figure({ name, value, tone, children }: { name: string; value: string; tone?: "bad" | undefined; children: ReactNode }) {
  return (
    <div data-tone={tone}>
      <dt>{name}</dt>
      <dd className="numbers">{value}</dd>
      <dd className="quality-quiet">{children}</dd>
    </div>
  );
}

/** How fast the budget goes of late: a sudden fire is seen in an hour, a slow leak over days. */
function Burns({ burns }: { burns: readonly BurnView[] }) {
  if (burns.length === 0) return null;
  return (
    <>
      <h3 className="quality-sub">How fast it goes of late</h3>
      <ul className="sla-burns">
        {burns.map((one) => (
          <li key={one.hours} data-tone={one.rate !== null && one.rate > 1 ? "bad" : undefined}>
            <span className="quality-quiet">{one.hours % 24 === 0 ? plural(one.hours / 24, "day") : plural(one.hours, "hour")}</span>
            <span className="numbers">{burnInWords(one.rate)}</span>
            <span className="quality-quiet numbers">
              {one.missed} of {plural(one.runs, "run")} missed
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
