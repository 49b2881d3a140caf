import "./profile.css";

import type { ProfiledColumnView } from "../../api";
import { Histogram } from "./Histogram";
import { binsOf, lengthsInWords } from "./words";

/** Of texts it is their lengths, which says so; one bar alone says nothing. */
export function Distribution({ column }: { column: ProfiledColumnView }) {
  const ofLengths = column.min_length !== null && column.histogram !== null;
  if (ofLengths && column.min_length === column.max_length) return <span className="quiet">{lengthsInWords(column)}</span>;
  return (
    <span className="profile-distribution">
      <Histogram bins={column.histogram} label={binsOf(column)} />
      {ofLengths && <span className="profile-of quiet">lengths</span>}
    </span>
  );
}
