/** What a person opened and closed in a picture, and how the address says it: `cols=all:core.orders`, `near=up1:core.orders`. */

export type Columns = "all" | "few" | "none";
export type Way = "up" | "down";

export interface Choice {
  /** By table: all its columns, the touched ones, or none. */
  columns: ReadonlyMap<string, Columns>;
  /** By `up:core.orders`: how many helpings more of its neighbours; 0 hides those that are shown. */
  near: ReadonlyMap<string, number>;
}

export const NO_CHOICE: Choice = { columns: new Map(), near: new Map() };

export function nearKey(way: Way, table: string): string {
  return `${way}:${table}`;
}

export function withColumns(choice: Choice, table: string, columns: Columns): Choice {
  return { ...choice, columns: new Map(choice.columns).set(table, columns) };
}

/** `steps` undefined: as it is by itself. */
export function withNear(choice: Choice, way: Way, table: string, steps: number | undefined): Choice {
  const near = new Map(choice.near);
  if (steps === undefined) near.delete(nearKey(way, table));
  else near.set(nearKey(way, table), steps);
  return { ...choice, near };
}

export function readChoice(cols: readonly string[] = [], near: readonly string[] = []): Choice {
  const columns = new Map<string, Columns>();
  for (const one of cols) {
    const [, word, table] = /^(all|few|none):(.+)$/.exec(one) ?? [];
    if (word !== undefined && table !== undefined) columns.set(table, word as Columns);
  }
  const steps = new Map<string, number>();
  for (const one of near) {
    const [, way, number, table] = /^(up|down)(\d{1,3}):(.+)$/.exec(one) ?? [];
    if (way !== undefined && table !== undefined) steps.set(nearKey(way as Way, table), Number(number));
  }
  return { columns, near: steps };
}

export function writeChoice({ columns, near }: Choice): { cols: string[] | undefined; near: string[] | undefined } {
  const cols = [...columns].map(([table, word]) => `${word}:${table}`);
  const steps = [...near].map(([key, number]) => key.replace(":", `${number}:`));
  return { cols: cols.length === 0 ? undefined : cols, near: steps.length === 0 ? undefined : steps };
}
