import { Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconArrowsDiff, IconChecks, IconCode, IconPlayerPlay } from "@tabler/icons-react";

import { disagreementsQuery, type DisagreementsView, type DisagreementView } from "../../api";
import { itemsOf } from "../../api/pages";
import { ColumnLink, CopyCommand, EmptyState, QueryResult, Name, ShowMore } from "../../components";
import { plural } from "../../format/numbers";
import { producerWord } from "../graph/words";
import { Path } from "./Files";
import { byTable, whereSaid } from "./words";

/** Edges that only code or only runs tell, of the tables of which both speak. */
export function Disagreements() {
  const query = useInfiniteQuery(disagreementsQuery());
  return (
    <QueryResult query={query} skeleton={<Skeleton h={320} radius={12} />}>
      {({ pages }) => {
        const [first] = pages;
        if (first === undefined) return null;
        const edges = itemsOf(pages);
        const total = first.total_count ?? edges.length;
        if (total === 0) return <Agreed view={first} />;
        return (
          <Stack gap="sm">
            <div className="sources-found">
              <span role="status">
                Code and runs both speak of {plural(first.tables, "table")}: on {plural(first.agreed, "edge")} they agree, on {plural(total, "edge")} they do not.
              </span>
            </div>
            <div className="panel sources-list">
              {byTable(edges).map(({ name, items }) => (
                <section key={name} className="sources-group" aria-label={name}>
                  <h3 className="sources-group-name">
                    <ColumnLink column={name} />
                    <span className="sources-quiet">{plural(items.length, "edge")}</span>
                  </h3>
                  <ul className="sources-edges">
                    {items.map((edge) => (
                      <Edge key={edge.id} edge={edge} />
                    ))}
                  </ul>
                </section>
              ))}
              <ShowMore query={query} shown={edges.length} total={total} what="edges" />
            </div>
          </Stack>
        );
      }}
    </QueryResult>
  );
}

const SIDES: Record<string, { label: string; icon: typeof IconCode }> = {
  code: { label: "only in code", icon: IconCode },
  runs: { label: "only in runs", icon: IconPlayerPlay },
};

function Edge({ edge }: { edge: DisagreementView }) {
  const { label, icon: Sign } = SIDES[edge.said_by] ?? { label: edge.said_by, icon: IconArrowsDiff };
  return (
    <li>
      <span className="badge" data-tone={edge.said_by === "code" ? "busy" : "warn"}>
        <Sign size={14} stroke={2} aria-hidden />
        {label}
      </span>
      <div className="sources-edge">
        <Link to="/lineage" search={{ focus: edge.target, direction: "upstream", up: 1, edge: edge.id }} className="link name">
          <Name text={edge.source} /> → <Name text={edge.target} />
        </Link>
        {edge.expression !== "" && <code className="mono name sources-expression">{edge.expression}</code>}
      </div>
      <Where edge={edge} />
    </li>
  );
}

function Where({ edge }: { edge: DisagreementView }) {
  const { file, text } = whereSaid(edge);
  if (file !== undefined) {
    return (
      <Link to="/lineage/sources" search={{ file }} className="link mono name sources-where">
        <Path text={text} />
      </Link>
    );
  }
  return (
    <span className="sources-quiet name sources-where">
      {producerWord(edge.producer)}
      {text !== "" && ` · ${text}`}
    </span>
  );
}

function Agreed({ view }: { view: DisagreementsView }) {
  return (
    <div className="panel">
      {view.tables === 0 ? (
        <EmptyState icon={IconArrowsDiff} title="Nothing to compare yet" action={<CopyCommand command="forge run" />}>
          No table is both in the code that was read and in a run. Once a run has made one of these tables, every edge that only one of the two tells is listed here.
        </EmptyState>
      ) : (
        <EmptyState icon={IconChecks} title="Code and runs agree">
          {plural(view.agreed, "edge")} of {plural(view.tables, "table")} {view.agreed === 1 ? "is" : "are"} told by both, and none by only one of them.
        </EmptyState>
      )}
    </div>
  );
}
