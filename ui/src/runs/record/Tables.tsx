import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconCheck, IconCircleDashed, IconLoader2, IconMinus, IconX, type Icon } from "@tabler/icons-react";

import { ApiProblem, type OutputView, type RunDetail } from "../../api";
import { Problem, StatusBadge } from "../../components";
import { count, duration, plural, signed } from "../../format/numbers";
import { madeOf } from "../words";
import { sparkLine, waysOf, type Stage, type TableWay } from "./stages";

/** Each table's way: started, staged, checked, published; or where it was stopped, and why. */
export function RunTables({ run }: { run: RunDetail }) {
  const ways = waysOf(run);
  if (ways.length === 0) return null;
  const made = madeOf(run.outputs);
  return (
    <section className="panel" aria-labelledby="run-tables">
      <div className="run-head">
        <h2 className="panel-title" id="run-tables">
          Tables
        </h2>
        <Text size="sm" c="dimmed">
          {made === "" ? plural(ways.length, "table") : made}
        </Text>
      </div>
      <ol className="run-tables">
        {ways.map((way) => (
          <TableRow key={way.table} way={way} run={run} />
        ))}
      </ol>
    </section>
  );
}

function TableRow({ way, run }: { way: TableWay; run: RunDetail }) {
  const { table, word, detail, stages, output, step } = way;
  const error = output?.error;
  const told = error != null && error.what === run.error?.what;
  // It went no way at all; why is all there is to say.
  const still = word === "skipped" || word === "up to date";
  // The failed checks stand below, and at the head of the page.
  const judged = word === "blocked" && run.verdicts.some((verdict) => verdict.table === table && verdict.outcome === "failed");
  const spark = word === "running" ? sparkLine(step) : "";
  // Of a table that did not exist before, its page would lead nowhere.
  const linked = output?.status === "published" || output?.status === "up to date" || output?.status === "blocked";
  return (
    <li className="run-table" data-word={word}>
      <div className="run-table-name">
        {linked ? (
          <Link to="/assets/$assetId" params={{ assetId: table }} search={{ at: output.status === "published" ? (run.commit ?? run.branch) : run.branch }} className="link name">
            {table}
          </Link>
        ) : (
          <span className="name">{table}</span>
        )}
        <StatusBadge word={word} label={word === "blocked" ? "held back" : word === "checked" ? "checked, waits for the others" : word === "running" ? "at work" : word} />
      </div>
      {still ? <p className="run-table-still name">{detail}</p> : <Way table={table} stages={stages} />}
      <div className="run-table-numbers numbers">{spark !== "" ? spark : output === undefined ? "" : numbersOf(output)}</div>
      {detail !== "" && !still && !judged && word !== "running" && <p className="run-table-why name">{detail}</p>}
      {error != null && !told && (
        <div className="run-table-why">
          <Problem error={new ApiProblem(-1, error)} plain />
        </div>
      )}
    </li>
  );
}

function numbersOf({ kind, rows, rows_added, seconds, status }: OutputView): string {
  if (status === "skipped" || status === "up to date") return "";
  const made = kind === "view" ? "view" : rows == null ? "" : `${count(rows)} rows${rows_added == null ? "" : ` (${signed(rows_added)})`}`;
  return [made, seconds < 0.05 ? "" : duration(seconds)].filter((part) => part !== "").join(" · ");
}

const SIGNS: Record<Stage["state"], { icon: Icon; say: string }> = {
  done: { icon: IconCheck, say: "done" },
  now: { icon: IconLoader2, say: "at work" },
  ahead: { icon: IconCircleDashed, say: "not yet" },
  stopped: { icon: IconX, say: "stopped here" },
  never: { icon: IconMinus, say: "not reached" },
};

function Way({ table, stages }: { table: string; stages: readonly Stage[] }) {
  return (
    <ol className="run-way" aria-label={`Stages of ${table}`}>
      {stages.map(({ word, state }, index) => {
        const { icon: Sign, say } = SIGNS[state];
        return (
          <li key={index} data-state={state} aria-current={state === "now" ? "step" : undefined}>
            <Sign size={13} stroke={2.4} aria-hidden className={state === "now" ? "turning" : undefined} />
            {word === "blocked" ? "held back" : word}
            <span className="only-readers">{`, ${say}`}</span>
          </li>
        );
      })}
    </ol>
  );
}
