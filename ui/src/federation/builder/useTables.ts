/** Tables that can be chosen, by the questions that completion asks, and the columns of those that are. */
import { useQueries, useQuery } from "@tanstack/react-query";

import { assetQuery } from "../../api";
import { declaredSourcesQuery, lakeTablesQuery, sourceTablesQuery } from "../../api/federation";
import { virtualTablesQuery } from "../../api/virtualTables";
import { HEAD } from "../../format/refs";
import { handleOf, type Choice, type Table } from "./edit";

export interface TableChoice {
  path: readonly string[];
  /** lake, virtual, or the name of a source. */
  group: string;
  /** Known for tables of sources and virtual ones; those of the lake are asked for one by one. */
  columns?: readonly { name: string; type: string }[];
}

const PATIENT = { staleTime: 30_000, retry: false } as const;
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** What a source does not answer is left out. */
export function useTables(at: string | undefined): { tables: readonly TableChoice[]; pending: boolean } {
  const lake = useQuery({ ...lakeTablesQuery(at ?? HEAD), retry: false });
  const virtual = useQuery({ ...virtualTablesQuery(), retry: false });
  const declared = useQuery({ ...declaredSourcesQuery(), ...PATIENT });
  const sources = (declared.data?.items ?? []).filter(({ may_read }) => may_read);
  const found = useQueries({ queries: sources.map(({ name }) => ({ ...sourceTablesQuery(name), retry: false })) });
  return {
    pending: [lake, virtual, declared, ...found].some(({ isLoading }) => isLoading),
    tables: [
      ...(lake.data ?? []).map((name) => ({ path: name.split("."), group: "lake" })),
      ...(virtual.data?.items ?? []).flatMap((one) => (one.may_read ? [{ path: ["virtual", one.name], group: "virtual", columns: (one.columns ?? []).map(({ name, data_type }) => ({ name, type: data_type })) }] : [])),
      ...found.flatMap(({ data }, place) => {
        const source = sources[place]?.name ?? "";
        return (data ?? []).map(({ table, columns }) => ({ path: [source, ...table.split(".")], group: source, columns: columns.map(({ name, type }) => ({ name, type })) }));
      }),
    ],
  };
}

/** crm.customers is crm.public.customers where that is the only one it can be. */
export function tableAt(tables: readonly TableChoice[], path: readonly string[]): TableChoice | undefined {
  const ends = (one: TableChoice): boolean => isSame(one.path[0] ?? "", path[0] ?? "") && path.slice(1).every((part, at) => isSame(part, one.path.at(at - path.length + 1) ?? ""));
  return tables.find((one) => isSame(one.path.join("."), path.join("."))) ?? tables.find((one) => one.path.length > path.length && ends(one));
}

/** The columns of each table of the query. */
export function useColumns(chosen: readonly Table[], tables: readonly TableChoice[], at: string | undefined): readonly (readonly Choice[])[] {
  const found = chosen.map(({ path }) => tableAt(tables, path));
  const asked = useQueries({
    queries: chosen.map(({ path }, place) => ({ ...assetQuery((found[place]?.path ?? path).join("."), at ?? HEAD), ...PATIENT, enabled: found[place]?.group === "lake" })),
  });
  return chosen.map((table, place) => {
    const columns = found[place]?.columns ?? asked[place]?.data?.schema ?? [];
    return columns.map(({ name, type }) => ({ term: { table: handleOf(table), column: name, aggregate: null }, type }));
  });
}
