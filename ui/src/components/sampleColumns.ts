import { useMediaQuery } from "@mantine/hooks";

/** The columns of rows that failed. Where little room is, what failed comes first and is seen without scrolling. */
export function useBadColumns(rows: readonly Record<string, unknown>[], bad: readonly string[]): string[] {
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return narrow ? badFirst(names, bad) : names;
}

export function badFirst(names: readonly string[], bad: readonly string[]): string[] {
  return [...names.filter((name) => bad.includes(name)), ...names.filter((name) => !bad.includes(name))];
}
