import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { IconCircleX, IconFileAlert, IconGitBranch, IconGitMerge, IconTable, IconCircleCheck, type Icon } from "@tabler/icons-react";

import type { Overview } from "../../api";
import { mergesQuery, OPEN_MERGES } from "../../api/versioning";
import { count } from "../../format/numbers";

interface Counter {
  value: number;
  label: string;
  icon: Icon;
  tone: "calm" | "bad" | "warn" | "good";
  link: Pick<LinkProps, "to" | "search">;
}

function countersOf({ counters, branch }: Overview, merges: number): Counter[] {
  const failing = counters.checks_failing;
  const broken = counters.contracts_broken;
  return [
    {
      value: counters.assets,
      label: counters.assets === 1 ? "table or view" : "tables and views",
      icon: IconTable,
      tone: "calm",
      link: { to: "/assets" },
    },
    {
      value: failing,
      label: failing === 1 ? "check failing" : "checks failing",
      icon: failing > 0 ? IconCircleX : IconCircleCheck,
      tone: failing > 0 ? "bad" : "good",
      link: { to: "/quality", search: { health: failing > 0 ? "failing" : undefined } },
    },
    {
      value: broken,
      label: broken === 1 ? "contract broken" : "contracts broken",
      icon: broken > 0 ? IconFileAlert : IconCircleCheck,
      tone: broken > 0 ? "warn" : "good",
      // What a run held back shows at its tables: those that are published still keep their contract.
      link: broken > 0 ? { to: "/assets", search: { state: "failing" } } : { to: "/contracts" },
    },
    // A merge that waits for someone is more urgent than a branch that has something.
    merges > 0
      ? { value: merges, label: merges === 1 ? "merge is open" : "merges are open", icon: IconGitMerge, tone: "warn", link: { to: "/branches" } }
      : {
          value: counters.branches_ahead,
          label: `${counters.branches_ahead === 1 ? "branch" : "branches"} ahead of ${branch}`,
          icon: IconGitBranch,
          tone: "calm",
          link: { to: "/branches" },
        },
  ];
}

/** Four numbers, each leading to what it counts. */
export function Counters({ overview }: { overview: Overview }) {
  const { data } = useQuery(mergesQuery(OPEN_MERGES));
  return (
    <ul className="counters" aria-label="At a glance">
      {countersOf(overview, data?.total_count ?? data?.items.length ?? 0).map(({ value, label, icon: Sign, tone, link }) => (
        <li key={label}>
          <Link {...link} className="panel counter" data-tone={tone}>
            <Sign size={20} stroke={1.7} aria-hidden />
            <span className="counter-value">{count(value)}</span>
            <span className="counter-label">{label}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
