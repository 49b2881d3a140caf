import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconGitBranch, IconPlus, IconTrash } from "@tabler/icons-react";

import { branchesQuery, sessionQuery, type BranchView } from "../api";
import { BranchLink, CommitLink, CopyCommand, DataTable, Empty, Loaded, PageHeader, RelativeTime, type Column } from "../parts";
import { plural } from "../parts/formats";
import { Compare } from "./branches.compare";
import { CreateBranch } from "./branches.create";
import "./branches.css";
import { DeleteBranch } from "./branches.delete";
import { longestOf } from "./branches.words";

const route = getRouteApi("/frame/branches");

/** All branches, the default one first; here they are made and deleted. */
export default function BranchesPage() {
  const query = useQuery(branchesQuery());
  const { data: session } = useQuery(sessionQuery());
  const mayWrite = session?.scope !== "read";
  return (
    <>
      <PageHeader
        title="Branches"
        about="Lines of commits beside each other. A branch costs nothing: it copies no data."
        actions={mayWrite && <NewBranch />}
      />
      <Loaded query={query} skeleton={<Skeleton h={220} radius="md" />}>
        {({ items }) => (
          <Stack gap="md">
            <Branches branches={items} mayWrite={mayWrite} />
            {items.length === 1 && <OnlyMain />}
            {mayWrite && <Dialogs branches={items} />}
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function NewBranch() {
  return (
    <Button leftSection={<IconPlus size={16} aria-hidden />} renderRoot={(props) => <Link to="/branches" search={{ dialog: "create" }} {...props} />}>
      New branch
    </Button>
  );
}

function Branches({ branches, mayWrite }: { branches: readonly BranchView[]; mayWrite: boolean }) {
  const main = branches.find((branch) => branch.is_default)?.name ?? "main";
  const longest = longestOf(branches);
  const columns: Column<BranchView>[] = [
    { key: "name", label: "Branch", cell: (branch) => <Named branch={branch} /> },
    { key: "compare", label: `Against ${main}`, cell: (branch) => <Compare branch={branch} main={main} longest={longest} /> },
    {
      key: "head",
      label: "Newest commit",
      cell: (branch) => (branch.head_commit === null ? <span className="branches-quiet">no commit yet</span> : <CommitLink commit={branch.head_commit} />),
    },
    { key: "created", label: "Created", cell: (branch) => <Created branch={branch} /> },
  ];
  if (mayWrite && branches.length > 1) columns.push({ key: "do", label: "", cell: (branch) => (branch.is_default ? null : <Delete branch={branch} />) });
  return (
    <div className="panel branches-list">
      <DataTable caption={plural(branches.length, "branch", "branches")} columns={columns} rows={branches} rowKey={(branch) => branch.id} />
    </div>
  );
}

function Named({ branch }: { branch: BranchView }) {
  return (
    <div className="branches-named">
      <span className="branches-name">
        <BranchLink branch={branch.name} />
        {branch.is_default && (
          <span className="badge" data-tone="calm">
            default
          </span>
        )}
      </span>
      {branch.description !== "" && (
        <Text size="sm" c="dimmed" fw={400} lineClamp={2} className="name">
          {branch.description}
        </Text>
      )}
    </div>
  );
}

function Created({ branch }: { branch: BranchView }) {
  return (
    <span className="branches-who">
      {branch.created_by}
      <span className="branches-quiet branches-below">
        <RelativeTime time={branch.created_at} />
      </span>
    </span>
  );
}

function Delete({ branch }: { branch: BranchView }) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      leftSection={<IconTrash size={15} aria-hidden />}
      aria-label={`Delete ${branch.name}`}
      renderRoot={(props) => <Link to="/branches" search={{ dialog: "delete", name: branch.name }} resetScroll={false} {...props} />}
    >
      Delete
    </Button>
  );
}

/** What a branch is good for, as long as nobody has made one. */
function OnlyMain() {
  return (
    <div className="panel">
      <Empty icon={IconGitBranch} title="Only the default branch so far" action={<CopyCommand command="forge branch create fix-orders" />}>
        On a branch you can mend a table, try a new transform or load doubtful data. Readers of the default branch see nothing of it, and it starts with every
        table as it is, without a copy.
      </Empty>
    </div>
  );
}

function Dialogs({ branches }: { branches: readonly BranchView[] }) {
  const { dialog, name, from } = route.useSearch();
  const navigate = route.useNavigate();
  const close = (): void => void navigate({ search: {}, replace: true, resetScroll: false });
  if (dialog === "create") return <CreateBranch branches={branches} name={name} from={from} onClose={close} />;
  const doomed = dialog === "delete" ? branches.find((branch) => branch.name === name && !branch.is_default) : undefined;
  if (doomed === undefined) return null;
  const main = branches.find((branch) => branch.is_default)?.name ?? "main";
  return <DeleteBranch branch={doomed} main={main} onClose={close} onDeleted={close} />;
}
