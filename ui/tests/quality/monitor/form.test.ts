import { describe, expect, it } from "vitest";

import { ApiProblem } from "../../../src/api";
import { formFrom, NEW_MONITOR, readForm, sortRefused, wrongOf } from "../../../src/quality/monitor/form";
import { monitor } from "../../fixtures/quality";

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
