import { Button, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { IconFileTypeCsv, IconFileTypeSvg } from "@tabler/icons-react";

import type { EdgeView, GraphView } from "../../api";
import { download, fileName } from "../../components/download";
import { count, plural } from "../../format/numbers";
import { writeChoice, type Choice } from "./choice";
import { drawSvg } from "./drawing";
import { EdgePanel } from "./EdgePanel";
import type { Picture } from "./layout";
import { LineagePicture } from "./LineagePicture";
import { readSorting, writeSorting, type LineageSearch } from "./search";
import { writeCsv } from "./sheet";
import { lineLook } from "./words";

const route = getRouteApi("/frame/lineage");
export const HEIGHT = 580;

interface More {
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

interface Props {
  graph: GraphView;
  choice: Choice;
  /** Another answer is on its way. */
  stale: boolean;
  more: More | undefined;
}

export function GraphPanel({ graph, choice, stale, more }: Props) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: LineageSearch, replace = false): void => void navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  const { edge, at, view } = search;
  return (
    <div className="panel lineage-panel" aria-busy={stale}>
      {graph.edges.length === 0 && <Alone graph={graph} />}
      <LineagePicture
        graph={graph}
        height={HEIGHT}
        fills={graph.edges.length > 0}
        label={`Lineage of ${graph.root_id}`}
        view={view ?? "picture"}
        onView={(next) => change({ view: next === "picture" ? undefined : next })}
        choice={choice}
        onChoice={(next) => change(writeChoice(next))}
        sorting={readSorting(search.order)}
        onSort={(next) => change({ order: writeSorting(next) }, true)}
        onColumn={(next) => change({ focus: next, edge: undefined, cols: undefined, near: undefined })}
        onEdge={(next) => change({ edge: next }, true)}
        chosenEdge={edge}
        controls
        foot={(picture) => <GraphSummary graph={graph} picture={picture} more={more} />}
        tools={(picture) => <Exports graph={graph} picture={picture} />}
        detail={
          edge !== undefined && (
            <EdgePanel id={edge} edges={edgesAt(graph, edge)} at={at} onEdge={(next) => change({ edge: next }, true)} onClose={() => change({ edge: undefined }, true)} />
          )
        }
      />
    </div>
  );
}

/** The edge of an id, or all that a line between two cards, or a card and a column, stands for. */
export function edgesAt(graph: GraphView, id: string): EdgeView[] {
  const one = graph.edges.find((edge) => edge.id === id);
  if (one !== undefined) return [one];
  const [source, target] = id.split("->");
  if (source === undefined || target === undefined || id.includes("#")) return [];
  const within = (name: string, place: string): boolean => name === place || name.startsWith(`${place}.`);
  return graph.edges.filter((edge) => within(edge.source, source) && within(edge.target, target));
}

/** What the picture holds, and what it does not. */
function GraphSummary({ graph, picture, more }: { graph: GraphView; picture: Picture; more: More | undefined }) {
  const parts = [
    `${plural(graph.total_entities, "entity", "entities")} reached, ${plural(graph.greatest_depth, "step")} at most`,
    picture.left > 0 && `${plural(picture.left, "table")} not drawn: open them at the cards`,
    graph.hidden > 0 && `${plural(graph.hidden, "edge")} of low confidence not followed`,
  ].filter((part) => part !== false);
  const asked = graph.nodes.filter((node) => node.type === "column" || node.type === "field" || graph.level === "table").length;
  return (
    <Text size="xs" c="dimmed" component="div">
      {parts.join(" · ")}
      <Keys picture={picture} />
      {more !== undefined && (
        <>
          {" · "}the nearest {count(asked)} are here{" "}
          <Button variant="subtle" size="compact-xs" loading={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
            Load more
          </Button>
        </>
      )}
    </Text>
  );
}

/** What lines look like that are not plain: told where there are any. */
function Keys({ picture }: { picture: Picture }) {
  const looks = new Set(picture.links.map(lineLook));
  return (
    <span className="line-keys">
      {looks.has("indirect") && (
        <span className="line-key" data-look="indirect">
          indirect: decides which rows
        </span>
      )}
      {looks.has("inside") && (
        <span className="line-key" data-look="inside">
          inside a program
        </span>
      )}
      {looks.has("unsure") && (
        <span className="line-key" data-look="unsure">
          less sure
        </span>
      )}
    </span>
  );
}

function Exports({ graph, picture }: { graph: GraphView; picture: Picture }) {
  const look = { variant: "subtle", size: "compact-xs", color: "gray" } as const;
  const about = [
    graph.at === "HEAD" ? "now" : `at ${graph.at}`,
    graph.direction === "both" ? "both ways" : graph.direction,
    `confidence from ${graph.min_confidence}`,
    graph.indirect ? "with indirect edges" : "direct edges",
    picture.cards.some((card) => card.inside) && "with what is inside programs",
    picture.left > 0 && `${plural(picture.left, "table")} not drawn`,
  ].filter((part) => part !== false);
  const drawn = (): string => drawSvg(picture, { title: `Lineage of ${graph.root_id}`, about: about.join(" · "), root: graph.root_id });
  return (
    <>
      <Button {...look} leftSection={<IconFileTypeSvg size={15} aria-hidden />} onClick={() => download(fileName("lineage", graph.root_id, "svg"), "image/svg+xml", drawn())}>
        SVG
      </Button>
      <Button {...look} leftSection={<IconFileTypeCsv size={15} aria-hidden />} onClick={() => download(fileName("lineage", graph.root_id, "csv"), "text/csv", writeCsv(picture.links))}>
        CSV
      </Button>
    </>
  );
}

const WORDS: Record<string, string> = { upstream: "comes from nothing Forge knows", downstream: "goes nowhere", both: "stands alone" };

function Alone({ graph }: { graph: GraphView }) {
  return (
    <Text size="sm" c="dimmed" p="md">
      {graph.root_id} {WORDS[graph.direction] ?? "stands alone"}: no lineage was recorded in this direction.
      {graph.hidden > 0 && ` ${plural(graph.hidden, "edge is", "edges are")} less sure than asked for.`}
      {!graph.indirect && " Indirect use (filters, joins) is left out."}
    </Text>
  );
}
