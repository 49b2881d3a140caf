import "../quality/quality.css";
import "./contracts.css";

import { Button, CloseButton, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconCircleCheck, IconFileCertificate, IconFilterOff, IconSearch, IconZoomQuestion, type Icon } from "@tabler/icons-react";

import type { ContractView } from "../api";
import { contractsQuery } from "../api/contracts";
import { itemsOf } from "../api/pages";
import { CopyCommand, DataTable, EmptyState, QueryResult, Name, PageHeader, RelativeTime, ShowMore, StatusBadge, TableLink, TypedInput, type Column } from "../components";
import { plural } from "../format/numbers";
import { AllProblems } from "./AllProblems";
import { CONTRACT_STATES, type ContractsSearch } from "./search";
import { tallyInWords, toneOfCounts } from "./words";

const route = getRouteApi("/frame/contracts");

const VIEWS: readonly { view: ContractsSearch["view"]; label: string; icon: Icon }[] = [
  { view: undefined, label: "All contracts", icon: IconFileCertificate },
  { view: "problems", label: "Problems", icon: IconAlertTriangle },
];

/** What tables promise, who promises it, and whether it is kept. */
export default function ContractsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: ContractsSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  return (
    <>
      <PageHeader title="Contracts" documentTitle={search.view === "problems" ? "Problems of contracts" : "Contracts"} about="What each table promises to those who read it, and whether it is kept." />
      <nav className="quality-nav" aria-label="Contracts">
        {VIEWS.map(({ view, label, icon: Sign }) => (
          <Link key={label} to="/contracts" search={{ view }} className="quality-nav-link" activeOptions={{ includeSearch: true, explicitUndefined: true }}>
            <Sign size={16} stroke={1.7} aria-hidden className="quality-nav-icon" />
            {label}
          </Link>
        ))}
      </nav>
      {search.view === "problems" ? <AllProblems severity={search.severity} onSeverity={(severity) => change({ severity })} /> : <Contracts search={search} change={change} />}
    </>
  );
}

interface PartProps {
  search: ContractsSearch;
  change: (part: ContractsSearch) => void;
}

function Contracts({ search, change }: PartProps) {
  const query = useInfiniteQuery(
    contractsQuery({ q: search.q, state: search.is === undefined ? undefined : [search.is], violations: search.found === undefined ? undefined : search.found === "problems" }),
  );
  const clear = (): void => change({ q: undefined, is: undefined, found: undefined });
  const filtered = search.q !== undefined || search.is !== undefined || search.found !== undefined;
  return (
    <QueryResult query={query} skeleton={<ListSkeleton />}>
      {({ pages }) => {
        const contracts = itemsOf(pages);
        const total = pages[0]?.total_count ?? contracts.length;
        if (contracts.length === 0 && !filtered) return <NoContracts />;
        return (
          <Stack gap="sm">
            <Filters search={search} change={change} />
            <div className="quality-found">
              <span role="status">{plural(total, "contract")}</span>
              {filtered && (
                <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={clear}>
                  Clear filters
                </Button>
              )}
            </div>
            <div className="panel quality-list contracts-list" aria-busy={query.isPlaceholderData} data-stale={query.isPlaceholderData || undefined}>
              {contracts.length === 0 ? (
                <EmptyState
                  icon={IconZoomQuestion}
                  title="No contract passes these filters"
                  action={
                    <Button variant="default" onClick={clear}>
                      Show all contracts
                    </Button>
                  }
                />
              ) : (
                <DataTable caption="Contracts" columns={COLUMNS} rows={contracts} rowKey={(one) => one.id} />
              )}
              <ShowMore query={query} shown={contracts.length} total={total} what="contracts" />
            </div>
          </Stack>
        );
      }}
    </QueryResult>
  );
}

const COLUMNS: readonly Column<ContractView>[] = [
  { key: "state", label: "State", cell: (one) => <StatusBadge word={one.state} /> },
  { key: "name", label: "Contract", cell: (one) => <Named one={one} /> },
  { key: "version", label: "Version", cell: (one) => <Version one={one} /> },
  { key: "owner", label: "Owner", cell: (one) => (one.owner === null ? <span className="quality-quiet">nobody</span> : <span className="name">{one.owner}</span>) },
  { key: "problems", label: "Problems", cell: (one) => <Problems one={one} /> },
  { key: "checked", label: "Checked", align: "right", wide: true, cell: (one) => (one.violations === null ? <span className="quality-quiet">never</span> : <RelativeTime time={one.violations.checked_at} />) },
];

const SHOWN = 3;

function Named({ one }: { one: ContractView }) {
  return (
    <span className="quality-named">
      <Link to="/contracts/$contractId" params={{ contractId: one.id }} className="link name">
        <Name text={one.name} />
      </Link>
      <span className="quality-said contract-tables">
        {one.tables.slice(0, SHOWN).map((table) => (
          <TableLink key={table} table={table} />
        ))}
        {one.tables.length > SHOWN && <span>and {plural(one.tables.length - SHOWN, "more", "more")}</span>}
        {one.tables.length === 0 && "no table of its own"}
      </span>
    </span>
  );
}

function Version({ one }: { one: ContractView }) {
  return (
    <span className="contract-lines">
      <span className="numbers">{one.version}</span>
      {!one.registered && <span className="quality-said">not registered</span>}
      {one.registered && one.file_differs && <span className="quality-said">{one.file_version === one.version ? "file differs" : `file has ${one.file_version ?? "another"}`}</span>}
    </span>
  );
}

function Problems({ one }: { one: ContractView }) {
  if (one.violations === null) return <span className="quality-quiet">not checked</span>;
  const words = tallyInWords(one.violations);
  if (words === "") {
    return (
      <span className="contract-none">
        <IconCircleCheck size={16} aria-hidden /> none
      </span>
    );
  }
  return (
    <Link to="/contracts/$contractId" params={{ contractId: one.id }} search={{ part: "problems" }} className="contract-count" data-tone={toneOfCounts(one.violations)} aria-label={`${words} of ${one.name}`}>
      {words}
    </Link>
  );
}

function Filters({ search, change }: PartProps) {
  return (
    <search className="quality-filters contracts-filters" aria-label="Contracts">
      <TypedInput
        aria-label="Part of a name, owner or table"
        placeholder="Part of a name, owner or table"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search.q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => change({ q: undefined })} />}
        value={search.q ?? ""}
        onTyped={(q) => change({ q: q === "" ? undefined : q })}
        spellCheck={false}
      />
      <NativeSelect
        aria-label="State"
        value={search.is ?? ""}
        onChange={(event) => change({ is: CONTRACT_STATES.find((one) => one === event.currentTarget.value) })}
        data={[{ value: "", label: "Any state" }, ...CONTRACT_STATES]}
      />
      <NativeSelect
        aria-label="Problems"
        value={search.found ?? ""}
        onChange={(event) => change({ found: (["problems", "nothing"] as const).find((one) => one === event.currentTarget.value) })}
        data={[
          { value: "", label: "With and without errors" },
          { value: "problems", label: "With errors" },
          { value: "nothing", label: "Without errors" },
        ]}
      />
    </search>
  );
}

function NoContracts() {
  return (
    <div className="panel">
      <EmptyState icon={IconFileCertificate} title="Nothing is promised yet" action={<CopyCommand command="forge contract init SCHEMA.TABLE" />}>
        A contract says what a table holds, who owns it and how fresh it is. It is a file of the Open Data Contract Standard in <code>contracts/</code>; this command writes one from a table.
      </EmptyState>
    </div>
  );
}

function ListSkeleton() {
  return (
    <Stack gap="sm">
      <Skeleton h={36} maw={620} />
      <Skeleton h={320} radius={12} />
    </Stack>
  );
}
