import { count, NONE } from "../../format/numbers";
import { barHeights, binsInWords, type Histogram as Bins } from "./words";

interface Props {
  bins: Bins | null;
  /** What is counted: "amount", "lengths of name". */
  label: string;
  /** With its ends written below. */
  large?: boolean;
}

/** How many values lie where, as bars; in words for those who do not see them. */
export function Histogram({ bins, label, large = false }: Props) {
  if (bins === null || bins.counts.length === 0) return <span className="quiet">{NONE}</span>;
  const width = large ? 320 : 96;
  const height = large ? 84 : 24;
  const step = width / bins.counts.length;
  const gap = step > 4 ? 1 : 0.4;
  return (
    <span className="histogram" data-large={large || undefined}>
      <svg viewBox={`0 0 ${width} ${height}`} width={large ? "100%" : width} height={height} preserveAspectRatio="none" role="img" aria-label={`Distribution of ${label}: ${binsInWords(bins)}`}>
        {barHeights(bins.counts, height).map((high, index) => (
          <g key={index}>
            <title>{`${String(bins.edges[index])} to ${String(bins.edges[index + 1])}: ${count(bins.counts[index])}`}</title>
            <rect x={index * step} y={0} width={step} height={height} fill="transparent" />
            <rect className="histogram-bar" x={index * step + gap / 2} y={height - high} width={Math.max(step - gap, 0.5)} height={high} />
          </g>
        ))}
      </svg>
      {large && (
        <span className="histogram-ends numbers" aria-hidden>
          <span>{String(bins.edges[0])}</span>
          <span>{String(bins.edges.at(-1))}</span>
        </span>
      )}
    </span>
  );
}
