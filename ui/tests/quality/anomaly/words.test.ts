import { describe, expect, it } from "vitest";

import { isOpen, metricInWords, metricsInOrder, pointInWords, pointOf, seasonInWords, trendInWords, valueInWords } from "../../../src/quality/anomaly/words";
import { metric, point, series } from "../../fixtures/quality";

describe("a metric", () => {
  it("is told with its unit", () => {
    expect(metricInWords({ kind: "null_percentage", column: "amount" })).toBe("share of NULLs of amount");
    expect([valueInWords(14.2, "%"), valueInWords(1_199_223, "bytes"), valueInWords(null, null)]).toEqual(["14.2%", "1.2 MB", "–"]);
  });

  it("says of a point what was expected and what people said", () => {
    expect(pointInWords(point(3, { is_anomaly: true, feedback: "incident", held_back: true }), null)).toBe("20 Oct 06:00: 4,003; expected 3,800 to 4,200; an anomaly; said to be an incident; held back");
    expect(pointInWords(point(3, { low: null, high: null }), null)).toContain("too little history");
    expect(seasonInWords(point(0))).toBe("×1.02 on Mondays");
    expect(trendInWords(point(0, { log_scale: false, trend: -3 }))).toBe("−3 a day");
  });

  it("shows first the newest anomaly that nobody has judged", () => {
    const [early, late] = [point(4, { is_anomaly: true }), point(9, { is_anomaly: true, feedback: "expected" })];
    expect(pointOf(series({ points: [point(1), early, point(6), late, point(10)] }), undefined)).toBe(early);
    expect(pointOf(series({ points: [point(1), point(2)] }), undefined)?.time).toBe(point(2).time);
    const listed = metricsInOrder([metric("b"), metric("a", { column: "x" }), metric("c", { is_anomaly: true }), metric("d", { is_anomaly: true, feedback: "expected" })]);
    expect(listed.map((one) => one.metric)).toEqual(["c", "b", "d", "a"]);
    expect(isOpen(metric("a", { is_anomaly: true, feedback: "incident" }))).toBe(false);
  });
});
