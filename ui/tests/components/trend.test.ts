import { expect, it } from "vitest";

import { stack } from "../../src/components/trend";

it.each([
  [[1, 0, 1], 2, [50, 0, 50]],
  [[999, 0, 1], 1000, [98, 0, 2]],
  [[1, 0, 0], 1000, [2, 0, 0]],
  [[0, 0, 0], 1, [0, 0, 0]],
])("the bar of %o of at most %i", (parts, most, heights) => {
  stack(parts, most, 100).forEach((height, index) => expect(height).toBeCloseTo(heights[index] ?? -1, 6));
});
