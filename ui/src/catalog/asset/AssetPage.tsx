import { Button, Group, Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconBinaryTree2, IconChartHistogram, IconColumns3, IconHistory, IconListDetails, IconShieldCheck, IconUpload, IconUsers, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

import "../list/assets.css";
import "./asset.css";
import { asProblem, assetQuery, branchesQuery, type AssetDetail } from "../../api";
import { profileQuery } from "../../api/profiles";
import { useMayWrite } from "../../api/scope";
import { QueryResult, PageHeader, Problem, RefSwitch, StatusBadge } from "../../components";
import { isLakeTable } from "../../format/names";
import { HEAD, showTableAt } from "../../format/refs";
import { standOf } from "../../versioning/history/revision";
import { RevisionNote } from "../../versioning/history/RevisionNote";
import { TableHistory } from "../../versioning/history/TableHistory";
import { AssetUsage } from "../discovery/Usage";
import { Description } from "../edit/Documentation";
import { Edits } from "../edit/Edits";
import { Proposals } from "../edit/Proposals";
import { AssetProfile } from "../profile/Profile";
import { useHeldBack } from "./attempt";
import { AssetFacts } from "./Facts";
import { AssetLineage } from "./Lineage";
import { AssetQuality } from "./Quality";
import { AssetSample } from "./Sample";
import { AssetSchema } from "./Schema";
import { TABS, type AssetSearch, type Tab } from "./search";
import { meantBy } from "./words";

const route = getRouteApi("/frame/assets/$assetId");

const LOOKS: Record<Tab, { label: string; icon: Icon }> = {
  schema: { label: "Schema", icon: IconColumns3 },
  quality: { label: "Quality", icon: IconShieldCheck },
  profile: { label: "Profile", icon: IconChartHistogram },
  lineage: { label: "Lineage", icon: IconBinaryTree2 },
  usage: { label: "Usage", icon: IconUsers },
  history: { label: "History", icon: IconHistory },
  sample: { label: "Sample", icon: IconListDetails },
};

const OUTSIDE: readonly Tab[] = ["schema", "lineage", "usage", "history"];

/** One table or view, as readers have it or as it was. */
export default function AssetPage() {
  const { assetId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(assetQuery(assetId, search.at ?? HEAD));
  // Asked beside the asset, not after it. What is outside of the lake has a sign in its name, and no profile.
  const showsProfile = search.tab === "profile" || (search.tab === undefined && search.at === undefined);
  useQuery({ ...profileQuery(assetId, search.at), enabled: showsProfile && isLakeTable(assetId), notifyOnChangeProps: [] });
  const change = (part: AssetSearch): void => {
    void navigate({ search: (before) => ({ ...before, ...part }), resetScroll: false });
  };
  return (
    <>
      <PageHeader
        title={assetId}
        documentTitle={showTableAt({ table: assetId, at: search.at ?? HEAD })}
        marks={query.data !== undefined && <Marks asset={query.data} at={search.at} />}
        actions={
          <>
            {query.data?.type === "table" && <CommitRows table={query.data.qualified_name} at={search.at} />}
            {query.data?.commit !== "" && <RefSwitch at={search.at} onChange={(at) => change({ at })} />}
          </>
        }
      />
      {query.data === undefined && query.error !== null ? (
        <NotThere error={query.error} at={search.at} retry={() => void query.refetch()} />
      ) : (
        <QueryResult query={query} skeleton={<AssetSkeleton />}>
          {(asset) => <Shown asset={asset} search={search} change={change} />}
        </QueryResult>
      )}
    </>
  );
}

/** Only onto a branch: what was is never written to. */
function CommitRows({ table, at }: { table: string; at: string | undefined }) {
  const mayWrite = useMayWrite();
  const { data } = useQuery(branchesQuery());
  const branch = data?.items.find((one) => (at === undefined || at === HEAD ? one.is_default : one.name === at));
  if (!mayWrite || branch === undefined) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconUpload size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/branches/$branch" params={{ branch: branch.name }} search={{ dialog: "commit", into: table }} {...props} />}
    >
      Commit rows…
    </Button>
  );
}

function Marks({ asset, at }: { asset: AssetDetail; at: string | undefined }) {
  const title = useHeldBack(asset, at) ? `The newest attempt did not pass and was held back. Readers have version ${asset.version}.` : undefined;
  return (
    <Group gap={6}>
      {asset.commit !== "" && <StatusBadge word={asset.state} title={title} />}
      <span className="badge" data-tone="calm">
        {asset.type}
      </span>
      {asset.catalog_state === "vanished" && <StatusBadge word="archived" label="vanished" title="Its source does not have it any more; what was written about it is kept" />}
      {asset.deprecated != null && <StatusBadge word="deprecated" />}
    </Group>
  );
}

interface ShownProps {
  asset: AssetDetail;
  search: AssetSearch;
  change: (part: AssetSearch) => void;
}

function Shown({ asset, search, change }: ShownProps) {
  const { data: branches } = useQuery(branchesQuery());
  // What is outside of the lake has no commits, rows or checks here.
  const inLake = asset.commit !== "";
  const tabs = inLake ? TABS : TABS.filter((tab) => OUTSIDE.includes(tab));
  const stand = standOf(search.at, asset.commit, branches?.items ?? []);
  const contents: Record<Tab, () => ReactNode> = {
    schema: () => <AssetSchema asset={asset} at={search.at} />,
    quality: () => <AssetQuality asset={asset} at={search.at} />,
    lineage: () => <AssetLineage asset={asset} search={search} change={change} />,
    profile: () => <AssetProfile assetId={asset.id} at={search.at} col={search.col} since={search.since} change={change} />,
    usage: () => <AssetUsage assetId={asset.id} period={search.period} onPeriod={(period) => change({ period: period === "month" ? undefined : period })} />,
    history: () => (
      <Stack gap="md">
        {inLake && <TableHistory asset={asset} stand={stand} branches={branches?.items ?? []} />}
        <Proposals asset={asset} />
        <Edits asset={asset} />
      </Stack>
    ),
    sample: () => <AssetSample asset={asset} at={search.at} />,
  };
  return (
    <Stack gap="md">
      {branches !== undefined && inLake && <RevisionNote asset={asset} at={search.at} stand={stand} />}
      <Description asset={asset} />
      <AssetFacts asset={asset} at={search.at} />
      <Tabs value={search.tab ?? "schema"} onChange={(tab) => change({ tab: TABS.find((one) => one === tab && one !== "schema") })} keepMounted={false}>
        <Tabs.List className="asset-tabs" aria-label={`Parts of ${asset.qualified_name}`}>
          {tabs.map((tab) => {
            const { label, icon: Sign } = LOOKS[tab];
            return (
              <Tabs.Tab key={tab} value={tab} leftSection={<Sign size={16} stroke={1.7} aria-hidden className="asset-tab-icon" />}>
                {label}
              </Tabs.Tab>
            );
          })}
        </Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Panel key={tab} value={tab} pt="md">
            {(search.tab ?? "schema") === tab && contents[tab]()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

/** No such table, or not at that time: with the ways that lead on. */
function NotThere({ error, at, retry }: { error: unknown; at: string | undefined; retry: () => void }) {
  const { assetId } = route.useParams();
  const problem = asProblem(error);
  const gone = problem.status === 404 || problem.status === 422;
  const names = gone ? meantBy(problem) : [];
  return (
    <Stack gap="md">
      <Problem error={error} retry={gone ? undefined : retry} />
      <Group gap="xs">
        {names.map((name) => (
          <Button key={name} renderRoot={(props) => <Link to="/assets/$assetId" params={{ assetId: name }} search={{ at }} {...props} />}>
            Open {name}
          </Button>
        ))}
        {at !== undefined && (
          <Button variant="default" renderRoot={(props) => <Link to="/assets/$assetId" params={{ assetId }} {...props} />}>
            Show it as it is now
          </Button>
        )}
        <Button variant="default" renderRoot={(props) => <Link to="/search" search={{ q: assetId }} {...props} />}>
          Search for it
        </Button>
        <Button variant="default" renderRoot={(props) => <Link to="/assets" {...props} />}>
          All assets
        </Button>
      </Group>
    </Stack>
  );
}

function AssetSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton h={122} radius="md" />
      <Skeleton h={36} />
      <Skeleton h={360} radius="md" />
    </Stack>
  );
}
