import { useInfiniteQuery } from "@tanstack/react-query";
import { IconTestPipe } from "@tabler/icons-react";

import type { ContractDetail, TestRunView } from "../api";
import { testsQuery } from "../api/contracts";
import { itemsOf } from "../api/pages";
import { CopyCommand, EmptyState, QueryResult, RelativeTime, ShowMore, StatusBadge } from "../components";
import { plural } from "../format/numbers";
import { PartSkeleton } from "./PartSkeleton";

const OF_INTEREST = ["failed", "error", "warning"];

/** What tools that tested the data against the contract have told. */
export function Tests({ contract }: { contract: ContractDetail }) {
  const query = useInfiniteQuery(testsQuery(contract.id));
  return (
    <QueryResult query={query} skeleton={<PartSkeleton />}>
      {({ pages }) => {
        const runs = itemsOf(pages);
        if (runs.length === 0) return <NoTests contract={contract} />;
        return (
          <div className="panel">
            <ol className="tests" aria-label={`Tests of ${contract.name}`}>
              {runs.map((run) => (
                <OneRun key={run.id} run={run} />
              ))}
            </ol>
            <ShowMore query={query} shown={runs.length} total={pages[0]?.total_count} what="tests" />
          </div>
        );
      }}
    </QueryResult>
  );
}

function OneRun({ run }: { run: TestRunView }) {
  const told = run.checks.filter((check) => OF_INTEREST.includes(check.result));
  return (
    <li>
      <div className="test-head">
        <StatusBadge word={run.result} />
        <span className="numbers">{tested(run)}</span>
        <span className="quality-quiet name">
          {aboutRun(run)} <RelativeTime time={run.finished_at ?? run.received_at} />
        </span>
      </div>
      {told.length > 0 && (
        <ul className="test-checks" aria-label="Checks that did not pass">
          {told.map((check, index) => (
            <li key={index}>
              <StatusBadge word={check.result} />
              <span className="name">
                {check.name}
                {check.reason !== null && <span className="quality-quiet"> {check.reason}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function aboutRun({ version, server, tool, received_by: by }: TestRunView): string {
  const parts = [version === null ? "" : `version ${version}`, server ?? "", tool, `sent by ${by}`];
  return parts.filter((part) => part !== "").join(", ");
}

function tested({ passed, failed, other }: TestRunView): string {
  const parts = [`${passed} passed`, failed > 0 ? `${failed} failed` : "", other > 0 ? plural(other, "other") : ""];
  return parts.filter((part) => part !== "").join(", ");
}

function NoTests({ contract }: { contract: ContractDetail }) {
  const command = `datacontract test ${contract.file ?? "contract.odcs.yaml"} --publish ${location.origin}/api/v1/contracts/results`;
  return (
    <div className="panel">
      <EmptyState icon={IconTestPipe} title="No test was published" action={<CopyCommand command={command} />}>
        What datacontract-cli finds elsewhere can be sent here and is kept beside the contract. Checks of runs and monitors stand under Quality.
      </EmptyState>
    </div>
  );
}
