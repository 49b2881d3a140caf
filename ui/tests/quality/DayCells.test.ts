import { describe, expect, it } from "vitest";

import { daysInWords, stateOfDay } from "../../src/quality/DayCells";

describe("days", () => {
  const day = (passed: number, failed: number, unknown = 0) => ({ day: "2026-11-15", passed, failed, not_measured: unknown });
  it("are as bad as their worst check", () => {
    expect([day(3, 1), day(3, 0, 1), day(3, 0), day(0, 0)].map(stateOfDay)).toEqual(["failed", "unknown", "passed", "none"]);
    expect(daysInWords([day(3, 1), day(3, 0), day(0, 0)])).toBe("failed on 1 of 2 days with checks");
    expect(daysInWords([day(0, 0)])).toBe("not checked in 1 day");
  });
});
