import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconArrowLeft, IconCircleCheck } from "@tabler/icons-react";

import { asProblem, sourceQuery, type SourceDetail } from "../../api";
import { ColumnLink, CopyCommand, EmptyState, QueryResult, PageHeader, Problem, RelativeTime } from "../../components";
import { count, duration } from "../../format/numbers";
import { Path } from "./Files";
import { GapList } from "./Gaps";
import { Sum, Sums } from "./Share";
import { filesIn, ingestCommand, languageWord } from "./words";

/** One file: what was not understood of it, and the tables it speaks of. */
export function FileDetail({ file }: { file: string }) {
  const query = useQuery(sourceQuery(file));
  return (
    <>
      <PageHeader
        title={
          <span className="sources-title">
            <Path text={file} />
          </span>
        }
        documentTitle={file}
        about={query.data === undefined ? "Code that was read for its lineage." : <About source={query.data} />}
        actions={
          <Button variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />} renderRoot={(props) => <Link to="/lineage/sources" {...props} />}>
            All files
          </Button>
        }
      />
      {query.data === undefined && query.error !== null ? (
        <NotRead error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
      ) : (
        <QueryResult query={query} skeleton={<Skeleton h={360} radius={12} />}>
          {(source) => <Shown source={source} />}
        </QueryResult>
      )}
    </>
  );
}

function About({ source }: { source: SourceDetail }) {
  return (
    <>
      {languageWord(source.language)}, read <RelativeTime time={source.read_at} /> in {duration(source.seconds)}
    </>
  );
}

function Shown({ source }: { source: SourceDetail }) {
  return (
    <Stack gap="lg">
      <section className="panel sources-totals" aria-label="About it">
        <Sums read={source}>
          <Sum name="Edges">{count(source.edges)}</Sum>
          <Sum name="Gaps" tone={source.gaps > 0 ? "warn" : "good"}>
            {count(source.gaps)}
          </Sum>
          <Sum name="Tables">{count(source.tables.length)}</Sum>
        </Sums>
      </section>
      <section className="panel" aria-labelledby="not-understood">
        <h2 className="panel-title sources-part" id="not-understood">
          What was not understood
        </h2>
        {source.gap_list.length === 0 ? (
          <EmptyState icon={IconCircleCheck} title="All of it was understood" />
        ) : (
          <GapList gaps={source.gap_list} file={source.id} />
        )}
      </section>
      <section className="panel sources-below" aria-labelledby="speaks-of">
        <h2 className="panel-title" id="speaks-of">
          Tables it speaks of
        </h2>
        {source.tables.length === 0 ? (
          <p className="sources-quiet">None.</p>
        ) : (
          <ul className="sources-tables">
            {source.tables.map((table) => (
              <li key={table}>
                <ColumnLink column={table} />
              </li>
            ))}
          </ul>
        )}
      </section>
      <div>
        <p className="sources-quiet">To read it again after a change:</p>
        <div className="sources-again">
          <CopyCommand command={ingestCommand(source.root)} />
        </div>
      </div>
    </Stack>
  );
}

/** No such file was read: those that are called nearly so can be clicked. */
function NotRead({ error, retry, busy }: { error: unknown; retry: () => void; busy: boolean }) {
  const problem = asProblem(error);
  const gone = problem.status === 404;
  const names = gone ? filesIn(problem.fix ?? "") : [];
  return (
    <>
      <Problem error={error} retry={gone ? undefined : retry} retrying={busy} />
      {names.length > 0 && (
        <Group gap="xs" mt="md" aria-label="Nearest names" role="group">
          {names.map((name) => (
            <Button key={name} variant="default" size="xs" renderRoot={(props) => <Link to="/lineage/sources" search={{ file: name }} {...props} />}>
              {name}
            </Button>
          ))}
        </Group>
      )}
    </>
  );
}
