import "./sources.css";

import { Button, CloseButton, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconDatabase, IconLock, IconPlus, IconSearch, IconZoomQuestion } from "@tabler/icons-react";

import { ApiProblem, type DeclaredSourceList, type DeclaredSourceView } from "../../api";
import { declaredSourcesQuery, useRemoveSource } from "../../api/federation";
import { useMayWrite } from "../../api/scope";
import { ConfirmDialog, CopyCommand, EmptyState, notify, PageHeader, Problem, QueryResult, TypedInput } from "../../components";
import { plural } from "../../format/numbers";
import { FederationNav } from "../Nav";
import { Detail } from "./Detail";
import type { DeclaredSearch } from "./search";
import { SourceForm } from "./SourceForm";
import { connectorName } from "./words";

const route = getRouteApi("/frame/sources");

/** Databases and files that queries read beside the lake. */
export default function SourcesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  const query = useQuery(declaredSourcesQuery());
  const change = (part: DeclaredSearch, replace = true): void => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  };
  const sources = query.data?.items ?? [];
  return (
    <>
      <PageHeader
        title="Sources"
        about="Databases and files that queries read where they are, beside the lake."
        actions={
          mayWrite && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => change({ dialog: "new" })}>
              Add a source
            </Button>
          )
        }
      />
      <FederationNav />
      <QueryResult query={query} skeleton={<Skeleton h={420} radius="md" />}>
        {(found) => (
          <Stack gap="md">
            {found.errors.length > 0 && <Faults found={found} />}
            {found.items.length === 0 ? (
              <None mayWrite={mayWrite} />
            ) : (
              <div className="sources" data-chosen={search.source !== undefined || undefined}>
                <List sources={found.items} search={search} change={change} />
                {search.source !== undefined && <Detail key={search.source} name={search.source} search={search} change={change} />}
              </div>
            )}
          </Stack>
        )}
      </QueryResult>
      <Dialogs sources={sources} search={search} change={change} />
    </>
  );
}

function Faults({ found }: { found: DeclaredSourceList }) {
  return (
    <Stack gap="sm">
      {found.errors.map((one, index) => (
        <Problem key={index} error={new ApiProblem(422, one)} />
      ))}
    </Stack>
  );
}

function None({ mayWrite }: { mayWrite: boolean }) {
  return (
    <div className="panel">
      <EmptyState icon={IconDatabase} title="No sources yet" action={<CopyCommand command="forge source add crm --connector postgresql --url jdbc:postgresql://db.example.com/crm --user env:CRM_USER --password env:CRM_PASSWORD" />}>
        A source is a database or a folder of files that queries join with the lake. It is declared in a file of the project, by a command{mayWrite ? ", or here" : ""}.
      </EmptyState>
    </div>
  );
}

interface PartProps {
  sources: readonly DeclaredSourceView[];
  search: DeclaredSearch;
  change: (part: DeclaredSearch, replace?: boolean) => void;
}

const FILTER_FROM = 6;

function List({ sources, search, change }: PartProps) {
  const words = (search.q ?? "").toLowerCase();
  const shown = sources.filter(({ name, description, connector }) => `${name} ${description} ${connector}`.toLowerCase().includes(words));
  return (
    <div className="declared-list">
      {(sources.length >= FILTER_FROM || search.q !== undefined) && (
        <TypedInput
          aria-label="Filter sources"
          placeholder="Name, kind or description"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={search.q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => change({ q: undefined })} />}
          value={search.q ?? ""}
          onTyped={(q) => change({ q: q === "" ? undefined : q })}
        />
      )}
      <Text size="sm" c="dimmed" role="status">
        {plural(shown.length, "source")}
      </Text>
      {shown.length === 0 ? (
        <div className="panel">
          <EmptyState icon={IconZoomQuestion} title="No source passes this filter" />
        </div>
      ) : (
        <ul className="panel sources-all" aria-label="Sources">
          {shown.map((one) => (
            <li key={one.id}>
              <Link from="/sources" to="/sources" search={(before) => ({ ...before, source: one.name, table: undefined, tab: undefined })} className="sources-one" data-here={one.name === search.source || undefined} aria-current={one.name === search.source || undefined} resetScroll={false}>
                <span className="declared-name">
                  <b className="name">{one.name}</b>
                  <span className="sources-kind">{connectorName(one.connector)}</span>
                  {!one.may_read && (
                    <span className="sources-kind">
                      <IconLock size={12} aria-hidden /> for its readers
                    </span>
                  )}
                </span>
                {one.description !== "" && <span className="sources-about">{one.description}</span>}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Dialogs({ sources, search, change }: PartProps) {
  const remove = useRemoveSource();
  const close = (): void => change({ dialog: undefined });
  const source = sources.find(({ name }) => name === search.source);
  if (search.dialog === undefined) return null;
  if (search.dialog === "new") return <SourceForm source={undefined} onClose={close} onSaved={(made) => change({ dialog: undefined, source: made.name, table: undefined, tab: undefined })} />;
  if (source === undefined) return null;
  if (search.dialog === "edit") return <SourceForm source={source} onClose={close} onSaved={close} />;
  return (
    <ConfirmDialog
      opened
      danger
      title={`Remove ${source.name}?`}
      confirm="Remove the source"
      keep="Keep it"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(source, {
          onSuccess: () => {
            notify("good", `${source.name} is removed`);
            change({ dialog: undefined, source: undefined, table: undefined, tab: undefined });
          },
        })
      }
      onClose={close}
    >
      Queries cannot name it any more. What the source holds is not touched.
    </ConfirmDialog>
  );
}
