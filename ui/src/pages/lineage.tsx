import "../lineage/page.css";

import { Autocomplete, Button, CloseButton, Select, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconBinaryTree2, IconSearch } from "@tabler/icons-react";
import { useState } from "react";

import { graphQuery, searchQuery, suggestQuery, type GraphView } from "../api";
import { EdgePanel } from "../lineage/EdgePanel";
import { LineagePicture } from "../lineage/LineagePicture";
import { Empty, Loaded, PageHeader, RefSwitch } from "../parts";
import { plural } from "../parts/formats";

const route = getRouteApi("/frame/lineage");
const DEPTHS = ["1", "2", "3", "5", "10", "50"];
const DIRECTIONS = [
  { value: "upstream", label: "Comes from" },
  { value: "both", label: "Both" },
  { value: "downstream", label: "Goes to" },
];

export default function LineagePage() {
  const { root } = route.useSearch();
  return (
    <>
      <PageHeader
        title="Lineage"
        documentTitle={root === undefined ? "Lineage" : `Lineage of ${root}`}
        about="Where a column comes from and where it goes: only what is touched, nothing else."
      />
      <Controls />
      {root === undefined ? <Choose /> : <Shown root={root} />}
    </>
  );
}

function Controls() {
  const { root, direction, depth, at } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <div className="lineage-controls">
      <RootPicker key={root ?? ""} root={root} />
      <SegmentedControl
        aria-label="Direction"
        data={DIRECTIONS}
        value={direction ?? "both"}
        onChange={(next) =>
          void navigate({
            search: (before) => ({
              ...before,
              edge: undefined,
              direction: next === "upstream" || next === "downstream" ? next : undefined,
            }),
          })
        }
      />
      <Select
        aria-label="Depth"
        w={120}
        data={DEPTHS.map((value) => ({ value, label: value === "50" ? "all steps" : plural(Number(value), "step") }))}
        value={String(depth ?? 5)}
        allowDeselect={false}
        onChange={(next) =>
          void navigate({ search: (before) => ({ ...before, edge: undefined, depth: next === "5" ? undefined : Number(next) }) })
        }
      />
      <RefSwitch at={at} onChange={(next) => void navigate({ search: (before) => ({ ...before, at: next }) })} />
    </div>
  );
}

/** The table or column in the middle of the picture. */
function RootPicker({ root }: { root: string | undefined }) {
  const navigate = route.useNavigate();
  const [text, setText] = useState(root ?? "");
  const [wanted] = useDebouncedValue(text.trim(), 150);
  const { data } = useQuery({ ...suggestQuery(wanted, 20), enabled: wanted !== "" && wanted !== root });
  const names = (data ?? [])
    .filter((one) => one.type === "table" || one.type === "view" || one.type === "column")
    .map((one) => one.qualified_name);
  const choose = (name: string): void => {
    if (name !== "") void navigate({ search: (before) => ({ ...before, root: name, edge: undefined }) });
  };
  return (
    <form
      className="root-picker"
      onSubmit={(event) => {
        event.preventDefault();
        choose(text.trim());
      }}
    >
      <Autocomplete
        aria-label="Table or column"
        placeholder="core.orders.amount"
        leftSection={<IconSearch size={16} aria-hidden />}
        data={[...new Set(names)]}
        filter={({ options }) => options}
        value={text}
        onChange={setText}
        onOptionSubmit={choose}
        spellCheck={false}
      />
    </form>
  );
}

/** No root yet: a few tables to begin with. */
function Choose() {
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(searchQuery({ sort: "freshness", limit: 12 }));
  if (query.data?.pages[0]?.items.length === 0) return <NothingYet />;
  return (
    <div className="panel">
      <Empty icon={IconBinaryTree2} title="Choose a table or a column">
        Type its name above, or begin with one of these:
        <Loaded query={query} skeleton={<Skeleton h={80} mt="md" />}>
          {(data) => (
            <div className="lineage-choices">
              {data.pages
                .flatMap((page) => page.items)
                .map((hit) => (
                  <Button
                    key={hit.id}
                    variant="default"
                    size="xs"
                    onClick={() => void navigate({ search: { root: hit.qualified_name } })}
                  >
                    {hit.qualified_name}
                  </Button>
                ))}
            </div>
          )}
        </Loaded>
      </Empty>
    </div>
  );
}

/** Before the first run there is nothing to choose from. */
function NothingYet() {
  return (
    <div className="panel">
      <Empty
        icon={IconBinaryTree2}
        title="No lineage yet"
        action={
          <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
            To the first run
          </Button>
        }
      >
        Nothing was published yet. Each run records which column was made of which; its tables are here once it has ended.
      </Empty>
    </div>
  );
}

function Shown({ root }: { root: string }) {
  const { direction, depth, at, edge, view } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(graphQuery({ root, direction, depth, at }));
  return (
    <Loaded query={query} skeleton={<Skeleton h={480} radius={12} />}>
      {(graph) => {
        const chosen = graph.edges.find((one) => one.id === edge);
        return (
          <div className="lineage-shown" data-detail={chosen !== undefined || undefined}>
            <div className="panel lineage-panel" aria-busy={query.isPlaceholderData}>
              {graph.edges.length === 0 && <Alone graph={graph} />}
              <LineagePicture
                graph={graph}
                height={620}
                label={`Lineage of ${root}`}
                view={view ?? "picture"}
                onView={(next) =>
                  void navigate({ search: (before) => ({ ...before, view: next === "picture" ? undefined : next }) })
                }
                onColumn={(next) => void navigate({ search: (before) => ({ ...before, root: next, edge: undefined }) })}
                onEdge={(next) => void navigate({ search: (before) => ({ ...before, edge: next }), replace: true })}
                chosenEdge={edge}
                controls
              />
              <Text size="xs" c="dimmed" px="sm" pb={6}>
                {plural(graph.total_entities, "table or column", "tables and columns")} reached,{" "}
                {plural(graph.greatest_depth, "step")} at most
                {graph.hidden > 0 && ` · ${plural(graph.hidden, "edge")} of low confidence not followed`}
              </Text>
            </div>
            {chosen !== undefined && (
              <EdgePanel
                edge={chosen}
                close={
                  <CloseButton
                    aria-label="Close the detail"
                    onClick={() => void navigate({ search: (before) => ({ ...before, edge: undefined }), replace: true })}
                  />
                }
              />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function Alone({ graph }: { graph: GraphView }) {
  const words = { upstream: "comes from nothing Forge knows", downstream: "goes nowhere", both: "stands alone" };
  const said = words[graph.direction as keyof typeof words];
  return (
    <Text size="sm" c="dimmed" p="md">
      {graph.root_id} {said}: no lineage was recorded in this direction.
    </Text>
  );
}
