import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";

import { Problem } from "./Problem";
import { useFocusBack } from "./useFocusBack";

interface Props {
  title: string;
  submit: string;
  disabled?: boolean;
  busy: boolean;
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with fields, its button and what the server refuses. */
export function FormDialog({ title, submit, disabled = false, busy, error, onSubmit, onClose, children }: Props) {
  useFocusBack();
  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabled && !busy) onSubmit();
        }}
      >
        <Stack>
          {children}
          {error != null && <Problem error={error} plain />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={disabled} loading={busy}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
