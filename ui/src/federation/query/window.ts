/** Which rows of a long table are drawn: those that are seen, and a few around them. */

export interface Seen {
  first: number;
  /** Not drawn any more. */
  end: number;
  /** Pixels of the rows that are left out above and below. */
  above: number;
  below: number;
}

const AROUND = 12;

export function seenRows(top: number, height: number, rows: number, rowHeight: number, around = AROUND): Seen {
  const last = Math.max(0, rows - Math.ceil(height / rowHeight));
  const start = Math.min(Math.max(0, Math.floor(top / rowHeight)), last);
  const first = Math.max(0, start - around);
  const end = Math.min(rows, start + Math.ceil(height / rowHeight) + around);
  return { first, end, above: first * rowHeight, below: (rows - end) * rowHeight };
}

const SAMPLE = 200;
const LEAST = 6;
const MOST = 46;

/** How wide each column is, in letters: as its first rows need it, within bounds. */
export function widthsOf(heads: readonly string[], rows: readonly (readonly (string | null)[])[]): number[] {
  return heads.map((head, column) => {
    const longest = rows.slice(0, SAMPLE).reduce((most, row) => Math.max(most, (row[column] ?? "NULL").length), head.length);
    return Math.min(MOST, Math.max(LEAST, longest));
  });
}
