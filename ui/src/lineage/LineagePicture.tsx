import { Button, Group, Skeleton } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { IconBinaryTree2, IconTable } from "@tabler/icons-react";
import { lazy, Suspense, useMemo, useState } from "react";

import { assetQuery, type GraphView } from "../api";
import { EdgeTable } from "./EdgeTable";
import { layOut, PAD, zoomFor, type Opened } from "./layout";

const Canvas = lazy(() => import("./Canvas"));
const ZOOM_BUTTONS = 34;

export interface PictureProps {
  graph: GraphView;
  /** At most so high, in pixels; a smaller picture takes less, and the skeleton takes the same. */
  height?: number;
  /** What is shown, for screen readers: "Lineage of core.orders.amount". */
  label: string;
  /** The column that fails, where the server does not mark it itself. */
  failing?: string | undefined;
  /** Where the bad data came in. */
  origin?: string | undefined;
  /** Columns that would have been hit. */
  spared?: readonly string[] | undefined;
  /** A column was chosen; without this the lineage page opens with it as root. */
  onColumn?: ((qualifiedName: string) => void) | undefined;
  /** An edge was chosen. */
  onEdge?: ((edgeId: string) => void) | undefined;
  chosenEdge?: string | undefined;
  /** Picture or table; without `onView` the component remembers it itself. */
  view?: "picture" | "table" | undefined;
  onView?: ((view: "picture" | "table") => void) | undefined;
  /** Buttons for zoom, for large pictures. */
  controls?: boolean;
}

/** Tables as cards with the touched columns only, and how columns come from columns. */
export function LineagePicture({ height = 420, view, onView, ...props }: PictureProps) {
  const { graph } = props;
  const { ref, width } = useElementSize();
  const [ownView, setOwnView] = useState<"picture" | "table">("picture");
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const opened = useOpened(wanted, graph.at);
  const picture = useMemo(() => layOut(graph, opened, width || 1000), [graph, opened, width]);
  const shown = view ?? ownView;
  const other = shown === "picture" ? "table" : "picture";
  const zoom = zoomFor(picture, width || 1000);
  // The buttons for zoom stand below the last card, not on it.
  const foot = props.controls === true && !picture.vertical ? ZOOM_BUTTONS : 0;
  const natural = picture.height * zoom + 2 * PAD + foot;

  const toggle = (table: string): void => {
    const next = new Set(wanted);
    if (!next.delete(table)) next.add(table);
    setWanted(next);
  };
  return (
    <div>
      <div
        ref={ref}
        className="picture"
        style={shown === "picture" ? { height: picture.vertical ? natural : Math.min(height, natural) } : undefined}
      >
        {shown === "table" ? (
          <EdgeTable links={picture.links} label={props.label} />
        ) : (
          <Suspense fallback={<Skeleton h="100%" radius="md" />}>
            {width > 0 && <Canvas {...props} picture={picture} width={width} zoom={zoom} onToggle={toggle} />}
          </Suspense>
        )}
      </div>
      <Group justify="flex-end" mt={6}>
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
    </div>
  );
}

/** The columns of the tables that were opened, as they come in. */
function useOpened(wanted: ReadonlySet<string>, at: string): Opened {
  return useQueries({
    queries: [...wanted].map((table) => assetQuery(table, at)),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => (data === undefined ? [] : [[data.qualified_name, data.schema] as const]))),
  });
}
