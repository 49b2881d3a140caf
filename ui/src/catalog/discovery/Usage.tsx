import "./discovery.css";

import { SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { UsageDayView, UsageView } from "../../api";
import { similarQuery, usageQuery } from "../../api/discovery";
import { QueryResult, RelativeTime, TableLink } from "../../components";
import { Fact } from "../../components/Fact";
import { count, day, percent, plural } from "../../format/numbers";
import { barHeights } from "../profile/words";

export const PERIODS = ["day", "week", "month"] as const;

interface Props {
  assetId: string;
  period: UsageView["period"] | undefined;
  onPeriod: (period: UsageView["period"] | undefined) => void;
}

/** Who uses it and how often, and what is like it. */
export function AssetUsage({ assetId, period = "month", onPeriod }: Props) {
  const query = useQuery(usageQuery(assetId, period));
  return (
    <div className="discovery-pair">
      <section className="panel discovery-pad" aria-labelledby="usage">
        <div className="discovery-head">
          <h2 className="panel-title" id="usage">
            Usage
          </h2>
          <SegmentedControl
            size="xs"
            aria-label="Period"
            data={[
              { value: "day", label: "Today" },
              { value: "week", label: "7 days" },
              { value: "month", label: "30 days" },
            ]}
            value={period}
            onChange={(value) => onPeriod(PERIODS.find((one) => one === value && one !== "month"))}
          />
        </div>
        <QueryResult query={query} skeleton={<Skeleton h={180} />}>
          {(usage) => <Used usage={usage} />}
        </QueryResult>
      </section>
      <Similar assetId={assetId} />
    </div>
  );
}

function Used({ usage }: { usage: UsageView }) {
  return (
    <>
      <dl className="facts discovery-facts">
        <Fact label="People">{count(usage.users)}</Fact>
        <Fact label="Views">{count(usage.views)}</Fact>
        <Fact label="Queries">{count(usage.queries)}</Fact>
        <Fact label="Read by runs">{count(usage.runs)}</Fact>
        <Fact label="Last">{usage.last_at === null ? "not in this time" : <RelativeTime time={usage.last_at} />}</Fact>
      </dl>
      {usage.days.length > 1 && <Days days={usage.days} />}
    </>
  );
}

const WIDTH = 300;
const HEIGHT = 72;

function Days({ days }: { days: readonly UsageDayView[] }) {
  const uses = days.map((one) => one.views + one.queries + one.runs);
  const step = WIDTH / days.length;
  const busiest = days[uses.indexOf(Math.max(...uses))];
  const words = Math.max(...uses) === 0 ? "not used" : `most on ${day(busiest?.day)}, ${plural(Math.max(...uses), "use")}`;
  return (
    <>
      <svg className="discovery-days" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width="100%" height={HEIGHT} preserveAspectRatio="none" role="img" aria-label={`Uses per day: ${words}`}>
        {barHeights(uses, HEIGHT - 4).map((high, index) => (
          <g key={days[index]?.day}>
            <title>{`${day(days[index]?.day)}: ${plural(days[index]?.views ?? 0, "view")}, ${plural(days[index]?.queries ?? 0, "query", "queries")}, ${plural(days[index]?.runs ?? 0, "run")}`}</title>
            <rect x={index * step} y={0} width={step} height={HEIGHT} fill="transparent" />
            <rect className={high === 0 ? "discovery-none" : "discovery-bar"} x={index * step + step * 0.14} y={HEIGHT - Math.max(high, 2)} width={step * 0.72} height={Math.max(high, 2)} />
          </g>
        ))}
      </svg>
      <div className="discovery-scale" aria-hidden>
        <span>{day(days[0]?.day)}</span>
        <span>{day(days.at(-1)?.day)}</span>
      </div>
    </>
  );
}

function Similar({ assetId }: { assetId: string }) {
  const query = useQuery(similarQuery(assetId));
  return (
    <section className="panel discovery-pad" aria-labelledby="similar">
      <h2 className="panel-title" id="similar">
        Similar
      </h2>
      <QueryResult query={query} skeleton={<Skeleton h={180} />}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm" c="dimmed" mt="sm">
              Nothing in the catalog is like it, by columns or by words.
            </Text>
          ) : (
            <ul className="discovery-list">
              {found.map((one) => (
                <li key={one.id}>
                  <div className="discovery-head">
                    <TableLink table={one.qualified_name} />
                    <span className="quiet numbers" title="How alike they are">
                      {percent(100 * one.score)}
                    </span>
                  </div>
                  <ul className="discovery-reasons" aria-label="Why">
                    {one.reasons.map((reason) => (
                      <li key={reason}>{reason}</li>
                    ))}
                  </ul>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </section>
  );
}
