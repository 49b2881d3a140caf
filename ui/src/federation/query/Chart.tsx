import { NativeSelect, SegmentedControl, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";

import type { QueryResultView } from "../../api";
import { count, plural } from "../../format/numbers";
import { intervals, linear, pathThrough, spread, ticks } from "../../quality/scale";
import { MOST_BARS, MOST_POINTS, numeric, pointsOf, usualAxes, usualKind, type Point } from "./plot";
import type { QuerySearch } from "./search";

const HEIGHT = 340;
const LEFT = 74;
const TOP = 12;
const BOTTOM = 34;
const USUAL_WIDTH = 720;
const PER_LABEL = 96;
const LONGEST = 14;

interface Props {
  result: Pick<QueryResultView, "columns" | "rows">;
  search: QuerySearch;
  change: (part: QuerySearch) => void;
}

/** A picture of a result: two columns of it, as bars or a line. */
export function Chart({ result, search, change }: Props) {
  const axes = usualAxes(result, search);
  if (axes === null || result.rows.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="lg">
        {result.rows.length === 0 ? "There are no rows to draw." : "No column of the result has numbers. Count or sum something, and it can be drawn."}
      </Text>
    );
  }
  const kind = search.chart ?? usualKind(result, axes);
  const points = pointsOf(result, axes);
  const shown = points.slice(0, kind === "bar" ? MOST_BARS : MOST_POINTS);
  return (
    <div className="plot">
      <div className="plot-controls">
        <SegmentedControl
          aria-label="Kind of chart"
          value={kind}
          onChange={(value) => change({ chart: value === "line" ? "line" : "bar" })}
          data={[
            { value: "bar", label: "Bars" },
            { value: "line", label: "Line" },
          ]}
        />
        <NativeSelect label="Along the bottom" value={axes.x} onChange={(event) => change({ x: event.currentTarget.value })} data={result.columns.map(({ name }) => name)} />
        <NativeSelect label="Height" value={axes.y} onChange={(event) => change({ y: event.currentTarget.value })} data={numeric(result)} />
      </div>
      <Picture points={shown} kind={kind} label={`${axes.y} by ${axes.x}`} />
      {shown.length < points.length && (
        <Text size="sm" c="dimmed">
          The first {count(shown.length)} of {plural(points.length, "row")}.
        </Text>
      )}
      <Same points={shown} axes={axes} />
    </div>
  );
}

function Picture({ points, kind, label }: { points: readonly Point[]; kind: "bar" | "line"; label: string }) {
  const { ref, width: measured } = useElementSize();
  const width = measured > 0 ? measured : USUAL_WIDTH;
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  // Bars are as long as their values: they begin at nought.
  const rows = ticks(Math.min(...values, ...(kind === "bar" ? [0] : [])), Math.max(...values, ...(kind === "bar" ? [0] : [])), 5);
  const y = linear([rows[0] ?? 0, rows.at(-1) ?? 1], [HEIGHT - BOTTOM, TOP]);
  const step = (width - LEFT - 10) / Math.max(points.length, 1);
  const x = (index: number): number => LEFT + (index + 0.5) * step;
  return (
    <div ref={ref} className="plot-picture">
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`${label}, ${plural(points.length, "value")}`}>
        {rows.map((value) => (
          <g key={value}>
            <line className="plot-line" x1={LEFT} x2={width - 4} y1={y(value)} y2={y(value)} />
            <text className="plot-text" x={LEFT - 8} y={y(value) + 4} textAnchor="end">
              {short(value)}
            </text>
          </g>
        ))}
        {kind === "bar" ? <Bars points={points} x={x} y={y} step={step} /> : <Line points={points} x={x} y={y} />}
        {spread([...points.keys()], Math.max(2, Math.floor(width / PER_LABEL))).map((index) => (
          <text key={index} className="plot-text" x={Math.min(Math.max(x(index), LEFT), width - 40)} y={HEIGHT - 12} textAnchor="middle">
            {cut(points[index]?.label ?? "")}
          </text>
        ))}
      </svg>
    </div>
  );
}

interface Drawn {
  points: readonly Point[];
  x: (index: number) => number;
  y: (value: number) => number;
}

function Bars({ points, x, y, step }: Drawn & { step: number }) {
  const width = Math.max(2, Math.min(64, step * 0.72));
  return points.map(({ label, value }, index) =>
    value === null ? null : (
      <rect key={index} className="plot-bar" x={x(index) - width / 2} width={width} y={Math.min(y(value), y(0))} height={Math.max(1, Math.abs(y(value) - y(0)))} rx={2}>
        <title>{`${label}: ${full(value)}`}</title>
      </rect>
    ),
  );
}

const FEW = 80;

function Line({ points, x, y }: Drawn) {
  const placed = points.map((point, index) => ({ ...point, x: x(index) }));
  return (
    <>
      {intervals(placed, ({ value }) => value !== null).map((part) => (
        <path key={part[0]?.x} className="plot-path" d={pathThrough(part.map((one) => ({ x: one.x, y: y(one.value ?? 0) })))} />
      ))}
      {(points.length <= FEW ? placed : []).map(({ label, value, x: at }) =>
        value === null ? null : (
          <circle key={at} className="plot-dot" cx={at} cy={y(value)} r={3.5}>
            <title>{`${label}: ${full(value)}`}</title>
          </circle>
        ),
      )}
    </>
  );
}

/** What is drawn, for who does not see it. */
function Same({ points, axes }: { points: readonly Point[]; axes: { x: string; y: string } }) {
  return (
    <div className="only-readers">
      <table>
        <caption>{`${axes.y} by ${axes.x}`}</caption>
        <tbody>
          {points.slice(0, MOST_BARS).map(({ label, value }, index) => (
            <tr key={index}>
              <th scope="row">{label}</th>
              <td>{value === null ? "NULL" : full(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 });
const exactly = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

const short = (value: number): string => compact.format(value);
const full = (value: number): string => exactly.format(value);

function cut(label: string): string {
  return label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
}
