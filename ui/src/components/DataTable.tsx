import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { Fragment, type ReactNode } from "react";

export interface Column<T> {
  key: string;
  label: string;
  cell: (row: T) => ReactNode;
  align?: "left" | "right";
  /** Left out below 1024 px and from cards; `table`: only where a table would get too wide, cards have it. */
  wide?: boolean | "table";
}

interface Props<T> {
  /** What the table lists, for screen readers. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  /** `cards`: on narrow screens each row is a card. `scroll`: it stays a table that scrolls sideways (for data). */
  narrow?: "cards" | "scroll";
  /** By which column the rows are sorted, and whether the greatest is first. */
  sorted?: { by: string; down: boolean } | undefined;
  /** Heads become buttons; the rows are sorted by whoever gives them. */
  onSort?: ((by: string, down: boolean) => void) | undefined;
  /** What is told below a row, over its whole width; undefined where there is nothing. */
  detail?: ((row: T) => ReactNode) | undefined;
}

/** A table. On narrow screens rows become cards, or the region scrolls and takes the keyboard's focus. */
export function DataTable<T>({ caption, columns, rows, rowKey, narrow = "cards", sorted, onSort, detail }: Props<T>) {
  const scrolls = narrow === "scroll";
  return (
    <div
      className="table-region"
      role={scrolls ? "region" : undefined}
      aria-label={scrolls ? caption : undefined}
      // What scrolls must be reachable by keyboard.
      tabIndex={scrolls ? 0 : undefined}
    >
      <table className="table" data-cards={scrolls ? undefined : true} data-sorts={onSort === undefined ? undefined : true}>
        <caption className="only-readers">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                data-align={column.align}
                data-wide={column.wide}
                aria-sort={sorted?.by !== column.key ? undefined : sorted.down ? "descending" : "ascending"}
              >
                {onSort === undefined ? column.label : <SortHead column={column} sorted={sorted} onSort={onSort} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const below = detail?.(row);
            return (
              <Fragment key={rowKey(row)}>
                <tr data-opened={below === undefined ? undefined : true}>
                  {columns.map((column) => (
                    <td key={column.key} data-label={column.label} data-align={column.align} data-wide={column.wide}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {below !== undefined && (
                  <tr className="table-detail">
                    <td colSpan={columns.length}>{below}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps<T> {
  column: Column<T>;
  sorted: Props<T>["sorted"];
  onSort: (by: string, down: boolean) => void;
}

function SortHead<T>({ column, sorted, onSort }: HeadProps<T>) {
  const here = sorted?.by === column.key;
  const Sign = !here ? IconArrowsSort : sorted.down ? IconArrowDown : IconArrowUp;
  return (
    <button type="button" className="table-sort" data-here={here || undefined} onClick={() => onSort(column.key, here && !sorted.down)}>
      {column.label}
      <Sign size={13} aria-hidden />
    </button>
  );
}
