/** Short messages in the corner: what was done, or what could not be done now. */
import { CloseButton, Text } from "@mantine/core";
import { useSyncExternalStore } from "react";

import { asProblem } from "../api/problem";
import { lookOf, type Tone } from "./StatusBadge";

interface Notice {
  id: number;
  tone: Tone;
  title: string;
  text?: string | undefined;
}

const WORDS: Record<Tone, string> = { good: "succeeded", bad: "failed", warn: "warning", busy: "running", calm: "info" };
const SHOWN_MS = 7_000;
const listeners = new Set<() => void>();
let shown: readonly Notice[] = [];
let last = 0;

function change(next: readonly Notice[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function close(id: number): void {
  change(shown.filter((notice) => notice.id !== id));
}

export function notify(tone: Tone, title: string, text?: string): void {
  last += 1;
  const id = last;
  // The same message twice says nothing more.
  change([...shown.filter((notice) => notice.title !== title), { id, tone, title, text }].slice(-3));
  setTimeout(() => close(id), SHOWN_MS);
}

export function notifyProblem(error: unknown): void {
  const problem = asProblem(error);
  const text = [problem.why, problem.fix].filter((part) => part !== null).join(" ");
  notify(problem.temporary ? "warn" : "bad", problem.message, text);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Notices() {
  const notices = useSyncExternalStore(subscribe, () => shown);
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map(({ id, tone, title, text }) => {
        const Sign = lookOf(WORDS[tone]).icon;
        return (
          <div key={id} className="notice">
            <Sign size={20} aria-hidden style={{ color: `var(--forge-${tone})`, flex: "none" }} />
            <div style={{ flex: 1, minWidth: 0 }} className="name">
              <Text size="sm" fw={600}>
                {title}
              </Text>
              {text !== undefined && text !== "" && (
                <Text size="sm" c="dimmed">
                  {text}
                </Text>
              )}
            </div>
            <CloseButton size="sm" aria-label="Close this message" onClick={() => close(id)} />
          </div>
        );
      })}
    </div>
  );
}
