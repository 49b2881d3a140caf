import { useNavigate } from "@tanstack/react-router";

import type { MergeEnd } from "../../api/versioning";
import { notify } from "../../components";
import { endInWords } from "./words";

/** Leads on from what a merge, revert or cherry-pick came to: where someone has to decide, there. */
export function useMergeEnd(): (end: MergeEnd, target: string) => void {
  const navigate = useNavigate();
  return (end, target) => {
    if (end.mergeId !== null && (end.type === "conflicted" || end.type === "blocked" || end.type === "pending")) {
      void navigate({ to: "/merges/$mergeId", params: { mergeId: end.mergeId } });
      return;
    }
    const { tone, title, text } = endInWords(end, target);
    notify(tone, title, text);
  };
}
