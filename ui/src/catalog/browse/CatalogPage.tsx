import "../search/search.css";
import "./browse.css";

import { Button, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconBox, IconDatabase, IconFolder, IconFolderOpen, IconFolders, IconLock, IconServer, IconZoomQuestion, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { SearchHit } from "../../api";
import { listQuery } from "../../api/catalog";
import { domainsQuery } from "../../api/documentation";
import { itemsOf } from "../../api/pages";
import { CopyCommand, DataTable, EmptyState, PageHeader, QueryResult, ShowMore, StatusBadge, TableLink, type Column } from "../../components";
import { count, NONE, percent, plural } from "../../format/numbers";
import { Popular } from "../discovery/Popular";
import { plainLine } from "../markdown/parse";
import { CatalogNav } from "../Nav";
import type { BrowseSearch } from "./search";
import { branchNamed, leadsTo, treeOf, type Branch } from "./tree";

const route = getRouteApi("/frame/catalog");

/** All there is, where it lives: database, schema, table; or by the domain it belongs to. */
export default function CatalogPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Catalog"
        about="What there is, where it lives, and who answers for it."
        actions={
          <SegmentedControl
            aria-label="Arranged by"
            data={[
              { value: "place", label: "By place" },
              { value: "domain", label: "By domain" },
              { value: "popular", label: "Popular" },
            ]}
            value={search.by ?? "place"}
            onChange={(value) => void navigate({ search: { by: value === "domain" || value === "popular" ? value : undefined }, resetScroll: false })}
          />
        }
      />
      <CatalogNav />
      {search.by === "popular" ? (
        <Popular domain={search.at} period={search.period} onChange={(part) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false })} />
      ) : (
        <div className="browse">
          {search.by === "domain" ? <Domains at={search.at} /> : <Places at={search.at} />}
          <Content search={search} />
        </div>
      )}
    </>
  );
}

const placesQuery = () => listQuery({ types: ["database", "schema"] });

/** Beside the list; where there is no room beside it, folded above it. */
function Tree({ label, at, children }: { label: string; at: string | undefined; children: ReactNode }) {
  const narrow = useMediaQuery("(max-width: 62em)", undefined, { getInitialValueInEffect: false });
  const nav = (
    <nav className={narrow ? undefined : "panel browse-tree"} aria-label={label}>
      {children}
    </nav>
  );
  if (!narrow) return nav;
  return (
    // Another place folds it again.
    <details key={at} className="panel browse-tree browse-folded">
      <summary className="browse-entry">
        <IconFolders size={16} stroke={1.7} aria-hidden />
        <span className="name">{at ?? label}</span>
      </summary>
      {nav}
    </details>
  );
}

function Places({ at }: { at: string | undefined }) {
  const query = useInfiniteQuery(placesQuery());
  return (
    <Tree label="Databases and schemas" at={at}>
      <QueryResult query={query} skeleton={<Skeleton h={260} m="sm" />}>
        {({ pages }) => (
          <>
            <ul>
              <li>
                <Entry label="Everything" at={undefined} here={at === undefined} icon={IconFolders} />
              </li>
              {treeOf(itemsOf(pages)).map((branch) => (
                <Place key={branch.name} branch={branch} at={at} />
              ))}
            </ul>
            <ShowMore query={query} shown={itemsOf(pages).length} what="schemas" />
          </>
        )}
      </QueryResult>
    </Tree>
  );
}

const SIGNS: Record<Branch["type"], Icon> = { lake: IconBox, database: IconDatabase, schema: IconFolder };

function Place({ branch, at }: { branch: Branch; at: string | undefined }) {
  const open = branch.type === "lake" || leadsTo(branch, at);
  return (
    <li>
      {branch.type === "lake" ? (
        <span className="browse-entry">
          <IconServer size={16} stroke={1.7} aria-hidden /> {branch.label}
        </span>
      ) : (
        <Entry label={branch.label} at={branch.name} here={branch.name === at} icon={open && branch.type === "schema" ? IconFolderOpen : SIGNS[branch.type]} more={branch.children.length > 0 && !open ? branch.children.length : 0} />
      )}
      {open && branch.children.length > 0 && (
        <ul>
          {branch.children.map((child) => (
            <Place key={child.name} branch={child} at={at} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Domains({ at }: { at: string | undefined }) {
  const query = useQuery(domainsQuery());
  return (
    <Tree label="Domains" at={at}>
      <QueryResult query={query} skeleton={<Skeleton h={260} m="sm" />}>
        {(domains) => (
          <ul>
            <li>
              <Entry label="All domains" by="domain" at={undefined} here={at === undefined} icon={IconFolders} />
            </li>
            {domains.map((domain) => (
              <li key={domain.name}>
                <Entry label={domain.name} by="domain" at={domain.name} here={domain.name === at} icon={domain.name === at ? IconFolderOpen : IconFolder} more={domain.assets} />
              </li>
            ))}
            {domains.length === 0 && <Text size="sm" c="dimmed" p="xs">No asset says to which domain it belongs.</Text>}
          </ul>
        )}
      </QueryResult>
    </Tree>
  );
}

interface EntryProps {
  label: string;
  by?: "domain";
  at: string | undefined;
  here: boolean;
  icon: Icon;
  /** How many are in it, where that is known. */
  more?: number;
}

function Entry({ label, by, at, here, icon: Sign, more = 0 }: EntryProps) {
  return (
    <Link to="/catalog" search={{ by, at }} className="browse-entry" data-here={here || undefined} aria-current={here ? "page" : undefined} resetScroll={false}>
      <Sign size={16} stroke={1.7} aria-hidden />
      <span className="name">{label}</span>
      {more > 0 && <span className="facet-count numbers">{count(more)}</span>}
    </Link>
  );
}

function Content({ search }: { search: BrowseSearch }) {
  const domain = search.by === "domain" ? search.at : undefined;
  const container = search.by === "domain" ? undefined : search.at;
  const query = useInfiniteQuery(listQuery({ domains: domain === undefined ? undefined : [domain], containers: container === undefined ? undefined : [container] }));
  const places = useInfiniteQuery({ ...placesQuery(), enabled: container !== undefined });
  const below = branchNamed(container, treeOf(itemsOf(places.data?.pages ?? [])))?.children ?? [];
  return (
    <QueryResult query={query} skeleton={<Skeleton h={420} radius="md" />}>
      {({ pages }) => {
        const assets = itemsOf(pages);
        const total = pages[0]?.total_count ?? assets.length;
        return (
          <div>
            <Text size="sm" c="dimmed" role="status" mb={8}>
              {assets.length === 0 && below.length > 0 ? plural(below.length, search.at?.startsWith("files:") === true ? "folder" : "schema") : plural(total, "asset")}
              {search.at !== undefined && ` in ${search.at}`}
            </Text>
            {below.length > 0 && <Below branches={below} />}
            {(assets.length > 0 || below.length === 0) && (
              <div className="panel" aria-busy={query.isPlaceholderData}>
                {assets.length === 0 ? <Nothing search={search} /> : <DataTable caption="Assets" columns={columnsOf(search)} rows={assets} rowKey={(one) => one.id} />}
                <ShowMore query={query} shown={assets.length} total={total} what="assets" />
              </div>
            )}
          </div>
        );
      }}
    </QueryResult>
  );
}

/** The schemas of a database, the folders of a folder. */
function Below({ branches }: { branches: readonly Branch[] }) {
  return (
    <ul className="panel browse-below" aria-label="Inside">
      {branches.map((branch) => (
        <li key={branch.name}>
          <Entry label={branch.label} at={branch.name} here={false} icon={SIGNS[branch.type]} more={branch.children.length} />
        </li>
      ))}
    </ul>
  );
}

function Nothing({ search }: { search: BrowseSearch }) {
  if (search.at !== undefined) {
    return (
      <EmptyState
        icon={IconZoomQuestion}
        title={`Nothing is in ${search.at}`}
        action={
          <Button variant="default" renderRoot={(props) => <Link to="/catalog" search={{ by: search.by }} {...props} />}>
            Show everything
          </Button>
        }
      >
        The catalog has no {search.by === "domain" ? "asset of a domain" : "database, schema or folder"} of that name, or all that was in it is gone.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconFolders} title="The catalog is empty" action={<CopyCommand command="forge catalog scan" />}>
      Every published run fills it. A scan reads the lake, declared databases, files and dbt at once.
    </EmptyState>
  );
}

function columnsOf(search: BrowseSearch): Column<SearchHit>[] {
  const byDomain = search.by === "domain";
  return [
    { key: "name", label: "Asset", cell: (asset) => <Named asset={asset} /> },
    { key: "type", label: "Type", wide: true, cell: (asset) => <span className="quiet">{asset.type}</span> },
    byDomain ? { key: "place", label: "In", wide: true, cell: (asset) => <span className="name">{asset.container}</span> } : { key: "domain", label: "Domain", wide: true, cell: (asset) => asset.domain ?? NONE },
    { key: "owner", label: "Owner", cell: (asset) => (asset.owner == null ? <span className="quiet">nobody</span> : <span className="name">{asset.owner}</span>) },
    { key: "quality", label: "Quality", align: "right", cell: (asset) => (asset.quality == null ? <span className="quiet">not checked</span> : percent(asset.quality)) },
    { key: "state", label: "State", cell: (asset) => <State asset={asset} /> },
  ];
}

function Named({ asset }: { asset: SearchHit }) {
  return (
    <div className="browse-named">
      <TableLink table={asset.id} />
      {asset.description !== "" && (
        <Text size="sm" c="dimmed" lineClamp={2} className="browse-about">
          {plainLine(asset.description)}
        </Text>
      )}
    </div>
  );
}

function State({ asset }: { asset: SearchHit }) {
  if (asset.vanished) return <StatusBadge word="archived" label="vanished" title="Its source does not have it any more; what was written about it is kept" />;
  return (
    <span className="browse-state">
      {asset.deprecated ? <StatusBadge word="deprecated" /> : <StatusBadge word="active" />}
      {asset.pii.length > 0 && <IconLock size={15} aria-label="holds personal data" />}
    </span>
  );
}
