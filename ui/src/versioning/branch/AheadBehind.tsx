import type { BranchView } from "../../api";
import { barOf, compareInWords } from "./words";

interface Props {
  branch: BranchView;
  main: string;
  /** The greatest number on the page: bars of one page can be compared. */
  longest: number;
}

/** Ahead and behind, as a small bar around the middle and in words. */
export function AheadBehind({ branch, main, longest }: Props) {
  const bar = barOf(branch, longest);
  return (
    <div className="compare">
      {!branch.is_default && (
        <div className="compare-bar" aria-hidden>
          <span className="compare-behind" style={{ width: `${bar.behind / 2}%` }} />
          <span className="compare-ahead" style={{ width: `${bar.ahead / 2}%` }} />
        </div>
      )}
      <span>{compareInWords(branch, main)}</span>
    </div>
  );
}
