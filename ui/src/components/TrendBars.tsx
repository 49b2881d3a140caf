import type { TrendDay } from "../api";
import { count, day } from "../format/numbers";
import { stack } from "./trend";

const HEIGHT = 110;
const WIDTH = 300;

/** Checks per day as bars: passed, failed on top. */
export function TrendBars({ days }: { days: readonly TrendDay[] }) {
  const most = Math.max(1, ...days.map((one) => one.passed + one.failed + one.not_measured));
  const step = WIDTH / Math.max(days.length, 1);
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width="100%" height={HEIGHT} preserveAspectRatio="none" aria-hidden>
        {days.map((one, index) => {
          const [passed = 0, unknown = 0, failed = 0] = stack([one.passed, one.not_measured, one.failed], most, HEIGHT - 8);
          const x = index * step + step * 0.14;
          const width = step * 0.72;
          return (
            <g key={one.day}>
              <title>{`${day(one.day)}: ${one.passed} passed, ${one.failed} failed, ${one.not_measured} not measured`}</title>
              <rect x={index * step} y={0} width={step} height={HEIGHT} fill="transparent" />
              {one.runs === 0 && <rect x={x} y={HEIGHT - 2} width={width} height={2} className="bar-none" />}
              <rect x={x} y={HEIGHT - passed} width={width} height={passed} className="bar-passed" />
              <rect x={x} y={HEIGHT - passed - unknown} width={width} height={unknown} className="bar-unknown" />
              <rect
                x={x}
                y={HEIGHT - passed - unknown - failed}
                width={width}
                height={failed}
                className="bar-failed"
              />
            </g>
          );
        })}
      </svg>
      <div className="trend-scale" aria-hidden>
        <span>{day(days[0]?.day)}</span>
        <span>{day(days.at(-1)?.day)}</span>
      </div>
      <div className="only-readers">
        <table>
          <caption>Checks per day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Passed</th>
              <th scope="col">Failed</th>
              <th scope="col">Not measured</th>
            </tr>
          </thead>
          <tbody>
            {days
              .filter((one) => one.runs > 0)
              .map((one) => (
                <tr key={one.day}>
                  <th scope="row">{day(one.day)}</th>
                  <td>{count(one.passed)}</td>
                  <td>{count(one.failed)}</td>
                  <td>{count(one.not_measured)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
