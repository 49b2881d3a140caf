import { ActionIcon, Button, NativeSelect, TagsInput, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";

import type { Audience, MaskField, RowField } from "./fields";
import { MASKS } from "./words";

/** What is read instead of the values of a column, and by whom. */
export function Masks({ masks, change }: { masks: readonly MaskField[]; change: (masks: MaskField[]) => void }) {
  const put = (at: number, part: Partial<MaskField>): void => change(masks.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="source-rows">
      <legend>Masks</legend>
      <p>What is read instead of the values of a column, as table.column</p>
      {masks.map((one, index) => (
        <div key={index} className="source-row" role="group" aria-label={`Mask ${index + 1}`}>
          <TextInput size="xs" aria-label="Column" placeholder="customers.email" value={one.column} onChange={(event) => put(index, { column: event.currentTarget.value })} />
          <NativeSelect size="xs" aria-label="Reads as" value={one.as} onChange={(event) => put(index, { as: event.currentTarget.value as MaskField["as"] })} data={Object.entries(MASKS).map(([value, label]) => ({ value, label }))} />
          <Remove what={`mask ${index + 1}`} onClick={() => change(masks.filter((_, at) => at !== index))} />
          <Whom audience={one.audience} names={one.names} change={(part) => put(index, part)} />
        </div>
      ))}
      <Add what="mask" onClick={() => change([...masks, { column: "", as: "hash", audience: "everyone", names: [] }])} />
    </fieldset>
  );
}

/** Which rows of a table are read, and by whom. */
export function RowFilters({ rows, change }: { rows: readonly RowField[]; change: (rows: RowField[]) => void }) {
  const put = (at: number, part: Partial<RowField>): void => change(rows.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="source-rows">
      <legend>Row filters</legend>
      <p>Only the rows of a table of which the condition is true are read</p>
      {rows.map((one, index) => (
        <div key={index} className="source-row" role="group" aria-label={`Row filter ${index + 1}`}>
          <TextInput size="xs" aria-label="Table" placeholder="customers" value={one.table} onChange={(event) => put(index, { table: event.currentTarget.value })} />
          <TextInput size="xs" aria-label="Condition" placeholder="region = 'EU'" value={one.filter} onChange={(event) => put(index, { filter: event.currentTarget.value })} />
          <Remove what={`row filter ${index + 1}`} onClick={() => change(rows.filter((_, at) => at !== index))} />
          <Whom audience={one.audience} names={one.names} change={(part) => put(index, part)} />
        </div>
      ))}
      <Add what="row filter" onClick={() => change([...rows, { table: "", filter: "", audience: "everyone", names: [] }])} />
    </fieldset>
  );
}

const AUDIENCES: Readonly<Record<Audience, string>> = { everyone: "for everyone", for: "only for", except: "for all but" };

function Whom({ audience, names, change }: { audience: Audience; names: string[]; change: (part: { audience?: Audience; names?: string[] }) => void }) {
  return (
    <>
      <NativeSelect size="xs" aria-label="For whom" value={audience} onChange={(event) => change({ audience: event.currentTarget.value as Audience })} data={Object.entries(AUDIENCES).map(([value, label]) => ({ value, label }))} />
      {audience !== "everyone" && <TagsInput size="xs" aria-label="Users and roles" placeholder="ada@example.com" clearable clearButtonProps={{ "aria-label": "No users and roles" }} value={names} onChange={(chosen) => change({ names: chosen })} />}
    </>
  );
}

function Remove({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <ActionIcon variant="default" aria-label={`Remove ${what}`} onClick={onClick}>
      <IconTrash size={14} aria-hidden />
    </ActionIcon>
  );
}

function Add({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <div className="source-row-actions">
      <Button size="compact-xs" variant="default" leftSection={<IconPlus size={13} aria-hidden />} onClick={onClick}>
        Add a {what}
      </Button>
    </div>
  );
}
