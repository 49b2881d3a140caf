import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconBolt, IconLoader2, IconZzz } from "@tabler/icons-react";

import { client, systemQuery, unwrap, type SparkView } from "../api";
import { plural } from "../format/numbers";

interface SparkLook {
  word: string;
  tone: "calm" | "busy" | "good" | "bad";
  icon: typeof IconBolt;
  about: string;
}

function lookOf(spark: SparkView): SparkLook {
  switch (spark.state) {
    case "stopped":
      return {
        word: "Spark sleeps",
        tone: "calm",
        icon: IconZzz,
        about: "It starts by itself with the first run. Everything you see here works without it.",
      };
    case "starting":
      return { word: "Spark starts", tone: "busy", icon: IconLoader2, about: "A few seconds; runs wait for it, pages do not." };
    case "ready":
      return { word: "Spark ready", tone: "good", icon: IconBolt, about: spark.master };
    case "failed":
      return {
        word: "Spark failed",
        tone: "bad",
        icon: IconAlertTriangle,
        about: [spark.error?.what, spark.error?.why, spark.error?.fix].filter(Boolean).join(" ") || "It could not start.",
      };
  }
}

/** What Spark does now; why, on hover and focus. */
export function SparkChip() {
  const { data } = useQuery(systemQuery());
  if (data === undefined) return null;
  const { word, tone, icon: Sign, about } = lookOf(data.spark);
  return (
    <Tooltip label={about} multiline maw={340} withArrow events={{ hover: true, focus: true, touch: true }}>
      <button type="button" className="chip" data-tone={tone} aria-label={`${word}. ${about}`}>
        <Sign size={15} aria-hidden className={tone === "busy" ? "turning" : undefined} />
        <span className="chip-word">{word}</span>
      </button>
    </Tooltip>
  );
}

/** Only there while something runs or waits; leads to the run. */
export function JobsChip() {
  const { data } = useQuery(systemQuery());
  const busy = data !== undefined && data.jobs_running + data.jobs_queued > 0;
  const running = useQuery({
    queryKey: ["runs", "running now"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/runs", { params: { query: { status: "running", limit: 1 } }, signal })),
    enabled: busy,
    refetchInterval: busy ? 5_000 : false,
  });
  if (!busy) return null;
  const waits = data.jobs_queued > 0 ? `, ${data.jobs_queued} waiting` : "";
  const label =
    data.jobs_running > 0 ? `${plural(data.jobs_running, "run")} working${waits}` : `${plural(data.jobs_queued, "run")} waiting`;
  const runId = running.data?.items[0]?.run_id;
  const content = (
    <>
      <IconLoader2 size={15} aria-hidden className="turning" />
      <span className="chip-word">{label}</span>
    </>
  );
  return runId === undefined ? (
    <Link to="/runs" className="chip" data-tone="busy" aria-label={label}>
      {content}
    </Link>
  ) : (
    <Link to="/runs/$runId" params={{ runId }} className="chip" data-tone="busy" aria-label={label}>
      {content}
    </Link>
  );
}
