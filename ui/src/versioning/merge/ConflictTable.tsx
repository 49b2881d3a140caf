import { Button, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconLock } from "@tabler/icons-react";
import { useState } from "react";

import type { ConflictView, ResolutionBody } from "../../api";
import { cellText, isRowConflict, keyInWords, sideInWords, takesFor, valueOf, type Side, type Take } from "./words";

interface Props {
  conflicts: readonly ConflictView[];
  /** The branch that is merged into: ours. */
  target: string;
  /** The branch that comes: theirs. */
  source: string;
  withTable?: boolean;
  /** Missing: it is only shown. */
  onResolve?: ((wanted: ResolutionBody) => void) | undefined;
}

/** key | column | base | ours | theirs | result. On narrow screens each conflict is a card. */
export function ConflictTable({ conflicts, target, source, withTable = false, onResolve }: Props) {
  return (
    <div className="table-region">
      <table className="table conflicts" data-cards>
        <caption className="only-readers">Conflicts</caption>
        <thead>
          <tr>
            {withTable && <th scope="col">Table</th>}
            <th scope="col">Key</th>
            <th scope="col">Column</th>
            <th scope="col">Base</th>
            <th scope="col">{target} (ours)</th>
            <th scope="col">{source} (theirs)</th>
            {onResolve !== undefined && <th scope="col">Result</th>}
          </tr>
        </thead>
        <tbody>
          {conflicts.map((conflict) => (
            <tr key={conflict.id} data-resolved={conflict.resolution != null}>
              {withTable && <td data-label="Table">{conflict.table}</td>}
              <td data-label="Key">
                <span className="conflict-key" title={conflict.kind.replaceAll("_", " ")}>
                  {conflict.resolution == null ? (
                    <IconAlertTriangle size={16} role="img" aria-label="open" className="conflict-open" />
                  ) : (
                    <IconCircleCheck size={16} role="img" aria-label="resolved" className="conflict-done" />
                  )}
                  {keyInWords(conflict)}
                </span>
              </td>
              <td data-label="Column">{columnWord(conflict)}</td>
              <SideCell conflict={conflict} side="base" label="Base" />
              <SideCell conflict={conflict} side="ours" label={`${target} (ours)`} />
              <SideCell conflict={conflict} side="theirs" label={`${source} (theirs)`} />
              {onResolve !== undefined && (
                <td data-label="Result" className="conflict-result">
                  <Result conflict={conflict} onResolve={onResolve} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function columnWord(conflict: ConflictView) {
  if (conflict.column != null) return conflict.column;
  return <em>{conflict.kind === "schema_change" ? "schema" : conflict.key === null ? "table" : "whole row"}</em>;
}

function SideCell({ conflict, side, label }: { conflict: ConflictView; side: Side; label: string }) {
  const taken = conflict.resolution === side;
  return (
    <td data-label={label} data-taken={taken || undefined} className="conflict-side">
      {conflict.masked ? (
        <span title="Personal data, not shown">
          <IconLock size={14} aria-hidden /> hidden
        </span>
      ) : (
        <span title={sideTitle(conflict, side)}>{cut(sideInWords(conflict, side))}</span>
      )}
      {taken && <span className="only-readers"> taken</span>}
    </td>
  );
}

const LONGEST = 80;

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** The whole row behind a short word. */
function sideTitle(conflict: ConflictView, side: Side): string | undefined {
  const value = conflict[side];
  if (isRowConflict(conflict) && value != null) return JSON.stringify(value, null, 1);
  const text = sideInWords(conflict, side);
  return text.length > LONGEST ? text : undefined;
}

const WORDS: Record<Take, string> = { ours: "ours", theirs: "theirs", base: "base", manual: "own value", expression: "by rule" };

function Result({ conflict, onResolve }: { conflict: ConflictView; onResolve: (wanted: ResolutionBody) => void }) {
  const [writes, setWrites] = useState(false);
  // The click shows at once; from the first answer on, what is kept is shown.
  const [said, setSaid] = useState<Take | null>(null);
  const [seen, setSeen] = useState(conflict.resolution);
  if (seen !== conflict.resolution) {
    setSeen(conflict.resolution);
    setSaid(null);
  }
  const takes = takesFor(conflict);
  const chosen: Take | null = writes ? "manual" : (said ?? conflict.resolution ?? null);
  const what = `${keyInWords(conflict)}, ${conflict.column ?? "whole row"}`;
  const choose = (take: Take): void => {
    setWrites(take === "manual");
    setSaid(take === "manual" ? null : take);
    if (take !== "manual") onResolve({ conflict_id: conflict.id, resolution: take });
  };
  return (
    <fieldset className="takes">
      <legend className="only-readers">Result of {what}</legend>
      <div className="takes-choices">
        {takes.map((take) => (
          <label key={take} className="take" data-chosen={chosen === take || undefined}>
            <input type="radio" name={`take-${conflict.id}`} checked={chosen === take} onChange={() => choose(take)} />
            {WORDS[take]}
          </label>
        ))}
      </div>
      {conflict.resolution === "expression" && !writes && <span className="take-said">by rule{conflict.resolved_value == null ? "" : `: ${cellText(conflict.resolved_value)}`}</span>}
      {conflict.resolution === "manual" && !writes && <span className="take-said">{cellText(conflict.resolved_value)}</span>}
      {writes && (
        <OwnValue
          conflict={conflict}
          what={what}
          onSet={(value) => {
            setWrites(false);
            onResolve({ conflict_id: conflict.id, resolution: "manual", manual_value: value });
          }}
        />
      )}
    </fieldset>
  );
}

function OwnValue({ conflict, what, onSet }: { conflict: ConflictView; what: string; onSet: (value: unknown) => void }) {
  const [text, setText] = useState(conflict.resolution === "manual" ? cellText(conflict.resolved_value) : "");
  return (
    <form
      className="own-value"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== "") onSet(valueOf(text, conflict));
      }}
    >
      <TextInput
        size="xs"
        aria-label={`Own value for ${what}`}
        placeholder="A value, or NULL"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button size="xs" variant="default" type="submit" disabled={text === ""}>
        Set
      </Button>
    </form>
  );
}
