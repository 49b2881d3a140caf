import { describe, expect, it } from "vitest";

import { hasEnded, mergeRun, parseRun } from "../../src/api/events";
import type { RunDetail, RunWord } from "../../src/api/types";

function run(status: RunWord, runId = "r1"): RunDetail {
  return {
    run_id: runId,
    kind: "run",
    text: "",
    status,
    branch: "main",
    user: "",
    host: "",
    step: "",
    selection: [],
    params: {},
    outputs: [],
    can_cancel: false,
    can_rerun: false,
    verdicts: [],
  };
}

describe("events of a run", () => {
  it.each<[RunWord, boolean]>([
    ["queued", false],
    ["running", false],
    ["succeeded", true],
    ["blocked", true],
    ["failed", true],
    ["conflict", true],
    ["nothing to do", true],
    ["cancelled", true],
    ["interrupted", true],
  ])("%s has ended: %s", (word, ended) => expect(hasEnded(word)).toBe(ended));

  it("the newest state wins", () => expect(mergeRun(run("queued"), run("running")).status).toBe("running"));

  it("one that comes late never wakes a run that has ended", () => {
    expect(mergeRun(run("succeeded"), run("running")).status).toBe("succeeded");
  });

  it("another run replaces the one before", () => {
    expect(mergeRun(run("succeeded", "r1"), run("running", "r2")).run_id).toBe("r2");
  });

  it("what is no run is left out", () => {
    expect(parseRun("not json")).toBeNull();
    expect(parseRun("null")).toBeNull();
    expect(parseRun('{"run_id":"r1","status":"running"}')?.run_id).toBe("r1");
  });
});
