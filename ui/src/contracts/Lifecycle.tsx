import { IconCircleDashed } from "@tabler/icons-react";

import type { ContractDetail, StateChangeView } from "../api";
import { CopyCommand, EmptyState, RelativeTime, StatusBadge } from "../components";
import { day } from "../format/numbers";
import { STATE_MEANS, STATES } from "./words";

/** The way from draft to retired: where it stands, and how it got there. */
export function Lifecycle({ contract }: { contract: ContractDetail }) {
  const at = STATES.indexOf(contract.state);
  return (
    <section className="panel contract-life" aria-labelledby="life">
      <h2 className="panel-title" id="life">
        Its life
      </h2>
      <ol className="life-way" aria-label="States, in their order">
        {STATES.map((state, index) => (
          <li key={state} data-past={index < at || undefined} aria-current={index === at ? "step" : undefined}>
            <span className="life-word">{state}</span>
            <span className="quality-quiet">{STATE_MEANS[state]}</span>
          </li>
        ))}
      </ol>
      {contract.history.length === 0 ? (
        <EmptyState icon={IconCircleDashed} title="It was never registered" action={contract.file !== null && <CopyCommand command={`forge contract register ${contract.file}`} />}>
          Its life begins with its first registration.
        </EmptyState>
      ) : (
        <ol className="life-steps" aria-label="What happened, newest first">
          {contract.history.map((one) => (
            <Step key={`${one.state} ${one.at}`} one={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Step({ one }: { one: StateChangeView }) {
  return (
    <li>
      <StatusBadge word={one.state} />
      <div className="name">
        <p>
          {one.before === null ? "registered" : `was ${one.before}`} <span className="quality-quiet">by {one.by}</span>
          {one.ends_at !== null && `, ends on ${day(one.ends_at)}`}
          {one.replacement !== null && `, replaced by ${one.replacement}`}
        </p>
        {one.reason !== "" && <p>“{one.reason}”</p>}
        {one.told.length > 0 && <p className="quality-quiet">Told: {one.told.join(", ")}</p>}
      </div>
      <span className="quality-quiet">
        <RelativeTime time={one.at} />
      </span>
    </li>
  );
}
