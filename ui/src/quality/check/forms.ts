/** The checks a monitor can hold, as forms: which fields a type has, and how their texts become what the server reads.
 * The server judges; here is only what a person must be asked. */

export type Given = Record<string, unknown>;

/** `column`, `columns`: names of the dataset. `list`: values with commas between them. `pairs`: `name: type`, one a line. */
export type FieldKind = "column" | "columns" | "text" | "number" | "percent" | "list" | "pairs" | "sql" | "choice" | "yes";

export interface FieldForm {
  key: string;
  label: string;
  kind: FieldKind;
  about?: string;
  placeholder?: string;
  required?: boolean;
  choices?: readonly string[];
  /** Shown only where another field has one of these values. */
  when?: { key: string; is: readonly string[] };
}

export interface CheckForm {
  type: string;
  label: string;
  about: string;
  fields: readonly FieldForm[];
}

const COLUMN: FieldForm = { key: "column", label: "Column", kind: "column", required: true };
const COLUMNS: FieldForm = { key: "columns", label: "Columns", kind: "columns", required: true };
const TOLERANCE: FieldForm = { key: "max_violation_percentage", label: "Tolerated", kind: "percent", about: "Share of rows that may break it.", placeholder: "0" };
const MIN: FieldForm = { key: "min", label: "At least", kind: "text", placeholder: "open" };
const MAX: FieldForm = { key: "max", label: "At most", kind: "text", placeholder: "open" };

const BOUNDED = ["mean", "std", "quantile"];
const OUTLIERS = ["zscore", "iqr"];
const COMPARED = ["ks_test", "drift"];

export const CHECK_FORMS: readonly CheckForm[] = [
  {
    type: "not_null",
    label: "Not null",
    about: "Columns have a value in every row.",
    fields: [
      { key: "columns", label: "Columns", kind: "columns", about: "Empty: all columns." },
      { key: "max_null_percentage", label: "Tolerated", kind: "percent", about: "Share of rows that may be NULL.", placeholder: "0" },
    ],
  },
  { type: "unique", label: "Unique", about: "No key stands in two rows.", fields: [COLUMNS] },
  {
    type: "accepted_values",
    label: "Accepted values",
    about: "Every value is one of a list.",
    fields: [COLUMN, { key: "values", label: "Values", kind: "list", placeholder: "paid, open, cancelled", required: true }, TOLERANCE],
  },
  { type: "range", label: "Range", about: "Every value lies between two bounds.", fields: [COLUMN, MIN, MAX, TOLERANCE] },
  {
    type: "regex",
    label: "Pattern",
    about: "A regular expression is found in every value.",
    fields: [COLUMN, { key: "pattern", label: "Pattern", kind: "sql", placeholder: "^[A-Z]{2}$", required: true }, TOLERANCE],
  },
  {
    type: "row_count",
    label: "Volume",
    about: "How many rows there are, and how much that may change.",
    fields: [
      { key: "min_rows", label: "At least", kind: "number", placeholder: "open" },
      { key: "max_rows", label: "At most", kind: "number", placeholder: "open" },
      { key: "max_change_percentage", label: "Change at most", kind: "percent", about: "Against the version before.", placeholder: "open" },
    ],
  },
  {
    type: "freshness",
    label: "Freshness",
    about: "The newest row is not too old.",
    fields: [
      { key: "timestamp_column", label: "Time column", kind: "column", placeholder: "updated_at" },
      { key: "max_age_hours", label: "Hours at most", kind: "number", placeholder: "24" },
    ],
  },
  {
    type: "foreign_key",
    label: "Foreign key",
    about: "Every key exists in another table.",
    fields: [COLUMNS, { key: "references", label: "Must exist in", kind: "text", placeholder: "core.customers.customer_id", required: true }],
  },
  {
    type: "schema",
    label: "Schema",
    about: "Columns are there with their types.",
    fields: [
      { key: "columns", label: "Columns and types", kind: "pairs", placeholder: "order_id: bigint\namount: decimal(12,2)", required: true },
      { key: "allow_extra", label: "More columns are allowed", kind: "yes" },
    ],
  },
  {
    type: "statistical",
    label: "Statistical",
    about: "Outliers, bounds of a mean or quantile, or a shift of the distribution.",
    fields: [
      { key: "statistical_check", label: "Method", kind: "choice", required: true, choices: [...OUTLIERS, ...BOUNDED, ...COMPARED] },
      COLUMN,
      { key: "threshold", label: "Threshold", kind: "number", about: "3 for zscore, 1.5 for iqr, 0.2 for drift.", when: { key: "statistical_check", is: [...OUTLIERS, "drift"] } },
      { key: "max_outlier_percentage", label: "Tolerated", kind: "percent", about: "Share of outliers.", placeholder: "1", when: { key: "statistical_check", is: OUTLIERS } },
      { key: "quantile", label: "Quantile", kind: "number", placeholder: "0.5", when: { key: "statistical_check", is: ["quantile"] } },
      { ...MIN, kind: "number", when: { key: "statistical_check", is: BOUNDED } },
      { ...MAX, kind: "number", when: { key: "statistical_check", is: BOUNDED } },
      { key: "reference", label: "Compared with", kind: "text", about: "A revision; empty: the version before.", placeholder: "previous", when: { key: "statistical_check", is: COMPARED } },
      { key: "max_distance", label: "Distance at most", kind: "number", placeholder: "0.1", when: { key: "statistical_check", is: ["ks_test"] } },
    ],
  },
  {
    type: "expression",
    label: "SQL predicate",
    about: "A predicate is true, or NULL, for every row.",
    fields: [{ key: "sql", label: "Predicate", kind: "sql", placeholder: "amount >= 0 OR status = 'refund'", required: true }, TOLERANCE],
  },
  {
    type: "query",
    label: "SQL query",
    about: "No row may come back; with bounds its one number lies within them.",
    fields: [
      { key: "query", label: "Query", kind: "sql", placeholder: "SELECT * FROM core.orders WHERE …", required: true },
      { ...MIN, kind: "number" },
      { ...MAX, kind: "number" },
    ],
  },
  {
    type: "function",
    label: "Python function",
    about: "A function of the project judges the table.",
    fields: [{ key: "function", label: "Function", kind: "text", placeholder: "checks/orders.py:totals_add_up", required: true }],
  },
  {
    type: "anomaly",
    label: "Anomaly",
    about: "A metric stays where its history expects it.",
    fields: [
      { key: "metric", label: "Metric", kind: "text", placeholder: "rows", required: true },
      { key: "column", label: "Column", kind: "column", about: "Empty: the metric is of the whole table." },
      { key: "method", label: "Method", kind: "choice", choices: ["seasonal", "zscore", "iqr", "mad", "isolation_forest", "prophet"] },
      { key: "threshold", label: "Threshold", kind: "number" },
    ],
  },
];

/** What every check has, whatever its type. */
export const COMMON_FIELDS: readonly FieldForm[] = [
  { key: "name", label: "Name", kind: "text", about: "As it is told in alerts.", placeholder: "amount is in euros" },
  { key: "where", label: "Only rows where", kind: "sql", placeholder: "status = 'paid'" },
  { key: "partition_by", label: "For each", kind: "columns", about: "Judged for each of their values." },
  { key: "since", label: "Only rows since", kind: "text", about: "A revision, or previous: only files added since then.", placeholder: "previous" },
];

export const ACTIONS = ["notify", "quarantine", "rollback", "impute", "deduplicate"] as const;
export const SEVERITIES = ["info", "warning", "error", "critical"] as const;

const WORDS: Record<string, string> = {
  completeness: "not_null",
  uniqueness: "unique",
  set: "accepted_values",
  volume: "row_count",
  referential: "foreign_key",
  zscore: "statistical",
  iqr: "statistical",
  ks_test: "statistical",
  mean: "statistical",
  std: "statistical",
  quantile: "statistical",
  drift: "statistical",
};

/** The form of a check as it was given; none where its type is one this page does not know. */
export function formOf(check: Given): CheckForm | undefined {
  const type = typeOf(check);
  if (type === "custom") return CHECK_FORMS.find((form) => form.type === (["query", "function"].find((key) => key in check) ?? "expression"));
  return CHECK_FORMS.find((form) => form.type === (WORDS[type] ?? type));
}

export function typeOf(check: Given): string {
  return typeof check["type"] === "string" ? check["type"] : "";
}

export function fieldsShown(form: CheckForm, check: Given): FieldForm[] {
  return form.fields.filter(({ when }) => when === undefined || when.is.includes(textOf(check[when.key])));
}

/** A value as it stands in its field. */
export function textOf(value: unknown, kind?: FieldKind): string {
  if (value === null || value === undefined) return "";
  if (kind === "pairs" && typeof value === "object") return Object.entries(value).map(([name, type]) => `${name}: ${textOf(type)}`).join("\n");
  if (Array.isArray(value)) return value.map((one) => textOf(one)).join(", ");
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** What a field's text means; `undefined` leaves the key out. What cannot be read stays as it is: the server says why. */
export function valueOf(text: string, kind: FieldKind): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  switch (kind) {
    case "number":
    case "percent":
      return numberOr(trimmed.replace(/%$/, "").trim());
    case "columns":
      return partsOf(trimmed);
    case "list":
      return partsOf(trimmed).map(numberOr);
    case "pairs":
      return pairsOf(trimmed);
    case "yes":
      return trimmed === "true";
    case "text":
      return trimmed;
    default:
      return trimmed;
  }
}

/** Bounds of a range may be numbers, dates or texts. */
export function boundOf(text: string): unknown {
  const trimmed = text.trim();
  return trimmed === "" ? undefined : numberOr(trimmed);
}

function partsOf(text: string): string[] {
  return text.split(/[,\n]/).map((one) => one.trim()).filter((one) => one !== "");
}

function numberOr(text: string): unknown {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

function pairsOf(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const sign = line.lastIndexOf(":");
      return sign < 0 ? [line, ""] : [line.slice(0, sign).trim(), line.slice(sign + 1).trim()];
    }),
  );
}

/** A check with one key changed; an empty one is left out. */
export function withKey(check: Given, key: string, value: unknown): Given {
  const rest = Object.fromEntries(Object.entries(check).filter(([name]) => name !== key));
  return value === undefined ? rest : { ...rest, [key]: value };
}

/** A check of another type: what both have is kept. */
export function withType(check: Given, form: CheckForm): Given {
  const kept = [...form.fields, ...COMMON_FIELDS].map((field) => field.key).concat("severity", "on_failure", "auto", "on_not_measured");
  const rest = Object.entries(check).filter(([key]) => kept.includes(key) && key !== "statistical_check");
  return { type: form.type, ...Object.fromEntries(rest), ...(form.type === "statistical" ? { statistical_check: "zscore" } : {}) };
}

/** Keys that no field of the form shows: they are told, and kept as they are. */
export function otherKeys(form: CheckForm, check: Given): string[] {
  const shown = new Set([...form.fields, ...COMMON_FIELDS].map((field) => field.key).concat("type", "severity", "on_failure"));
  return Object.keys(check).filter((key) => !shown.has(key));
}

/** "checks[2].max" is about the third check. */
export function indexIn(path: string): number | undefined {
  const found = /^checks\[(\d+)\]/.exec(path)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** "checks[2].max_null_percentage" is about that key. */
export function keyIn(path: string): string | undefined {
  return /^checks\[\d+\]\.([\w]+)/.exec(path)?.[1];
}
