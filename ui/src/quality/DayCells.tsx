import { day, plural } from "../format/numbers";

export interface CheckedDay {
  day: string;
  passed: number;
  failed: number;
  not_measured: number;
}

const STEP = 7;
const HIGH = 22;

type State = "failed" | "unknown" | "passed" | "none";

export function stateOfDay({ passed, failed, not_measured: unknown }: CheckedDay): State {
  if (failed > 0) return "failed";
  if (unknown > 0) return "unknown";
  return passed > 0 ? "passed" : "none";
}

/** "failed on 2 of 12 days with checks" */
export function daysInWords(days: readonly CheckedDay[]): string {
  const checked = days.filter((one) => stateOfDay(one) !== "none").length;
  if (checked === 0) return `not checked in ${plural(days.length, "day")}`;
  const failed = days.filter((one) => stateOfDay(one) === "failed").length;
  return failed === 0 ? `no failure on ${plural(checked, "day")} with checks` : `failed on ${failed} of ${plural(checked, "day")} with checks`;
}

const HEIGHTS: Record<State, number> = { failed: HIGH, unknown: 14, passed: 10, none: 2 };

/** One dataset's days as small bars: the higher, the worse. */
export function DayCells({ days }: { days: readonly CheckedDay[] }) {
  return (
    <span className="day-cells">
      <svg width={days.length * STEP} height={HIGH} viewBox={`0 0 ${days.length * STEP} ${HIGH}`} aria-hidden>
        {days.map((one, index) => {
          const state = stateOfDay(one);
          return (
            <g key={one.day}>
              <title>{`${day(one.day)}: ${one.passed} passed, ${one.failed} failed, ${one.not_measured} not measured`}</title>
              <rect x={index * STEP} y={0} width={STEP} height={HIGH} fill="transparent" />
              <rect className="day-cell" data-state={state} x={index * STEP} y={HIGH - HEIGHTS[state]} width={STEP - 2} height={HEIGHTS[state]} rx={1.5} />
            </g>
          );
        })}
      </svg>
      <span className="only-readers">{daysInWords(days)}</span>
    </span>
  );
}
