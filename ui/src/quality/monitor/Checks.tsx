import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconListCheck } from "@tabler/icons-react";

import type { CheckTypesView, MonitorView } from "../../api";
import { checkTypesQuery } from "../../api/quality";
import { DataTable, EmptyState, StatusBadge, type Column } from "../../components";
import { formOf, nameIn, textOf, typeOf, type Given } from "../check/forms";
import { tableOf } from "../words";

const OWN = ["type", "severity", "name"];
const NO_FORMS: CheckTypesView = { common: [], types: [] };

/** The checks as they were given, in a table; the form shows them as fields. */
export function MonitorChecks({ monitor }: { monitor: MonitorView }) {
  const { data: forms = NO_FORMS } = useQuery(checkTypesQuery());
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
    { key: "type", label: "Check", cell: ({ check }) => <Named check={check} forms={forms} /> },
    { key: "columns", label: "Columns", cell: ({ check }) => <span className="name">{columnsOf(check, forms)}</span> },
    { key: "keys", label: "Parameters", cell: ({ check }) => <Keys check={check} forms={forms} /> },
    { key: "severity", label: "If it fails", cell: ({ check }) => <StatusBadge word={textOf(check["severity"]) || "error"} /> },
  ];
  return (
    <div className="panel quality-list">
      <DataTable caption={`Checks of ${monitor.name}`} columns={columns} rows={rows} rowKey={({ index }) => String(index)} />
    </div>
  );
}

interface CheckProps {
  check: Given;
  forms: CheckTypesView;
}

function Named({ check, forms }: CheckProps) {
  const name = textOf(check["name"]);
  const label = formOf(forms, check)?.label ?? typeOf(check);
  return (
    <span className="quality-named">
      <span className="name">{name === "" ? label : name}</span>
      {name !== "" && <span className="quality-said">{label}</span>}
    </span>
  );
}

/** The key that names the columns it is about; those of a schema with their types. */
function columnsKey(check: Given, forms: CheckTypesView): { name: string; many: boolean } | undefined {
  const key = formOf(forms, check)?.keys.find((one) => one.kind === "column" || one.kind === "columns" || one.name === "columns");
  return key === undefined ? undefined : { name: nameIn(check, key), many: key.kind === "columns" };
}

function columnsOf(check: Given, forms: CheckTypesView): string {
  const key = columnsKey(check, forms);
  const named = key === undefined ? undefined : check[key.name];
  if (named === undefined || (Array.isArray(named) && named.length === 0)) return key?.many === true ? "all columns" : "–";
  return typeof named === "object" && named !== null && !Array.isArray(named) ? Object.keys(named).join(", ") : textOf(named);
}

function Keys({ check, forms }: CheckProps) {
  const columns = columnsKey(check, forms)?.name;
  const keys = Object.entries(check).filter(([key]) => !OWN.includes(key) && key !== columns);
  if (keys.length === 0) return <span className="quality-quiet">–</span>;
  return (
    <Text component="span" size="sm" className="mono name">
      {keys.map(([key, value]) => `${key}: ${textOf(value)}`).join(", ")}
    </Text>
  );
}
