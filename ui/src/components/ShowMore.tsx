import { Button, Group, Text } from "@mantine/core";

import { count } from "../format/numbers";
import { Problem } from "./Problem";

interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
}

interface Props {
  query: Paged;
  /** How many are shown now. */
  shown: number;
  total?: number | null | undefined;
  /** What is listed, in plural: "commits". */
  what: string;
}

/** The end of a list that comes in pages: a button for the next, and how far one has come. */
export function ShowMore({ query, shown, total, what }: Props) {
  if (!query.hasNextPage) return null;
  if (query.isFetchNextPageError) {
    return (
      <div style={{ padding: 16, borderTop: "1px solid var(--forge-line)" }}>
        <Problem error={query.error} plain retry={() => void query.fetchNextPage()} retrying={query.isFetchingNextPage} />
      </div>
    );
  }
  return (
    <Group justify="center" gap="sm" p="sm" style={{ borderTop: "1px solid var(--forge-line)" }}>
      <Text size="sm" c="dimmed" className="numbers">
        {total == null ? `The first ${count(shown)} ${what}` : `${count(shown)} of ${count(total)} ${what}`}
      </Text>
      <Button variant="default" size="xs" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </Group>
  );
}
