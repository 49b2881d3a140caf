import { describe, expect, it } from "vitest";

import { ApiProblem } from "../src/api";
import { mutesThis } from "../src/quality/Alerts";
import { boundOf, CHECK_FORMS, fieldsShown, formOf, indexIn, keyIn, otherKeys, textOf, valueOf, withKey, withType } from "../src/quality/checkForms";
import { daysInWords, stateOfDay } from "../src/quality/DayCells";
import { isOpen, metricInWords, metricsInOrder, pointInWords, pointOf, seasonInWords, trendInWords, valueInWords } from "../src/quality/metricWords";
import { formFrom, NEW_MONITOR, readForm, sortRefused, wrongOf } from "../src/quality/monitorForm";
import { countsInWords, standingOf, stepsInShort, verdictsInWords } from "../src/quality/remedyWords";
import { areaBetween, linear, pathThrough, spread, stretches, ticks } from "../src/quality/scale";
import { tiersInWords } from "../src/quality/tiers";
import { budgetInWords, burnInWords, cronInWords, everyInWords, figure, listOfDetails, nameOfResult, partitionsOf, runInWords, scheduleInWords, slaInWords, toneOfScore, triggerInWords } from "../src/quality/words";
import { worstFirst } from "../src/quality/MonitorResults";
import { metric, monitor, monitorRun, point, remedy, series, sla } from "./fixtures/quality";

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

describe("lines of a chart", () => {
  it("are not drawn across a gap", () => {
    expect(stretches([1, 2, 0, 3], (one) => one > 0)).toEqual([[1, 2], [3]]);
    expect(pathThrough([{ x: 0, y: 1 }, { x: 2.006, y: 3 }])).toBe("M0 1L2.01 3");
    expect(areaBetween([{ x: 0, y: 0 }], [{ x: 0, y: 9 }])).toBe("M0 0L0 9Z");
    expect(areaBetween([], [])).toBe("");
  });

  it("have labels evenly spread, the first and the last among them", () => {
    expect(spread([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([1, 4, 7]);
    expect(spread([1, 2], 5)).toEqual([1, 2]);
  });
});

describe("days", () => {
  const day = (passed: number, failed: number, unknown = 0) => ({ day: "2026-11-15", passed, failed, not_measured: unknown });
  it("are as bad as their worst check", () => {
    expect([day(3, 1), day(3, 0, 1), day(3, 0), day(0, 0)].map(stateOfDay)).toEqual(["failed", "unknown", "passed", "none"]);
    expect(daysInWords([day(3, 1), day(3, 0), day(0, 0)])).toBe("failed on 1 of 2 days with checks");
    expect(daysInWords([day(0, 0)])).toBe("not checked in 1 day");
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

describe("a check as a form", () => {
  it("is found by all of its names", () => {
    expect(["not_null", "completeness", "volume", "drift", "anomaly"].map((type) => formOf({ type })?.type)).toEqual(["not_null", "not_null", "row_count", "statistical", "anomaly"]);
    expect(formOf({ type: "custom", query: "SELECT 1" })?.type).toBe("query");
    expect(formOf({ type: "custom", sql: "a > 0" })?.type).toBe("expression");
    expect(formOf({ type: "sorted" })).toBeUndefined();
  });

  it("asks only for what its method needs", () => {
    const form = formOf({ type: "statistical" });
    if (form === undefined) throw new Error("no form");
    expect(fieldsShown(form, { statistical_check: "ks_test" }).map((one) => one.key)).toEqual(["statistical_check", "column", "reference", "max_distance"]);
    expect(fieldsShown(form, { statistical_check: "mean" }).map((one) => one.key)).toEqual(["statistical_check", "column", "min", "max"]);
  });

  it("reads texts into what the server takes, and leaves out what is empty", () => {
    expect(valueOf(" 1.5% ", "percent")).toBe(1.5);
    expect(valueOf("a, b", "columns")).toEqual(["a", "b"]);
    expect(valueOf("paid, 3", "list")).toEqual(["paid", 3]);
    expect(valueOf("id: bigint\namount: decimal(12,2)", "pairs")).toEqual({ id: "bigint", amount: "decimal(12,2)" });
    expect(valueOf("many", "number")).toBe("many");
    expect(valueOf("  ", "number")).toBeUndefined();
    expect([boundOf("0"), boundOf("2026-01-01"), boundOf("")]).toEqual([0, "2026-01-01", undefined]);
    expect(textOf({ id: "bigint" }, "pairs")).toBe("id: bigint");
    expect(withKey({ type: "range", min: 1 }, "min", undefined)).toEqual({ type: "range" });
  });

  it("keeps what two types have in common, and what no field shows", () => {
    const range = CHECK_FORMS.find((one) => one.type === "range");
    const pattern = CHECK_FORMS.find((one) => one.type === "regex");
    if (range === undefined || pattern === undefined) throw new Error("no form");
    expect(withType({ type: "range", column: "amount", min: 0, severity: "critical", name: "n" }, pattern)).toEqual({ type: "regex", column: "amount", severity: "critical", name: "n" });
    expect(otherKeys(range, { type: "range", column: "a", min: 0, auto: true, on_not_measured: "warn" })).toEqual(["auto", "on_not_measured"]);
  });

  it("is told apart by its place", () => {
    expect([indexIn("checks[2].min"), keyIn("checks[2].min"), indexIn("name"), keyIn("checks[2]")]).toEqual([2, "min", undefined, undefined]);
    expect(tiersInWords(["manifests", "manifests", "narrow"])).toBe("from metadata, no scan, a job of its own");
  });
});

describe("the form of a monitor", () => {
  it("says what is missing before anyone is asked", () => {
    expect(Object.keys(readForm(NEW_MONITOR).wrong)).toEqual(["name", "dataset", "checks"]);
    const { wrong } = readForm({ ...formFrom(monitor()), target: "120", window: "1.5", when: "interval", minutes: "" });
    expect(Object.keys(wrong)).toEqual(["sla_target_percentage", "sla_window_days", "schedule.interval_minutes"]);
  });

  it("gives back the monitor that it was filled with", () => {
    const { request, wrong } = readForm(formFrom(monitor()));
    const { name, dataset, checks, schedule, channels } = monitor();
    expect(wrong).toEqual({});
    expect(request).toMatchObject({ name, dataset, checks, schedule, channels, sla_target_percentage: 99, sla_window_days: 30 });
  });

  it("takes the checks of the project as none of its own", () => {
    expect(readForm({ ...formFrom(monitor()), own: false }).request.checks).toEqual([]);
    expect(formFrom(monitor({ checks: [] })).own).toBe(false);
    expect(formFrom(monitor({ branch: "dev" })).dataset).toBe("core.orders@dev");
  });

  it("gives each refusal to its field, and the rest to the whole", () => {
    const errors = [
      { code: "FORGE-E720", what: "There is a monitor of that name", where: "body.name" },
      { code: "FORGE-E701", what: "min is more than max", where: "checks[0].min" },
      { code: "FORGE-E101", what: "The file cannot be read", where: "forge.yaml:3" },
    ];
    const { wrong, rest } = sortRefused(new ApiProblem(422, { code: "FORGE-E720", what: "three" }, errors));
    expect(wrong).toEqual({ name: "There is a monitor of that name", "checks[0].min": "min is more than max" });
    expect(rest?.message).toBe("The file cannot be read");
    expect(wrongOf([{ path: "schedule.cron", message: "has four fields", fix: "Write five." }])).toEqual({ "schedule.cron": "has four fields Write five." });
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

describe("a remedy", () => {
  it("tells what it does to the rows and to the checks", () => {
    expect(countsInWords(remedy())).toBe("39 deleted in core.orders; 39 added in core.orders_quarantine");
    expect(countsInWords({ counts: [] })).toBe("no row changes");
    expect(verdictsInWords(remedy())).toBe("the check passes after it");
    expect(verdictsInWords({ verdicts: [{ check_id: "a", outcome: "failed", message: "" }] })).toBe("1 check would still not pass");
    expect(stepsInShort([...remedy().steps, { action: "impute", options: {}, check_ids: [] }])).toBe("quarantine, then impute");
    expect(standingOf(remedy({ status: "applied", auto: true })).title).toBe("It was done at once");
  });
});

it("mutes what a mute names, and nothing else", () => {
  const incident = { monitor_id: "m1", check_id: "c", table: "core.orders" };
  const mute = (more: object) => ({ monitor_id: null, check_id: null, dataset: null, ...more });
  expect(mutesThis(mute({ check_id: "c", dataset: "core.orders" }), incident)).toBe(true);
  expect(mutesThis(mute({ check_id: "c", monitor_id: "m2" }), incident)).toBe(false);
});
