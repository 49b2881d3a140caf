import "../source/sources.css";
import "./virtual.css";

import { Button, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconArrowLeft, IconLock, IconPencil, IconTerminal2, IconTrash } from "@tabler/icons-react";

import type { VirtualTableDetail } from "../../api";
import { useMayWrite } from "../../api/scope";
import { virtualTableQuery, virtualTablesQuery } from "../../api/virtualTables";
import { EmptyState, PageHeader, QueryResult, RelativeTime, WithCode } from "../../components";
import { Fact } from "../../components/Fact";
import { FederationNav } from "../Nav";
import { Columns } from "./Columns";
import { DeleteDialog } from "./DeleteDialog";
import { EditForm } from "./EditForm";
import { Lineage } from "./Lineage";
import type { VirtualTableSearch } from "./search";
import { Sources } from "./Sources";
import { Sql } from "./Sql";
import { cacheInWords, changedElsewhere, originInWords, readBy, readersInWords } from "./words";

const route = getRouteApi("/frame/virtual-tables/$tableId");
const VIRTUAL = "virtual";

/** One virtual table: what it is made of, whether it still fits its sources, and who may read it. */
export default function VirtualTablePage() {
  const { tableId } = route.useParams();
  const query = useQuery(virtualTableQuery(tableId));
  const table = query.data;
  return (
    <>
      <PageHeader title={<span className="name">{`${VIRTUAL}.${table?.name ?? tableId}`}</span>} documentTitle={table?.name ?? tableId} about={table === undefined || table.description === "" ? "A SELECT that is kept as data." : table.description} actions={<Actions table={table} />} />
      <FederationNav />
      <QueryResult query={query} skeleton={<Skeleton h={460} radius="md" />}>
        {(found) => <One key={found.name} table={found} />}
      </QueryResult>
    </>
  );
}

function Actions({ table }: { table: VirtualTableDetail | undefined }) {
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  const open = (dialog: VirtualTableSearch["dialog"]): void => void navigate({ search: (before) => ({ ...before, dialog }), resetScroll: false });
  const isChangedHere = table !== undefined && mayWrite && changedElsewhere(table) === null;
  return (
    <>
      <Button variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />} renderRoot={(props) => <Link to="/virtual-tables" {...props} />}>
        All virtual tables
      </Button>
      {table?.may_read === true && (
        <Button leftSection={<IconTerminal2 size={16} aria-hidden />} renderRoot={(props) => <Link to="/query" search={{ sql: `SELECT *\nFROM ${VIRTUAL}.${table.name}\nLIMIT 100` }} {...props} />}>
          Open in query
        </Button>
      )}
      {isChangedHere && (
        <>
          <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => open("edit")}>
            Edit
          </Button>
          <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => open("delete")}>
            Delete
          </Button>
        </>
      )}
    </>
  );
}

function One({ table }: { table: VirtualTableDetail }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: VirtualTableSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const close = (): void => change({ dialog: undefined });
  return (
    <Stack gap="md">
      <Facts table={table} />
      {table.columns === null || table.sql === null ? (
        <div className="panel">
          <EmptyState icon={IconLock} title="What it is made of is for its readers">
            Who may not read it, or one of its sources, does not see them. Ask whoever declared it.
          </EmptyState>
        </div>
      ) : (
        <Tabs value={search.tab ?? "columns"} onChange={(tab) => change({ tab: tab === "sources" || tab === "sql" || tab === "lineage" ? tab : undefined })} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="columns">Columns</Tabs.Tab>
            <Tabs.Tab value="sources">Against its sources</Tabs.Tab>
            <Tabs.Tab value="sql">SQL</Tabs.Tab>
            <Tabs.Tab value="lineage">Lineage</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="columns" pt="md">
            <Columns table={table} />
          </Tabs.Panel>
          <Tabs.Panel value="sources" pt="md">
            <Sources table={table} />
          </Tabs.Panel>
          <Tabs.Panel value="sql" pt="md">
            <Sql table={table} sql={table.sql} />
          </Tabs.Panel>
          <Tabs.Panel value="lineage" pt="md">
            <Lineage name={table.name} />
          </Tabs.Panel>
        </Tabs>
      )}
      {search.dialog === "edit" && <EditForm table={table} onClose={close} />}
      {search.dialog === "delete" && <DeleteDialog table={table} onClose={close} />}
    </Stack>
  );
}

function Facts({ table }: { table: VirtualTableDetail }) {
  const elsewhere = changedElsewhere(table);
  const users = readBy(useQuery(virtualTablesQuery()).data?.items ?? [], VIRTUAL, table.name);
  return (
    <div className="panel">
      <dl className="facts">
        <Fact label="Allowed">{table.allowed_operations.join(", ")}</Fact>
        <Fact label="Results">{cacheInWords(table)}</Fact>
        <Fact label="Read by">{readersInWords(table)}</Fact>
        {table.hidden !== null && table.hidden.length > 0 && <Fact label="Read as NULL">{table.hidden.join(", ")}</Fact>}
        <Fact label="Declared by">{originInWords(table)}</Fact>
        {table.updated_at !== null && (
          <Fact label="Changed">
            <RelativeTime time={table.updated_at} /> by {table.updated_by}
          </Fact>
        )}
        {users.length > 0 && (
          <Fact label="Virtual tables over it">
            <TableLinks names={users} />
          </Fact>
        )}
      </dl>
      {elsewhere !== null && (
        <Text size="sm" c="dimmed" px={20} pb={16}>
          <WithCode text={elsewhere} />
        </Text>
      )}
    </div>
  );
}

function TableLinks({ names }: { names: readonly string[] }) {
  return (
    <span className="virtual-links">
      {names.map((name) => (
        <Link key={name} to="/virtual-tables/$tableId" params={{ tableId: name }} className="link name">
          {name}
        </Link>
      ))}
    </span>
  );
}
