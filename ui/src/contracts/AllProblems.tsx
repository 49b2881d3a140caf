import { NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { IconCircleCheck } from "@tabler/icons-react";

import type { CompileView } from "../api";
import { compileQuery, allViolationsQuery } from "../api/contracts";
import { CopyCommand, EmptyState, QueryResult, RelativeTime, ShowMore } from "../components";
import { count, plural } from "../format/numbers";
import { Findings } from "./Findings";
import { SEVERITIES, type ContractsSearch } from "./search";
import { countsOf, policyInWords, tallyInWords } from "./words";

type Severity = ContractsSearch["severity"];

interface Props {
  severity: Severity;
  onSeverity: (severity: Severity) => void;
}

const LABELS = { error: "Errors", warning: "Warnings", info: "Notes" };

/** Everything that is wrong with contracts and what they speak of, the worst first, each with its file and line. */
export function AllProblems({ severity, onSeverity }: Props) {
  const query = useInfiniteQuery(allViolationsQuery({ severity: severity === undefined ? undefined : [severity] }));
  return (
    <Stack gap="md">
      <LastCompile />
      <QueryResult query={query} skeleton={<Skeleton h={320} radius={12} />}>
        {({ pages }) => {
          const found = pages.flatMap((page) => page.items);
          const total = pages[0]?.total_count ?? found.length;
          return (
            <section aria-label="Problems">
              <div className="quality-found">
                <span role="status">{plural(total, "problem")}</span>
                <NativeSelect
                  aria-label="Severity"
                  size="xs"
                  value={severity ?? ""}
                  onChange={(event) => onSeverity(SEVERITIES.find((one) => one === event.currentTarget.value))}
                  data={[{ value: "", label: "Any severity" }, ...SEVERITIES.map((one) => ({ value: one, label: LABELS[one] }))]}
                />
              </div>
              <div className="panel quality-list contract-below" aria-busy={query.isPlaceholderData} data-stale={query.isPlaceholderData || undefined}>
                {found.length === 0 ? (
                  <EmptyState icon={IconCircleCheck} title={severity === undefined ? "No problem is known" : "None of this severity"}>
                    What was never checked cannot be listed; a compile checks all there is.
                  </EmptyState>
                ) : (
                  <Findings label="Problems" violations={found} />
                )}
                <ShowMore query={query} shown={found.length} total={total} what="problems" />
              </div>
            </section>
          );
        }}
      </QueryResult>
    </Stack>
  );
}

/** What the whole project was told when it was last compiled. */
function LastCompile() {
  const query = useQuery(compileQuery());
  if (query.data === null) {
    return (
      <div className="panel compile-none">
        <span className="quality-quiet">The project was not compiled yet. This checks every contract and policy of it at once:</span>
        <CopyCommand command="forge compile" />
      </div>
    );
  }
  return (
    <QueryResult query={query} skeleton={<Skeleton h={72} radius={12} />}>
      {(compiled) => <Compiled compiled={compiled} />}
    </QueryResult>
  );
}

function Compiled({ compiled }: { compiled: CompileView }) {
  const counts = countsOf(compiled.violations);
  return (
    <section className="panel compile" aria-labelledby="compiled">
      <div className="compile-head">
        <h2 className="panel-title" id="compiled">
          The last compile {compiled.valid ? "passed" : "did not pass"}
        </h2>
        <span className="quality-quiet name">
          {tallyInWords(counts) || "nothing was found"} · <RelativeTime time={compiled.validated_at} /> by {compiled.validated_by} · enforcement {compiled.enforcement}
        </span>
      </div>
      <dl className="compile-sums">
        {Object.entries(compiled.summary).map(([policy, number]) => (
          <div key={policy} data-any={number > 0 || undefined}>
            <dt>{policyInWords(policy)}</dt>
            <dd className="numbers">{count(number)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
