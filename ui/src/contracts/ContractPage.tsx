import "../quality/quality.css";
import "./contracts.css";

import { Button, Group, Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconArrowLeft, IconHourglassLow, IconProgress } from "@tabler/icons-react";
import { useEffect, useRef, type ReactNode } from "react";

import { asProblem, type ContractDetail } from "../api";
import { contractQuery } from "../api/contracts";
import { useMayWrite } from "../api/scope";
import { QueryResult, PageHeader, Problem, RelativeTime, StatusBadge, TableLink } from "../components";
import { ContractText } from "./ContractText";
import { Drift } from "./Drift";
import { Lifecycle } from "./Lifecycle";
import { ContractProblems } from "./Problems";
import { Promises } from "./Promises";
import { Readers } from "./Readers";
import { CONTRACT_PARTS, type ContractPart, type ContractSearch } from "./search";
import { StateDialog } from "./StateDialog";
import { Tests } from "./Tests";
import { Versions } from "./Versions";
import { noticeInWords, tallyInWords, toneOfCounts } from "./words";

const route = getRouteApi("/frame/contracts/$contractId");

/** One contract: what it promises, what is wrong with it, how it changed, and who relies on it. */
export default function ContractPage() {
  const { contractId } = route.useParams();
  const query = useQuery(contractQuery(contractId));
  const contract = query.data;
  return (
    <>
      <PageHeader
        title={contract?.name ?? contractId}
        documentTitle={contract?.name ?? "Contract"}
        marks={
          contract !== undefined && (
            <Group gap={6}>
              <StatusBadge word={contract.state} />
              <span className="badge numbers" data-tone="calm">
                {contract.version}
              </span>
            </Group>
          )
        }
        about={contract === undefined ? " " : contract.description}
        actions={contract !== undefined && <Actions contract={contract} />}
      />
      {contract === undefined && query.error !== null ? (
        <NotThere error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
      ) : (
        <QueryResult query={query} skeleton={<ContractSkeleton />}>
          {(found) => <Content contract={found} />}
        </QueryResult>
      )}
    </>
  );
}

function Actions({ contract }: { contract: ContractDetail }) {
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  return (
    <>
      <Button variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />} renderRoot={(props) => <Link to="/contracts" {...props} />}>
        All contracts
      </Button>
      {mayWrite && contract.registered && contract.next_states.length > 0 && (
        <Button variant="default" leftSection={<IconProgress size={16} aria-hidden />} onClick={() => void navigate({ search: (before) => ({ ...before, dialog: "state" }), resetScroll: false })}>
          Change state…
        </Button>
      )}
    </>
  );
}

function Content({ contract }: { contract: ContractDetail }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: ContractSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  return (
    <Stack gap="md">
      <Ending contract={contract} />
      <Facts contract={contract} />
      <Parts contract={contract} search={search} change={change} />
      {search.dialog === "state" && <StateDialog contract={contract} onClose={() => change({ dialog: undefined })} />}
    </Stack>
  );
}

const ENDS: Partial<Record<ContractDetail["state"], string>> = { sunset: "set to end" };

/** That it comes to its end, for whoever is about to rely on it. */
function Ending({ contract }: { contract: ContractDetail }) {
  const { notice } = contract;
  if (notice === null) return null;
  return (
    <div className="contract-verdict" data-tone={notice.state === "retired" ? "bad" : "warn"} role="note">
      <IconHourglassLow size={20} aria-hidden />
      <div className="name">
        <strong>
          It was {ENDS[notice.state] ?? notice.state} <RelativeTime time={notice.since} />
        </strong>
        <p>
          {noticeInWords(notice)}
          {notice.replacement !== null && (
            <>
              {" "}
              <Link to="/contracts/$contractId" params={{ contractId: notice.replacement }} className="contract-replacement">
                Go to {notice.replacement}
              </Link>
            </>
          )}
        </p>
      </div>
    </div>
  );
}

function Facts({ contract }: { contract: ContractDetail }) {
  return (
    <dl className="panel quality-facts">
      <Fact name="Tables">
        {contract.tables.length === 0 ? (
          <Quiet>none of its own</Quiet>
        ) : (
          <span className="contract-tables">
            {contract.tables.map((table) => (
              <TableLink key={table} table={table} />
            ))}
          </span>
        )}
      </Fact>
      <Fact name="Owner">{contract.owner ?? <Quiet>nobody</Quiet>}</Fact>
      <Fact name="Domain">{contract.domain ?? <Quiet>none</Quiet>}</Fact>
      <Fact name="Last check">
        {contract.violations === null ? (
          <Quiet>never</Quiet>
        ) : (
          <>
            <span className="contract-count" data-tone={toneOfCounts(contract.violations)}>
              {tallyInWords(contract.violations) || "nothing wrong"}
            </span>{" "}
            <Quiet>
              <RelativeTime time={contract.violations.checked_at} />
            </Quiet>
          </>
        )}
      </Fact>
      <Fact name="Last test">{contract.last_test === null ? <Quiet>none</Quiet> : <StatusBadge word={contract.last_test.result} />}</Fact>
      <Fact name="Registered">
        {contract.registered ? (
          <>
            <RelativeTime time={contract.registered_at} /> <Quiet>by {contract.registered_by}</Quiet>
          </>
        ) : (
          <Quiet>not yet</Quiet>
        )}
      </Fact>
      <Fact name="Kept in">{contract.file === null ? <Quiet>the registry only</Quiet> : <code className="mono name">{contract.file}</code>}</Fact>
      <Fact name="Standard">ODCS {contract.api_version}</Fact>
      {contract.registered && contract.file_differs && (
        <div className="quality-wide">
          <dt>The file</dt>
          <dd className="name">
            says something else than the registered version{contract.file_version !== null && contract.file_version !== contract.version && `: it is ${contract.file_version} by now`}.{" "}
            <Link to="/contracts/$contractId" params={{ contractId: contract.id }} search={{ part: "versions" }} className="link" resetScroll={false}>
              See what changed
            </Link>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Quiet({ children }: { children: ReactNode }) {
  return <span className="quality-quiet">{children}</span>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="name">{children}</dd>
    </div>
  );
}

const LABELS: Record<ContractPart, string> = { promises: "Promises", problems: "Problems", versions: "Versions", drift: "Drift", readers: "Readers", life: "Life", tests: "Tests", text: "YAML" };

interface PartProps {
  contract: ContractDetail;
  search: ContractSearch;
  change: (part: ContractSearch) => void;
}

function Parts({ contract, search, change }: PartProps) {
  const part = search.part ?? "promises";
  const contents: Record<ContractPart, () => ReactNode> = {
    promises: () => <Promises contract={contract} only={search.only} onOnly={(only) => change({ only })} />,
    problems: () => <ContractProblems contract={contract} />,
    versions: () => <Versions contract={contract} chosen={search} onChoose={change} />,
    drift: () => <Drift contract={contract} at={search.at} onAt={(at) => change({ at })} />,
    readers: () => <Readers contract={contract} />,
    life: () => <Lifecycle contract={contract} />,
    tests: () => <Tests contract={contract} />,
    text: () => <ContractText contract={contract} line={search.line} registered={search.text === "registered"} onRegistered={(registered) => change({ text: registered ? "registered" : undefined, line: undefined })} />,
  };
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the tabs scroll: the open one is brought into sight.
  useEffect(() => {
    list.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [part]);
  const open = (next: string | null): void => change({ part: CONTRACT_PARTS.find((one) => one === next && one !== "promises"), only: undefined, old: undefined, new: undefined, at: undefined, text: undefined, line: undefined });
  return (
    <Tabs value={part} keepMounted={false} onChange={open}>
      <Tabs.List ref={list} className="quality-tabs contract-tabs" aria-label={`Parts of ${contract.name}`}>
        {CONTRACT_PARTS.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {LABELS[one]}
            {one === "versions" && contract.versions > 0 && <span className="contract-tab-count numbers"> {contract.versions}</span>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {CONTRACT_PARTS.map((one) => (
        <Tabs.Panel key={one} value={one} pt="md">
          {part === one && contents[one]()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** No such contract: with the way back. */
function NotThere({ error, retry, busy }: { error: unknown; retry: () => void; busy: boolean }) {
  const gone = asProblem(error).status === 404;
  return (
    <Stack gap="md">
      <Problem error={error} retry={gone ? undefined : retry} retrying={busy} />
      <div>
        <Button variant="default" renderRoot={(props) => <Link to="/contracts" {...props} />}>
          All contracts
        </Button>
      </div>
    </Stack>
  );
}

function ContractSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton h={122} radius={12} />
      <Skeleton h={36} />
      <Skeleton h={320} radius={12} />
    </Stack>
  );
}
