import { describe, expect, it } from "vitest";

import { mutesThis } from "../../src/quality/incident/Alerts";
import { worstFirst } from "../../src/quality/monitor/Results";
import { linear, ticks } from "../../src/quality/scale";
import { budgetInWords, burnInWords, cronInWords, everyInWords, figure, listOfDetails, nameOfResult, partitionsOf, runInWords, scheduleInWords, slaInWords, toneOfScore, triggerInWords } from "../../src/quality/words";
import { monitor, monitorRun, sla } from "../fixtures/quality";

describe("numbers", () => {
  it("are as short as their size allows", () => {
    expect([115_659, 4916, 1234.5, 84.224, 0.00123, 0, null].map(figure)).toEqual(["115.7K", "4,916", "1,235", "84.22", "0.00123", "0", "–"]);
  });

  it("have ticks that hold them", () => {
    expect(ticks(3, 97)).toEqual([0, 50, 100]);
    expect(ticks(0.1, 0.3)).toEqual([0.1, 0.15, 0.2, 0.25, 0.3]);
    expect(ticks(5, 5)[0]).toBeLessThanOrEqual(5);
    expect(ticks(5, 5).at(-1)).toBeGreaterThanOrEqual(5);
    expect(ticks(-3, -1).at(-1)).toBeGreaterThanOrEqual(-1);
    expect(ticks(Infinity, -Infinity)).toEqual([0, 1]);
  });

  it("are placed in proportion, and in the middle where there is only one", () => {
    expect(linear([0, 10], [0, 100])(5)).toBe(50);
    expect(linear([3, 3], [0, 100])(3)).toBe(50);
  });
});

describe("a monitor", () => {
  it("tells when it runs", () => {
    expect(scheduleInWords(null)).toBe("by hand");
    expect(scheduleInWords(monitor().schedule)).toBe("Monday to Friday at 06:00 Europe/Berlin");
    expect(scheduleInWords({ type: "interval", cron: null, interval_minutes: 15, timezone: "UTC", missed: "skip" })).toBe("every 15 minutes");
    expect([60, 90, 1440, 2880].map(everyInWords)).toEqual(["every hour", "every 90 minutes", "every day", "every 2 days"]);
    expect(["5 * * * *", "30 7 * * *", "0 6 * * 1", "0 6 1 * *", "*/5 * * * *"].map(cronInWords)).toEqual([
      "every hour at minute 5",
      "every day at 07:30",
      "every Monday at 06:00",
      "0 6 1 * *",
      "*/5 * * * *",
    ]);
  });

  it("tells what a run came to, and why it ran", () => {
    expect(runInWords(monitorRun("a", { passed: 3, failed: 1, not_measured: 2 }))).toBe("3 passed, 1 failed, 2 not measured");
    expect(runInWords(monitorRun("a", { passed: 0, failed: 0, status: "interrupted" }))).toBe("interrupted");
    expect(runInWords(monitorRun("a", { passed: 0, failed: 0, error: { code: "FORGE-E720", what: "Spark was killed" } }))).toBe("Spark was killed");
    expect(triggerInWords({ trigger: "manual", by: "sam@shop.example" })).toBe("by sam@shop.example");
    expect(triggerInWords({ trigger: "change", by: "" })).toBe("after a change");
  });

  it("has the worst result first", () => {
    const of = (verdict: "passed" | "failed" | "not measured", severity: "info" | "error" | "critical") => ({ verdict, severity });
    const listed = worstFirst([of("passed", "critical"), of("failed", "info"), of("not measured", "error"), of("failed", "critical")]);
    expect(listed.map((one) => `${one.verdict} ${one.severity}`)).toEqual(["failed critical", "failed info", "not measured error", "passed critical"]);
  });

  it("tells how its service level stands", () => {
    expect(slaInWords(sla())).toMatchObject({ tone: "bad", title: "The target is missed" });
    expect(slaInWords(sla({ state: "no runs", runs: 0, met: 0 })).title).toBe("Not measured yet");
    expect(slaInWords(sla({ state: "at risk" })).text).toContain("does not last");
    expect(budgetInWords(-14)).toBe("overdrawn by 14%");
    expect(budgetInWords(40)).toBe("40%");
    expect([null, 0, 0.5, 2.4].map(burnInWords)).toEqual(["no run", "nothing was used up", "0.5× · lasts the window", "2.4× · too fast"]);
    expect([null, 100, 99, 20].map(toneOfScore)).toEqual(["calm", "good", "warn", "bad"]);
  });
});

describe("a result", () => {
  it("tells its readings, its name and its partitions", () => {
    expect(listOfDetails({ readings: { outside_range: 5060, max: "25547.98", share: 0.04 } }, "readings")).toEqual([["outside range", "5,060"], ["max", "25547.98"], ["share", "0.04"]]);
    expect(listOfDetails({}, "thresholds")).toEqual([]);
    expect(nameOfResult({ type: "not_null", columns: ["a", "b"] })).toBe("not null of a, b");
    expect(partitionsOf({ partitions: { total: 2, failed: 1, listed: [{ partition: { country: "DE", region: null }, outcome: "failed", message: "3 rows" }] } })).toEqual([{ name: "country = DE, region = –", verdict: "failed", message: "3 rows" }]);
    expect(partitionsOf({ partitions: 3 })).toEqual([]);
  });
});

it("mutes what a mute names, and nothing else", () => {
  const incident = { monitor_id: "m1", check_id: "c", table: "core.orders" };
  const mute = (more: object) => ({ monitor_id: null, check_id: null, dataset: null, ...more });
  expect(mutesThis(mute({ check_id: "c", dataset: "core.orders" }), incident)).toBe(true);
  expect(mutesThis(mute({ check_id: "c", monitor_id: "m2" }), incident)).toBe(false);
});
