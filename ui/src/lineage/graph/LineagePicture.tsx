import { Button, Group, Skeleton } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { IconBinaryTree2, IconTable } from "@tabler/icons-react";
import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";

import { columnsQuery, type GraphView } from "../../api";
import { HEAD } from "../../format/refs";
import { NO_CHOICE, withColumns, withNear, type Choice, type Columns, type Way } from "./choice";
import { EdgeTable } from "./EdgeTable";
import { layOut, PAD, zoomFor, type Opened, type Picture } from "./layout";
import type { Sorting } from "./sorting";

const Canvas = lazy(() => import("./Canvas"));
const ZOOM_BUTTONS = 34;
const USUAL_WIDTH = 1000;

export interface PictureProps {
  graph: GraphView;
  /** At most so high, in pixels; a smaller picture takes less, and the skeleton takes the same. */
  height?: number;
  /** It takes all of the height, however small the picture is: nothing moves while one walks through the graph. */
  fills?: boolean;
  /** What is shown, for screen readers: "Lineage of core.orders.amount". */
  label: string;
  /** The column that fails, where the server does not mark it itself. */
  failing?: string | undefined;
  /** Where the bad data came in. */
  origin?: string | undefined;
  /** Columns that would have been hit. */
  spared?: readonly string[] | undefined;
  /** A column was chosen; without this the lineage page opens with it as focus. */
  onColumn?: ((id: string) => void) | undefined;
  /** An edge was chosen. */
  onEdge?: ((edgeId: string) => void) | undefined;
  chosenEdge?: string | undefined;
  /** What is opened; without `onChoice` the component remembers it itself. */
  choice?: Choice | undefined;
  onChoice?: ((choice: Choice) => void) | undefined;
  /** Picture or table; without `onView` the component remembers it itself. */
  view?: "picture" | "table" | undefined;
  onView?: ((view: "picture" | "table") => void) | undefined;
  sorting?: Sorting | undefined;
  onSort?: ((sorting: Sorting) => void) | undefined;
  /** Buttons for zoom, for large pictures. */
  controls?: boolean;
  /** Left of the switch between picture and table. */
  foot?: ((picture: Picture) => ReactNode) | undefined;
  /** Right of it: what else can be done with the picture. */
  tools?: ((picture: Picture) => ReactNode) | undefined;
  /** On top of the picture, or below it where that is narrow. */
  detail?: ReactNode;
}

/** Tables as cards with the touched columns only, and how columns come from columns. */
export function LineagePicture({ height = 420, view, onView, choice: given, onChoice, foot, tools, detail, ...props }: PictureProps) {
  const { graph, controls, fills } = props;
  const { ref, width } = useElementSize();
  const [ownView, setOwnView] = useState<"picture" | "table">("picture");
  const [ownChoice, setOwnChoice] = useState(NO_CHOICE);
  const choice = given ?? ownChoice;
  const opened = useOpened(choice, graph.at);
  const picture = useMemo(() => layOut(graph, { choice, opened, width: width || USUAL_WIDTH }), [graph, choice, opened, width]);
  const shown = view ?? ownView;
  const other = shown === "picture" ? "table" : "picture";
  const high = heightOf(picture, width || USUAL_WIDTH, height, { controls, fills });
  const actions = useMemo(() => {
    const change = onChoice ?? setOwnChoice;
    return {
      onColumns: (table: string, columns: Columns) => change(withColumns(choice, table, columns)),
      onNear: (way: Way, table: string, steps: number | undefined) => change(withNear(choice, way, table, steps)),
    };
  }, [choice, onChoice]);
  return (
    <div>
      <div className="picture-frame">
        <div ref={ref} className="picture" style={shown === "picture" ? { height: high } : undefined}>
          {shown === "table" ? (
            <EdgeTable picture={picture} at={graph.at === HEAD ? undefined : graph.at} label={props.label} sorting={props.sorting} onSort={props.onSort} onEdge={props.onEdge} chosen={props.chosenEdge} />
          ) : (
            <Suspense fallback={<Skeleton h="100%" radius="md" />}>
              {width > 0 && <Canvas {...props} {...actions} picture={picture} width={width} high={high} />}
            </Suspense>
          )}
        </div>
        {detail !== undefined && detail !== null && (
          <div className="picture-detail" data-over={(shown === "picture" && !picture.vertical) || undefined}>
            {detail}
          </div>
        )}
      </div>
      <Group justify="space-between" mt={6} gap="xs" className="picture-foot">
        <div className="picture-said">{foot?.(picture)}</div>
        <Group gap={4}>
          {tools?.(picture)}
          <Button
            variant="subtle"
            size="compact-xs"
            color="gray"
            leftSection={other === "table" ? <IconTable size={14} aria-hidden /> : <IconBinaryTree2 size={14} aria-hidden />}
            onClick={() => (onView ?? setOwnView)(other)}
          >
            {other === "table" ? "Show as a table" : "Show as a picture"}
          </Button>
        </Group>
      </Group>
    </div>
  );
}

function heightOf(picture: Picture, width: number, height: number, { controls, fills }: Pick<PictureProps, "controls" | "fills">): number {
  // The buttons for zoom stand below the last card, not on it.
  const foot = controls === true && !picture.vertical ? ZOOM_BUTTONS : 0;
  const natural = picture.height * (picture.vertical ? 1 : zoomFor(picture, width)) + 2 * PAD + foot;
  if (picture.vertical) return natural;
  return fills === true ? height : Math.min(height, natural);
}

/** The columns of the tables that were opened, as they come in. */
function useOpened(choice: Choice, at: string): Opened {
  const wanted = [...choice.columns].filter(([, columns]) => columns === "all").map(([table]) => table);
  return useQueries({
    queries: wanted.map((table) => columnsQuery(table, at)),
    combine: (answers) => new Map(answers.flatMap(({ data }) => (data === undefined ? [] : [[data.table, data.columns] as const]))),
  });
}
