import { Button, Group, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconBinaryTree2, IconColumns3, IconShieldCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { ChangedTable, CompareView } from "../../api";
import { diffQuery } from "../../api/versioning";
import { EmptyState, QueryResult, TableLink } from "../../components";
import { bytes, count, plural } from "../../format/numbers";
import { ConflictTable } from "../merge/ConflictTable";
import { Verdicts } from "../merge/Verdicts";
import { howInWords, schemaInWords } from "../merge/words";
import { RowCounts } from "./RowCounts";
import { RowDiff } from "./RowDiff";
import { COMPARE_TABS, type CompareSearch, type CompareTab } from "./search";

interface Props {
  view: CompareView;
  table: ChangedTable;
  search: CompareSearch;
  change: (part: CompareSearch) => void;
  /** The checks are being asked now. */
  checking: boolean;
}

/** What differs in one table, part by part. */
export function TableDiff({ view, table, search, change, checking }: Props) {
  const conflicts = view.conflicts.filter((one) => one.table === table.table);
  const hasConflicts = conflicts.length > 0;
  const tabs = COMPARE_TABS.filter((tab) => tab !== "conflicts" || hasConflicts);
  const tab: CompareTab = tabs.find((one) => one === search.tab) ?? (hasConflicts && search.tab === undefined ? "conflicts" : "rows");
  const tally = view.tallies.find((one) => one.table === table.table);
  const labels: Record<CompareTab, ReactNode> = {
    rows: "Rows",
    conflicts: `Conflicts ${count(tally?.conflicts ?? conflicts.length)}`,
    schema: table.schema_changes.length > 0 ? `Schema ${table.schema_changes.length}` : "Schema",
    stats: "Stats",
    quality: "Quality",
  };
  // What the branch did itself is counted from where the two parted.
  const from = view.merge_base ?? view.base_commit;
  const contents: Record<CompareTab, () => ReactNode> = {
    rows: () => <RowDiff base={from} compare={view.compare_commit} table={table.table} page={search.page ?? 1} onPage={(page) => change({ page: page === 1 ? undefined : page })} />,
    conflicts: () => (
      <>
        <ConflictTable conflicts={conflicts} target={view.base} source={view.compare} />
        {(tally?.conflicts ?? 0) > conflicts.length && (
          <Text size="sm" c="dimmed" p="sm">
            The first {count(conflicts.length)} of {count(tally?.conflicts)}. Merging lists them all.
          </Text>
        )}
      </>
    ),
    schema: () => <Schema table={table} />,
    stats: () => <Stats view={view} table={table} from={from} />,
    quality: () => <Quality view={view} table={table} checking={checking} onAsk={() => change({ checks: "yes" })} />,
  };
  return (
    <section className="panel compared" aria-label={table.table}>
      <div className="compared-head">
        <h2 className="compared-name">
          <TableLink table={table.table} at={view.compare} />
        </h2>
        <span className="compared-about">
          {table.key.length > 0 ? `key: ${table.key.join(", ")}` : "no key: rows are compared whole"} · <RowCounts of={table} />
        </span>
        <Link to="/lineage" search={{ focus: table.table, at: view.compare }} className="link compared-lineage">
          <IconBinaryTree2 size={15} aria-hidden /> Lineage
        </Link>
      </div>
      <Tabs value={tab} keepMounted={false} onChange={(next) => change({ tab: tabs.find((one) => one === next), page: undefined })}>
        <Tabs.List aria-label={`Parts of ${table.table}`} className="compared-tabs">
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {labels[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((one) => (
          <Tabs.Panel key={one} value={one}>
            {one === tab && contents[one]()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

function Schema({ table }: { table: ChangedTable }) {
  if (table.schema_changes.length === 0) {
    return (
      <EmptyState icon={IconColumns3} title={table.change === "added" ? "The table is new" : "No column changed"}>
        {table.change === "added" && "All of its columns come with it."}
      </EmptyState>
    );
  }
  return (
    <ul className="schema-changes">
      {table.schema_changes.map((one) => {
        const { sign, text } = schemaInWords(one);
        return (
          <li key={`${one.change} ${one.column}`} className="name">
            <span className="row-sign" data-tone={sign === "+" ? "good" : sign === "−" ? "bad" : "warn"} aria-hidden>
              {sign}
            </span>
            <span className="only-readers">{one.change} </span>
            <code>{text}</code>
          </li>
        );
      })}
    </ul>
  );
}

function Stats({ view, table, from }: { view: CompareView; table: ChangedTable; from: string }) {
  const tally = view.tallies.find((one) => one.table === table.table);
  const query = useQuery(diffQuery({ base: from, compare: view.compare_commit, table: table.table, limit: 1, offset: 0 }));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={260} m="md" radius="md" />}>
      {({ tables: [diff] }) => (
        <div className="compared-stats">
          <dl className="stats">
            <Stat label="Rows inserted">{count(diff?.inserted ?? table.inserted)}</Stat>
            <Stat label="Rows updated">{count(diff?.updated ?? table.updated)}</Stat>
            <Stat label="Rows deleted">{count(diff?.deleted ?? table.deleted)}</Stat>
            <Stat label="Files added">{count(diff?.files_added ?? table.files_added)}</Stat>
            <Stat label="Files removed">{count(diff?.files_removed ?? table.files_removed)}</Stat>
            <Stat label="Read to compare">{bytes(diff?.bytes_read)}</Stat>
            {tally !== undefined && <Stat label="How it merges">{howInWords(tally.how)}</Stat>}
            {tally !== undefined && tally.bytes_read > 0 && (
              <Stat label="Read to merge">
                {bytes(tally.bytes_read)}
                {tally.engine !== "" && ` on ${tally.engine === "driver" ? "the driver" : "Spark"}`}
              </Stat>
            )}
          </dl>
          <ChangedColumns columns={diff?.changed_columns ?? {}} />
        </div>
      )}
    </QueryResult>
  );
}

function Stat({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd className="numbers">{children}</dd>
    </div>
  );
}

function ChangedColumns({ columns }: { columns: Record<string, number> }) {
  const listed = Object.entries(columns).sort(([, one], [, other]) => other - one);
  const most = Math.max(1, ...listed.map(([, number]) => number));
  if (listed.length === 0) return null;
  return (
    <div>
      <h3 className="panel-title">Columns that updates changed</h3>
      <ul className="column-bars">
        {listed.map(([name, number]) => (
          <li key={name}>
            <span className="name">{name}</span>
            <span className="column-bar" aria-hidden>
              <span style={{ width: `${Math.max(2, (100 * number) / most)}%` }} />
            </span>
            <span className="numbers">{plural(number, "row")}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Quality({ view, table, checking, onAsk }: { view: CompareView; table: ChangedTable; checking: boolean; onAsk: () => void }) {
  const verdicts = view.verdicts.filter((one) => one.table === table.table);
  if (verdicts.length > 0) return <Verdicts verdicts={verdicts} />;
  if (checking) {
    return (
      <Stack p="md" gap="sm" aria-busy>
        <Text size="sm" role="status">
          The checks run on the merge result…
        </Text>
        <Skeleton h={120} radius="md" />
      </Stack>
    );
  }
  return (
    <EmptyState
      icon={IconShieldCheck}
      title="No verdict on the merge result"
      action={
        <Group>
          <Button variant="default" onClick={onAsk}>
            Run the checks
          </Button>
        </Group>
      }
    >
      The checks of {table.table} can be asked before anything is merged; that may start Spark. Merging asks them in any case. A table without checks has no verdict.
    </EmptyState>
  );
}
