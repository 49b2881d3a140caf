import {
  IconAlertTriangle,
  IconBan,
  IconBellCheck,
  IconBellX,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconEye,
  IconGitMerge,
  IconHandStop,
  IconHelpCircle,
  IconHourglassLow,
  IconInfoCircle,
  IconLoader2,
  IconMinus,
  IconPencil,
  IconPlayerPause,
  IconPlugConnectedX,
  IconSunset2,
  type Icon,
} from "@tabler/icons-react";

export type Tone = "bad" | "warn" | "good" | "busy" | "calm";

interface Look {
  tone: Tone;
  icon: Icon;
  turning?: boolean;
}

/** Every word Forge uses for a state: of runs, outputs, verdicts, severities, tables, tokens, branches, monitors,
 * incidents, alerts and contracts. */
const LOOKS: Record<string, Look> = {
  queued: { tone: "calm", icon: IconClock },
  waiting: { tone: "calm", icon: IconClock },
  running: { tone: "busy", icon: IconLoader2, turning: true },
  started: { tone: "busy", icon: IconLoader2, turning: true },
  staged: { tone: "busy", icon: IconLoader2, turning: true },
  checked: { tone: "busy", icon: IconCircleCheck },
  starting: { tone: "busy", icon: IconLoader2, turning: true },
  succeeded: { tone: "good", icon: IconCircleCheck },
  published: { tone: "good", icon: IconCircleCheck },
  passed: { tone: "good", icon: IconCircleCheck },
  ok: { tone: "good", icon: IconCircleCheck },
  ready: { tone: "good", icon: IconCircleCheck },
  active: { tone: "good", icon: IconCircleCheck },
  blocked: { tone: "bad", icon: IconHandStop },
  "held back": { tone: "bad", icon: IconHandStop },
  failed: { tone: "bad", icon: IconCircleX },
  failing: { tone: "bad", icon: IconCircleX },
  critical: { tone: "bad", icon: IconCircleX },
  error: { tone: "bad", icon: IconAlertTriangle },
  conflict: { tone: "warn", icon: IconGitMerge },
  conflicted: { tone: "warn", icon: IconGitMerge },
  pending: { tone: "warn", icon: IconClock },
  aborted: { tone: "calm", icon: IconBan },
  rejected: { tone: "calm", icon: IconBan },
  warning: { tone: "warn", icon: IconAlertTriangle },
  "not measured": { tone: "warn", icon: IconHelpCircle },
  interrupted: { tone: "warn", icon: IconPlugConnectedX },
  cancelled: { tone: "calm", icon: IconBan },
  skipped: { tone: "calm", icon: IconMinus },
  "nothing to do": { tone: "calm", icon: IconMinus },
  "up to date": { tone: "calm", icon: IconMinus },
  info: { tone: "calm", icon: IconInfoCircle },
  unchecked: { tone: "calm", icon: IconCircleDashed },
  expired: { tone: "warn", icon: IconClock },
  revoked: { tone: "calm", icon: IconBan },
  open: { tone: "bad", icon: IconAlertTriangle },
  acknowledged: { tone: "busy", icon: IconEye },
  resolved: { tone: "good", icon: IconCircleCheck },
  recovered: { tone: "good", icon: IconCircleCheck },
  paused: { tone: "calm", icon: IconPlayerPause },
  "never ran": { tone: "calm", icon: IconCircleDashed },
  sent: { tone: "good", icon: IconBellCheck },
  sending: { tone: "busy", icon: IconLoader2, turning: true },
  dropped: { tone: "calm", icon: IconMinus },
  refused: { tone: "bad", icon: IconBellX },
  "given up": { tone: "bad", icon: IconBellX },
  merged: { tone: "calm", icon: IconGitMerge },
  archived: { tone: "calm", icon: IconMinus },
  draft: { tone: "calm", icon: IconPencil },
  deprecated: { tone: "warn", icon: IconHourglassLow },
  sunset: { tone: "warn", icon: IconSunset2 },
  retired: { tone: "calm", icon: IconBan },
};

export function lookOf(word: string): Look {
  return LOOKS[word.replaceAll("_", " ")] ?? { tone: "calm", icon: IconCircleDashed };
}

/** A state as icon and word on its soft colour. `label` says it otherwise ("critical" → "critical check"), `title` explains. */
export function StatusBadge({ word, label, title }: { word: string; label?: string; title?: string | undefined }) {
  const { tone, icon: Sign, turning } = lookOf(word);
  return (
    <span className="badge" data-tone={tone} title={title}>
      <Sign size={14} stroke={2} aria-hidden className={turning ? "turning" : undefined} />
      {label ?? word.replaceAll("_", " ")}
    </span>
  );
}
