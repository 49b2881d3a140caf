import { ActionIcon, NativeSelect, Pill } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { ChooseTerm } from "./Choose";
import { extraGroups, isSame, keyOf, type Choice, type Query, type Term } from "./edit";

interface Props {
  query: Query;
  choices: readonly Choice[];
  change: (query: Query) => void;
}

const nameOf = ({ table, column }: Term): string => (table === "" ? column : `${table}.${column}`);

/** GROUP BY: the columns of the result that are not added up, and others. */
export function Groups({ query, choices, change }: Props) {
  const extra = extraGroups(query);
  const fixed = query.group_by.filter((term) => !extra.some((one) => isSame(one, term)));
  return (
    <div className="builder-row">
      {fixed.map((term) => (
        <Pill key={keyOf(term)}>{nameOf(term)}</Pill>
      ))}
      {extra.map((term) => (
        <Pill key={keyOf(term)} withRemoveButton removeButtonProps={{ "aria-label": `Do not group by ${nameOf(term)}`, tabIndex: 0, "aria-hidden": false }} onRemove={() => change({ ...query, group_by: query.group_by.filter((one) => !isSame(one, term)) })}>
          {nameOf(term)}
        </Pill>
      ))}
      <ChooseTerm key={query.group_by.length} label="Group by" placeholder="Another column" term={null} choices={choices} onChoose={(term) => change({ ...query, group_by: [...query.group_by.filter((one) => !isSame(one, term)), term] })} />
    </div>
  );
}

/** ORDER BY: names of the result, and columns. */
export function Order({ query, choices, change }: Props) {
  const names = query.columns.flatMap(({ alias }): Choice[] => (alias === "" ? [] : [{ term: { table: "", column: alias, aggregate: null }, type: "" }]));
  const offered = [...names, ...choices];
  const put = (order_by: Query["order_by"]): void => change({ ...query, order_by });
  const putAt = (place: number, part: Partial<Query["order_by"][number]>): void => put(query.order_by.map((one, at) => (at === place ? { ...one, ...part } : one)));
  return (
    <>
      {query.order_by.map(({ term, descending }, place) => (
        <div key={place} className="builder-row" role="group" aria-label={`Order ${place + 1}`}>
          {(term.aggregate ?? null) === null ? (
            <ChooseTerm label={`Order ${place + 1}: by`} term={term} choices={offered} onChoose={(chosen) => putAt(place, { term: chosen })} />
          ) : (
            <code className="builder-code">{`${term.aggregate}(${term.column === "" ? "*" : nameOf(term)})`}</code>
          )}
          <NativeSelect
            size="xs"
            aria-label={`Order ${place + 1}: direction`}
            value={descending ? "desc" : "asc"}
            data={[
              { value: "asc", label: "small first" },
              { value: "desc", label: "large first" },
            ]}
            onChange={(event) => putAt(place, { descending: event.currentTarget.value === "desc" })}
          />
          <ActionIcon variant="subtle" color="gray" aria-label={`Order ${place + 1}: remove`} onClick={() => put(query.order_by.filter((_, at) => at !== place))}>
            <IconX size={16} />
          </ActionIcon>
        </div>
      ))}
      <div className="builder-row">
        <ChooseTerm key={query.order_by.length} label="Order by" placeholder={query.order_by.length === 0 ? "Order by" : "then by"} term={null} choices={offered} onChoose={(term) => put([...query.order_by, { term, descending: false }])} />
      </div>
    </>
  );
}
