import "./glossary.css";

import { Button, CloseButton, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconBook2, IconPlus, IconSearch, IconZoomQuestion } from "@tabler/icons-react";

import type { TermView } from "../../api";
import { termsQuery, useDeleteTerm } from "../../api/glossary";
import { useMayWrite } from "../../api/scope";
import { ConfirmDialog, CopyCommand, EmptyState, notify, PageHeader, QueryResult, StatusBadge, TypedInput } from "../../components";
import { plural } from "../../format/numbers";
import { plainLine } from "../markdown/parse";
import { CatalogNav } from "../Nav";
import { ExportTerms, ImportButton, ImportTerms } from "./Files";
import { TERM_STATES, type GlossarySearch } from "./search";
import { Term } from "./Term";
import { TermForm } from "./TermForm";
import { byDomain, NO_DOMAIN, termsMeant, type TermGroup } from "./words";

const route = getRouteApi("/frame/glossary");

/** What words of the business mean, by domain, and where in the data they are. */
export default function GlossaryPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  const query = useQuery(termsQuery({ q: search.q, domain: search.domain, state: search.state }));
  const all = useQuery(termsQuery({}));
  const change = (part: GlossarySearch, replace = true): void => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  };
  const terms = all.data ?? [];
  // Links say an id, people a name.
  const meant = search.term === undefined ? [] : termsMeant(terms, search.term);
  const chosen = meant.length === 1 ? meant[0]?.id : undefined;
  return (
    <>
      <PageHeader
        title="Glossary"
        about="What the words of the business mean, and which columns hold them."
        actions={
          <>
            {terms.length > 0 && <ExportTerms domain={search.domain} />}
            {mayWrite && (
              <>
                <ImportButton onOpen={() => change({ dialog: "import" })} />
                <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => change({ dialog: "new" })}>
                  New term
                </Button>
              </>
            )}
          </>
        }
      />
      <CatalogNav />
      <Stack gap="md">
        {(terms.length > 0 || isFiltered(search)) && <Filters search={search} terms={terms} change={change} />}
        <QueryResult query={query} skeleton={<Skeleton h={420} radius="md" />}>
          {(found) => (
            <div className="glossary" data-chosen={search.term !== undefined || undefined}>
              <div>
                <Text size="sm" c="dimmed" role="status" mb={8}>
                  {plural(found.length, "term")}
                </Text>
                <Terms found={found} search={search} chosen={chosen} change={change} />
              </div>
              {search.term !== undefined && all.data !== undefined && (meant.length > 1 ? <Which name={search.term} terms={meant} /> : <Term id={chosen ?? search.term} terms={terms} change={change} />)}
            </div>
          )}
        </QueryResult>
      </Stack>
      <Dialogs search={search} terms={terms} chosen={chosen} change={change} />
    </>
  );
}

function isFiltered({ q, domain, state }: GlossarySearch): boolean {
  return q !== undefined || domain !== undefined || state !== undefined;
}

interface PartProps {
  search: GlossarySearch;
  terms: readonly TermView[];
  change: (part: GlossarySearch, replace?: boolean) => void;
}

function Filters({ search, terms, change }: PartProps) {
  const domains = [...new Set(terms.map((term) => term.domain).filter((domain) => domain !== ""))].toSorted();
  return (
    <div role="search" className="glossary-filters" aria-label="Filter terms">
      <TypedInput
        label="Words"
        placeholder="Name, synonym or definition"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search.q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => change({ q: undefined })} />}
        value={search.q ?? ""}
        onTyped={(q) => change({ q: q === "" ? undefined : q })}
      />
      <NativeSelect
        label="Domain"
        value={search.domain ?? ""}
        onChange={(event) => change({ domain: event.currentTarget.value === "" ? undefined : event.currentTarget.value })}
        data={[{ value: "", label: "All domains" }, ...new Set([...domains, ...(search.domain === undefined ? [] : [search.domain])])]}
      />
      <NativeSelect
        label="State"
        value={search.state ?? ""}
        onChange={(event) => change({ state: TERM_STATES.find((state) => state === event.currentTarget.value) })}
        data={[
          { value: "", label: "Any state" },
          { value: "approved", label: "Approved" },
          { value: "draft", label: "Draft" },
        ]}
      />
    </div>
  );
}

/** A name that several domains have. */
function Which({ name, terms }: { name: string; terms: readonly TermView[] }) {
  return (
    <section className="panel term" aria-labelledby="which-term">
      <h2 id="which-term" className="term-name">
        Which “{name}”?
      </h2>
      <ul className="term-list">
        {terms.map((term) => (
          <li key={term.id}>
            <Link from="/glossary" to="/glossary" search={(before) => ({ ...before, term: term.id })} className="link name" resetScroll={false}>
              {term.name}, {term.domain === "" ? NO_DOMAIN : term.domain}
            </Link>
            {term.definition !== "" && <> {plainLine(term.definition.slice(0, 160))}</>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Terms({ found, search, chosen, change }: { found: readonly TermView[]; chosen: string | undefined } & Omit<PartProps, "terms">) {
  if (found.length === 0 && !isFiltered(search)) {
    return (
      <div className="panel">
        <EmptyState icon={IconBook2} title="No terms yet" action={<CopyCommand command="forge catalog glossary import terms.csv" />}>
          Write down what “net revenue” means once, and link the columns that hold it. Terms come from here, from CSV or YAML, or from the project’s files.
        </EmptyState>
      </div>
    );
  }
  if (found.length === 0) {
    return (
      <div className="panel">
        <EmptyState
          icon={IconZoomQuestion}
          title="No term passes these filters"
          action={
            <Button variant="default" onClick={() => change({ q: undefined, domain: undefined, state: undefined })}>
              Show all terms
            </Button>
          }
        />
      </div>
    );
  }
  return byDomain(found).map((group) => <Group key={group.domain} group={group} chosen={chosen} />);
}

function Group({ group, chosen }: { group: TermGroup; chosen: string | undefined }) {
  const id = `domain-${group.domain === "" ? "none" : group.domain}`;
  return (
    <section className="panel glossary-group" aria-labelledby={id}>
      <h2 id={id} className="panel-title">
        {group.domain === "" ? NO_DOMAIN : group.domain}
      </h2>
      <ul>
        {group.terms.map((term) => (
          <li key={term.id}>
            <Link from="/glossary" to="/glossary" search={(before) => ({ ...before, term: term.id })} className="glossary-term" data-here={term.id === chosen || undefined} aria-current={term.id === chosen || undefined} resetScroll={false}>
              <span className="glossary-name name">{term.name}</span>
              {term.state === "draft" && <StatusBadge word="draft" />}
              <span className="glossary-about">{plainLine(term.definition.slice(0, 160))}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Dialogs({ search, terms, chosen, change }: PartProps & { chosen: string | undefined }) {
  const remove = useDeleteTerm();
  const term = terms.find((one) => one.id === chosen);
  const close = (): void => change({ dialog: undefined });
  if (search.dialog === undefined) return null;
  if (search.dialog === "import") return <ImportTerms onClose={close} />;
  if (search.dialog === "new" || (search.dialog === "edit" && term !== undefined)) {
    return (
      <TermForm
        term={search.dialog === "new" ? undefined : term}
        terms={terms}
        domain={search.domain}
        onClose={close}
        onSaved={(made) => change({ dialog: undefined, term: made.id })}
      />
    );
  }
  if (term === undefined) return null;
  return (
    <ConfirmDialog
      opened
      danger
      title={`Delete “${term.name}”?`}
      confirm="Delete the term"
      keep="Keep it"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(term, {
          onSuccess: () => {
            notify("good", `“${term.name}” is deleted`);
            change({ dialog: undefined, term: undefined });
          },
        })
      }
      onClose={close}
    >
      Columns keep their descriptions. Its history stays. A term that columns are linked to is not deleted.
    </ConfirmDialog>
  );
}
