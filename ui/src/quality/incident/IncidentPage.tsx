import "../quality.css";

import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconCircleCheck, IconEye, IconMessagePlus } from "@tabler/icons-react";
import { useState } from "react";

import { sessionQuery, type IncidentDetail } from "../../api";
import { incidentQuery, resultQuery, useChangeIncident } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { ColumnLink, QueryResult, Name, notify, notifyProblem, PageHeader, Problem, RelativeTime, StatusBadge, TableLink } from "../../components";
import { plural } from "../../format/numbers";
import { Cause } from "../check/Cause";
import { rowsIn, Sample } from "../check/Sample";
import { VerdictOrigin } from "../check/VerdictOrigin";
import { Line } from "../Line";
import { QualityNav } from "../Nav";
import { PairSkeleton } from "../PairSkeleton";
import { Alerts } from "./Alerts";
import { Timeline } from "./Timeline";
import { sawOf, sparedByOwner, subjectOf } from "./words";

const route = getRouteApi("/frame/quality/incidents/$incidentId");

/** One incident: what was seen, where it came in, who is on it, and all that happened since. */
export default function IncidentPage() {
  const { incidentId } = route.useParams();
  const query = useQuery(incidentQuery(incidentId));
  const incident = query.data;
  return (
    <>
      <PageHeader
        title={incident === undefined ? "Incident" : <Name text={subjectOf(incident)} />}
        documentTitle={incident === undefined ? "Incident" : `Incident · ${subjectOf(incident)}`}
        marks={
          incident !== undefined && (
            <>
              <StatusBadge word={incident.severity} />
              <StatusBadge word={incident.status} />
            </>
          )
        }
        about={incident !== undefined && <About incident={incident} />}
        actions={incident !== undefined && <Actions incident={incident} />}
      />
      <QualityNav />
      <QueryResult query={query} skeleton={<PairSkeleton />}>
        {(found) => <Content incident={found} />}
      </QueryResult>
    </>
  );
}

function About({ incident }: { incident: IncidentDetail }) {
  return (
    <>
      since <RelativeTime time={incident.since} />
      {incident.seen > 1 && ` · seen ${incident.seen} times`} · <VerdictOrigin by={incident.judged_by} />
    </>
  );
}

function Actions({ incident }: { incident: IncidentDetail }) {
  const mayWrite = useMayWrite();
  const change = useChangeIncident(incident.id);
  const status = incident.status;
  if (!mayWrite) return null;
  const to = (next: "acknowledged" | "resolved" | "open", said: string): void =>
    change.mutate({ status: next }, { onSuccess: () => notify("good", said), onError: notifyProblem });
  return (
    <>
      {status === "open" && (
        <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} loading={change.isPending} onClick={() => to("acknowledged", "You have it")}>
          Acknowledge
        </Button>
      )}
      {status === "resolved" ? (
        <Button variant="default" loading={change.isPending} onClick={() => to("open", "It is open again")}>
          Open again
        </Button>
      ) : (
        <Button leftSection={<IconCircleCheck size={16} aria-hidden />} loading={change.isPending} onClick={() => to("resolved", "It is resolved")}>
          Resolve
        </Button>
      )}
    </>
  );
}

function Content({ incident }: { incident: IncidentDetail }) {
  // The rows that a monitor found are kept with its result.
  const { data: result } = useQuery({ ...resultQuery(incident.result_id ?? ""), enabled: incident.result_id != null && incident.sample.length === 0 });
  const sample = incident.sample.length > 0 ? incident.sample : rowsIn(result?.details ?? {});
  return (
    <Stack gap="md">
      <div className="panel result-lead" data-tone={incident.status === "resolved" ? "good" : "bad"}>
        {incident.status === "resolved" ? <IconCircleCheck size={22} aria-hidden /> : <IconAlertTriangle size={22} aria-hidden />}
        <div>
          <Text fw={600} className="name">
            {sawOf(incident.message, incident.column)}
          </Text>
          {incident.previous !== null && (
            <Text size="sm" className="name">
              When it last passed: {sawOf(incident.previous, incident.column)}
            </Text>
          )}
        </div>
      </div>
      <div className="result-pair">
        <Facts incident={incident} />
        <Stack gap="md">
          <Cause cause={incident.cause ?? null} subject={subjectOf(incident)} />
          <Assignee key={incident.assignee ?? ""} incident={incident} />
        </Stack>
      </div>
      {sample.length > 0 && (
        <section className="panel quality-list" aria-labelledby="rows">
          <h2 className="panel-title quality-pad" id="rows">
            Rows that failed
          </h2>
          <Sample rows={sample} columns={result?.columns ?? (incident.column === null ? [] : [incident.column])} caption={`Rows of ${incident.table} that failed`} />
        </section>
      )}
      <div className="result-pair">
        <section className="panel quality-pad" aria-labelledby="timeline">
          <h2 className="panel-title" id="timeline">
            Timeline
          </h2>
          {incident.timeline.length === 0 ? <Text size="sm" c="dimmed">Nothing was done about it yet.</Text> : <Timeline entries={incident.timeline} table={incident.table} />}
          <Note incident={incident} />
        </section>
        <Alerts incident={incident} />
      </div>
    </Stack>
  );
}

function Facts({ incident }: { incident: IncidentDetail }) {
  const owners = sparedByOwner(incident.spared);
  return (
    <section className="panel quality-pad" aria-labelledby="facts">
      <h2 className="panel-title" id="facts">
        What is known
      </h2>
      <dl className="result-numbers">
        <Line name="Dataset">
          <TableLink table={incident.table} at={incident.judged_by.commit ?? undefined} />
        </Line>
        {incident.column !== null && (
          <Line name="Column">
            <ColumnLink column={subjectOf(incident)} name={incident.column} />
          </Line>
        )}
        <Line name="Check">
          {incident.result_id == null ? (
            incident.check_type.replaceAll("_", " ")
          ) : (
            <Link to="/quality/results/$resultId" params={{ resultId: incident.result_id }} className="link">
              {incident.check_type.replaceAll("_", " ")}, the newest result
            </Link>
          )}
        </Line>
        {incident.held_back.length > 0 && (
          <Line name="Held back">
            {incident.held_back.map((table, index) => (
              <span key={table}>
                {index > 0 && ", "}
                <TableLink table={table} />
              </span>
            ))}
          </Line>
        )}
        {owners.length > 0 && (
          <Line name={`Downstream: ${plural(incident.spared.length, "column")}`}>
            {owners.map(({ owner, columns }) => (
              <span key={owner ?? ""} className="incident-owner">
                {columns.map((one) => `${one.table}.${one.column}`).join(", ")} <span className="quality-quiet">{owner ?? "no owner"}</span>
              </span>
            ))}
          </Line>
        )}
        {incident.acknowledged_by != null && (
          <Line name="Acknowledged">
            {incident.acknowledged_by}, <RelativeTime time={incident.acknowledged_at} />
          </Line>
        )}
        {incident.resolved_at != null && (
          <Line name="Resolved">
            {incident.resolved_by ?? "by a check that passed"}, <RelativeTime time={incident.resolved_at} />
          </Line>
        )}
      </dl>
    </section>
  );
}

function Note({ incident }: { incident: IncidentDetail }) {
  const mayWrite = useMayWrite();
  const change = useChangeIncident(incident.id);
  const [text, setText] = useState("");
  if (!mayWrite) return null;
  const send = (): void => change.mutate({ note: text.trim() }, { onSuccess: () => setText("") });
  return (
    <form
      className="incident-note"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") send();
      }}
    >
      <Textarea label="Note" placeholder="What you found, what you did" rows={3} resize="vertical" maxLength={10_000} value={text} onChange={(event) => setText(event.currentTarget.value)} />
      {change.isError && <Problem error={change.error} plain />}
      <Group justify="flex-end" mt="xs">
        <Button type="submit" variant="default" size="xs" leftSection={<IconMessagePlus size={15} aria-hidden />} loading={change.isPending} disabled={text.trim() === ""}>
          Add the note
        </Button>
      </Group>
    </form>
  );
}

function Assignee({ incident }: { incident: IncidentDetail }) {
  const mayWrite = useMayWrite();
  const me = useQuery(sessionQuery()).data?.user;
  const change = useChangeIncident(incident.id);
  const [text, setText] = useState(incident.assignee ?? "");
  const give = (to: string | null): void => change.mutate({ assignee: to }, { onSuccess: () => notify("good", to === null ? "Nobody has it" : `${to} has it`), onError: notifyProblem });
  return (
    <section className="panel quality-pad" aria-labelledby="with">
      <h2 className="panel-title" id="with">
        Who is on it
      </h2>
      {mayWrite ? (
        <form
          className="incident-with"
          onSubmit={(event) => {
            event.preventDefault();
            give(text.trim() === "" ? null : text.trim());
          }}
        >
          <TextInput aria-label="Assigned to" placeholder="nobody yet" value={text} spellCheck={false} maxLength={255} onChange={(event) => setText(event.currentTarget.value)} />
          <Group gap="xs" mt="xs">
            <Button type="submit" variant="default" size="xs" loading={change.isPending} disabled={text.trim() === (incident.assignee ?? "")}>
              Assign
            </Button>
            {me !== undefined && incident.assignee !== me && (
              <Button variant="subtle" size="xs" onClick={() => give(me)}>
                To me
              </Button>
            )}
          </Group>
        </form>
      ) : (
        <Text size="sm">{incident.assignee ?? "nobody yet"}</Text>
      )}
    </section>
  );
}
