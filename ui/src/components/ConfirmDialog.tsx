import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";

import { Problem } from "./Problem";
import { useFocusBack } from "./useFocusBack";

interface Props {
  opened: boolean;
  title: string;
  /** What will happen, and what will not. */
  children: ReactNode;
  /** The verb: "Cancel the run", not "OK". */
  confirm: string;
  /** What the other button keeps: "Keep it running". */
  keep?: string;
  danger?: boolean;
  busy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

export function ConfirmDialog({ opened, title, children, confirm, keep = "Keep as it is", danger, busy, error, onConfirm, onClose }: Props) {
  useFocusBack(opened);
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <div>{children}</div>
        {error != null && <Problem error={error} plain />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {keep}
          </Button>
          <Button color={danger ? "red.9" : undefined} loading={busy ?? false} onClick={onConfirm}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
