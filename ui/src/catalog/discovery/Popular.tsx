import "./discovery.css";

import { NativeSelect, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { PopularAssetView, UsageView } from "../../api";
import { popularQuery } from "../../api/discovery";
import { domainsQuery } from "../../api/documentation";
import { QueryResult, RelativeTime, TableLink } from "../../components";
import { plural } from "../../format/numbers";
import { plainLine } from "../markdown/parse";

type Period = UsageView["period"];

const PERIODS: readonly { value: Period; label: string }[] = [
  { value: "day", label: "Today" },
  { value: "week", label: "7 days" },
  { value: "month", label: "30 days" },
];

interface Props {
  domain: string | undefined;
  period: Period | undefined;
  onChange: (part: { at?: string | undefined; period?: "day" | "week" | undefined }) => void;
}

/** What is used most, by how many people and how often: of all, or of one domain. */
export function Popular({ domain, period = "month", onChange }: Props) {
  const query = useQuery(popularQuery(domain, period));
  const { data: domains } = useQuery(domainsQuery());
  const names = [...new Set([...(domains ?? []).map((one) => one.name), ...(domain === undefined ? [] : [domain])])];
  return (
    <section className="panel discovery-pad" aria-labelledby="popular">
      <div className="discovery-head">
        <h2 className="panel-title" id="popular">
          Popular
        </h2>
        <div className="discovery-choices">
          <NativeSelect
            size="xs"
            aria-label="Domain"
            value={domain ?? ""}
            onChange={(event) => onChange({ at: event.currentTarget.value === "" ? undefined : event.currentTarget.value })}
            data={[{ value: "", label: "All domains" }, ...names]}
          />
          <SegmentedControl
            size="xs"
            aria-label="Period"
            data={[...PERIODS]}
            value={period}
            onChange={(value) => onChange({ period: value === "day" || value === "week" ? value : undefined })}
          />
        </div>
      </div>
      <QueryResult query={query} skeleton={<Skeleton h={240} mt="sm" />}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm" c="dimmed" mt="sm">
              Nobody used anything {domain === undefined ? "" : `of ${domain} `}in this time.
            </Text>
          ) : (
            <ol className="discovery-list" aria-label="Most used first">
              {found.map((one) => (
                <Used key={one.asset} asset={one} />
              ))}
            </ol>
          )
        }
      </QueryResult>
    </section>
  );
}

function Used({ asset }: { asset: PopularAssetView }) {
  const uses = [
    asset.users > 0 && plural(asset.users, "person", "people"),
    asset.views > 0 && plural(asset.views, "view"),
    asset.queries > 0 && plural(asset.queries, "query", "queries"),
    asset.runs > 0 && `${plural(asset.runs, "reading", "readings")} by runs`,
  ].filter((part) => part !== false);
  return (
    <li>
      <TableLink table={asset.asset} />
      {asset.description !== "" && (
        <Text size="sm" c="dimmed" lineClamp={1}>
          {plainLine(asset.description)}
        </Text>
      )}
      <Text size="sm" c="dimmed" component="div">
        {uses.join(", ")}
        {asset.last_at !== null && (
          <>
            , last <RelativeTime time={asset.last_at} />
          </>
        )}
      </Text>
    </li>
  );
}
