import { Text } from "@mantine/core";

import { RunLink } from "./links";

/** Work that goes on as a run is said, with the way to it. */
export function LongWork({ runId, what }: { runId: string | null; what: string }) {
  if (runId === null) return null;
  return (
    <Text size="sm" role="status" c="dimmed">
      {what} takes longer. It goes on as run <RunLink runId={runId} />; this page waits for it.
    </Text>
  );
}
