import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import type { ConflictSet, ResolutionBody } from "../../api";
import { plural } from "../../format/numbers";
import { groupName, rulesFor } from "./words";

interface Props {
  merge: ConflictSet;
  /** The column of the address, which a rule is most likely for. */
  table: string | undefined;
  column: string | undefined;
  busy: boolean;
  onResolve: (wanted: ResolutionBody) => void;
}

const ALL = "";

/** One answer for many: column → ours, theirs, base or an expression; or for all conflicts. */
export function RuleBar({ merge, table, column, busy, onResolve }: Props) {
  const columns = merge.groups.filter((group) => group.column != null);
  const named = columns.find((group) => group.table === table && (column === undefined || group.column === column));
  const [picked, setPicked] = useState<string | null>(null);
  const [word, setWord] = useState("ours");
  const [text, setText] = useState("");
  const fallback = named ?? columns.find((group) => group.open > 0);
  const scope = picked ?? (fallback === undefined ? ALL : groupName(fallback));
  const group = columns.find((one) => groupName(one) === scope);
  const choices = rulesFor(merge.target_branch, merge.source_branch).filter((rule) => group !== undefined || rule.take !== "expression");
  const rule = choices.find((one) => one.word === word) ?? choices[0];
  const expression = rule?.expression ?? text.trim();
  const number = group?.total ?? merge.total_count;
  const answered = number - (group?.open ?? merge.total_count - merge.resolved_count);
  const ready = rule !== undefined && (rule.take !== "expression" || expression !== "");

  const apply = (): void => {
    if (!ready) return;
    const where = group === undefined ? {} : { table: group.table ?? null, column: group.column ?? null };
    onResolve({ ...where, resolution: rule.take, ...(rule.take === "expression" ? { expression } : {}) });
  };
  return (
    <form
      className="rule-bar"
      aria-label="Rule"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <NativeSelect
        size="xs"
        label="Rule for"
        value={scope}
        onChange={(event) => setPicked(event.currentTarget.value)}
        data={[...columns.map((one) => ({ value: groupName(one), label: groupName(one) })), { value: ALL, label: "all conflicts" }]}
      />
      <NativeSelect
        size="xs"
        label="Take"
        value={rule?.word ?? ""}
        onChange={(event) => setWord(event.currentTarget.value)}
        data={choices.map((one) => ({ value: one.word, label: one.label }))}
      />
      {rule?.word === "expression" && (
        <TextInput
          size="xs"
          label="Expression"
          placeholder="greatest(ours, theirs)"
          className="rule-text"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <Group gap="xs" className="rule-go">
        <Button size="xs" variant="default" type="submit" loading={busy} disabled={!ready || number === 0}>
          Apply to {number}
        </Button>
        {answered > 0 && (
          <Text size="xs" c="dimmed">
            {plural(answered, "of them is", "of them are")} resolved already; the rule takes {answered === 1 ? "its" : "their"} place.
          </Text>
        )}
      </Group>
    </form>
  );
}
