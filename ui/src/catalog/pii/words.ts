/** What the page of personal data says of a finding. */
import type { PiiFindingView } from "../../api";
import { percent } from "../../format/numbers";

const NAMES: Record<string, string> = { ssn: "social security number", iban: "IBAN", ip_address: "IP address", email: "e-mail address", drivers_license: "driver’s licence" };

/** "e-mail address", "date of birth"; a quasi-identifier has no type. */
export function typeName(type: string | null): string {
  return type === null ? "quasi-identifier" : (NAMES[type] ?? type.replaceAll("_", " "));
}

export function scoreInWords({ score }: Pick<PiiFindingView, "score">): string {
  return percent(100 * score);
}

/** What the bar of a score says besides its length. */
export function toneOf(score: number): "good" | "warn" | "calm" {
  return score >= 0.8 ? "good" : score >= 0.5 ? "warn" : "calm";
}

/** By score; quasi-identifiers, which point at nobody alone, come after all others. */
export function surestFirst<T extends Pick<PiiFindingView, "type" | "score">>(findings: readonly T[]): T[] {
  return findings.toSorted((one, other) => Number(one.type === null) - Number(other.type === null) || other.score - one.score);
}

/** The types of what was found, each once. */
export function typesOf(findings: readonly Pick<PiiFindingView, "type">[]): string[] {
  return [...new Set(findings.flatMap(({ type }) => (type === null ? [] : [type])))].toSorted();
}

/** The one to look at after this one was decided and has left the list. */
export function nextOf<T extends { id: string }>(findings: readonly T[], id: string): T | undefined {
  const at = findings.findIndex((one) => one.id === id);
  return findings[at + 1] ?? findings[at - 1];
}

/** The one a step away, staying at the ends. */
export function stepFrom<T extends { id: string }>(findings: readonly T[], id: string | undefined, step: number): T | undefined {
  const at = findings.findIndex((one) => one.id === id);
  if (at < 0) return findings[0];
  return findings[Math.min(Math.max(at + step, 0), findings.length - 1)];
}
