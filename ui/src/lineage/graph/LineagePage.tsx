import "../page.css";

import { Button, Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconBinaryTree2, IconFileCode, IconTargetArrow } from "@tabler/icons-react";

import { searchQuery } from "../../api";
import { EmptyState, QueryResult, PageHeader } from "../../components";
import { LineageNav } from "../Nav";
import { NearestNames } from "../NearestNames";
import { Controls } from "./Controls";
import { HEIGHT, GraphPanel } from "./GraphPanel";
import { useGraph } from "./useGraph";

const route = getRouteApi("/frame/lineage");

/** Where a column comes from and where it goes. */
export default function LineagePage() {
  const { focus, at } = route.useSearch();
  return (
    <>
      <PageHeader
        title="Lineage"
        documentTitle={focus === undefined ? "Lineage" : `Lineage of ${focus}`}
        about="Where a column comes from and where it goes: only what is touched, nothing else."
        actions={
          <>
            <Button variant="default" leftSection={<IconFileCode size={16} aria-hidden />} renderRoot={(props) => <Link to="/lineage/sources" {...props} />}>
              Code that was read
            </Button>
            {focus !== undefined && (
              <Button
                variant="default"
                leftSection={<IconTargetArrow size={16} aria-hidden />}
                renderRoot={(props) => <Link to="/impact" search={{ focus, at }} {...props} />}
              >
                What if it changes?
              </Button>
            )}
          </>
        }
      />
      <LineageNav at={at} />
      <Controls />
      {focus === undefined ? <Choose /> : <Asked focus={focus} />}
    </>
  );
}

function Asked({ focus }: { focus: string }) {
  const search = route.useSearch();
  const { query, choice, stale, more } = useGraph(focus, search);
  if (query.data === undefined && query.error !== null) return <NearestNames error={query.error} retry={() => void query.refetch()} busy={query.isFetching} page="/lineage" />;
  return (
    <QueryResult query={query} skeleton={<Skeleton h={HEIGHT + 44} radius={12} />}>
      {(graph) => <GraphPanel graph={graph} choice={choice} stale={stale} more={more} />}
    </QueryResult>
  );
}

/** No focus yet: a few tables to begin with. */
function Choose() {
  const query = useInfiniteQuery(searchQuery({ sort: "freshness", limit: 12 }));
  if (query.data?.pages[0]?.items.length === 0) return <NothingYet />;
  return (
    <div className="panel">
      <EmptyState icon={IconBinaryTree2} title="Choose a table or a column">
        Type its name above, or begin with one of these:
        <QueryResult query={query} skeleton={<Skeleton h={80} mt="md" />}>
          {(data) => (
            <div className="lineage-choices">
              {data.pages
                .flatMap((page) => page.items)
                .map((hit) => (
                  <Button key={hit.id} variant="default" size="xs" renderRoot={(props) => <Link to="/lineage" search={{ focus: hit.qualified_name }} {...props} />}>
                    {hit.qualified_name}
                  </Button>
                ))}
            </div>
          )}
        </QueryResult>
      </EmptyState>
    </div>
  );
}

/** Before the first run there is nothing to choose from. */
function NothingYet() {
  return (
    <div className="panel">
      <EmptyState
        icon={IconBinaryTree2}
        title="No lineage yet"
        action={
          <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
            To the first run
          </Button>
        }
      >
        Nothing was published yet. Each run records which column was made of which; its tables are here once it has ended.{" "}
        <Link to="/lineage/sources" className="link">
          Code
        </Link>{" "}
        can be read without a run.
      </EmptyState>
    </div>
  );
}
