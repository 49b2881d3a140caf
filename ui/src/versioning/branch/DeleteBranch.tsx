import { Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconAlertTriangle } from "@tabler/icons-react";

import { asProblem, branchCommitsQuery, useDeleteBranch, type BranchView } from "../../api";
import { ConfirmDialog, notify } from "../../components";
import { plural } from "../../format/numbers";

const SHOWN = 5;
/** The server's word for “this branch holds what no other has”. */
const UNMERGED = "FORGE-E607";

interface Props {
  branch: BranchView;
  main: string;
  onClose: () => void;
  onDeleted: () => void;
}

/** Deleting is asked twice where something would be lost: the second time with what it is. */
export function DeleteBranch({ branch, main, onClose, onDeleted }: Props) {
  const remove = useDeleteBranch();
  const refused = remove.error !== null && asProblem(remove.error).code === UNMERGED ? asProblem(remove.error) : null;
  const confirm = (): void =>
    remove.mutate(
      { branch: branch.name, force: refused !== null },
      {
        onSuccess: () => {
          notify("good", `Branch ${branch.name} is deleted`);
          onDeleted();
        },
      },
    );
  return (
    <ConfirmDialog
      opened
      danger
      title={`Delete the branch ${branch.name}?`}
      confirm={refused === null ? "Delete the branch" : "Delete all the same"}
      busy={remove.isPending}
      error={refused === null ? remove.error : null}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="sm">
        {refused !== null && (
          <div className="lost" role="alert">
            <IconAlertTriangle size={18} aria-hidden />
            <div className="name">
              <Text size="sm" fw={600}>
                {refused.message}
              </Text>
              <Text size="sm">Nothing will lead to them any more, and no button brings them back.</Text>
            </div>
          </div>
        )}
        <Lost branch={branch} main={main} />
      </Stack>
    </ConfirmDialog>
  );
}

/** What goes with the branch, by name. */
function Lost({ branch, main }: { branch: BranchView; main: string }) {
  const { data } = useInfiniteQuery({ ...branchCommitsQuery(branch.name, { limit: SHOWN }), enabled: branch.ahead > 0 });
  if (branch.ahead === 0) {
    return (
      <Text size="sm">
        Everything on it is on {main} too: only the name goes, no data is lost.
      </Text>
    );
  }
  const commits = (data?.pages[0]?.items ?? []).slice(0, Math.min(SHOWN, branch.ahead));
  const tables = [...new Set(commits.flatMap((commit) => commit.tables.map((change) => change.table)))].sort();
  return (
    <div>
      <Text size="sm">
        {plural(branch.ahead, "commit")} of it {branch.ahead === 1 ? "is" : "are"} not on {main}:
      </Text>
      <ul className="lost-list">
        {commits.map((commit) => (
          <li key={commit.id} className="name">
            <code>{commit.id.slice(0, 12)}</code> {commit.message.split("\n")[0]}
          </li>
        ))}
        {branch.ahead > commits.length && commits.length > 0 && <li>and {plural(branch.ahead - commits.length, "more", "more")}</li>}
      </ul>
      {tables.length > 0 && (
        <Text size="sm" c="dimmed" className="name">
          {branch.ahead === 1 ? "It" : "They"} changed {tables.slice(0, SHOWN).join(", ")}
          {tables.length > SHOWN && ` and ${plural(tables.length - SHOWN, "other table")}`}.
        </Text>
      )}
    </div>
  );
}
