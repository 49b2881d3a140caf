import { Stack, Text } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface Props {
  icon: Icon;
  title: string;
  /** What would be here, and how it gets here. */
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Sign, title, children, action }: Props) {
  return (
    <Stack align="center" gap={10} py={48} px="md" ta="center">
      <Sign size={36} stroke={1.4} aria-hidden style={{ color: "var(--mantine-color-dimmed)" }} />
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text component="div" size="sm" c="dimmed" maw={460}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
