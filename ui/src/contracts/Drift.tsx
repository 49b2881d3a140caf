import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconCircleCheck, IconCircleDashed, IconTableOff } from "@tabler/icons-react";

import type { ContractDetail, TableDrift } from "../api";
import { driftQuery } from "../api/contracts";
import { EmptyState, QueryResult, RefSwitch, TableLink } from "../components";
import { shortCommit } from "../format/refs";
import { CodeBlock } from "./CodeBlock";
import { Findings } from "./Findings";
import { PartSkeleton } from "./PartSkeleton";
import { countsOf, tallyInWords } from "./words";

interface Props {
  contract: ContractDetail;
  at: string | undefined;
  onAt: (at: string | undefined) => void;
}

/** The contract against its tables as they are, with both ways to bring them together. */
export function Drift({ contract, at, onAt }: Props) {
  const query = useQuery(driftQuery(contract.id, at));
  return (
    <Stack gap="sm">
      <div className="quality-found">
        <span role="status">{query.data === undefined ? " " : `${tallyInWords(countsOf(query.data.violations)) || "No difference"} at ${shortCommit(query.data.at)}`}</span>
        <RefSwitch at={at} onChange={onAt} />
      </div>
      <QueryResult query={query} skeleton={<PartSkeleton />}>
        {(found) =>
          found.tables.length === 0 ? (
            <div className="panel">
              <EmptyState icon={IconTableOff} title="It speaks of no table">
                What it says under <code>schema</code> is held against the tables of that name.
              </EmptyState>
            </div>
          ) : (
            <Stack gap="md" aria-busy={query.isPlaceholderData}>
              {found.tables.map((one) => (
                <OneTable key={one.table} one={one} at={at} contract={contract} />
              ))}
            </Stack>
          )
        }
      </QueryResult>
    </Stack>
  );
}

function OneTable({ one, at, contract }: { one: TableDrift; at: string | undefined; contract: ContractDetail }) {
  const id = `drift-${one.table}`;
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 className="panel-title contract-part" id={id}>
        {one.exists ? <TableLink table={one.table} at={at} /> : <span className="name">{one.table}</span>}
      </h2>
      <Fits one={one} />
      {one.violations.length > 0 && <Findings label={`Differences of ${one.table}`} violations={one.violations} contract={contract} />}
      {(one.patch !== null || one.alter.length > 0) && (
        <div className="drift-ways">
          {one.alter.length > 0 && <CodeBlock title="Change the table" about="Statements that would make the table fit the contract." text={`${one.alter.join(";\n")};`} />}
          {one.patch !== null && <CodeBlock title="Change the contract" about="What the contract would say to fit the table; readers see a new version." text={one.patch} />}
        </div>
      )}
    </section>
  );
}

function Fits({ one }: { one: TableDrift }) {
  if (!one.exists) {
    return (
      <p className="drift-fits quality-quiet">
        <IconCircleDashed size={17} aria-hidden /> The table is not there yet, so nothing differs.
      </p>
    );
  }
  if (one.violations.length > 0) return null;
  return (
    <p className="drift-fits" data-tone="good">
      <IconCircleCheck size={17} aria-hidden /> The table is what the contract says.
    </p>
  );
}
