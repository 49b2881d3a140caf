import "../page.css";
import "./impact.css";

import { Button, Skeleton, Stack, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconBinaryTree2, IconTargetArrow } from "@tabler/icons-react";

import { impactQuery } from "../../api";
import { CopyCommand, EmptyState, QueryResult, PageHeader } from "../../components";
import { NearestNames } from "../NearestNames";
import { commandFor, isReady, MEANINGS, type ChangeName } from "./changes";
import { ImpactForm } from "./Form";
import { Report } from "./Report";

const route = getRouteApi("/frame/impact");

/** What breaks if a column or table changes, before it is changed. */
export default function ImpactPage() {
  const { focus, change, to, at } = route.useSearch();
  const ready = focus !== undefined && isReady(change, to);
  return (
    <>
      <PageHeader
        title="Impact of a change"
        documentTitle={focus === undefined ? "Impact" : `Impact on ${focus}`}
        about="What would break, whom to tell and what to do. Nothing is changed by asking."
        actions={
          focus !== undefined && (
            <Button
              variant="default"
              leftSection={<IconBinaryTree2 size={16} aria-hidden />}
              renderRoot={(props) => <Link to="/lineage" search={{ focus, at, direction: "downstream" }} {...props} />}
            >
              See its lineage
            </Button>
          )
        }
      />
      <ImpactForm />
      {focus === undefined ? <ChooseFocus /> : ready ? <Asked focus={focus} change={change} /> : <ChooseChange focus={focus} />}
    </>
  );
}

function Asked({ focus, change }: { focus: string; change: ChangeName }) {
  const { to, at } = route.useSearch();
  const given = MEANINGS[change].to === undefined ? undefined : to;
  const query = useQuery(impactQuery({ focus, change, to: given, at }));
  if (query.data === undefined && query.error !== null) {
    return <NearestNames error={query.error} retry={() => void query.refetch()} busy={query.isFetching} page="/impact" />;
  }
  return (
    <Stack gap="md">
      <QueryResult query={query} skeleton={<ReportSkeleton />}>
        {(report) => <Report report={report} at={at} />}
      </QueryResult>
      <section aria-label="In the terminal">
        <CopyCommand command={commandFor({ focus, change, to: given, at })} />
      </section>
    </Stack>
  );
}

function ReportSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton h={148} radius={12} />
      <Skeleton h={360} radius={12} />
    </Stack>
  );
}

function ChooseFocus() {
  return (
    <div className="panel">
      <EmptyState icon={IconTargetArrow} title="What would you like to change?">
        Type the name of a table or a column above. Lineage tells who reads it, how, and how sure that is.
      </EmptyState>
    </div>
  );
}

const GROUPS = [
  { of: "column", title: "A column" },
  { of: "either", title: "Either" },
  { of: "table", title: "A table" },
] as const;

function ChooseChange({ focus }: { focus: string }) {
  const { change } = route.useSearch();
  const navigate = route.useNavigate();
  const waiting = change === undefined ? undefined : MEANINGS[change].to;
  if (waiting !== undefined) {
    return (
      <div className="panel">
        <EmptyState icon={IconTargetArrow} title={`${waiting.label}?`}>
          Type it above: what breaks depends on it.
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="panel change-choices">
      <h2 className="panel-title">How does {focus} change?</h2>
      {GROUPS.map(({ of, title }) => (
        <section key={of} aria-label={title}>
          <h3 className="change-group">{title}</h3>
          <div className="change-cards">
            {Object.entries(MEANINGS)
              .filter(([, meaning]) => meaning.of === of)
              .map(([name, { label, about }]) => (
                <UnstyledButton key={name} className="change-card" onClick={() => void navigate({ search: (before) => ({ ...before, change: name as ChangeName }) })}>
                  <strong>{label}</strong>
                  <span>{about}</span>
                </UnstyledButton>
              ))}
          </div>
        </section>
      ))}
    </div>
  );
}
