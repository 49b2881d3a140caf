import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconCircleCheck, IconRefresh } from "@tabler/icons-react";

import type { ContractDetail } from "../api";
import { useCheckContract, violationsQuery } from "../api/contracts";
import { useMayWrite } from "../api/scope";
import { EmptyState, QueryResult, notify, notifyProblem, RelativeTime } from "../components";
import { Findings } from "./Findings";
import { PartSkeleton } from "./PartSkeleton";
import { tallyInWords } from "./words";

/** What is wrong with a contract now: its form, its parents, its version and its tables. */
export function ContractProblems({ contract }: { contract: ContractDetail }) {
  const query = useQuery(violationsQuery(contract.id));
  return (
    <QueryResult query={query} skeleton={<PartSkeleton />}>
      {(found) => (
        <Stack gap="sm">
          <div className="quality-found">
            <span role="status">
              {found.violations.length === 0 ? "Nothing is wrong" : tallyInWords(found)}, looked at <RelativeTime time={found.checked_at} />
            </span>
            <CheckNow contract={contract} />
          </div>
          <div className="panel">
            {found.violations.length === 0 ? (
              <EmptyState icon={IconCircleCheck} title="Nothing is wrong">
                Its form, its parents, its version and the tables it speaks of are in order.
              </EmptyState>
            ) : (
              <Findings label={`Problems of ${contract.name}`} violations={found.violations} contract={contract} />
            )}
          </div>
        </Stack>
      )}
    </QueryResult>
  );
}

/** Looks again, and keeps what it finds as the last check. */
function CheckNow({ contract }: { contract: ContractDetail }) {
  const check = useCheckContract(contract.id);
  if (!useMayWrite()) return null;
  const confirm = (): void =>
    check.mutate(undefined, {
      onSuccess: (found) => notify(found.errors > 0 ? "bad" : "good", `${contract.name} was checked`, tallyInWords(found) || "Nothing is wrong."),
      onError: notifyProblem,
    });
  return (
    <Button variant="default" size="xs" loading={check.isPending} leftSection={<IconRefresh size={14} aria-hidden />} onClick={confirm}>
      Check now
    </Button>
  );
}
