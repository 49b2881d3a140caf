/** Names of columns and of people. */
import { NONE } from "./numbers";

/** core.orders.amount → core.orders, amount; the last part is the column. */
export function splitColumn(name: string): { table: string; column: string } {
  const dot = name.lastIndexOf(".");
  return { table: name.slice(0, Math.max(dot, 0)), column: name.slice(dot + 1) };
}

/** A name as the lake has them, `core.orders`: not `files:data/orders.csv` or `crm.public.people`. */
export function isLakeTable(id: string): boolean {
  return /^\w+\.\w+$/.test(id);
}

/** Short, for lists: the part of an address before the @. */
export function whoOf(user: string): string {
  return user === "" ? NONE : (user.split("@")[0] ?? user);
}
