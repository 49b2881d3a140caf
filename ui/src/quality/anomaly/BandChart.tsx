import { useElementSize } from "@mantine/hooks";
import type { KeyboardEvent, PointerEvent } from "react";

import { day } from "../../format/numbers";
import { areaBetween, intervals, linear, pathThrough, spread, ticks, type Place, type Scale } from "../scale";
import { figure } from "../words";

export interface BandPoint {
  time: string;
  value: number;
  low: number | null;
  high: number | null;
  expected: number | null;
  is_anomaly: boolean;
  /** What a person said of it. */
  feedback: "expected" | "incident" | null;
  /** Of a run that was stopped. */
  held_back: boolean;
}

interface Props {
  /** What is drawn: "rows of core.orders". */
  label: string;
  /** Oldest first. */
  points: readonly BandPoint[];
  /** The time of the one that is looked at. */
  chosen: string | undefined;
  onChoose: (time: string) => void;
  /** One point in words, as it is read out. */
  say: (point: BandPoint) => string;
}

const HEIGHT = 260;
const LEFT = 58;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 26;
const USUAL_WIDTH = 720;
const PER_DAY_LABEL = 92;

/** A number over time with the band in which it was expected. Points are chosen with the pointer or the arrow keys. */
export function BandChart({ label, points, chosen, onChoose, say }: Props) {
  const { ref, width: measured } = useElementSize();
  const width = measured > 0 ? measured : USUAL_WIDTH;
  const index = Math.max(0, chosen === undefined ? points.length - 1 : points.findIndex((one) => one.time === chosen));
  const at = points[index];
  const choose = (next: number): void => {
    const point = points[Math.min(Math.max(next, 0), points.length - 1)];
    if (point !== undefined) onChoose(point.time);
  };
  if (at === undefined) return null;
  const { x, y, rows } = scalesOf(points, width);
  return (
    <div
      ref={ref}
      className="band-chart"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={index + 1}
      aria-valuetext={say(at)}
      onKeyDown={(event) => onKey(event, index, points.length, choose)}
      onPointerDown={(event) => choose(nearest(event, points, x))}
    >
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden>
        <Grid rows={rows} y={y} width={width} />
        <Days points={points} x={x} width={width} />
        <Band points={points} x={x} y={y} />
        <Values points={points} x={x} y={y} />
        <line className="band-at" x1={x(index)} x2={x(index)} y1={TOP} y2={HEIGHT - BOTTOM} />
        {points.map((point, place) => (
          <Point key={point.time} point={point} x={x(place)} y={y(point.value)} chosen={place === index} title={say(point)} />
        ))}
      </svg>
    </div>
  );
}

function onKey(event: KeyboardEvent, index: number, many: number, choose: (index: number) => void): void {
  const to = { ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1, ArrowUp: index + 1, Home: 0, End: many - 1, PageUp: index - 7, PageDown: index + 7 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  choose(to);
}

function nearest(event: PointerEvent<HTMLElement>, points: readonly BandPoint[], x: Scale): number {
  const from = event.currentTarget.getBoundingClientRect().left;
  const distances = points.map((_, index) => Math.abs(x(index) - (event.clientX - from)));
  return distances.indexOf(Math.min(...distances));
}

/** What everything must fit into. One value far out makes the rest flat, and that is the truth of it. */
function scalesOf(points: readonly BandPoint[], width: number): { x: Scale; y: Scale; rows: number[] } {
  const all = points.flatMap((one) => [one.value, one.low, one.high]).filter((one): one is number => one !== null && Number.isFinite(one));
  const rows = ticks(Math.min(...all), Math.max(...all));
  return {
    rows,
    x: linear([0, Math.max(points.length - 1, 0)], [LEFT + 6, width - RIGHT - 6]),
    y: linear([rows[0] ?? 0, rows.at(-1) ?? 1], [HEIGHT - BOTTOM, TOP]),
  };
}

function Grid({ rows, y, width }: { rows: readonly number[]; y: Scale; width: number }) {
  return rows.map((value) => (
    <g key={value}>
      <line className="chart-line" x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
      <text className="chart-text" x={LEFT - 8} y={y(value) + 4} textAnchor="end">
        {figure(value)}
      </text>
    </g>
  ));
}

function Days({ points, x, width }: { points: readonly BandPoint[]; x: Scale; width: number }) {
  const indexes = spread([...points.keys()], Math.max(2, Math.floor(width / PER_DAY_LABEL)));
  return indexes.map((index) => (
    <text key={index} className="chart-text" x={x(index)} y={HEIGHT - 6} textAnchor={index === 0 ? "start" : index === points.length - 1 ? "end" : "middle"}>
      {day(points[index]?.time)}
    </text>
  ));
}

function Band({ points, x, y }: { points: readonly BandPoint[]; x: Scale; y: Scale }) {
  const placed = points.map((point, index) => ({ point, index }));
  return intervals(placed, ({ point }) => point.low !== null && point.high !== null).map((part) => {
    const line = (of: (point: BandPoint) => number | null): Place[] => part.map(({ point, index }) => ({ x: x(index), y: y(of(point) ?? point.value) }));
    return (
      <g key={part[0]?.index}>
        <path className="band-area" d={areaBetween(line((one) => one.high), line((one) => one.low))} />
        <path className="band-expected" d={pathThrough(line((one) => one.expected))} />
      </g>
    );
  });
}

function Values({ points, x, y }: { points: readonly BandPoint[]; x: Scale; y: Scale }) {
  return <path className="band-values" d={pathThrough(points.map((point, index) => ({ x: x(index), y: y(point.value) })))} />;
}

const SMALL = 2.5;
const LARGE = 6;

/** A flag has a shape of its own, too: colour alone would not tell it. */
function Point({ point, x, y, chosen, title }: { point: BandPoint; x: number; y: number; chosen: boolean; title: string }) {
  if (!point.is_anomaly) {
    return (
      <circle className="band-point" data-held={point.held_back || undefined} data-chosen={chosen || undefined} cx={x} cy={y} r={chosen ? LARGE - 1 : SMALL}>
        <title>{title}</title>
      </circle>
    );
  }
  const size = chosen ? LARGE + 2 : LARGE;
  return (
    <path
      className="band-flag"
      data-feedback={point.feedback ?? undefined}
      data-chosen={chosen || undefined}
      d={`M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`}
    >
      <title>{title}</title>
    </path>
  );
}
