import "../quality.css";
import "../../versioning/merge/merge.css";

import { Button, Skeleton, Stack, Tabs, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconArrowBackUp, IconCheck, IconEqual, IconGitCompare, IconX } from "@tabler/icons-react";
import { useState } from "react";

import type { RemediationView, RemedyPreview } from "../../api";
import { remediationQuery, remedyPreviewQuery, useDecide, type Decision } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { BranchLink, CommitLink, EmptyState, QueryResult, Name, notify, PageHeader, RelativeTime, RunLink, StatusBadge, TableLink } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { LongWork } from "../../components/LongWork";
import { lookOf } from "../../components/StatusBadge";
import { plural } from "../../format/numbers";
import { RowCounts } from "../../versioning/compare/RowCounts";
import { ChangedRows } from "../../versioning/compare/RowDiff";
import { Line } from "../Line";
import { QualityNav } from "../Nav";
import { PairSkeleton } from "../PairSkeleton";
import { LOOKS_LIKE, optionsInWords, standingOf, stepInWords, stepsInShort, verdictsInWords } from "./words";

const route = getRouteApi("/frame/quality/remediations/$remediationId");

/** One remedy: what it does, the diff it would make, how the checks stand after it, and the decision. */
export default function RemediationPage() {
  const { remediationId } = route.useParams();
  const query = useQuery(remediationQuery(remediationId));
  const one = query.data;
  return (
    <>
      <PageHeader
        title={one === undefined ? "Remedy" : <Title one={one} />}
        documentTitle={one === undefined ? "Remedy" : `${stepsInShort(one.steps)} · ${one.table}`}
        marks={one !== undefined && <StatusBadge word={LOOKS_LIKE[one.status]} label={one.status === "nothing" ? "nothing to do" : one.status} />}
        about={one !== undefined && <About one={one} />}
        actions={one !== undefined && <Actions one={one} />}
      />
      <QualityNav />
      <QueryResult query={query} skeleton={<PairSkeleton />}>
        {(found) => <Content one={found} />}
      </QueryResult>
    </>
  );
}

function Title({ one }: { one: RemediationView }) {
  return (
    <>
      {stepsInShort(one.steps)}: <Name text={one.table} />
    </>
  );
}

function About({ one }: { one: RemediationView }) {
  return (
    <>
      for <BranchLink branch={one.branch} /> · proposed by {one.proposed_by === "" ? "Forge" : one.proposed_by}, <RelativeTime time={one.proposed_at} />
    </>
  );
}

function Actions({ one }: { one: RemediationView }) {
  const mayWrite = useMayWrite();
  const navigate = route.useNavigate();
  if (!mayWrite) return null;
  const ask = (dialog: Decision): void => void navigate({ search: (before) => ({ ...before, dialog }), resetScroll: false });
  if (one.status === "proposed") {
    return (
      <>
        <Button variant="default" leftSection={<IconX size={16} aria-hidden />} onClick={() => ask("reject")}>
          Reject…
        </Button>
        <Button leftSection={<IconCheck size={16} aria-hidden />} disabled={!one.can_approve} title={one.why_not ?? undefined} onClick={() => ask("approve")}>
          Approve…
        </Button>
      </>
    );
  }
  if (one.status !== "applied" || one.commit === null) return null;
  return (
    <Button variant="default" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => ask("revert")}>
      Take it back…
    </Button>
  );
}

function Content({ one }: { one: RemediationView }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { tone, title } = standingOf(one);
  const { icon: Sign } = lookOf(LOOKS_LIKE[one.status]);
  const close = (): void => void navigate({ search: (before) => ({ ...before, dialog: undefined }), replace: true, resetScroll: false });
  return (
    <Stack gap="md">
      <div className="panel result-lead" data-tone={tone}>
        <Sign size={22} aria-hidden />
        <div>
          <Text fw={640}>{title}</Text>
          {one.note !== "" && (
            <Text size="sm" className="name">
              {one.note}
            </Text>
          )}
          {one.status === "proposed" && !one.can_approve && one.why_not !== null && (
            <Text size="sm" className="name">
              {one.why_not}
            </Text>
          )}
        </div>
      </div>
      <div className="result-pair">
        <Steps one={one} />
        <Afterwards one={one} />
      </div>
      {one.preview !== null && <Preview one={one} table={search.table} onTable={(table) => void navigate({ search: (before) => ({ ...before, table }), replace: true, resetScroll: false })} />}
      {search.dialog !== undefined && <DecisionDialog one={one} decision={search.dialog} onClose={close} />}
    </Stack>
  );
}

function Steps({ one }: { one: RemediationView }) {
  return (
    <section className="panel quality-pad" aria-labelledby="steps">
      <h2 className="panel-title" id="steps">
        What it does
      </h2>
      <ol className="remedy-steps">
        {one.steps.map((step, index) => {
          const result = one.results[index];
          const options = optionsInWords(step);
          return (
            <li key={index}>
              <strong>{stepInWords(step)}</strong> <span className="quality-quiet">{step.action}</span>
              {options !== "" && <div className="mono name">{options}</div>}
              {result !== undefined && (
                <div className="name" data-tone={result.success ? undefined : "bad"}>
                  {result.message}
                </div>
              )}
            </li>
          );
        })}
      </ol>
      <dl className="result-numbers">
        <Line name="Table">
          <TableLink table={one.table} at={one.base ?? undefined} />
        </Line>
        {one.preview_branch !== null && (
          <Line name="Worked out on">
            <BranchLink branch={one.preview_branch} />
          </Line>
        )}
        {one.commit !== null && (
          <Line name="Done as">
            <CommitLink commit={one.commit} />
          </Line>
        )}
        {one.reverted_by_commit !== null && (
          <Line name="Taken back by">
            <CommitLink commit={one.reverted_by_commit} />
          </Line>
        )}
        {one.decided_at !== null && (
          <Line name="Decided">
            {one.decided_by ?? "by policy"}, <RelativeTime time={one.decided_at} />
            {one.comment !== "" && <div>“{one.comment}”</div>}
          </Line>
        )}
        {one.run_id !== null && (
          <Line name="Run">
            <RunLink runId={one.run_id} />
          </Line>
        )}
        {one.monitor_id !== null && (
          <Line name="Monitor">
            <Link to="/quality/monitors/$monitorId" params={{ monitorId: one.monitor_id }} className="link">
              that found it
            </Link>
          </Line>
        )}
      </dl>
    </section>
  );
}

function Afterwards({ one }: { one: RemediationView }) {
  return (
    <section className="panel quality-pad" aria-labelledby="after">
      <h2 className="panel-title" id="after">
        The checks after it
      </h2>
      <p className="quality-quiet">{verdictsInWords(one)}</p>
      <ul className="remedy-verdicts">
        {one.verdicts.map((verdict) => (
          <li key={verdict.check_id}>
            <StatusBadge word={verdict.outcome} />
            <span className="name">{verdict.message}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Preview({ one, table, onTable }: { one: RemediationView; table: string | undefined; onTable: (table: string | undefined) => void }) {
  const query = useQuery(remedyPreviewQuery(one.id));
  return (
    <section className="panel quality-list" aria-labelledby="diff">
      <div className="quality-pad sla-head">
        <h2 className="panel-title" id="diff">
          What changes
        </h2>
        {one.preview_branch !== null && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconGitCompare size={15} aria-hidden />}
            renderRoot={(props) => <Link to="/compare/$range" params={{ range: `${one.branch}..${one.preview_branch ?? ""}` }} {...props} />}
          >
            Compare the branches
          </Button>
        )}
      </div>
      <QueryResult query={query} skeleton={<Skeleton h={260} m="md" radius="md" />}>
        {(preview) => <Tables preview={preview} table={table} onTable={onTable} />}
      </QueryResult>
    </section>
  );
}

function Tables({ preview, table, onTable }: { preview: RemedyPreview; table: string | undefined; onTable: (table: string | undefined) => void }) {
  const { tables } = preview;
  const shown = tables.find((one) => one.table === table) ?? tables[0];
  if (shown === undefined) return <EmptyState icon={IconEqual} title="No row changes" />;
  return (
    <Tabs value={shown.table} keepMounted={false} onChange={(next) => onTable(tables[0]?.table === next ? undefined : (next ?? undefined))}>
      <Tabs.List className="quality-tabs" aria-label="Tables">
        {tables.map((one) => (
          <Tabs.Tab key={one.table} value={one.table}>
            {one.table} <RowCounts of={one} />
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tables.map((one) => (
        <Tabs.Panel key={one.table} value={one.table}>
          {one.table === shown.table &&
            (one.rows.length === 0 ? (
              <EmptyState icon={IconEqual} title="No row differs" />
            ) : (
              <>
                <ChangedRows diff={one} />
                {one.has_more && (
                  <Text size="sm" c="dimmed" p="sm">
                    The first {plural(one.rows.length, "row")}; comparing the branches shows them all.
                  </Text>
                )}
              </>
            ))}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

const ASKS: Record<Decision, { title: string; submit: string; text: (one: RemediationView) => string; done: string }> = {
  approve: {
    title: "Approve this remedy?",
    submit: "Approve and do it",
    text: (one) => `It becomes one commit on ${one.branch}, with you as who approved it, and can be taken back at any time.`,
    done: "It is done",
  },
  reject: { title: "Reject this remedy?", submit: "Reject it", text: (one) => `Nothing changes on ${one.branch}; what was worked out is dropped.`, done: "It is rejected" },
  revert: { title: "Take it back?", submit: "Take it back", text: (one) => `A new commit on ${one.branch} brings back the rows as they were before it.`, done: "It is taken back" },
};

function DecisionDialog({ one, decision, onClose }: { one: RemediationView; decision: Decision; onClose: () => void }) {
  const decide = useDecide(one.id);
  const [comment, setComment] = useState("");
  const { title, submit, text, done } = ASKS[decision];
  const send = (): void =>
    decide.mutate(
      { decision, comment: comment.trim() },
      {
        onSuccess: () => {
          notify("good", done);
          onClose();
        },
      },
    );
  return (
    <FormDialog title={title} submit={submit} busy={decide.isPending} error={decide.error} onSubmit={send} onClose={onClose}>
      <Text size="sm">{text(one)}</Text>
      <Textarea data-autofocus label="Comment" description="May be left out" rows={3} resize="vertical" maxLength={10_000} value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
      <LongWork runId={decide.runId} what="It" />
    </FormDialog>
  );
}
