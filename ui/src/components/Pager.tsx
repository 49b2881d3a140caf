import { Button, Group, Text } from "@mantine/core";

import { count } from "../format/numbers";

interface Props {
  page: number;
  size: number;
  total: number;
  hasMore: boolean;
  what: string;
  onPage: (page: number) => void;
}

/** Back and forth in a long list. */
export function Pager({ page, size, total, hasMore, what, onPage }: Props) {
  if (page === 1 && !hasMore) return null;
  const first = (page - 1) * size + 1;
  return (
    <Group justify="center" gap="sm" p="sm" style={{ borderTop: "1px solid var(--forge-line)" }}>
      <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Text size="sm" c="dimmed" className="numbers">
        {count(first)} – {count(Math.min(first + size - 1, Math.max(total, first)))} of {count(total)} {what}
      </Text>
      <Button variant="default" size="xs" disabled={!hasMore} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </Group>
  );
}
