import { useElementSize } from "@mantine/hooks";

import type { SlaDay } from "../../api";
import { day, percent, plural } from "../../format/numbers";
import { areaBetween, intervals, linear, pathThrough, ticks } from "../scale";

const HEIGHT = 170;
const LEFT = 50;
const TOP = 8;
const BOTTOM = 22;
const USUAL_WIDTH = 640;
const LOWEST = -100;

function inWords(one: SlaDay): string {
  const runs = one.runs === 0 ? "no run" : `${plural(one.runs, "run")}, ${one.missed} missed`;
  return `${day(one.day)}: ${one.budget_left === null ? "no budget" : `${percent(one.budget_left)} left`}, ${runs}`;
}

/** How much of the error budget was left at the end of each day, and below it the runs that used it up. */
export function BurnChart({ days }: { days: readonly SlaDay[] }) {
  const { ref, width: measured } = useElementSize();
  const width = measured > 0 ? measured : USUAL_WIDTH;
  const placed = days.map((one, index) => ({ one, index }));
  const left = days.map((one) => one.budget_left).filter((one): one is number => one !== null);
  // What is overdrawn many times over would make the rest flat; how far it is stands beside it in words.
  const rows = ticks(Math.max(LOWEST, Math.min(0, ...left)), 100, 3);
  const x = linear([0, Math.max(days.length - 1, 1)], [LEFT + 6, width - 8]);
  const scale = linear([rows[0] ?? 0, rows.at(-1) ?? 100], [HEIGHT - BOTTOM, TOP]);
  const y = (value: number): number => scale(Math.max(value, LOWEST));
  const lowest = left.at(-1) ?? 100;
  const tone = lowest <= 0 ? "bad" : lowest < 50 ? "warn" : "good";
  return (
    <div ref={ref} className="burn-chart">
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden>
        {rows.map((value) => (
          <g key={value}>
            <line className="chart-line" data-zero={value === 0 || undefined} x1={LEFT} x2={width - 2} y1={y(value)} y2={y(value)} />
            <text className="chart-text" x={LEFT - 8} y={y(value) + 4} textAnchor="end">
              {value}%
            </text>
          </g>
        ))}
        {intervals(placed, ({ one }) => one.budget_left !== null).map((part) => {
          const line = part.map(({ one, index }) => ({ x: x(index), y: y(one.budget_left ?? 0) }));
          const floor = part.map(({ index }) => ({ x: x(index), y: y(0) }));
          return (
            <g key={part[0]?.index}>
              <path className="burn-area" data-tone={tone} d={areaBetween(line, floor)} />
              <path className="burn-line" data-tone={tone} d={pathThrough(line)} />
            </g>
          );
        })}
        {placed.map(({ one, index }) => (
          <g key={one.day}>
            <rect x={x(index) - 4} y={TOP} width={8} height={HEIGHT - BOTTOM - TOP} fill="transparent">
              <title>{inWords(one)}</title>
            </rect>
            {one.missed > 0 && <circle className="burn-miss" cx={x(index)} cy={y(one.budget_left ?? 0)} r={4} />}
          </g>
        ))}
        <text className="chart-text" x={LEFT} y={HEIGHT - 4}>
          {day(days[0]?.day)}
        </text>
        <text className="chart-text" x={width - 2} y={HEIGHT - 4} textAnchor="end">
          {day(days.at(-1)?.day)}
        </text>
      </svg>
      <div className="only-readers">
        <table>
          <caption>Error budget by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Left</th>
              <th scope="col">Runs</th>
              <th scope="col">Missed</th>
            </tr>
          </thead>
          <tbody>
            {days
              .filter((one) => one.runs > 0)
              .map((one) => (
                <tr key={one.day}>
                  <th scope="row">{day(one.day)}</th>
                  <td>{percent(one.budget_left)}</td>
                  <td>{one.runs}</td>
                  <td>{one.missed}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
