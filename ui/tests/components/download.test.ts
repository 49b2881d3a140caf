import { expect, it } from "vitest";

import { fileName } from "../../src/components/download";

it("a file is named after the focus, without what a file system refuses", () => {
  expect(fileName("lineage", "core.orders.amount", "svg")).toBe("lineage-core.orders.amount.svg");
  expect(fileName("lineage", "files:data/orders/*.csv", "csv")).toBe("lineage-files-data-orders-.csv.csv");
});
