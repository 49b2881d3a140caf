/** How high the parts of a day's bar are. */

const LEAST = 2;

/** True to the numbers. Only a part that could not be seen gets two pixels, and the largest part gives them. */
export function stack(parts: readonly number[], most: number, room: number): number[] {
  const heights = parts.map((value) => (most === 0 ? 0 : (value / most) * room));
  const largest = heights.indexOf(Math.max(...heights));
  return heights.reduce<number[]>((found, height, index) => {
    if (height === 0 || height >= LEAST) return found;
    const next = found.with(index, LEAST);
    if (index === largest) return next;
    return next.with(largest, Math.max(LEAST, (next[largest] ?? 0) - (LEAST - height)));
  }, heights);
}
