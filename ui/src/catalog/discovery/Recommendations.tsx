import "./discovery.css";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { RecommendedAssetView } from "../../api";
import { recommendationsQuery } from "../../api/discovery";
import { TableLink } from "../../components";
import { plainLine } from "../markdown/parse";

/** What whoever looks may want to see, each with the reasons. Nothing to say: nothing shown. */
export function Recommendations() {
  const { data } = useQuery(recommendationsQuery());
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="panel discovery-pad" aria-labelledby="recommended">
      <div className="discovery-head">
        <h2 className="panel-title" id="recommended">
          You may want to see
        </h2>
        <Link to="/search" className="link discovery-more">
          Search the catalog
        </Link>
      </div>
      <ul className="discovery-list">
        {data.map((one) => (
          <One key={one.id} asset={one} />
        ))}
      </ul>
    </section>
  );
}

function One({ asset }: { asset: RecommendedAssetView }) {
  return (
    <li>
      <TableLink table={asset.qualified_name} />
      {asset.description !== "" && (
        <Text size="sm" c="dimmed" lineClamp={1}>
          {plainLine(asset.description)}
        </Text>
      )}
      <ul className="discovery-reasons" aria-label="Why">
        {asset.reasons.map((reason) => (
          <li key={reason.source}>{reason.text}</li>
        ))}
      </ul>
    </li>
  );
}
