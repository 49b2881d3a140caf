import { useElementSize } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";

import type { PastResult } from "../../api";
import { moment } from "../../format/numbers";
import { linear, ticks } from "../scale";
import { figure } from "../words";

const HEIGHT = 120;
const LEFT = 50;
const TOP = 8;
const BOTTOM = 6;
const USUAL_WIDTH = 560;
const LEAST = 4;
const HALF = 0.5;
const WIDEST = 26;

/** What the same check said before, oldest first: each bar is a result and leads to it. */
export function PastChart({ past, now }: { past: readonly PastResult[]; now: string }) {
  const { ref, width: measured } = useElementSize();
  const room = measured > 0 ? measured : USUAL_WIDTH;
  const results = past.toReversed();
  const width = Math.min(room, LEFT + results.length * WIDEST);
  const values = results.map((one) => one.value).filter((value): value is number => value !== null && Number.isFinite(value));
  // Some checks have no number: then a bar only says how it went.
  const numbered = values.some((value) => value !== 0);
  const rows = numbered ? ticks(Math.min(0, ...values), Math.max(...values, 0), 2) : [];
  const y = linear([rows[0] ?? 0, rows.at(-1) ?? 1], [HEIGHT - BOTTOM, TOP]);
  const step = Math.min(WIDEST, (width - LEFT) / Math.max(results.length, 1));
  return (
    <div ref={ref} className="past-chart">
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="group" aria-label="What this check said before, oldest first">
        {rows.map((value) => (
          <g key={value} aria-hidden>
            <line className="chart-line" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
            <text className="chart-text" x={LEFT - 8} y={y(value) + 4} textAnchor="end">
              {figure(value)}
            </text>
          </g>
        ))}
        {results.map((one, index) => {
          const top = Math.min(y(numbered ? (one.value ?? 0) : HALF), y(0) - LEAST);
          const words = `${moment(one.executed_at)}: ${one.verdict}. ${one.message}`;
          return (
            <Link key={one.id} to="/quality/results/$resultId" params={{ resultId: one.id }} aria-label={words} aria-current={one.id === now ? "true" : undefined}>
              <title>{words}</title>
              <rect x={LEFT + index * step} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} fill="transparent" />
              <rect
                className="past-bar"
                data-verdict={one.verdict}
                data-now={one.id === now || undefined}
                x={LEFT + index * step + 1.5}
                y={top}
                width={Math.max(step - 3, 2)}
                height={y(0) - top}
                rx={1.5}
              />
            </Link>
          );
        })}
      </svg>
    </div>
  );
}
