import { Skeleton, Stack } from "@mantine/core";

/** A part of a contract while it loads. */
export function PartSkeleton() {
  return (
    <Stack gap="sm">
      <Skeleton h={30} maw={320} />
      <Skeleton h={280} radius={12} />
    </Stack>
  );
}
