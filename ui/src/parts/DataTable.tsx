import type { ReactNode } from "react";

export interface Column<T> {
  key: string;
  label: string;
  cell: (row: T) => ReactNode;
  align?: "left" | "right";
  /** Left out below 1024 px and from cards. */
  wide?: boolean;
}

interface Props<T> {
  /** What the table lists, for screen readers. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  /** `cards`: on narrow screens each row is a card. `scroll`: it stays a table that scrolls sideways (for data). */
  narrow?: "cards" | "scroll";
}

/** A table. On narrow screens rows become cards, or the region scrolls and takes the keyboard's focus. */
export function DataTable<T>({ caption, columns, rows, rowKey, narrow = "cards" }: Props<T>) {
  const scrolls = narrow === "scroll";
  return (
    <div
      className="table-region"
      role={scrolls ? "region" : undefined}
      aria-label={scrolls ? caption : undefined}
      // What scrolls must be reachable by keyboard.
      tabIndex={scrolls ? 0 : undefined}
    >
      <table className="table" data-cards={scrolls ? undefined : true}>
        <caption className="only-readers">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" data-align={column.align} data-wide={column.wide}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.key} data-label={column.label} data-align={column.align} data-wide={column.wide}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
