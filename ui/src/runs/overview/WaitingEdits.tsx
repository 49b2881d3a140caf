import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { proposalsQuery } from "../../api/documentation";
import { pathInWords } from "../../catalog/edit/words";
import { RelativeTime, TableLink } from "../../components";
import { plural } from "../../format/numbers";

const FEW = 5;

/** Edits of documentation that somebody else has to approve. Nothing waits: nothing shown. */
export function WaitingEdits() {
  const { data } = useQuery(proposalsQuery());
  if (data === undefined || data.length === 0) return null;
  const more = data.length - FEW;
  return (
    <section className="panel pad" aria-labelledby="waiting">
      <h2 className="panel-title" id="waiting">
        {plural(data.length, "edit")} {data.length === 1 ? "waits" : "wait"} for approval
      </h2>
      <ul className="rows">
        {data.slice(0, FEW).map((proposal) => (
          <li key={proposal.id}>
            <Text component="span" size="sm" className="name" style={{ flex: 1 }}>
              <TableLink table={proposal.asset} />: {Object.keys(proposal.changes).map(pathInWords).join(", ")}, by {proposal.by} <RelativeTime time={proposal.at} />
            </Text>
            <Link to="/assets/$assetId" params={{ assetId: proposal.asset }} search={{ tab: "history" }} className="link" style={{ fontSize: 13 }}>
              Decide<span className="only-readers"> about {proposal.asset}</span>
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="sm" c="dimmed">
          and {plural(more, "more", "more")}
        </Text>
      )}
    </section>
  );
}
