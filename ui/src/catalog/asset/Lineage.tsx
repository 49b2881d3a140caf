import { Button, NativeSelect, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { IconArrowUpRight, IconBinaryTree2, IconTargetArrow } from "@tabler/icons-react";

import { asProblem, graphQuery, type AssetDetail, type GraphView } from "../../api";
import { EmptyState, QueryResult } from "../../components";
import { splitColumn } from "../../format/names";
import { plural } from "../../format/numbers";
import { LineagePicture } from "../../lineage/graph/LineagePicture";
import type { AssetSearch } from "./search";
import { columnNamed, nodeOf } from "./words";

const DEPTHS = [1, 2, 3, 5, 50];
const USUAL = 3;
const HEIGHT = 620;
const DIRECTIONS = [
  { value: "both", label: "Both ways" },
  { value: "upstream", label: "Comes from" },
  { value: "downstream", label: "Goes to" },
] as const;

interface Props {
  asset: AssetDetail;
  search: AssetSearch;
  change: (part: AssetSearch) => void;
}

/** How the table's columns, or one of them, come from others and go on: only the columns that are touched. */
export function AssetLineage({ asset, search, change }: Props) {
  const column = columnNamed(search.col, asset.schema);
  const root = column === undefined ? nodeOf(asset) : `${asset.id}.${column}`;
  const wanted = { root, direction: search.direction ?? ("both" as const), depth: search.depth ?? USUAL, at: search.at };
  const query = useQuery(graphQuery(wanted));
  const navigate = useNavigate();
  // A column of this table is looked at here, one of another table on the page of lineage.
  const choose = (name: string): void => {
    const { table, column: chosen } = splitColumn(name);
    if (table === asset.id) change({ col: chosen });
    else void navigate({ to: "/lineage", search: { focus: name, at: search.at } });
  };
  return (
    <Stack gap="md">
      <Controls asset={asset} column={column} search={search} change={change} root={root} />
      {search.col !== undefined && column === undefined && (
        <Text size="sm" role="status">
          There is no column {search.col} at this version; the whole table is shown.
        </Text>
      )}
      {query.data === undefined && query.error !== null && asset.commit === "" && asProblem(query.error).status === 404 ? (
        <Alone name={root} />
      ) : (
        <QueryResult query={query} skeleton={<Skeleton h={440} radius="md" />}>
          {(graph) => <Picture graph={graph} root={root} choose={choose} search={search} change={change} />}
        </QueryResult>
      )}
    </Stack>
  );
}

interface ControlsProps extends Props {
  column: string | undefined;
  root: string;
}

function Controls({ asset, column, search, change, root }: ControlsProps) {
  const steps = search.depth ?? USUAL;
  const depths = [...new Set([...DEPTHS, search.depth ?? USUAL])].toSorted((one, other) => one - other);
  return (
    <div className="asset-lineage-controls">
      <NativeSelect
        label="Start from"
        value={column ?? ""}
        onChange={(event) => change({ col: event.currentTarget.value === "" ? undefined : event.currentTarget.value })}
        data={[{ value: "", label: "the whole table" }, ...asset.schema.map(({ name }) => ({ value: name, label: name }))]}
      />
      <NativeSelect
        label="How far"
        value={String(search.depth ?? USUAL)}
        onChange={(event) => change({ depth: Number(event.currentTarget.value) === USUAL ? undefined : Number(event.currentTarget.value) })}
        data={depths.map((depth) => ({ value: String(depth), label: depth === 50 ? "to the ends" : plural(depth, "step") }))}
      />
      <div>
        <span className="assets-label" id="lineage-direction">
          Direction
        </span>
        <SegmentedControl
          aria-labelledby="lineage-direction"
          fullWidth
          data={[...DIRECTIONS]}
          value={search.direction ?? "both"}
          onChange={(value) => change({ direction: value === "upstream" || value === "downstream" ? value : undefined })}
        />
      </div>
      <Button
        variant="default"
        rightSection={<IconArrowUpRight size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/lineage" search={{ focus: root, direction: search.direction, up: steps, down: steps, at: search.at }} {...props} />}
      >
        Open in Lineage
      </Button>
      <Button
        variant="default"
        leftSection={<IconTargetArrow size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/impact" search={{ focus: root, at: search.at }} {...props} />}
      >
        What if it changes?
      </Button>
    </div>
  );
}

function Alone({ name }: { name: string }) {
  return (
    <div className="panel">
      <EmptyState icon={IconBinaryTree2} title={`Nothing is known to flow into or out of ${name}`}>
        Lineage is read from the transforms when they run. A source that is only loaded, and a column that nothing uses, stand alone.
      </EmptyState>
    </div>
  );
}

interface PictureProps extends Pick<Props, "search" | "change"> {
  graph: GraphView;
  root: string;
  choose: (name: string) => void;
}

function Picture({ graph, root, choose, search, change }: PictureProps) {
  if (graph.edges.length === 0) return <Alone name={root} />;
  return (
    <div className="panel asset-lineage-panel">
      <LineagePicture
        graph={graph}
        label={`Lineage of ${root}`}
        height={HEIGHT}
        onColumn={choose}
        view={search.view ?? "picture"}
        onView={(view) => change({ view: view === "table" ? view : undefined })}
        controls
      />
      {graph.hidden > 0 && (
        <Text size="sm" c="dimmed" p="sm">
          {plural(graph.hidden, "uncertain link is", "uncertain links are")} not shown.
        </Text>
      )}
    </div>
  );
}
