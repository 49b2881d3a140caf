import "./virtual.css";

import { Button, CloseButton, Skeleton, Stack, Text } from "@mantine/core";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconLock, IconPlugConnected, IconSearch, IconTableAlias, IconTerminal2, IconZoomQuestion } from "@tabler/icons-react";
import { useState } from "react";

import { ApiProblem, asProblem, type VirtualTableDriftView, type VirtualTableList, type VirtualTableView } from "../../api";
import { virtualDriftQuery, virtualTablesQuery } from "../../api/virtualTables";
import { CopyCommand, DataTable, EmptyState, PageHeader, Problem, QueryResult, TypedInput, type Column } from "../../components";
import { plural } from "../../format/numbers";
import { FederationNav } from "../Nav";
import type { VirtualTablesSearch } from "./search";
import { cacheInWords, readersInWords, relationOf } from "./words";

const route = getRouteApi("/frame/virtual-tables");
const FILTER_FROM = 6;

/** SELECTs that are kept as data, and what each is made of. */
export default function VirtualTablesPage() {
  const query = useQuery(virtualTablesQuery());
  return (
    <>
      <PageHeader
        title="Virtual tables"
        about="SELECTs that are kept as data: queries call them virtual.name."
        actions={
          <Button variant="default" leftSection={<IconTerminal2 size={16} aria-hidden />} renderRoot={(props) => <Link to="/query" {...props} />}>
            Make one of a query
          </Button>
        }
      />
      <FederationNav />
      <QueryResult query={query} skeleton={<Skeleton h={420} radius="md" />}>
        {(found) => (
          <Stack gap="md">
            <Faults found={found} />
            {found.items.length === 0 ? <None /> : <Tables tables={found.items} />}
          </Stack>
        )}
      </QueryResult>
    </>
  );
}

function Faults({ found }: { found: VirtualTableList }) {
  return found.errors.map((one, index) => <Problem key={index} error={new ApiProblem(422, one)} />);
}

function None() {
  return (
    <div className="panel">
      <EmptyState icon={IconTableAlias} title="No virtual tables yet" action={<CopyCommand command="forge vtable create people --source p=crm.customers --column id=p.id --column city=p.city" />}>
        A virtual table is a SELECT over sources, the lake and other virtual tables. Write it under Query and save it as one there, declare it in virtual_tables/*.yaml, or by a command.
      </EmptyState>
    </div>
  );
}

function Tables({ tables }: { tables: readonly VirtualTableView[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: VirtualTablesSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const { states, check, checking } = useDrift(tables);
  const words = (search.q ?? "").toLowerCase();
  const shown = tables.filter(({ name, description, sources }) => `${name} ${description} ${(sources ?? []).map(relationOf).join(" ")}`.toLowerCase().includes(words));
  return (
    <>
      <div className="virtual-bar">
        {(tables.length >= FILTER_FROM || search.q !== undefined) && (
          <TypedInput
            aria-label="Filter virtual tables"
            placeholder="Name, source or description"
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={search.q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => change({ q: undefined })} />}
            value={search.q ?? ""}
            onTyped={(q) => change({ q: q === "" ? undefined : q })}
          />
        )}
        <Text size="sm" c="dimmed" role="status">
          {plural(shown.length, "virtual table")}
        </Text>
        <Button variant="default" size="xs" leftSection={<IconPlugConnected size={14} aria-hidden />} loading={checking} onClick={check}>
          Compare with their sources
        </Button>
      </div>
      <div className="panel">
        {shown.length === 0 ? (
          <EmptyState icon={IconZoomQuestion} title="No virtual table passes this filter" />
        ) : (
          <DataTable caption="Virtual tables" columns={columnsWith(states)} rows={shown} rowKey={({ id }) => id} />
        )}
      </div>
    </>
  );
}

type State = { found: VirtualTableDriftView } | { error: unknown };

function columnsWith(states: ReadonlyMap<string, State>): Column<VirtualTableView>[] {
  return [
    {
      key: "name",
      label: "Name",
      cell: ({ name, description, may_read }) => (
        <div>
          <Link to="/virtual-tables/$tableId" params={{ tableId: name }} className="link name">
            {name}
          </Link>
          {!may_read && (
            <span className="virtual-lock">
              <IconLock size={12} aria-hidden /> not for you
            </span>
          )}
          {description !== "" && <span className="virtual-about">{description}</span>}
        </div>
      ),
    },
    { key: "sources", label: "Made of", cell: ({ sources }) => (sources === null ? <span className="virtual-quiet">told to its readers</span> : <Relations names={sources.map(relationOf)} />) },
    { key: "cache", label: "Results", cell: (one) => <span className="virtual-short">{cacheInWords(one)}</span>, wide: "table" },
    { key: "operations", label: "Allowed", cell: ({ allowed_operations }) => allowed_operations.join(", "), wide: "table" },
    { key: "readers", label: "Read by", cell: (one) => <span className="name">{readersInWords(one)}</span>, wide: "table" },
    { key: "state", label: "Sources", cell: ({ name }) => <Drifted state={states.get(name)} /> },
  ];
}

function Relations({ names }: { names: readonly string[] }) {
  return (
    <span className="virtual-relations">
      {names.map((name, index) => (
        <span key={index} className="name mono">
          {name}
        </span>
      ))}
    </span>
  );
}

function Drifted({ state }: { state: State | undefined }) {
  if (state === undefined) return <span className="virtual-quiet virtual-short">not compared</span>;
  if ("error" in state) {
    const { code, message } = asProblem(state.error);
    return (
      <span className="badge" data-tone="bad" title={message}>
        {code === "" ? "no answer" : code}
      </span>
    );
  }
  const { seen_at, changes } = state.found;
  if (seen_at === null) return <span className="badge" data-tone="calm">first seen now</span>;
  return changes.length === 0 ? <span className="badge" data-tone="good">as declared</span> : <span className="badge" data-tone="warn">{plural(changes.length, "change")}</span>;
}

/** What was compared so far. Sources are connected to for it, one table after the other: they are not to be overrun. */
function useDrift(tables: readonly VirtualTableView[]) {
  const queries = useQueryClient();
  const [checking, setChecking] = useState(false);
  const readable = tables.filter(({ may_read }) => may_read).map(({ name }) => name);
  const states = useQueries({
    queries: readable.map((name) => ({ ...virtualDriftQuery(name), enabled: false })),
    combine: (answers) =>
      new Map<string, State>(
        answers.flatMap(({ data, error }, index) => {
          const state: State | null = error !== null ? { error } : data === undefined ? null : { found: data };
          return state === null ? [] : [[readable[index] ?? "", state] as const];
        }),
      ),
  });
  const check = async (): Promise<void> => {
    setChecking(true);
    for (const name of readable) await queries.query({ ...virtualDriftQuery(name), staleTime: 0, retry: false }).catch(() => undefined);
    setChecking(false);
  };
  return { states, check: () => void check(), checking };
}
