import { count } from "../../format/numbers";
import { changesInShort, changesInWords, type Counts } from "../merge/words";

/** +120 ~48 −3, in colours and with words for those who hear it. */
export function RowCounts({ of: counts }: { of: Counts }) {
  if (changesInShort(counts) === "") return <span className="counts-none">no row changed</span>;
  const parts = [
    { value: counts.inserted, sign: "+", tone: "good" },
    { value: counts.updated, sign: "~", tone: "warn" },
    { value: counts.deleted, sign: "−", tone: "bad" },
  ];
  return (
    <span className="row-counts numbers" title={changesInWords(counts)}>
      <span className="only-readers">{changesInWords(counts)}</span>
      {parts.map(
        ({ value, sign, tone }) =>
          value != null &&
          value > 0 && (
            <span key={sign} data-tone={tone} aria-hidden>
              {sign}
              {count(value)}
            </span>
          ),
      )}
    </span>
  );
}
