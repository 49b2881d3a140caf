import { Button, Group, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId } from "react";

import type { VerdictView } from "../../api";
import { ColumnLink, DataTable, StatusBadge } from "../../components";
import { useBadColumns } from "../../components/sampleColumns";
import { plural } from "../../format/numbers";
import { sampleOf, showSampleValue, type SampleRow } from "../../format/samples";
import { NO_CHECK } from "./search";
import { groupByTable, nameOf, type CheckedTable } from "./verdicts";

const route = getRouteApi("/frame/runs/$runId");

/** What the checks said, by table, failures first. Which are open is in the address. `holds`: a failure holds its table back. */
export function RunChecks({ verdicts, holds = true }: { verdicts: readonly VerdictView[]; holds?: boolean }) {
  const { passed: passedShown } = route.useSearch();
  const navigate = route.useNavigate();
  if (verdicts.length === 0) return null;
  const groups = groupByTable(verdicts);
  const passed = verdicts.filter((verdict) => verdict.outcome === "passed").length;
  const shown = passedShown === "shown";
  return (
    <section className="panel" aria-labelledby="run-checks">
      <div className="run-head">
        <h2 className="panel-title" id="run-checks">
          Checks
        </h2>
        <Text size="sm" c="dimmed" style={{ flex: 1 }}>
          {passed === verdicts.length ? `${passed === 1 ? "" : "all "}${passed} passed` : `${passed} of ${verdicts.length} passed`}
        </Text>
        {passed > 0 && (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-expanded={shown}
            onClick={() => void navigate({ search: (before) => ({ ...before, passed: shown ? undefined : "shown" }), replace: true, resetScroll: false })}
          >
            {shown ? "Hide what passed" : "Show what passed"}
          </Button>
        )}
      </div>
      {groups.map((group) => (
        <CheckedGroup key={group.table} group={group} first={groups[0]?.failed[0]} withPassed={shown} holds={holds} />
      ))}
    </section>
  );
}

function CheckedGroup({ group, first, withPassed, holds }: { group: CheckedTable; first: VerdictView | undefined; withPassed: boolean; holds: boolean }) {
  const { table, failed, notMeasured, passed } = group;
  const words = [
    failed.length > 0 ? `${failed.length} failed` : "",
    notMeasured.length > 0 ? `${notMeasured.length} not measured` : "",
    passed.length > 0 ? `${passed.length} passed` : "",
  ].filter((word) => word !== "");
  return (
    <div className="run-checked">
      <h3>
        <span className="name">{table}</span>
        <Text span size="sm" c="dimmed" fw={400}>
          {words.join(", ")}
        </Text>
      </h3>
      {[...failed, ...notMeasured, ...(withPassed ? passed : [])].map((verdict) => (
        <Verdict key={verdict.check_id} verdict={verdict} first={verdict === first} holds={holds} />
      ))}
    </div>
  );
}

function Verdict({ verdict, first, holds }: { verdict: VerdictView; first: boolean; holds: boolean }) {
  const rows = sampleOf(verdict);
  const failed = verdict.outcome === "failed";
  const name = nameOf(verdict);
  return (
    <div className="run-verdict" data-outcome={verdict.outcome}>
      <Group gap={8} align="center">
        <StatusBadge word={verdict.outcome} />
        <Text size="sm" fw={560} className="name">
          {name}
        </Text>
        {failed && <StatusBadge word={verdict.severity} />}
        {verdict.blocks && holds && (
          <Text size="xs" c="dimmed">
            holds the table back
          </Text>
        )}
      </Group>
      <p className="name">
        {verdict.message}
        {failed && verdict.columns.length > 0 && (
          <>
            {" "}
            {verdict.columns.map((column) => (
              <span key={column} className="run-origin">
                Lineage of <ColumnLink column={`${verdict.table}.${column}`} />
              </span>
            ))}
          </>
        )}
      </p>
      {rows.length > 0 && <Sample verdict={verdict} rows={rows} byDefault={first} />}
    </div>
  );
}

/** A few of the rows that failed; masked values are shown as •••. */
function Sample({ verdict, rows, byDefault }: { verdict: VerdictView; rows: readonly SampleRow[]; byDefault: boolean }) {
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const region = useId();
  const id = verdict.check_id;
  const opened = open === undefined ? byDefault : open.includes(id);
  const toggle = (): void => {
    const others = (open ?? []).filter((one) => one !== id && one !== NO_CHECK);
    const next = opened ? others : [...others, id];
    void navigate({ search: (before) => ({ ...before, open: next.length === 0 ? [NO_CHECK] : next }), replace: true, resetScroll: false });
  };
  const keys = useBadColumns(rows, verdict.columns);
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        ml={-8}
        aria-expanded={opened}
        aria-controls={region}
        leftSection={opened ? <IconChevronDown size={15} aria-hidden /> : <IconChevronRight size={15} aria-hidden />}
        onClick={toggle}
      >
        {opened ? "Hide the rows" : `Show ${plural(rows.length, "row")} that failed`}
      </Button>
      <div id={region} hidden={!opened} className="run-sample">
        {opened && (
          <DataTable
            caption={`Rows of ${verdict.table} that failed: ${nameOf(verdict)}`}
            narrow="scroll"
            columns={keys.map((key) => ({ key, label: key, cell: (row: SampleRow) => <Value value={row[key]} bad={verdict.columns.includes(key)} /> }))}
            rows={rows}
            rowKey={(row) => JSON.stringify(row)}
          />
        )}
      </div>
    </>
  );
}

function Value({ value, bad }: { value: unknown; bad: boolean }) {
  const { text, masked, none } = showSampleValue(value);
  if (masked) {
    return (
      <span title="masked">
        <span aria-hidden>{text}</span>
        <span className="only-readers">masked</span>
      </span>
    );
  }
  return <span className={bad ? "run-bad numbers" : none ? "run-quiet" : "numbers"}>{text}</span>;
}
