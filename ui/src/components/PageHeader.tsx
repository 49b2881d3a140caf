import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

import { useTitle } from "./useTitle";

interface Props {
  title: ReactNode;
  /** For the browser's tab, where `title` is not a plain text. */
  documentTitle?: string;
  /** One quiet line under the title. */
  about?: ReactNode;
  /** Badges beside the title. */
  marks?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
}

/** The one `h1` of a page; it also names the browser's tab. */
export function PageHeader({ title, documentTitle, about, marks, actions }: Props) {
  useTitle(documentTitle ?? (typeof title === "string" ? title : "Forge"));
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <div style={{ minWidth: 0 }}>
        <Group gap="sm">
          <Title order={1} fz={{ base: 22, sm: 25 }} lh={1.25} className="name" style={{ letterSpacing: "-0.015em" }}>
            {title}
          </Title>
          {marks}
        </Group>
        {about !== undefined && (
          <Text component="div" c="dimmed" size="sm" mt={4}>
            {about}
          </Text>
        )}
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
