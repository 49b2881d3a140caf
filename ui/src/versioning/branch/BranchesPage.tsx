import { ActionIcon, Button, Group, Menu, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconArchive, IconArchiveOff, IconDots, IconGitBranch, IconGitCompare, IconLock, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";

import "./branches.css";
import { branchesQuery, sessionQuery, type BranchView } from "../../api";
import { BranchLink, CommitLink, CopyCommand, DataTable, EmptyState, QueryResult, PageHeader, RelativeTime, StatusBadge, type Column } from "../../components";
import { plural } from "../../format/numbers";
import { showRange } from "../merge/words";
import { AheadBehind } from "./AheadBehind";
import { ArchiveBranch, ProtectBranch, RenameBranch } from "./ChangeDialogs";
import { CreateBranch } from "./CreateBranch";
import { DeleteBranch } from "./DeleteBranch";
import { STATUSES } from "./listSearch";
import { OpenMerges } from "./OpenMerges";
import { longestOf } from "./words";

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
      <QueryResult query={query} skeleton={<Skeleton h={220} radius="md" />}>
        {({ items }) => (
          <Stack gap="md">
            <OpenMerges />
            <Listed branches={items} mayWrite={mayWrite} />
            {items.length === 1 && <OnlyMain />}
            {mayWrite && <Dialogs branches={items} />}
          </Stack>
        )}
      </QueryResult>
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

/** Archived ones are out of the way until they are asked for. */
function Listed({ branches, mayWrite }: { branches: readonly BranchView[]; mayWrite: boolean }) {
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  const kinds = new Set(branches.map((branch) => branch.status));
  const shown = branches.filter((branch) => (status === undefined ? branch.status !== "archived" : branch.status === status));
  return (
    <>
      {(kinds.size > 1 || status !== undefined) && (
        <SegmentedControl
          aria-label="Which branches"
          size="xs"
          className="branches-filter"
          value={status ?? ""}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, status: STATUSES.find((one) => one === value) }), replace: true, resetScroll: false })}
          data={[{ value: "", label: "in use" }, ...STATUSES.map((word) => ({ value: word, label: word }))]}
        />
      )}
      {shown.length === 0 ? (
        <div className="panel">
          <EmptyState icon={IconGitBranch} title={`No branch is ${status ?? "here"}`} />
        </div>
      ) : (
        <Branches branches={shown} all={branches} mayWrite={mayWrite} />
      )}
    </>
  );
}

function Branches({ branches, all, mayWrite }: { branches: readonly BranchView[]; all: readonly BranchView[]; mayWrite: boolean }) {
  const main = all.find((branch) => branch.is_default)?.name ?? "main";
  const longest = longestOf(branches);
  const columns: Column<BranchView>[] = [
    { key: "name", label: "Branch", cell: (branch) => <Named branch={branch} /> },
    { key: "compare", label: `Against ${main}`, cell: (branch) => <AheadBehind branch={branch} main={main} longest={longest} /> },
    {
      key: "head",
      label: "Newest commit",
      cell: (branch) => (branch.head_commit === null ? <span className="branches-quiet">no commit yet</span> : <CommitLink commit={branch.head_commit} />),
    },
    { key: "created", label: "Created", cell: (branch) => <Created branch={branch} /> },
  ];
  columns.push({ key: "do", label: "", cell: (branch) => <Actions branch={branch} main={main} mayWrite={mayWrite} /> });
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
        {branch.is_protected && (
          <span className="badge" data-tone="busy" title={branch.require_approval ? "It changes by merges alone, and each needs an approval." : "It changes by merges alone."}>
            <IconLock size={13} aria-hidden />
            protected
          </span>
        )}
        {branch.status !== "active" && <StatusBadge word={branch.status} />}
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

function Actions({ branch, main, mayWrite }: { branch: BranchView; main: string; mayWrite: boolean }) {
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {!branch.is_default && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconGitCompare size={15} aria-hidden />}
          aria-label={`Compare ${branch.name} with ${main}`}
          renderRoot={(props) => <Link to="/compare/$range" params={{ range: showRange({ base: main, compare: branch.name }) }} {...props} />}
        >
          Compare
        </Button>
      )}
      {mayWrite && <Change branch={branch} />}
      {mayWrite && !branch.is_default && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete ${branch.name}`}
          title="Delete"
          renderRoot={(props) => <Link to="/branches" search={(before) => ({ status: before.status, dialog: "delete" as const, name: branch.name })} resetScroll={false} {...props} />}
        >
          <IconTrash size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

/** What is done seldom. */
function Change({ branch }: { branch: BranchView }) {
  const navigate = route.useNavigate();
  const open = (dialog: "protect" | "rename" | "archive"): void =>
    void navigate({ search: (before) => ({ status: before.status, dialog, name: branch.name }), resetScroll: false });
  const archived = branch.status === "archived";
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Change ${branch.name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconLock size={15} aria-hidden />} onClick={() => open("protect")}>
          {branch.is_protected ? "Protection…" : "Protect…"}
        </Menu.Item>
        {!branch.is_default && (
          <>
            <Menu.Item leftSection={<IconPencil size={15} aria-hidden />} onClick={() => open("rename")}>
              Rename…
            </Menu.Item>
            <Menu.Item leftSection={archived ? <IconArchiveOff size={15} aria-hidden /> : <IconArchive size={15} aria-hidden />} onClick={() => open("archive")}>
              {archived ? "Bring back…" : "Archive…"}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** What a branch is good for, as long as nobody has made one. */
function OnlyMain() {
  return (
    <div className="panel">
      <EmptyState icon={IconGitBranch} title="Only the default branch so far" action={<CopyCommand command="forge branch create fix-orders" />}>
        On a branch you can mend a table, try a new transform or load doubtful data. Readers of the default branch see nothing of it, and it starts with every
        table as it is, without a copy.
      </EmptyState>
    </div>
  );
}

function Dialogs({ branches }: { branches: readonly BranchView[] }) {
  const { dialog, name, from } = route.useSearch();
  const navigate = route.useNavigate();
  const close = (): void => void navigate({ search: (before) => ({ status: before.status }), replace: true, resetScroll: false });
  if (dialog === "create") return <CreateBranch branches={branches} name={name} from={from} onClose={close} />;
  const meant = branches.find((branch) => branch.name === name);
  if (meant === undefined) return null;
  if (dialog === "protect") return <ProtectBranch branch={meant} onClose={close} />;
  if (meant.is_default) return null;
  if (dialog === "rename") return <RenameBranch branch={meant} branches={branches} onClose={close} />;
  if (dialog === "archive") return <ArchiveBranch branch={meant} onClose={close} />;
  const main = branches.find((branch) => branch.is_default)?.name ?? "main";
  return dialog === "delete" ? <DeleteBranch branch={meant} main={main} onClose={close} onDeleted={close} /> : null;
}
