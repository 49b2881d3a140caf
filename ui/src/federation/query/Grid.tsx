import { useElementSize, useMergedRef } from "@mantine/hooks";
import { IconLock } from "@tabler/icons-react";
import { useEffect, useMemo, useRef, useState } from "react";

import type { QueryResultView } from "../../api";
import { timeInData } from "../../format/numbers";
import { isNumber } from "../../format/values";
import { cellText } from "./sheet";
import { seenRows, widthsOf } from "./window";

const ROW = 30;
const HEAD = 46;
const TALLEST = 620;
/** A letter is about so wide, and a cell has room at both sides. */
const LETTER = 7.6;
const ROOM = 26;

type Result = Pick<QueryResultView, "columns" | "rows">;

/** Rows of a result, of which only those are drawn that are seen: a hundred thousand scroll as ten do. */
export function Grid({ result }: { result: Result }) {
  const { columns, rows } = result;
  const { ref: sized, height } = useElementSize<HTMLDivElement>();
  const scroller = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sized, scroller);
  const [top, setTop] = useState(0);
  const widths = useMemo(() => widthsOf(columns.map(({ name, type, masked }) => (masked ? `${name}   ` : name.length > type.length ? name : type)), rows.slice(0, 200).map((row) => row.map(cellText))), [columns, rows]);
  useEffect(() => {
    // Another result is read from its beginning.
    if (scroller.current !== null) Object.assign(scroller.current, { scrollTop: 0, scrollLeft: 0 });
  }, [result]);
  const room = height > 0 ? height : TALLEST;
  const { first, end, above, below } = seenRows(top, room - HEAD, rows.length, ROW);
  const numberWidth = Math.max(3, String(rows.length).length);
  return (
    <div
      ref={ref}
      className="grid-region"
      role="region"
      aria-label="Rows of the result"
      // What scrolls must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex
      tabIndex={0}
      style={{ height: Math.min(TALLEST, HEAD + rows.length * ROW + 18) }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table className="grid" aria-label="Result" aria-rowcount={rows.length + 1} style={{ width: (numberWidth + 2) * LETTER + 8 + widths.reduce((sum, one) => sum + one * LETTER + ROOM, 0) }}>
        <colgroup>
          <col style={{ width: (numberWidth + 2) * LETTER + 8 }} />
          {widths.map((width, index) => (
            <col key={index} style={{ width: width * LETTER + ROOM }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <td className="grid-number" aria-label="Row" />
            {columns.map(({ name, type, masked }) => (
              <th key={name} scope="col" data-align={isNumber(type) ? "right" : undefined}>
                <span className="grid-name" title={masked ? `${name}: hidden, it reads as NULL` : name}>
                  {masked && <IconLock size={12} aria-label="hidden" />}
                  {name}
                </span>
                <span className="grid-type" title={type}>
                  {type}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Left height={above} />}
          {rows.slice(first, end).map((row, index) => (
            <tr key={first + index} aria-rowindex={first + index + 2}>
              <th scope="row" className="grid-number">
                {first + index + 1}
              </th>
              {columns.map(({ name, type }, column) => (
                <Cell key={name} value={row[column]} type={type} />
              ))}
            </tr>
          ))}
          {below > 0 && <Left height={below} />}
        </tbody>
      </table>
    </div>
  );
}

/** Rows that are not drawn keep their place. */
function Left({ height }: { height: number }) {
  return (
    <tr aria-hidden className="grid-left">
      <td style={{ height }} />
    </tr>
  );
}

function Cell({ value, type }: { value: unknown; type: string }) {
  const text = cellText(value);
  if (text === null) return <td className="grid-null">NULL</td>;
  const shown = /^timestamp/i.test(type) ? timeInData(text) : text;
  return (
    <td data-align={isNumber(type) ? "right" : undefined} title={shown.length > 30 ? shown : undefined}>
      {shown === "" ? <span className="grid-empty">empty text</span> : shown}
    </td>
  );
}
