/** References: `core.orders@HEAD~2`, commits cut to twelve characters, the words a branch name may hold. */

export const HEAD = "HEAD";
const SHORT = 12;

export interface TableAt {
  table: string;
  at: string;
}

/** `core.orders@fix-orders` → table and revision; no `@` means HEAD. */
export function parseTableAt(text: string): TableAt {
  const sign = text.indexOf("@");
  if (sign < 0) return { table: text.trim(), at: HEAD };
  return { table: text.slice(0, sign).trim(), at: text.slice(sign + 1).trim() || HEAD };
}

export function showTableAt({ table, at }: TableAt): string {
  return at === HEAD ? table : `${table}@${isCommit(at) ? shortCommit(at) : at}`;
}

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** What the terminal prints: the first twelve characters. Anything but a whole commit stays as it is. */
export function shortCommit(commit: string): string {
  return /^[0-9a-f]{13,64}$/.test(commit) ? commit.slice(0, SHORT) : commit;
}

/** A branch name made of a table or column: `core.orders.amount` → `fix-orders-amount`. */
export function branchNameFor(table: string, column?: string | null): string {
  const last = table.split(".").at(-1) ?? table;
  const words = column == null ? last : `${last}-${column}`;
  return `fix-${words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")}`;
}
