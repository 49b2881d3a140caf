/** What an ERD says of tables and of what joins them. */
import type { ErdColumnView, ErdTableView, ErdView } from "../../api";
import { percent, plural } from "../../format/numbers";

export type Relation = ErdView["relations"][number];

/** The same for the same relation, however many others there are. */
export function relationId(relation: Relation): string {
  return relation.type === "lineage" ? `${relation.source} > ${relation.target}` : `${endOf(relation, "source")} = ${endOf(relation, "target")}`;
}

/** "core.orders (customer_id)" */
export function endOf(relation: Relation, end: "source" | "target"): string {
  if (relation.type === "lineage") return relation[end];
  const columns = end === "source" ? relation.source_columns : relation.target_columns;
  return columns.length === 0 ? relation[end] : `${relation[end]} (${columns.join(", ")})`;
}

/** Nobody takes what was inferred for what was declared. */
export function kindInWords(relation: Relation): string {
  return { foreign_key: "foreign key, declared", join: "join, inferred", lineage: "data flow" }[relation.type];
}

const CARDINALITIES = { one_to_one: "1 : 1", many_to_one: "n : 1", unknown: "" } as const;

export function cardinalityOf(relation: Relation): string {
  return relation.type === "lineage" ? "" : CARDINALITIES[relation.cardinality];
}

export function surenessOf(relation: Relation): string {
  return relation.type === "foreign_key" ? "declared" : percent(100 * relation.confidence);
}

/** How the line of one looks, and how its entry in the legend. */
export function lookOf(relation: Relation): "declared" | "inferred" | "flow" {
  return ({ foreign_key: "declared", join: "inferred", lineage: "flow" } as const)[relation.type];
}

/** "join, inferred: core.orders (customer_id) to core.customers (id)" */
export function relationInWords(relation: Relation): string {
  return `${kindInWords(relation)}: ${endOf(relation, "source")} to ${endOf(relation, "target")}`;
}

/** Of `shop.core.orders` and of `core.orders`: `core`. */
export function schemaOf(table: string): string {
  return table.split(".").at(-2) ?? "";
}

/** Of the tables that belong there, not of those that are only pointed at. */
export function schemasOf(tables: readonly ErdTableView[]): string[] {
  return [...new Set(tables.filter((table) => !table.outside).map((table) => schemaOf(table.name)))].filter((name) => name !== "").toSorted();
}

export function keysOf({ primary_key, foreign_key }: ErdColumnView): string {
  return [primary_key && "PK", foreign_key && "FK"].filter(Boolean).join(" ");
}

/** "5 tables · 2 declared keys · 1 inferred join" */
export function contentInWords(erd: ErdView): string {
  const number = (type: Relation["type"]): number => erd.relations.filter((one) => one.type === type).length;
  return [
    erd.truncated ? `${erd.tables.length} of ${plural(erd.total, "table")}: choose a schema` : plural(erd.total, "table"),
    plural(number("foreign_key"), "declared key"),
    plural(number("join"), "inferred join"),
  ].join(" · ");
}
