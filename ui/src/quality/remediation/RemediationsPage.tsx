import "../quality.css";

import { Button, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconBandage, IconFilterOff } from "@tabler/icons-react";

import type { RemediationView } from "../../api";
import { itemsOf } from "../../api/pages";
import { remediationsQuery } from "../../api/quality";
import { CopyCommand, DataTable, EmptyState, QueryResult, Name, PageHeader, RelativeTime, ShowMore, StatusBadge, type Column } from "../../components";
import { plural } from "../../format/numbers";
import { QualityNav } from "../Nav";
import { REMEDY_STATES, type RemediationsSearch } from "../search";
import { countsInWords, LOOKS_LIKE, stepsInShort, verdictsInWords } from "./words";

const route = getRouteApi("/frame/quality/remediations");

/** What is proposed about failed checks, and what became of it. */
export default function RemediationsPage() {
  return (
    <>
      <PageHeader title="Remedies" about="What can be done about a failed check: worked out on a branch of its own, shown as a diff, and done only when someone approves." />
      <QualityNav />
      <Remediations />
    </>
  );
}

function Remediations() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const status = search.status ?? "all";
  const query = useInfiniteQuery(remediationsQuery({ status: status === "all" ? undefined : status, dataset_id: search.dataset }));
  const change = (part: RemediationsSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const filtered = search.status !== undefined || search.dataset !== undefined;
  return (
    <Stack gap="sm">
      <search className="quality-filters" aria-label="Remedies">
        <NativeSelect
          aria-label="State"
          value={status}
          onChange={(event) => change({ status: REMEDY_STATES.find((one) => one === event.currentTarget.value) })}
          data={[{ value: "all", label: "Any state" }, ...REMEDY_STATES.map((one) => ({ value: one, label: one === "nothing" ? "nothing to do" : one }))]}
        />
      </search>
      <QueryResult query={query} skeleton={<Skeleton h={280} radius={12} />}>
        {({ pages }) => {
          const found = itemsOf(pages);
          const total = pages[0]?.total_count ?? found.length;
          return (
            <>
              <div className="quality-found">
                <span role="status">
                  {plural(total, "remedy", "remedies")}
                  {search.dataset !== undefined && ` of ${search.dataset}`}
                </span>
                {filtered && (
                  <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={() => change({ status: undefined, dataset: undefined })}>
                    Clear filters
                  </Button>
                )}
              </div>
              <div className="panel quality-list" aria-busy={query.isPlaceholderData} data-stale={query.isPlaceholderData || undefined}>
                {found.length === 0 ? <None filtered={filtered} /> : <DataTable caption="Remedies" columns={COLUMNS} rows={found} rowKey={(one) => one.id} />}
                <ShowMore query={query} shown={found.length} total={total} what="remedies" />
              </div>
            </>
          );
        }}
      </QueryResult>
    </Stack>
  );
}

const COLUMNS: readonly Column<RemediationView>[] = [
  { key: "status", label: "State", cell: (one) => <StatusBadge word={LOOKS_LIKE[one.status]} label={one.status === "nothing" ? "nothing to do" : one.status} /> },
  { key: "what", label: "Remedy", cell: (one) => <What one={one} /> },
  { key: "rows", label: "Rows", cell: (one) => <span className="numbers name">{countsInWords(one)}</span> },
  { key: "after", label: "Afterwards", wide: true, cell: (one) => <span className="quality-quiet">{verdictsInWords(one)}</span> },
  { key: "when", label: "Proposed", align: "right", cell: (one) => <RelativeTime time={one.proposed_at} /> },
];

function What({ one }: { one: RemediationView }) {
  return (
    <span className="quality-named">
      <Link to="/quality/remediations/$remediationId" params={{ remediationId: one.id }} className="link name">
        {stepsInShort(one.steps)}
      </Link>
      <span className="quality-said name">
        <Name text={one.table} /> on {one.branch}
      </span>
    </span>
  );
}

function None({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState icon={IconBandage} title="No remedy passes these filters" />;
  return (
    <EmptyState icon={IconBandage} title="Nothing is proposed" action={<CopyCommand command="forge quality remediate propose --help" />}>
      A check with <code>on_failure: [quarantine]</code>, or rollback, impute, deduplicate, proposes it here when it fails.
    </EmptyState>
  );
}
