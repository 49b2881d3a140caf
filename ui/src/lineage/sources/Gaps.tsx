import { Button, CloseButton, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconCircleCheck, IconSearch, IconZoomQuestion } from "@tabler/icons-react";

import { gapsQuery, type GapView } from "../../api";
import { EmptyState, QueryResult, ShowMore, TypedInput, WithCode } from "../../components";
import { count, plural } from "../../format/numbers";
import { Path } from "./Files";
import { gapsByFile } from "./words";

const route = getRouteApi("/frame/lineage/sources");

/** Everything that was not understood, with its line of code. */
export function Gaps({ total }: { total: number }) {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const found = useInfiniteQuery(gapsQuery({ query: q }));
  const look = (next: string | undefined): void => void navigate({ search: (before) => ({ ...before, q: next }), replace: true, resetScroll: false });
  if (total === 0) return <AllUnderstood />;
  return (
    <Stack gap="sm">
      <search className="sources-filters" aria-label="Gaps">
        <TypedInput
          aria-label="Part of a path, a reason or a line"
          className="sources-find"
          placeholder="Part of a path, a reason or a line"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => look(undefined)} />}
          value={q ?? ""}
          onTyped={(next) => look(next === "" ? undefined : next)}
          spellCheck={false}
        />
      </search>
      <QueryResult query={found} skeleton={<Skeleton h={320} radius={12} />}>
        {({ pages }) => {
          const gaps = pages.flatMap((page) => page.items);
          const all = pages[0]?.total_count ?? gaps.length;
          return (
            <>
              <div className="sources-found">
                <span role="status">{q === undefined ? plural(all, "gap") : `${count(all)} of ${plural(total, "gap")}`}</span>
              </div>
              <div className="panel sources-list" aria-busy={found.isPlaceholderData} data-stale={found.isPlaceholderData || undefined}>
                {gaps.length === 0 && <NoneFits onClear={() => look(undefined)} />}
                {gapsByFile(gaps).map(({ name, items }) => (
                  <section key={name} className="sources-group" aria-label={name}>
                    <h3 className="sources-group-name">
                      <Link to="/lineage/sources" search={{ file: name }} className="link mono name">
                        <Path text={name} />
                      </Link>
                    </h3>
                    <GapList gaps={items} file={name} />
                  </section>
                ))}
                <ShowMore query={found} shown={gaps.length} total={all} what="gaps" />
              </div>
            </>
          );
        }}
      </QueryResult>
    </Stack>
  );
}

/** Each line of code with why it was not understood beside it. */
export function GapList({ gaps, file }: { gaps: readonly GapView[]; file: string }) {
  return (
    <ul className="sources-gaps">
      {gaps.map((gap, index) => (
        <li key={index}>
          <div className="sources-code">
            <span className="sources-line numbers" title={gap.line === null ? undefined : `${file}:${gap.line}`}>
              {gap.line === null ? "" : <span className="only-readers">line </span>}
              {gap.line ?? "–"}
            </span>
            <code>{gap.code === "" ? <span className="sources-quiet">the whole file</span> : gap.code}</code>
          </div>
          <p className="sources-reason name">
            <WithCode text={gap.reason} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function AllUnderstood() {
  return (
    <div className="panel">
      <EmptyState icon={IconCircleCheck} title="Everything was understood">
        No statement of any file was left out.
      </EmptyState>
    </div>
  );
}

function NoneFits({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={IconZoomQuestion}
      title="No gap fits"
      action={
        <Button variant="default" onClick={onClear}>
          Show all gaps
        </Button>
      }
    />
  );
}
