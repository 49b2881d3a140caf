import { Button, Popover, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconCamera, IconCheck, IconChevronDown, IconGitBranch } from "@tabler/icons-react";
import { useState } from "react";

import { branchesQuery } from "../api";
import { moment } from "../format/numbers";
import { HEAD, shortCommit } from "../format/refs";

interface Props {
  /** The revision now: branch, commit, `HEAD~2`, a time. */
  at: string | undefined;
  /** `undefined` stands for the newest of the default branch, and is left out of the address. */
  onChange: (at: string | undefined) => void;
  /** Only branches can be chosen, no other revision. */
  branchesOnly?: boolean;
  /** Snapshots of lineage that can be chosen, too. */
  snapshots?: readonly { name: string; at: string }[] | undefined;
}

/** Which state of the data the page shows. */
export function RefSwitch({ at, onChange, branchesOnly, snapshots }: Props) {
  const [opened, setOpened] = useState(false);
  const [text, setText] = useState("");
  const { data } = useQuery(branchesQuery());
  const branches = data?.items ?? [];
  const main = branches.find((branch) => branch.is_default)?.name;
  const shown = at === undefined || at === HEAD ? (main ?? HEAD) : shortCommit(at);

  const choose = (wanted: string): void => {
    setOpened(false);
    setText("");
    onChange(wanted === main || wanted === HEAD || wanted === "" ? undefined : wanted);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={280} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          leftSection={<IconGitBranch size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          aria-label={`Shown at ${shown}. Choose another revision`}
          onClick={() => setOpened(!opened)}
        >
          {shown}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Stack gap={2}>
          {branches.map((branch) => (
            <UnstyledButton key={branch.id} className="search-option" onClick={() => choose(branch.name)}>
              <IconGitBranch size={15} aria-hidden />
              <span className="name" style={{ flex: 1 }}>
                {branch.name}
              </span>
              {branch.name === shown && <IconCheck size={15} aria-label="shown now" />}
            </UnstyledButton>
          ))}
          {snapshots?.map((snapshot) => (
            <UnstyledButton key={snapshot.name} className="search-option" onClick={() => choose(snapshot.name)}>
              <IconCamera size={15} aria-label="snapshot" />
              <span className="name" style={{ flex: 1 }}>
                {snapshot.name}
              </span>
              {snapshot.name === at ? <IconCheck size={15} aria-label="shown now" /> : <span className="search-kind">{moment(snapshot.at)}</span>}
            </UnstyledButton>
          ))}
        </Stack>
        {branchesOnly !== true && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              choose(text.trim());
            }}
          >
            <TextInput
              mt="xs"
              size="sm"
              label="Another revision"
              placeholder="HEAD~2, a commit, 2026-11-14"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Text size="xs" c="dimmed" mt={4}>
              A commit or its beginning, a branch, HEAD~1, or a time. Enter shows it.
            </Text>
          </form>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
