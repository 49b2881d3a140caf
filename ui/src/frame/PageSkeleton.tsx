import { Skeleton, Stack } from "@mantine/core";

/** While a page's own file is on its way. */
export function PageSkeleton() {
  return (
    <Stack aria-busy="true">
      <span className="only-readers">Loading</span>
      <Skeleton h={30} w={220} />
      <Skeleton h={90} />
      <Skeleton h={320} />
    </Stack>
  );
}
