import { ActionIcon, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconArrowBackUp, IconDots, IconGitBranch, IconGitCherryPick, IconTag } from "@tabler/icons-react";

import { branchesQuery, type BranchView, type CommitView } from "../../api";
import { useMayWrite } from "../../api/scope";
import { tagsQuery } from "../../api/versioning";
import { CommitLink, RelativeTime } from "../../components";
import { count } from "../../format/numbers";
import type { CommitDialog } from "../branch/search";
import { RowCounts } from "../compare/RowCounts";
import { colourOf, DOT, lanesOf, middleOf, pathOf, widthOf, type Lanes } from "./lanes";
import { TableVersionLink } from "./TableVersionLink";

const route = getRouteApi("/frame/branches/$branch");

/** The log with its lines drawn at the left: each commit, where it came from, and what can be done with it. */
export function LogGraph({ branch, commits }: { branch: BranchView; commits: readonly CommitView[] }) {
  const mayWrite = useMayWrite();
  const rows = lanesOf(commits);
  const width = widthOf(rows);
  return (
    <div className="table-region">
      <table className="table log">
        <caption className="only-readers">Commits of {branch.name}</caption>
        <thead>
          <tr>
            <td className="log-lanes" style={{ width: width + 14, minWidth: width + 14 }} />
            <th scope="col">Commit</th>
            <th scope="col">Tables</th>
            <th scope="col" data-align="right">
              Rows
            </th>
            <th scope="col">
              <span className="only-readers">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {commits.map((commit, index) => (
            <tr key={commit.id}>
              <td className="log-lanes" aria-hidden style={{ width: width + 14, minWidth: width + 14 }}>
                <Picture row={rows[index] ?? { lane: 0, above: [], below: [] }} width={width} isMerge={commit.is_merge} />
              </td>
              <td className="log-what">
                <What commit={commit} branch={branch} />
              </td>
              <td className="log-tables">
                <Changed commit={commit} />
              </td>
              <td className="log-rows" data-align="right">
                <RowCounts of={{ inserted: commit.rows_added, updated: commit.rows_modified, deleted: commit.rows_deleted }} />
              </td>
              <td className="log-do">{mayWrite && <Actions commit={commit} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Picture({ row, width, isMerge }: { row: Lanes; width: number; isMerge: boolean }) {
  const dot = middleOf(row.lane, width);
  return (
    <div className="lanes" style={{ width }}>
      <svg width={width} height={DOT} viewBox={`0 0 ${width} 100`} preserveAspectRatio="none">
        {row.above.map((lane) => (
          <path key={lane} d={pathOf({ start: lane, end: lane }, width)} stroke={colourOf(lane)} />
        ))}
      </svg>
      <svg width={width} className="lanes-below" style={{ top: DOT }} viewBox={`0 0 ${width} 100`} preserveAspectRatio="none">
        {row.below.map((edge) => (
          <path key={`${edge.start} ${edge.end}`} d={pathOf(edge, width)} stroke={colourOf(Math.max(edge.start, edge.end))} />
        ))}
      </svg>
      <span className="lane-dot" data-merge={isMerge || undefined} style={{ left: dot, top: DOT, borderColor: colourOf(row.lane), background: isMerge ? undefined : colourOf(row.lane) }} />
    </div>
  );
}

function What({ commit, branch }: { commit: CommitView; branch: BranchView }) {
  const [first] = commit.message.split("\n");
  return (
    <>
      <span className="log-title">
        <Link to="/commits/$commit" params={{ commit: commit.id }} className="quiet-link commit-line">
          {first}
        </Link>
        <Refs commit={commit.id} shown={branch.name} />
      </span>
      <span className="log-about">
        <CommitLink commit={commit.id} />
        <span title={commit.author.email}>{commit.author.name}</span>
        <RelativeTime time={commit.time} />
        {commit.branch !== branch.name && <span>made on {commit.branch}</span>}
        {commit.run_id !== null && (
          <Link to="/runs/$runId" params={{ runId: commit.run_id }} className="link" title={commit.run_id} aria-label={`Run ${commit.run_id}`}>
            run
          </Link>
        )}
      </span>
    </>
  );
}

/** Branches and tags that point here. */
export function Refs({ commit, shown }: { commit: string; shown?: string }) {
  const { data: branches } = useQuery(branchesQuery());
  const { data: tags } = useQuery(tagsQuery());
  const heads = (branches?.items ?? []).filter((branch) => branch.head_commit === commit && branch.name !== shown && branch.status !== "archived");
  const marks = (tags?.items ?? []).filter((tag) => tag.target === commit);
  return (
    <>
      {heads.map((branch) => (
        <Link key={branch.name} to="/branches/$branch" params={{ branch: branch.name }} className="badge ref" data-tone="busy" title={`The branch ${branch.name} is here`}>
          <IconGitBranch size={13} aria-hidden />
          {branch.name}
        </Link>
      ))}
      {marks.map((tag) => (
        <span key={tag.name} className="badge ref" data-tone="calm" title={tag.message || `The tag ${tag.name}`}>
          <IconTag size={13} aria-hidden />
          <span className="only-readers">tag </span>
          {tag.name}
        </span>
      ))}
    </>
  );
}

const FEW = 2;

function Changed({ commit }: { commit: CommitView }) {
  const more = commit.tables.length - FEW;
  return (
    <span className="commit-tables">
      {commit.tables.slice(0, FEW).map((change) => (
        <TableVersionLink key={change.table} table={change.table} commit={commit.id} />
      ))}
      {more > 0 && <span className="branches-quiet">and {count(more)} more</span>}
    </span>
  );
}

function Actions({ commit }: { commit: CommitView }) {
  const navigate = route.useNavigate();
  const open = (dialog: CommitDialog): void =>
    void navigate({ search: (before) => ({ ...before, dialog, commit: commit.id }), resetScroll: false });
  const toBranches = (): void => void navigate({ to: "/branches", search: { dialog: "create", from: commit.id } });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${commit.id.slice(0, 12)}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconArrowBackUp size={15} aria-hidden />} disabled={commit.parents.length === 0} onClick={() => open("revert")}>
          Revert…
        </Menu.Item>
        <Menu.Item leftSection={<IconGitCherryPick size={15} aria-hidden />} disabled={commit.parents.length === 0} onClick={() => open("cherry-pick")}>
          Cherry-pick to…
        </Menu.Item>
        <Menu.Item leftSection={<IconTag size={15} aria-hidden />} onClick={() => open("tag")}>
          Tag…
        </Menu.Item>
        <Menu.Item leftSection={<IconGitBranch size={15} aria-hidden />} onClick={toBranches}>
          Branch from here…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
