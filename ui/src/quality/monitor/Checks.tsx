import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconListCheck } from "@tabler/icons-react";

import type { MonitorView } from "../../api";
import { DataTable, EmptyState, StatusBadge, type Column } from "../../components";
import { formOf, textOf, typeOf, type Given } from "../check/forms";
import { tableOf } from "../words";

const OWN = ["type", "severity", "name", "column", "columns", "timestamp_column"];

/** The checks as they were given, in a table; the form shows them as fields. */
export function MonitorChecks({ monitor }: { monitor: MonitorView }) {
  if (monitor.checks.length === 0) {
    return (
      <div className="panel">
        <EmptyState icon={IconListCheck} title="It judges by the checks of the project">
          Those that <code>checks:</code> and the contract name for{" "}
          <Link to="/assets/$assetId" params={{ assetId: tableOf(monitor.dataset) }} search={{ tab: "quality" }} className="link">
            {monitor.dataset}
          </Link>
          . When they change, so does this monitor.
        </EmptyState>
      </div>
    );
  }
  const rows = monitor.checks.map((check, index) => ({ check, index }));
  const columns: Column<{ check: Given; index: number }>[] = [
    { key: "type", label: "Check", cell: ({ check }) => <Named check={check} /> },
    { key: "columns", label: "Columns", cell: ({ check }) => <span className="name">{columnsOf(check)}</span> },
    { key: "keys", label: "Parameters", cell: ({ check }) => <Keys check={check} /> },
    { key: "severity", label: "If it fails", cell: ({ check }) => <StatusBadge word={textOf(check["severity"]) || "error"} /> },
  ];
  return (
    <div className="panel quality-list">
      <DataTable caption={`Checks of ${monitor.name}`} columns={columns} rows={rows} rowKey={({ index }) => String(index)} />
    </div>
  );
}

function Named({ check }: { check: Given }) {
  const name = textOf(check["name"]);
  const label = formOf(check)?.label ?? typeOf(check);
  return (
    <span className="quality-named">
      <span className="name">{name === "" ? label : name}</span>
      {name !== "" && <span className="quality-said">{label}</span>}
    </span>
  );
}

function columnsOf(check: Given): string {
  const named = check["column"] ?? check["timestamp_column"] ?? check["columns"];
  if (named === undefined || (Array.isArray(named) && named.length === 0)) return typeOf(check) === "not_null" ? "all columns" : "–";
  return typeof named === "object" && named !== null && !Array.isArray(named) ? Object.keys(named).join(", ") : textOf(named);
}

function Keys({ check }: { check: Given }) {
  const keys = Object.entries(check).filter(([key]) => !OWN.includes(key));
  if (keys.length === 0) return <span className="quality-quiet">–</span>;
  return (
    <Text component="span" size="sm" className="mono name">
      {keys.map(([key, value]) => `${key}: ${textOf(value)}`).join(", ")}
    </Text>
  );
}
