import { Button, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";

import type { AffectedView, ImpactView } from "../../api";
import { ColumnLink, DataTable, StatusBadge, type Column } from "../../components";
import { count, plural } from "../../format/numbers";
import { HopPath } from "./HopPath";
import { factorsOf, hours, lookWord, sumInWords, wordOfUse } from "./words";

const route = getRouteApi("/frame/impact");
const FIRST = 50;

/** Everything that is hit, the worst first. */
export function AffectedAssets({ report, at }: { report: ImpactView; at: string | undefined }) {
  const { open = [], all } = route.useSearch();
  const navigate = route.useNavigate();
  const toggle = (id: string): void => {
    const next = open.includes(id) ? open.filter((one) => one !== id) : [...open, id];
    void navigate({ search: (before) => ({ ...before, open: next.length === 0 ? undefined : next }), replace: true, resetScroll: false });
  };
  const rows = all === "yes" ? report.affected : report.affected.slice(0, FIRST);
  const columns: Column<AffectedView>[] = [
    { key: "id", label: "What is hit", cell: (one) => <Hit one={one} at={at} /> },
    { key: "severity", label: "Severity", cell: (one) => <StatusBadge word={lookWord(one.severity)} label={one.severity} /> },
    { key: "score", label: "Score", align: "right", cell: (one) => <Score one={one} opened={open.includes(one.id)} onToggle={() => toggle(one.id)} /> },
    { key: "use", label: "Use", cell: (one) => wordOfUse(one.use) },
    { key: "depth", label: "Distance", align: "right", cell: (one) => plural(one.depth, "step") },
    { key: "effort", label: "Effort", align: "right", cell: (one) => hours(one.effort_hours) },
    { key: "owner", label: "Owner", cell: (one) => one.owner ?? "nobody", wide: true },
  ];
  return (
    <section className="panel" aria-label="What is hit">
      <DataTable
        caption={`What is hit by the change of ${report.change.entity}`}
        columns={columns}
        rows={rows}
        rowKey={(one) => one.id}
        detail={(one) => (open.includes(one.id) ? <Detail one={one} at={at} /> : undefined)}
      />
      {rows.length < report.affected.length && (
        <div className="impact-more">
          <Button variant="default" size="xs" onClick={() => void navigate({ search: (before) => ({ ...before, all: "yes" }), resetScroll: false })}>
            Show all {count(report.affected.length)}
          </Button>
        </div>
      )}
      {report.truncated && (
        <Text size="xs" c="dimmed" p="sm">
          The worst {count(report.affected.length)} of {count(report.counts.total)} are listed; the counts are of all.
        </Text>
      )}
    </section>
  );
}

function Hit({ one, at }: { one: AffectedView; at: string | undefined }) {
  return (
    <span className="impact-hit">
      <ColumnLink column={one.id} at={at} />
      <span className="impact-why">
        {one.type}
        {one.is_breaking && <span className="impact-breaks"> · breaks</span>}
      </span>
    </span>
  );
}

function Score({ one, opened, onToggle }: { one: AffectedView; opened: boolean; onToggle: () => void }) {
  const Sign = opened ? IconChevronDown : IconChevronRight;
  return (
    <button type="button" className="impact-score" aria-expanded={opened} title={sumInWords(one)} onClick={onToggle}>
      <span className="numbers">{one.score.toFixed(1)}</span>
      <Sign size={14} aria-hidden />
      <span className="only-readers">: how the score of {one.id} came about</span>
    </button>
  );
}

/** Why, by which way, and how the score came about. */
function Detail({ one, at }: { one: AffectedView; at: string | undefined }) {
  return (
    <div className="impact-detail">
      <p className="name">{one.reason}</p>
      <HopPath start={one.change.entity} hops={one.path} at={at} />
      <dl className="impact-factors">
        {factorsOf(one).map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="numbers">× {value}</dd>
          </div>
        ))}
        <div>
          <dt>score</dt>
          <dd className="numbers">{one.score.toFixed(2)}</dd>
        </div>
      </dl>
    </div>
  );
}
