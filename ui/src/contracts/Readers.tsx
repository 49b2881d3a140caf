import { useInfiniteQuery } from "@tanstack/react-query";
import { IconUsersMinus } from "@tabler/icons-react";

import type { ConsumerView, ContractDetail } from "../api";
import { consumersQuery } from "../api/contracts";
import { ColumnLink, DataTable, EmptyState, QueryResult, ShowMore, type Column } from "../components";
import { plural } from "../format/numbers";
import { PartSkeleton } from "./PartSkeleton";
import { depthInWords } from "./words";

const SHOWN = 4;

/** Who relies on it, as far as lineage knows. */
export function Readers({ contract }: { contract: ContractDetail }) {
  const query = useInfiniteQuery(consumersQuery(contract.id));
  return (
    <QueryResult query={query} skeleton={<PartSkeleton />}>
      {({ pages }) => {
        const readers = pages.flatMap((page) => page.items);
        if (readers.length === 0) return <NoReaders />;
        return (
          <div className="panel quality-list readers-list">
            <DataTable caption={`Readers of ${contract.name}`} columns={COLUMNS} rows={readers} rowKey={(one) => one.table} />
            <ShowMore query={query} shown={readers.length} total={pages[0]?.total_count} what="readers" />
          </div>
        );
      }}
    </QueryResult>
  );
}

const COLUMNS: readonly Column<ConsumerView>[] = [
  { key: "table", label: "Reader", cell: (one) => <ColumnLink column={one.table} /> },
  { key: "owner", label: "Owner", cell: (one) => (one.owner === null ? <span className="quality-quiet">nobody</span> : <span className="name">{one.owner}</span>) },
  { key: "depth", label: "Reads it", cell: (one) => depthInWords(one.depth) },
  { key: "columns", label: "Uses", cell: (one) => <Uses one={one} /> },
];

function Uses({ one }: { one: ConsumerView }) {
  if (one.columns.length === 0) return <span className="name">{one.reads.join(", ")}</span>;
  return (
    <span className="readers-uses">
      {one.columns.slice(0, SHOWN).map((column) => (
        <ColumnLink key={column} column={column} name={column.split(".").at(-1)} />
      ))}
      {one.columns.length > SHOWN && (
        <span className="quality-quiet" title={one.columns.slice(SHOWN).join(", ")}>
          and {plural(one.columns.length - SHOWN, "more", "more")}
        </span>
      )}
    </span>
  );
}

function NoReaders() {
  return (
    <div className="panel">
      <EmptyState icon={IconUsersMinus} title="Nobody is known to read it">
        Readers are found in lineage: of runs, and of code that was read with <code>forge ingest</code>.
      </EmptyState>
    </div>
  );
}
