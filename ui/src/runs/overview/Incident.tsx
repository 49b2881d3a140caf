import { Button, Group, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconGitBranch, IconPlayerPlay, IconShieldCheck, IconUsers } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";

import type { GraphView, IncidentView } from "../../api";
import { ColumnLink, CommitLink, RelativeTime, StatusBadge, TableLink } from "../../components";
import { moment, plural } from "../../format/numbers";
import { LineagePicture } from "../../lineage/graph/LineagePicture";
import { deliveredIn, examplesOf, keptOf, keptWords, readersOf, sawOf, sparedByOwner, subjectOf, viewsBetween } from "../../quality/incident/words";
import { FixDialog } from "./FixDialog";

/** The worst problem in words: what, since when, from where, who is spared, and that readers never saw it. */
export function Incident({ incident, picture }: { incident: IncidentView; picture: GraphView | null }) {
  const subject = subjectOf(incident);
  return (
    <section className="panel incident" aria-labelledby="worst">
      <div className="incident-text">
        <div className="incident-when">
          <StatusBadge word={incident.severity} />
          <Text size="sm" c="dimmed" component="span">
            <Link to="/quality/incidents/$incidentId" params={{ incidentId: incident.id }} className="link">
              Worst problem now
            </Link>
            , since {moment(incident.since)} UTC (<RelativeTime time={incident.since} />)
          </Text>
        </div>
        <Actions incident={incident} subject={subject} />
        <Title order={2} id="worst" fz={{ base: 18, sm: 20.5 }} lh={1.35} className="name" style={{ letterSpacing: "-0.012em" }}>
          <Link to="/assets/$assetId" params={{ assetId: incident.table }} className="quiet-link">
            {subject}
          </Link>
          <span className="incident-saw">: {sawOf(incident.message, incident.column)}</span>
        </Title>
        <Reassurance incident={incident} picture={picture} />
        <Facts incident={incident} />
      </div>
      {picture !== null && (
        <div className="incident-picture">
          <LineagePicture
            graph={picture}
            height={460}
            label={`Lineage of ${subject}: where it came in, and whom it would have reached`}
            failing={subject}
            origin={incident.origin ?? undefined}
            spared={incident.spared.map((one) => `${one.table}.${one.column}`)}
          />
        </div>
      )}
    </section>
  );
}

function Reassurance({ incident, picture }: { incident: IncidentView; picture: GraphView | null }) {
  const kept = keptOf(incident);
  const others = incident.held_back.filter((table) => table !== incident.table);
  return (
    <div className="reassurance">
      <IconShieldCheck size={22} aria-hidden />
      <div>
        <strong>{readersOf(incident)} never saw it.</strong>{" "}
        {kept === undefined ? (
          <>Nothing of it was published on {incident.branch}.</>
        ) : (
          <>
            {incident.branch} still has <TableLink table={kept.table} /> {keptWords(kept)}. Held back with it:{" "}
            {others.length === 0 ? "nothing else" : <TableList tables={others} />}.
          </>
        )}
        <Delivered incident={incident} picture={picture} />
      </div>
    </div>
  );
}

/** What was published before the check is as it came: whoever reads it should know. */
function Delivered({ incident, picture }: { incident: IncidentView; picture: GraphView | null }) {
  const table = deliveredIn(incident);
  if (table === null) return null;
  const views = viewsBetween(picture, incident);
  return (
    <p className="delivered">
      <TableLink table={table} /> holds the rows as delivered
      {views.length > 0 && (
        <>
          ; <TableList tables={views} /> {views.length === 1 ? "passes" : "pass"} them on
        </>
      )}
      .
    </p>
  );
}

function Facts({ incident }: { incident: IncidentView }) {
  const { origin_commit: commit } = incident;
  const examples = examplesOf(incident);
  return (
    <dl className="incident-facts">
      {incident.previous !== null && <Fact name="When it last passed">{sawOf(incident.previous, incident.column)}</Fact>}
      {examples.length > 0 && (
        <Fact name="Seen now">
          <span className="numbers">{examples.join(", ")}</span>
        </Fact>
      )}
      {incident.origin !== null && (
        <Fact name="Came from">
          <ColumnLink column={incident.origin} />
          {commit !== null && (
            <>
              {" "}
              in commit <CommitLink commit={commit.id} /> “{commit.message}”, {commit.author.name}, {moment(commit.time)}
            </>
          )}
        </Fact>
      )}
      {incident.spared.length > 0 && (
        <Fact name={`Would have been hit: ${plural(incident.spared.length, "column")}`}>
          <SparedList incident={incident} />
        </Fact>
      )}
    </dl>
  );
}

function TableList({ tables }: { tables: readonly string[] }) {
  return tables.map((table, index) => (
    <span key={table}>
      {index > 0 && ", "}
      <TableLink table={table} />
    </span>
  ));
}

function SparedList({ incident }: { incident: IncidentView }) {
  return (
    <ul className="spared">
      {sparedByOwner(incident.spared).map(({ owner, columns }) => (
        <li key={owner ?? ""}>
          {columns.map((one, index) => (
            <span key={one.column + one.table}>
              {index > 0 && ", "}
              <ColumnLink
                column={`${one.table}.${one.column}`}
                name={columns[index - 1]?.table === one.table ? one.column : undefined}
              />
            </span>
          ))}{" "}
          <span className="spared-owner" title={owner ?? undefined}>
            {owner?.split("@")[0] ?? "no owner"}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="incident-fact">
      <dt>{name}</dt>
      <dd className="name">{children}</dd>
    </div>
  );
}

function Actions({ incident, subject }: { incident: IncidentView; subject: string }) {
  const [fixing, setFixing] = useState(false);
  return (
    <Group gap={8} mb={8} className="incident-actions">
      <Button size="xs" leftSection={<IconGitBranch size={16} aria-hidden />} onClick={() => setFixing(true)}>
        Fix on a branch
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconUsers size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/lineage" search={{ focus: subject, direction: "downstream" }} {...props} />}
      >
        See who is hit
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: incident.run_id }} {...props} />}
      >
        Open the run
      </Button>
      {fixing && <FixDialog incident={incident} onClose={() => setFixing(false)} />}
    </Group>
  );
}
