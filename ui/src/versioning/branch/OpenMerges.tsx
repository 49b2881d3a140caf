import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { mergesQuery, OPEN_MERGES } from "../../api/versioning";
import { RelativeTime, StatusBadge } from "../../components";
import { plural } from "../../format/numbers";
import { mergeTitle, waitsFor } from "../merge/words";

/** Merges that wait for someone, where there are any: nothing else here is as urgent. */
export function OpenMerges({ branch }: { branch?: string }) {
  const { data } = useQuery(mergesQuery(OPEN_MERGES, branch));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section className="panel open-merges" aria-labelledby="open-merges">
      <h2 className="panel-title" id="open-merges">
        {plural(data.total_count ?? data.items.length, "open merge")}
      </h2>
      <ul>
        {data.items.map((merge) => (
          <li key={merge.merge_id}>
            <StatusBadge word={merge.status} label={waitsFor(merge)} />
            <Link to="/merges/$mergeId" params={{ mergeId: merge.merge_id }} className="link name open-merge">
              {mergeTitle(merge)}
            </Link>
            <span className="branches-quiet">
              {merge.author.name}, <RelativeTime time={merge.created_at} />
            </span>
            <Link to="/merges/$mergeId" params={{ mergeId: merge.merge_id }} className="link" aria-label={`${verb(merge.status)}: ${mergeTitle(merge)}`}>
              {verb(merge.status)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function verb(status: string): string {
  if (status === "conflicted") return "resolve";
  return status === "pending" ? "approve" : "look";
}
