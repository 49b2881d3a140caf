import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconChecks } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { ImpactPath, ImpactView } from "../../api";
import { ColumnLink, EmptyState, StatusBadge, WithCode } from "../../components";
import { count, plural } from "../../format/numbers";
import { AffectedAssets } from "./AffectedAssets";
import { HopPath } from "./HopPath";
import { groupsInWords, hours, lookWord, toneOf } from "./words";

interface Props {
  report: ImpactView;
  at: string | undefined;
}

export function Report({ report, at }: Props) {
  return (
    <>
      <Verdict report={report} />
      {report.affected.length === 0 ? <NothingHit report={report} /> : <AffectedAssets report={report} at={at} />}
      <div className="impact-parts">
        <Todo title="Migration steps" items={report.migration_steps} ordered />
        <Breaking report={report} at={at} />
        <Owners report={report} />
        <Todo title="Recommended actions" items={report.recommended_actions} />
      </div>
      <CriticalPaths paths={report.critical_paths} at={at} />
    </>
  );
}

function NothingHit({ report }: { report: ImpactView }) {
  return (
    <div className="panel">
      <EmptyState icon={IconChecks} title="Nothing that Forge knows is hit">
        {report.hidden > 0
          ? `${plural(report.hidden, "edge")} of low confidence lead on from here and were not followed: look at them in the lineage.`
          : "No recorded lineage leads on from here. What reads it without Forge’s knowledge is not seen."}
      </EmptyState>
    </div>
  );
}

/** The answer in one look: how bad, how many, how long. */
function Verdict({ report }: { report: ImpactView }) {
  const { counts } = report;
  return (
    <section className="panel impact-verdict" data-tone={toneOf(report.risk)} aria-label="Verdict">
      <div className="impact-risk">
        <StatusBadge word={lookWord(report.risk)} label={report.risk === "none" ? "no risk" : `${report.risk} risk`} />
        {report.is_breaking && <StatusBadge word="failed" label="breaking" />}
        {report.change.direction != null && <StatusBadge word="info" label={report.change.direction} />}
      </div>
      <p className="impact-summary">
        <WithCode text={report.summary} />
      </p>
      <dl className="impact-counts">
        <Count name="high" value={count(counts.high)} tone={(counts.high ?? 0) > 0 ? "bad" : undefined} />
        <Count name="medium" value={count(counts.medium)} tone={(counts.medium ?? 0) > 0 ? "warn" : undefined} />
        <Count name="low" value={count(counts.low)} />
        <Count name="effort" value={hours(report.effort_hours)} />
        <Count name="owners to tell" value={count(report.owners.length)} />
        {groupsInWords(report.groups) !== "" && <Count name="hit" value={groupsInWords(report.groups)} wide />}
      </dl>
      {report.hidden > 0 && (
        <Text size="xs" c="dimmed" mt={8}>
          {plural(report.hidden, "edge")} of low confidence {report.hidden === 1 ? "was" : "were"} not followed.
        </Text>
      )}
    </section>
  );
}

function Count({ name, value, tone, wide }: { name: string; value: string; tone?: "bad" | "warn" | undefined; wide?: boolean }) {
  return (
    <div data-tone={tone} data-wide={wide}>
      <dt>{name}</dt>
      <dd className="numbers">{value}</dd>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel impact-part" aria-label={title}>
      <h2 className="panel-title">{title}</h2>
      {children}
    </section>
  );
}

function Todo({ title, items, ordered }: { title: string; items: readonly string[]; ordered?: boolean }) {
  if (items.length === 0) return null;
  const rows = items.map((item, index) => (
    <li key={index} className="name">
      <WithCode text={item} />
    </li>
  ));
  return <Part title={title}>{ordered === true ? <ol>{rows}</ol> : <ul>{rows}</ul>}</Part>;
}

const MOST = 30;

function Breaking({ report, at }: Props) {
  const { breaking_changes: breaking } = report;
  if (breaking.length === 0) return null;
  return (
    <Part title="Breaking changes">
      <ul className="impact-list">
        {breaking.slice(0, MOST).map((one, index) => (
          <li key={index}>
            <ColumnLink column={one.asset} at={at} />
            <div className="impact-why name">
              <WithCode text={one.reason} />
            </div>
          </li>
        ))}
        {breaking.length > MOST && <li className="impact-why">and {count(breaking.length - MOST)} more</li>}
      </ul>
    </Part>
  );
}

const FEW = 6;

function Owners({ report }: { report: ImpactView }) {
  if (report.owners.length === 0) return null;
  return (
    <Part title="Owners to tell">
      <ul className="impact-list">
        {report.owners.map(({ owner, assets, severity }) => (
          <li key={owner}>
            <span className="impact-owner">
              <Link to="/assets" search={{ owners: [owner] }} className="link name">
                {owner}
              </Link>
              <StatusBadge word={lookWord(severity)} label={severity} />
            </span>
            <div className="impact-why name">
              {assets.slice(0, FEW).join(", ")}
              {assets.length > FEW && ` and ${count(assets.length - FEW)} more`}
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function CriticalPaths({ paths, at }: { paths: readonly ImpactPath[]; at: string | undefined }) {
  if (paths.length === 0) return null;
  return (
    <Part title="Critical paths">
      <ul className="impact-list impact-paths">
        {paths.slice(0, MOST).map((path, index) => (
          <li key={index}>
            <HopPath start={path.start} hops={path.hops} at={at} />
          </li>
        ))}
        {paths.length > MOST && <li className="impact-why">and {count(paths.length - MOST)} more</li>}
      </ul>
    </Part>
  );
}
