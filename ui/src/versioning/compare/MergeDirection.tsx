import { IconArrowNarrowLeft } from "@tabler/icons-react";

/** main ◀── fix-orders: from right to left, as a merge goes. */
export function MergeDirection({ base, compare }: { base: string; compare: string }) {
  return (
    <span className="into">
      {base}
      <IconArrowNarrowLeft size={26} stroke={1.6} role="img" aria-label="gets what is on" />
      {compare}
    </span>
  );
}
