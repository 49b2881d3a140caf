import { Text } from "@mantine/core";
import {
  IconArrowsJoin2,
  IconArrowsSort,
  IconChartBar,
  IconCheck,
  IconColumns3,
  IconCopyOff,
  IconDatabase,
  IconDots,
  IconFilter,
  IconListNumbers,
  IconPlugConnectedX,
  IconServer2,
  IconTable,
  type Icon,
} from "@tabler/icons-react";

import type { PlanView } from "../../api";
import { DataTable, WithCode, type Column } from "../../components";
import { count, plural } from "../../format/numbers";
import { askedOf, decisionsOf, nodeOf, plainSql, stepName, type AskedSource, type Decision, type PlanNode } from "./steps";

const ICONS: Readonly<Record<string, Icon>> = {
  scan: IconTable,
  filter: IconFilter,
  project: IconColumns3,
  join: IconArrowsJoin2,
  aggregate: IconChartBar,
  distinct: IconCopyOff,
  order: IconArrowsSort,
  limit: IconListNumbers,
};

/** How a query is computed: what each source is asked, what Forge does over its rows, and why it was not left to it. */
export function Plan({ plan }: { plan: PlanView }) {
  const asked = askedOf(plan);
  const decisions = decisionsOf(plan);
  if (plan.nodes == null) {
    return (
      <Text size="sm" p="lg">
        Spark is given the text as it is written: {plan.executor.why}.
      </Text>
    );
  }
  return (
    <div className="plan">
      <p className="plan-about">
        {plan.whole === true ? "One source computes all of it." : `${plural(asked.length, "question")} to ${plural(new Set(asked.map(({ source }) => source)).size, "source")}; Forge computes the rest ${plan.executor.name === "spark" ? "on Spark" : "in its own process"}.`}{" "}
        <span className="quiet">{`Why there: ${plan.executor.why}.`}</span>
      </p>
      <ul className="plan-tree" aria-label="Plan">
        <Step node={nodeOf(plan.nodes)} asked={asked} />
      </ul>
      {plan.join_orders.map(({ tables, why }) => (
        <p key={why} className="plan-about">
          {`Joined in the order ${tables.map(({ table }) => table).join(", ")}.`} <span className="quiet">{`${why}.`}</span>
        </p>
      ))}
      {decisions.length > 0 && (
        <section aria-labelledby="plan-decisions" className="plan-decisions">
          <h2 id="plan-decisions" className="panel-title">
            What was left to the sources
          </h2>
          <DataTable caption="What was left to the sources, and why not" columns={COLUMNS} rows={decisions.map((one, index) => ({ ...one, key: String(index) }))} rowKey={({ key }) => key} />
        </section>
      )}
    </div>
  );
}

function Step({ node, asked }: { node: PlanNode; asked: readonly AskedSource[] }) {
  const Sign = ICONS[node.type] ?? IconDots;
  const sent = node.fragment === "" ? undefined : asked.find(({ fragment }) => fragment === node.fragment);
  return (
    <li>
      <div className="plan-step" data-pushed={node.pushed || undefined}>
        <div className="plan-line">
          <Sign size={17} stroke={1.7} aria-hidden />
          <b>{stepName(node)}</b>
          {node.relations.length > 0 && <span className="name">{node.relations.join(", ")}</span>}
          <span className="plan-place" data-pushed={node.pushed || undefined}>
            {node.pushed ? <IconDatabase size={13} aria-hidden /> : <IconServer2 size={13} aria-hidden />}
            {node.pushed ? `in ${node.source}` : "by Forge"}
          </span>
          <Rows node={node} />
        </div>
        {node.predicates.length > 0 && <code className="plan-where">{node.predicates.map(plainSql).join("\nAND ")}</code>}
        {node.unavailable !== "" && (
          <p className="plan-why plan-unavailable" role="status">
            <IconPlugConnectedX size={14} aria-hidden /> Cannot be reached now: {node.unavailable}
          </p>
        )}
        {!node.pushed && node.why !== "" && <p className="plan-why">Not left to a source: {node.why}.</p>}
        {sent !== undefined && <Sent sent={sent} />}
      </div>
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child, index) => (
            <Step key={index} node={child} asked={asked} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Rows({ node: { rows, rowsRead } }: { node: PlanNode }) {
  if (rowsRead !== null) return <span className="plan-rows">{plural(rowsRead, "row")} read{rows !== null && rows !== rowsRead ? `, of about ${count(rows)}` : ""}</span>;
  return rows === null ? null : <span className="plan-rows">about {plural(rows, "row")}</span>;
}

function Sent({ sent }: { sent: AskedSource }) {
  return (
    <>
      <pre className="plan-sent" aria-label={`Asked of ${sent.source}`}>
        {sent.asked}
      </pre>
      {(sent.values > 0 || sent.keys.length > 0) && (
        <p className="plan-why">
          {[sent.values > 0 ? `${plural(sent.values, "value")} bound` : "", ...sent.keys.map(({ column, by }) => `only rows whose ${column} was found as ${by} first`)].filter((one) => one !== "").join("; ")}.
        </p>
      )}
    </>
  );
}

type Row = Decision & { key: string };

const COLUMNS: readonly Column<Row>[] = [
  { key: "part", label: "Part", cell: ({ part }) => part },
  { key: "text", label: "What", cell: ({ text }) => <code className="plan-text">{plainSql(text)}</code> },
  { key: "source", label: "Source", cell: ({ source }) => source },
  {
    key: "pushed",
    label: "Computed by",
    cell: ({ pushed, prefilter, source, why }) => (
      <span className="plan-verdict">
        {pushed && !prefilter ? (
          <>
            <IconCheck size={14} aria-hidden className="plan-good" /> {source}
          </>
        ) : (
          <span>
            <b>{prefilter ? `${source} first, then Forge` : "Forge"}</b>
            {why !== "" && (
              <>
                : <WithCode text={why} />
              </>
            )}
          </span>
        )}
      </span>
    ),
  },
];
