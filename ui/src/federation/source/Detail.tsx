import { Button, CloseButton, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconPencil, IconPlugConnected, IconTrash } from "@tabler/icons-react";

import type { DeclaredSourceView, SourceTestView, SourceUserView } from "../../api";
import { declaredSourceQuery, sourceUsersQuery, useTestSource } from "../../api/federation";
import { useMayWrite } from "../../api/scope";
import { Problem, QueryResult, RelativeTime } from "../../components";
import { Fact } from "../../components/Fact";
import { duration, plural } from "../../format/numbers";
import { Drift, Changes } from "./Drift";
import { Schema } from "./Schema";
import type { DeclaredSearch } from "./search";
import { changedHere, connectorName, maskInWords, originInWords, rowsInWords, usersInWords } from "./words";

interface Props {
  name: string;
  search: DeclaredSearch;
  change: (part: DeclaredSearch, replace?: boolean) => void;
}

/** One source: what it has, what has changed in it, and how it is reached. */
export function Detail({ name, search, change }: Props) {
  const query = useQuery(declaredSourceQuery(name));
  return (
    <article className="panel source" aria-label={name}>
      <QueryResult query={query} skeleton={<Skeleton h={320} radius="md" />}>
        {(source) => <One source={source} search={search} change={change} />}
      </QueryResult>
    </article>
  );
}

function One({ source, search, change }: Omit<Props, "name"> & { source: DeclaredSourceView }) {
  const mayWrite = useMayWrite();
  const test = useTestSource();
  const tab = source.may_read ? (search.tab ?? "tables") : "about";
  return (
    <>
      <header className="source-head">
        <div className="source-title">
          <h2 className="name">{source.name}</h2>
          <Text size="sm" c="dimmed">
            {connectorName(source.connector)}, from <span className="name">{originInWords(source)}</span>
          </Text>
        </div>
        <div className="source-actions">
          {mayWrite && (
            <Button size="xs" variant="default" leftSection={<IconPlugConnected size={14} aria-hidden />} loading={test.isPending} onClick={() => test.mutate(source.name)}>
              Test
            </Button>
          )}
          {mayWrite && changedHere(source) && (
            <>
              <Button size="xs" variant="default" leftSection={<IconPencil size={14} aria-hidden />} onClick={() => change({ dialog: "edit" })}>
                Edit
              </Button>
              <Button size="xs" variant="default" leftSection={<IconTrash size={14} aria-hidden />} onClick={() => change({ dialog: "remove" })}>
                Remove
              </Button>
            </>
          )}
          <CloseButton aria-label="Close" onClick={() => change({ source: undefined, table: undefined, tab: undefined })} />
        </div>
      </header>
      <Stack gap="sm" className="source-body">
        {source.description !== "" && <Text size="sm">{source.description}</Text>}
        <ReadBy name={source.name} />
        {test.error !== null && <Problem error={test.error} plain />}
        {test.data !== undefined && <Tested found={test.data} />}
        <SegmentedControl
          aria-label="Of the source"
          value={tab}
          onChange={(value) => change({ tab: value === "drift" || value === "about" ? value : undefined })}
          data={[
            { value: "tables", label: "Tables", disabled: !source.may_read },
            { value: "drift", label: "Drift", disabled: !source.may_read },
            { value: "about", label: "Connection" },
          ]}
          style={{ alignSelf: "flex-start" }}
        />
        {tab === "tables" && <Schema source={source.name} chosen={search.table} choose={(table) => change({ table })} />}
        {tab === "drift" && <Drift source={source.name} />}
        {tab === "about" && <About source={source} />}
      </Stack>
    </>
  );
}

/** Virtual tables, loads and saved queries that use it. What is none of the caller's is not among them. */
function ReadBy({ name }: { name: string }) {
  const users = useQuery(sourceUsersQuery(name)).data ?? [];
  return (["virtual_table", "load", "saved_query"] as const).map((kind) => {
    const own = users.filter((one) => one.kind === kind);
    if (own.length === 0) return null;
    return (
      <Text key={kind} size="sm" c="dimmed">
        {usersInWords[kind]}{" "}
        {own.map((one, index) => (
          <span key={one.id}>
            {index > 0 && ", "}
            <UserLink user={one} />
            {one.through.length > 0 && ` (through ${one.through.join(", ")})`}
          </span>
        ))}
      </Text>
    );
  });
}

function UserLink({ user }: { user: SourceUserView }) {
  if (user.kind === "virtual_table") {
    return (
      <Link to="/virtual-tables/$tableId" params={{ tableId: user.id }} className="link name">
        {user.name}
      </Link>
    );
  }
  return <span className="name">{user.name}</span>;
}

function Tested({ found }: { found: SourceTestView }) {
  return (
    <div className="source-tested" role="status">
      <Text size="sm">
        <b>{found.answered} answered</b>
        {found.tables !== null && `, with ${plural(found.tables, "table")}`}.{" "}
        {found.changes === null ? "" : found.changes.length === 0 ? "Nothing has changed since it was last tested." : `${plural(found.changes.length, "change")} since it was last tested; from now on it is taken as it is.`}
      </Text>
      {found.changes !== null && found.changes.length > 0 && <Changes changes={found.changes} />}
    </div>
  );
}

function About({ source }: { source: DeclaredSourceView }) {
  const listed = (names: readonly string[] | null, none: string): string => (names === null || names.length === 0 ? none : names.join(", "));
  const options = Object.entries(source.options ?? {});
  const columns = Object.entries(source.columns ?? {});
  const endpoints = Object.entries(source.tables ?? {});
  if (!source.may_read && source.readers === null) {
    return <Text size="sm">Only its readers may query it. Ask whoever declared it.</Text>;
  }
  return (
    <dl className="facts source-facts">
      {source.url !== null && source.url !== "" && <Fact label="Address">{<code className="source-code">{source.url}</code>}</Fact>}
      {source.path !== null && source.path !== "" && <Fact label="Path">{<code className="source-code">{source.path}</code>}</Fact>}
      {source.format !== null && source.format !== "" && <Fact label="Format">{source.format}</Fact>}
      {columns.length > 0 && <Fact label="Columns">{columns.map(([column, type]) => `${column} ${type}`).join(", ")}</Fact>}
      {endpoints.length > 0 && <Fact label="Endpoints">{endpoints.map(([table, { path }]) => `${table} at ${path}`).join(", ")}</Fact>}
      {source.schema !== null && source.schema !== "" && <Fact label="Schema">{source.schema}</Fact>}
      {source.user !== null && <Fact label="User">{<code className="source-code">{source.user}</code>}</Fact>}
      {source.password !== null && <Fact label="Password">{<code className="source-code">{source.password}</code>}</Fact>}
      {options.length > 0 && <Fact label="Options">{options.map(([key, value]) => `${key}=${value}`).join(", ")}</Fact>}
      {source.readers !== null && <Fact label="Readers">{listed(source.readers, "everyone who may read the lake")}</Fact>}
      {source.hidden !== null && <Fact label="Hidden columns">{listed(source.hidden, "none")}</Fact>}
      {source.masks !== null && <Fact label="Masks">{listed(source.masks.map(maskInWords), "none")}</Fact>}
      {source.rows !== null && <Fact label="Row filters">{listed(source.rows.map(rowsInWords), "none")}</Fact>}
      {source.cache_ttl_seconds > 0 && <Fact label="Kept results">up to {duration(source.cache_ttl_seconds)} old, where it cannot tell whether it has changed</Fact>}
      {source.url === null && source.readers === null && <Fact label="Connection">Shown to tokens that may write</Fact>}
      {source.updated_at !== null && (
        <Fact label="Changed">
          <RelativeTime time={source.updated_at} /> by {source.updated_by}
        </Fact>
      )}
      <Fact label="Ask it">
        <Link to="/query" search={{ sql: `SELECT * FROM ${source.name}.` }} className="link">
          in a query
        </Link>
      </Fact>
    </dl>
  );
}
