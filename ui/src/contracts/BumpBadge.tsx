import type { ComparisonView } from "../api";
import { BUMP_TONES } from "./words";

/** MAJOR, MINOR, PATCH: what a version number says of itself. */
export function BumpBadge({ bump }: { bump: ComparisonView["actual_bump"] }) {
  return (
    <span className="badge bump" data-tone={BUMP_TONES[bump]}>
      {bump.toUpperCase()}
    </span>
  );
}
