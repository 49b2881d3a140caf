import { Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconVersionsOff } from "@tabler/icons-react";

import type { ContractDetail, ContractVersionView } from "../api";
import { versionsQuery } from "../api/contracts";
import { CopyCommand, DataTable, EmptyState, QueryResult, RelativeTime, RunLink, ShowMore, type Column } from "../components";
import { plural } from "../format/numbers";
import { BumpBadge } from "./BumpBadge";
import { Changes } from "./Changes";
import { PartSkeleton } from "./PartSkeleton";
import { shortHash } from "./words";

export interface Chosen {
  old?: string | undefined;
  new?: string | undefined;
}

interface Props {
  contract: ContractDetail;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

/** What was registered, and what changed between two of them. Versions never change: who relied on one finds it as it was. */
export function Versions({ contract, chosen, onChoose }: Props) {
  const query = useInfiniteQuery(versionsQuery(contract.id));
  return (
    <QueryResult query={query} skeleton={<PartSkeleton />}>
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.items);
        if (versions.length === 0) return <NeverRegistered contract={contract} />;
        return (
          <Stack gap="md">
            <Changes contract={contract} versions={versions} chosen={chosen} onChoose={onChoose} />
            <section className="panel quality-list versions-list" aria-labelledby="versions">
              <h2 className="panel-title contract-part" id="versions">
                Registered versions
              </h2>
              <DataTable caption="Registered versions" columns={columnsOf(contract, versions)} rows={versions} rowKey={(one) => one.version} />
              <ShowMore query={query} shown={versions.length} total={pages[0]?.total_count} what="versions" />
            </section>
          </Stack>
        );
      }}
    </QueryResult>
  );
}

function columnsOf(contract: ContractDetail, versions: readonly ContractVersionView[]): Column<ContractVersionView>[] {
  return [
    { key: "version", label: "Version", cell: (one) => <Named one={one} /> },
    { key: "bump", label: "Change", cell: (one) => <Bump one={one} /> },
    {
      key: "compare",
      label: "Compare",
      cell: (one) => {
        const before = versions[versions.indexOf(one) + 1];
        if (before === undefined) return <span className="quality-quiet">the first</span>;
        return (
          <Link to="/contracts/$contractId" params={{ contractId: contract.id }} search={{ part: "versions", old: before.version, new: one.version }} className="link" resetScroll={false}>
            with {before.version}
          </Link>
        );
      },
    },
    { key: "hash", label: "Schema", wide: true, cell: (one) => <code className="mono" title={one.schema_hash}>{shortHash(one.schema_hash)}</code> },
    { key: "by", label: "Registered", cell: (one) => <Registered one={one} /> },
  ];
}

function Named({ one }: { one: ContractVersionView }) {
  return (
    <span className="numbers">
      <strong>{one.version}</strong> {one.current && <span className="quality-quiet">newest</span>}
    </span>
  );
}

function Bump({ one }: { one: ContractVersionView }) {
  if (one.bump === null) return <span className="quality-quiet">–</span>;
  return (
    <span className="versions-bump">
      <BumpBadge bump={one.bump} />
      {one.breaking !== null && one.breaking > 0 && <span className="quality-quiet">{plural(one.breaking, "breaking change")}</span>}
    </span>
  );
}

function Registered({ one }: { one: ContractVersionView }) {
  return (
    <span className="contract-lines">
      <span className="name">{one.registered_by}</span>
      <span className="quality-said">
        <RelativeTime time={one.registered_at} />
        {one.run_id !== null && (
          <>
            {" "}
            by run <RunLink runId={one.run_id} />
          </>
        )}
      </span>
    </span>
  );
}

function NeverRegistered({ contract }: { contract: ContractDetail }) {
  return (
    <div className="panel">
      <EmptyState icon={IconVersionsOff} title="It was never registered" action={contract.file !== null && <CopyCommand command={`forge contract register ${contract.file}`} />}>
        A run that publishes its table registers it, and so does this command. From then on its versions are kept, and compared with each other.
      </EmptyState>
    </div>
  );
}
