import { Stack, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconArrowUp, IconChevronRight, IconFileOff } from "@tabler/icons-react";

import type { ContractDetail, EffectiveView, ParentView } from "../api";
import { effectiveQuery } from "../api/contracts";
import { DataTable, EmptyState, QueryResult, Name, TableLink, type Column } from "../components";
import { plural } from "../format/numbers";
import { Findings } from "./Findings";
import { PartSkeleton } from "./PartSkeleton";
import { onlyInherited, promisedIn, type Promised, type PromisedColumn, type PromisedTable, type ContractPromise } from "./terms";

interface Props {
  contract: ContractDetail;
  only: "inherited" | undefined;
  onOnly: (only: "inherited" | undefined) => void;
}

/** What binds: the contract with all that stands above it, each promise with whose word it is. */
export function Promises({ contract, only, onOnly }: Props) {
  const query = useQuery(effectiveQuery(contract.id));
  return (
    <QueryResult query={query} skeleton={<PartSkeleton />}>
      {(found) => <Effective found={found} only={only} onOnly={onOnly} contract={contract} />}
    </QueryResult>
  );
}

function Effective({ found, only, onOnly, contract }: Props & { found: EffectiveView }) {
  const all = promisedIn(found.effective, found.origins);
  const parents = found.chain.slice(0, -1);
  const shown = only === undefined ? all : onlyInherited(all, isOwn(contract));
  return (
    <Stack gap="md">
      <Chain found={found} />
      {found.version !== contract.version && (
        <p className="quality-quiet contract-alone">
          This is the file as it stands, {found.version}; registered is {contract.version}.
        </p>
      )}
      {found.violations.length > 0 && (
        <section className="panel" aria-labelledby="weakened">
          <h2 className="panel-title contract-part" id="weakened">
            What does not fit its parents
          </h2>
          <Findings label="What does not fit its parents" violations={found.violations} contract={contract} />
        </section>
      )}
      {parents.length > 0 && (
        <Switch label="Only what is inherited" checked={only === "inherited"} onChange={(event) => onOnly(event.currentTarget.checked ? "inherited" : undefined)} />
      )}
      <Content promised={shown} from={{ contract, chain: found.chain }} only={only} />
    </Stack>
  );
}

interface From {
  contract: ContractDetail;
  chain: readonly ParentView[];
}

function isOwn(contract: ContractDetail): (origin: string | null) => boolean {
  return (origin) => origin === null || origin === contract.id || origin === contract.file || origin === contract.name;
}

function Content({ promised, from, only }: { promised: Promised; from: From; only: Props["only"] }) {
  if (promised.tables.length === 0 && promised.services.length === 0) {
    return (
      <div className="panel">
        <EmptyState icon={IconFileOff} title={only === undefined ? "It promises nothing yet" : "Nothing is inherited"}>
          {only === undefined ? (
            <>
              A contract names tables under <code>schema</code> and service levels under <code>slaProperties</code>.
            </>
          ) : (
            "Its parents demand nothing that it does not say itself."
          )}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      {promised.services.length > 0 && (
        <section className="panel contract-services" aria-labelledby="services">
          <h2 className="panel-title contract-part" id="services">
            Service levels
          </h2>
          <dl className="services">
            {promised.services.map((one) => (
              <div key={one.path}>
                <dt>{one.word}</dt>
                <dd className="name">
                  {one.text}
                  <Origin said={one} from={from} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {promised.tables.map((table) => (
        <OneTable key={table.path} table={table} from={from} />
      ))}
    </>
  );
}

/** The contracts above, outermost first. */
function Chain({ found }: { found: EffectiveView }) {
  const [own, ...above] = [...found.chain].reverse();
  if (above.length === 0) return <p className="quality-quiet contract-alone">No contract stands above it: all of this is its own word.</p>;
  return (
    <div className="contract-chain-line">
      <ol className="contract-chain" aria-label="The contracts that bind, outermost first">
        {above.reverse().map((one) => (
          <li key={one.id}>
            <Link to="/contracts/$contractId" params={{ contractId: one.id }} className="link name">
              {one.name}
            </Link>{" "}
            <span className="quality-quiet numbers">{one.version}</span>
            <IconChevronRight size={15} aria-hidden />
          </li>
        ))}
        <li aria-current="true">
          <span className="name">{own?.name}</span> <span className="quality-quiet numbers">{own?.version}</span>
        </li>
      </ol>
      <span className="quality-quiet">{found.mode === "strict" ? "It may add and tighten, not weaken." : "Permissive: where it weakens a parent, that is only a warning."}</span>
    </div>
  );
}

function OneTable({ table, from }: { table: PromisedTable; from: From }) {
  const columns: readonly Column<PromisedColumn>[] = [
    { key: "column", label: "Column", cell: (one) => <Named one={one} from={from} /> },
    { key: "type", label: "Type", cell: (one) => <code className="mono name">{one.type === "" ? "–" : one.type}</code> },
    { key: "said", label: "Promises", cell: (one) => <Chips said={one.said} from={from} /> },
  ];
  const id = `table-${table.path}`;
  return (
    <section className="panel contract-table" aria-labelledby={id}>
      <div className="contract-part contract-table-head">
        <h2 className="panel-title name" id={id}>
          {table.name}
        </h2>
        <TableLink table={table.table} />
        <span className="quality-quiet">{plural(table.columns.filter((one) => one.depth === 0).length, "column")}</span>
        {table.description !== "" && (
          <Text size="sm" c="dimmed" className="contract-about name">
            {table.description}
          </Text>
        )}
      </div>
      {table.rules.length > 0 && (
        <div className="contract-rules">
          <span className="quality-quiet">The whole table</span>
          <Chips said={table.rules} from={from} />
        </div>
      )}
      {table.columns.length > 0 && <DataTable caption={`Columns of ${table.name}`} columns={columns} rows={table.columns} rowKey={(one) => one.path} />}
    </section>
  );
}

function Named({ one, from }: { one: PromisedColumn; from: From }) {
  return (
    <span className="quality-named" style={one.depth > 0 ? { paddingLeft: one.depth * 18 } : undefined}>
      <span className="name contract-column">
        <Name text={one.name} />
        <Origin said={one} from={from} />
      </span>
      {one.description !== "" && <span className="quality-said name">{one.description}</span>}
    </span>
  );
}

function Chips({ said, from }: { said: readonly ContractPromise[]; from: From }) {
  if (said.length === 0) return null;
  return (
    <ul className="promises">
      {said.map((one) => (
        <li key={one.path} data-inherited={!isOwn(from.contract)(one.origin) || undefined}>
          <span className="promise-word">{one.word}</span>
          {one.text !== "" && <span className="promise-text name">{one.text}</span>}
          <Origin said={one} from={from} />
        </li>
      ))}
    </ul>
  );
}

/** Whose word it is, where it is not the contract's own. */
function Origin({ said, from }: { said: { origin: string | null }; from: From }) {
  if (isOwn(from.contract)(said.origin)) return null;
  const parent = from.chain.find(({ id, file, name }) => [id, file, name].includes(said.origin));
  return (
    <span className="promise-origin">
      <IconArrowUp size={12} aria-hidden />
      <span className="only-readers">from </span>
      {parent?.name ?? said.origin}
    </span>
  );
}
