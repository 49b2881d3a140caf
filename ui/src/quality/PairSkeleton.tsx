import { Skeleton, Stack } from "@mantine/core";

/** A page of one finding while it loads: what it says, two panels, a table. */
export function PairSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton h={70} radius={12} />
      <div className="result-pair">
        <Skeleton h={240} radius={12} />
        <Skeleton h={240} radius={12} />
      </div>
      <Skeleton h={260} radius={12} />
    </Stack>
  );
}
