import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconArrowUpRight, IconBinaryTree2 } from "@tabler/icons-react";

import { asProblem, graphQuery } from "../../api";
import { EmptyState, QueryResult } from "../../components";
import { LineagePicture } from "../../lineage/graph/LineagePicture";

const DEPTH = 3;
const HEIGHT = 560;

/** Where its columns come from, and where they go. */
export function Lineage({ name }: { name: string }) {
  const root = `virtual.${name}`;
  const query = useQuery(graphQuery({ root, direction: "both", depth: DEPTH }));
  if (query.error !== null && asProblem(query.error).status === 404) return <Unknown />;
  return (
    <QueryResult query={query} skeleton={<Skeleton h={320} radius="md" />}>
      {(graph) =>
        graph.edges.length === 0 ? (
          <Unknown />
        ) : (
          <div className="panel virtual-lineage">
            <LineagePicture
              graph={graph}
              label={`Lineage of ${root}`}
              height={HEIGHT}
              controls
              tools={() => (
                <Button size="compact-xs" variant="subtle" color="gray" rightSection={<IconArrowUpRight size={14} aria-hidden />} renderRoot={(props) => <Link to="/lineage" search={{ focus: root }} {...props} />}>
                  Open in Lineage
                </Button>
              )}
            />
          </div>
        )
      }
    </QueryResult>
  );
}

function Unknown() {
  return (
    <div className="panel">
      <EmptyState icon={IconBinaryTree2} title="The lineage graph does not know it yet">
        One that is declared in a file is taken into the graph when the server starts, or when it is tested: see Against its sources.
      </EmptyState>
    </div>
  );
}
